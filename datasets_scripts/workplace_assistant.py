"""Convert NeMo Gym's workplace_assistant rows to WorkplaceAssistant rows.

python datasets_scripts/workplace_assistant.py train.jsonl --database databases --out rows.jsonl

The options are explained in `workbench.py`.
"""

from workbench import main

if __name__ == "__main__":
    raise SystemExit(main(name="workplace_assistant"))
