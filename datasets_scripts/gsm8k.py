"""Convert GSM8K's files to Math rows.

python datasets_scripts/gsm8k.py test.jsonl --out gsm8k.jsonl

GSM8K's files (github.com/openai/grade-school-math) have one problem per line: `question`, and
`answer`, a solution that ends with `#### N`. Read the rows with
`gymnasium.make("textgym/Math-v0", dataset="gsm8k.jsonl")`. Their ids contain the number of the
problem in its file, from 1, and `solution` contains the solution.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from common import Row, main_of_files, text_of

from textgym.errors import RowError

__all__ = ["convert", "main"]

_FINAL = re.compile(r"####\s*(-?[\d,]*\.?\d+)\s*$")


def convert(record: Row, number: int, category: str) -> Row:
    r"""Convert one of GSM8K's records to a row.

    Args:
        record: The record.
        number: The number of the record in its file, from 1.
        category: The name of the file without its suffix.

    Raises:
        RowError: A field is missing or not valid.

    Example:
        >>> row = convert({"question": "Two plus two?", "answer": "2 + 2 = 4\n#### 4"}, 1, "test")
        >>> row["id"], row["expected_answer"]
        ('gsm8k-test-1', '4')
    """
    solution = text_of(record, "answer")
    final = _FINAL.search(solution)
    if final is None:
        raise RowError("answer", "must end with '#### ' and the final number")
    return {
        "id": f"gsm8k-{category}-{number}",
        "question": text_of(record, "question"),
        "expected_answer": final[1].replace(",", ""),
        "category": "gsm8k",
        "solution": solution,
    }


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the script and return its exit code."""
    return main_of_files("Convert GSM8K's files to Math rows.", convert, arguments)


if __name__ == "__main__":
    raise SystemExit(main())
