"""Convert IFBench (github.com/allenai/IFBench) to Constraints rows.

python datasets_scripts/ifbench.py --out ifbench.jsonl
python datasets_scripts/ifbench.py IFBench_test.jsonl --out ifbench.jsonl
"""

from common import main

if __name__ == "__main__":
    raise SystemExit(main("ifbench"))
