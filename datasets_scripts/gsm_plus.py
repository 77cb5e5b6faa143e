"""Convert GSM-Plus (github.com/qtli/GSM-Plus) to Math rows.

python datasets_scripts/gsm_plus.py --out gsm_plus.jsonl
python datasets_scripts/gsm_plus.py gsmplus_test.jsonl --out gsm_plus.jsonl
"""

from common import main

if __name__ == "__main__":
    raise SystemExit(main("gsm_plus"))
