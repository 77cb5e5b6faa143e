"""Convert MATH, the competition problems, or AGIEval's copy of 1,000 of them, to Math rows.

python datasets_scripts/competition_math.py --out competition_math.jsonl
python datasets_scripts/competition_math.py test.jsonl --out competition_math.jsonl

The script is not named after the data set, `math`, because Python has a module of this name.
"""

from common import main

if __name__ == "__main__":
    raise SystemExit(main("math"))
