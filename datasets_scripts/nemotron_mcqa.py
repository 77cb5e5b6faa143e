"""Convert Nemotron's questions about knowledge, in NeMo Gym's format, to MCQA rows.

python datasets_scripts/nemotron_mcqa.py --out nemotron_mcqa.jsonl
python datasets_scripts/nemotron_mcqa.py train.jsonl --out nemotron_mcqa.jsonl
"""

from common import main

if __name__ == "__main__":
    raise SystemExit(main("nemotron_mcqa"))
