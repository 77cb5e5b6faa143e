"""Convert BIG-Bench Hard (github.com/suzgunmirac/BIG-Bench-Hard, `bbh`) to EquivalenceJudge rows.

python datasets_scripts/bbh.py --out bbh.jsonl
python datasets_scripts/bbh.py navigate.json snarks.json --out bbh.jsonl

The name of a file, without its suffix, is the category of its rows.
"""

from common import main

if __name__ == "__main__":
    raise SystemExit(main("bbh", task_field="task"))
