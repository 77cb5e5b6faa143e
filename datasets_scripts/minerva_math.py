"""Convert Minerva's problems of science, from MIT's courses, to Math rows.

python datasets_scripts/minerva_math.py --out minerva_math.jsonl
python datasets_scripts/minerva_math.py test.jsonl --out minerva_math.jsonl
"""

from common import main

if __name__ == "__main__":
    raise SystemExit(main("minerva_math"))
