"""Convert AGIEval's multiple-choice files to MCQA rows.

python datasets_scripts/agieval.py lsat-ar.jsonl aqua-rat.jsonl --out rows.jsonl

AGIEval's files (github.com/ruixiangcui/AGIEval, `data/v1`) have one question per line. Read the
rows with `gymnasium.make("textgym/MCQA-v0", dataset="rows.jsonl")`. Their ids contain the number of
the question in its file, from 1. Questions with an empty option, or whose correct option occurs
twice, are skipped.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from string import ascii_uppercase

from common import Row, main_of_files, make_row, no_fair_choice, text_of, texts_of

from textgym.errors import RowError

__all__ = ["convert", "main"]

_PREFIX = re.compile(r"\s*\(\s*([A-Z])\s*\)")


def convert(record: Row, number: int, category: str) -> Row:
    r"""Convert one of AGIEval's records to a row.

    Args:
        record: The record.
        number: The number of the record in its file, from 1.
        category: The name of the file without its suffix.

    Raises:
        RowError: A field is missing or not valid.

    Example:
        >>> record = {"passage": "Ann is older than Bob.", "question": "Who is younger?",
        ...           "options": ["(A)Ann", "(B)Bob"], "label": "B"}
        >>> row = convert(record, 1, "demo")
        >>> row["question"], row["options"], row["answer"]
        ('Ann is older than Bob.\n\nWho is younger?', {'A': 'Ann', 'B': 'Bob'}, 'B')
    """
    question = text_of(record, "question")
    if record.get("passage"):
        question = text_of(record, "passage") + "\n\n" + question
    texts = _without_prefixes(texts_of(record, "options"))
    letters = list(ascii_uppercase[: len(texts)])
    label = text_of(record, "label")
    if label not in letters:
        raise RowError("label", f"is {label!r}, but the options are {', '.join(letters)}")
    return make_row(f"{category}-{number}", question, texts, letters.index(label), category)


def _without_prefixes(texts: list[str]) -> list[str]:
    """Return options without their "(A)". Raises an error if the prefixes are not in order.

    Example:
        >>> _without_prefixes(["(A)neon", "(B ) zinc"]), _without_prefixes(["both", "(I) only"])
        (['neon', 'zinc'], ['both', '(I) only'])
    """
    found = [_PREFIX.match(text) for text in texts]
    prefixes = "".join(match.group(1) for match in found if match)
    if all(found) and prefixes != ascii_uppercase[: len(texts)]:
        raise RowError("options", f"must be in the order of their letters, not {prefixes}")
    return [
        text[match.end() :].strip() if match and match.group(1) == letter else text
        for text, match, letter in zip(texts, found, ascii_uppercase, strict=False)
    ]


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the script and return its exit code."""
    description = "Convert AGIEval's files to MCQA rows."
    return main_of_files(description, convert, arguments, no_fair_choice)


if __name__ == "__main__":
    raise SystemExit(main())
