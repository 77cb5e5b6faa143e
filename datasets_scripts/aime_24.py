"""Convert the AIME of 2024 to Math rows.

python datasets_scripts/aime_24.py --out aime_24.jsonl
python datasets_scripts/aime_24.py aime_2024.parquet --out aime_24.jsonl
"""

from common import main

if __name__ == "__main__":
    raise SystemExit(main("aime_24"))
