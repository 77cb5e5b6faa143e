"""Convert OlympiadBench's open-ended problems (github.com/OpenBMB/OlympiadBench) to Math rows.

python datasets_scripts/olympiad_bench.py --out olympiad_bench.jsonl
python datasets_scripts/olympiad_bench.py OE_TO_maths_en_COMP.json --out olympiad_bench.jsonl
"""

from common import main

if __name__ == "__main__":
    raise SystemExit(main("olympiad_bench"))
