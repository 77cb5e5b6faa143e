"""Answers: a whole number, a short text, or a list of these.

Invariants: every function takes any text and works in linear time; a text has at most one answer.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import Any

from textgym.errors import RowError
from textgym.verifiers.exact import bare_answer, equal_number, equal_text, normalize_answer
from textgym.verifiers.stated import AnswerForm

__all__ = ["find_answer", "is_answer", "read_answer", "without_unit", "written"]

_MARKS = " \t\"'“”‘’`*_"
_ASKED = re.compile(
    r"\bhow many (\w+)|\bexpress [^.\n]{1,200} in (\w+)\.|\bnumber of (\w+)", re.IGNORECASE
)
_BRACKETS = (("[", "]"), ("(", ")"), ("{", "}"))


def read_answer(row: Mapping[str, Any], field: str) -> int | str | list[Any]:
    """Return an answer from a row.

    Raises:
        RowError: It is neither a number, a text with a letter or digit, nor a list of these, or the
            text of an item contains a comma.

    Example:
        >>> read_answer({"expected_answer": ["fig", "pear"]}, "expected_answer")
        ['fig', 'pear']
    """
    answer = row.get(field)
    items = answer if isinstance(answer, list) else [answer]
    if not items or not all(map(_is_item, items)):
        raise RowError(field, f"must be a number, a text or a list of these, not {answer!r:.100}")
    if isinstance(answer, list) and any("," in str(item) for item in items):
        raise RowError(field, "must be a list of items without commas")
    return answer  # type: ignore[return-value]


def _is_item(item: Any) -> bool:
    is_number = isinstance(item, (int, float)) and not isinstance(item, bool)
    return is_number or (isinstance(item, str) and bool(normalize_answer(item)))


def find_answer(text: str, form: AnswerForm | None = None) -> str:
    r"""Return the answer of a model's text, without the words and marks that present it.

    Args:
        text: The text.
        form: The form that the prompt names; see `stated_answer`.

    Example:
        >>> find_answer("Let me think.\n**Answer: fig, pear**"), find_answer("12")
        ('fig, pear', '12')
    """
    return bare_answer(text, form).strip(_MARKS).rstrip(_MARKS + ".")


def without_unit(answer: str, prompt: str) -> str:
    """Return an answer without the unit that the prompt asks for.

    Example:
        >>> without_unit("80 minutes", "How many minutes are 2 hours?")
        '80'
        >>> without_unit("80 hours", "How many minutes are 2 hours?")
        '80 hours'
    """
    asked = {next(filter(None, match.groups())) for match in _ASKED.finditer(prompt)}
    number, _, unit = answer.rpartition(" ")
    names = {unit.lower(), f"{unit.lower()}s", f"{unit.lower()}es"}
    return number if number and not names.isdisjoint(map(str.lower, asked)) else answer


def is_answer(expected: Any, answer: str) -> bool:
    """Return whether an answer is the expected one.

    Markdown, quotes and case do not matter. The items of a list are separated by commas.

    Args:
        expected: A number, a text, or a list of these.
        answer: An answer that `find_answer` found.

    Example:
        >>> is_answer(12, "12"), is_answer(12, "12 or 13")
        (True, False)
        >>> is_answer(["fig", "pear"], "[Fig, pear]"), is_answer(["fig", "pear"], "pear, fig")
        (True, False)
    """
    if not isinstance(expected, list):
        return _is_equal(expected, answer)
    for opening, closing in _BRACKETS:
        if answer.startswith(opening) and answer.endswith(closing):
            answer = answer[1:-1]
            break
    items = answer.split(",", len(expected))
    return len(items) == len(expected) and all(map(_is_equal, expected, items))


def _is_equal(expected: Any, given: str) -> bool:
    given = given.strip(_MARKS)
    if isinstance(expected, str):
        return equal_text(expected, given)
    return equal_number(expected, given)


def written(answer: int | str | Sequence[Any]) -> str:
    """Return an answer as it is to be given.

    Example:
        >>> written(["fig", "pear"]), written(12)
        ('fig, pear', '12')
    """
    return ", ".join(map(str, answer)) if isinstance(answer, list) else str(answer)
