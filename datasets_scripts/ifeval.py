"""Convert IFEval to Constraints rows.

python datasets_scripts/ifeval.py --out ifeval.jsonl
python datasets_scripts/ifeval.py ifeval.jsonl --out ifeval.jsonl
"""

from common import main

if __name__ == "__main__":
    raise SystemExit(main("ifeval"))
