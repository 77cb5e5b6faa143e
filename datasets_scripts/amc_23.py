"""Convert the AMC of 2023 to Math rows.

python datasets_scripts/amc_23.py --out amc_23.jsonl
python datasets_scripts/amc_23.py test.jsonl --out amc_23.jsonl
"""

from common import main

if __name__ == "__main__":
    raise SystemExit(main("amc_23"))
