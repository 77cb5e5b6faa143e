"""Convert ARC (allenai.org/data/arc) to MCQA rows.

python datasets_scripts/arc.py --out arc.jsonl
python datasets_scripts/arc.py test.parquet --out arc.jsonl
"""

from common import main

if __name__ == "__main__":
    raise SystemExit(main("arc"))
