"""Convert AGIEval's multiple-choice files (github.com/ruixiangcui/AGIEval, `data/v1`) to MCQA rows.

python datasets_scripts/agieval.py --out agieval.jsonl
python datasets_scripts/agieval.py lsat-ar.jsonl aqua-rat.jsonl --out agieval.jsonl

The name of a file, without its suffix, is the category of its rows.
"""

from common import main

if __name__ == "__main__":
    raise SystemExit(main("agieval", task_field="task"))
