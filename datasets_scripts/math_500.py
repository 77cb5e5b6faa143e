"""Convert MATH-500, a test set of MATH, to Math rows.

python datasets_scripts/math_500.py --out math_500.jsonl
python datasets_scripts/math_500.py test.jsonl --out math_500.jsonl
"""

from common import main

if __name__ == "__main__":
    raise SystemExit(main("math_500"))
