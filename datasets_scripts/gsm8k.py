"""Convert GSM8K (github.com/openai/grade-school-math) to Math rows.

python datasets_scripts/gsm8k.py --out gsm8k.jsonl
python datasets_scripts/gsm8k.py test.jsonl --out gsm8k.jsonl
python datasets_scripts/gsm8k.py test.jsonl --published --out published.jsonl
"""

from common import main

if __name__ == "__main__":
    raise SystemExit(main("gsm8k"))
