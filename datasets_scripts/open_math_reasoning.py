"""Convert OpenMathReasoning to Math rows.

python datasets_scripts/open_math_reasoning.py --out open_math_reasoning.jsonl
python datasets_scripts/open_math_reasoning.py cot.parquet --out open_math_reasoning.jsonl
"""

from common import main

if __name__ == "__main__":
    raise SystemExit(main("open_math_reasoning"))
