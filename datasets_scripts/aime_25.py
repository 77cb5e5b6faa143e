"""Convert the AIME of 2025 to Math rows.

python datasets_scripts/aime_25.py --out aime_25.jsonl
python datasets_scripts/aime_25.py aime_2025.parquet --out aime_25.jsonl
"""

from common import main

if __name__ == "__main__":
    raise SystemExit(main("aime_25"))
