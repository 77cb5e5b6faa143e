"""Convert DAPO-Math-17k to Math rows.

python datasets_scripts/dapo_17k.py --out dapo_17k.jsonl
python datasets_scripts/dapo_17k.py dapo-math-17k.parquet --out dapo_17k.jsonl
"""

from common import main

if __name__ == "__main__":
    raise SystemExit(main("dapo_17k"))
