"""Convert MMLU to MCQA rows.

python datasets_scripts/mmlu.py --out mmlu.jsonl
python datasets_scripts/mmlu.py test.parquet --out mmlu.jsonl
"""

from common import main

if __name__ == "__main__":
    raise SystemExit(main("mmlu"))
