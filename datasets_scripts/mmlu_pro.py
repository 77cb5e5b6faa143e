r"""Convert MMLU-Pro (github.com/TIGER-AI-Lab/MMLU-Pro) to MCQA rows.

python datasets_scripts/mmlu_pro.py --out mmlu_pro.jsonl
python datasets_scripts/mmlu_pro.py test.parquet --out mmlu_pro.jsonl
python datasets_scripts/mmlu_pro.py test.parquet --published --examples validation.parquet \
    --out published.jsonl
"""

from common import main

if __name__ == "__main__":
    raise SystemExit(main("mmlu_pro"))
