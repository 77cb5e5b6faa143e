"""Convert HotpotQA with its paragraphs (the distractor setting) to EquivalenceJudge rows.

python datasets_scripts/hotpotqa.py --out hotpotqa.jsonl
python datasets_scripts/hotpotqa.py validation.parquet --out hotpotqa.jsonl
"""

from common import main

if __name__ == "__main__":
    raise SystemExit(main("hotpotqa"))
