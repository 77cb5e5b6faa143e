r"""Convert files of MATH, the competition problems, to Math rows.

python datasets_scripts/competition_math.py math-500.jsonl --out math.jsonl

Three formats are supported: the published one (`problem`, `solution`, `level`, `type`, with the
answer in the solution's last box), MATH-500 (with `answer` and `subject`), and AGIEval's
(`question`, `answer`, and the rest in `other`). Read the rows with
`gymnasium.make("textgym/Math-v0", dataset="math.jsonl")`. Their ids contain the number of the
problem in its file, from 1. `level` is the level in MATH, 1 to 5, and `category` the subject.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from common import Row, main_of_files, text_of

from textgym.errors import RowError
from textgym.verifiers.extract import last_boxed

__all__ = ["convert", "main"]

_LEVEL = re.compile(r"(?:Level )?([1-5])")


def convert(record: Row, number: int, category: str) -> Row:
    r"""Convert one of MATH's records to a row.

    Args:
        record: The record.
        number: The number of the record in its file, from 1.
        category: The name of the file without its suffix.

    Raises:
        RowError: A field is missing or not valid.

    Example:
        >>> record = {"problem": "Add 1 and 1.", "solution": "It is $\\boxed{2}$.",
        ...           "level": "Level 1", "type": "Prealgebra"}
        >>> row = convert(record, 7, "train")
        >>> row["id"], row["expected_answer"], row["level"], row["category"]
        ('train-7', '2', 1, 'Prealgebra')
    """
    other = record.get("other")
    if isinstance(other, dict):
        record = {**other, **record}
    row = {
        "id": f"{category}-{number}",
        "question": text_of(record, "question" if record.get("problem") is None else "problem"),
        "expected_answer": _answer_of(record),
        "category": record.get("type") or record.get("subject") or "math",
    }
    level = _LEVEL.fullmatch(str(record.get("level")))
    return {**row, "level": int(level[1])} if level else row


def _answer_of(record: Row) -> str:
    if record.get("answer") is not None:
        return text_of(record, "answer")
    answer = last_boxed(text_of(record, "solution"))
    if answer is None or not answer.strip():
        raise RowError(
            "solution", "must contain the answer in \\boxed{}, unless there is a field `answer`"
        )
    return answer


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the script and return its exit code."""
    return main_of_files("Convert MATH's files to Math rows.", convert, arguments)


if __name__ == "__main__":
    raise SystemExit(main())
