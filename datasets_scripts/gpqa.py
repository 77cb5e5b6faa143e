"""Convert GPQA (github.com/idavidrein/gpqa) to MCQA rows.

python datasets_scripts/gpqa.py --out gpqa.jsonl
python datasets_scripts/gpqa.py gpqa_diamond.csv --out gpqa.jsonl
"""

from common import main

if __name__ == "__main__":
    raise SystemExit(main("gpqa"))
