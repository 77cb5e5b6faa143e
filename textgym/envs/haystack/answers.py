"""Reading an answer that is a set or a list of items, and grading it.

Invariants: only the last line of a text is read, in linear time; an answer of more than four times
as many letters and digits as the right one earns nothing, so that nothing can be pasted; items are
compared to the last digit.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from textgym.verifiers.exact import normalize_text, plain_marks
from textgym.verifiers.extract import last_answer, last_line

__all__ = ["Verdict", "answer_line", "f1_score", "grade_items", "items_of", "normalize_item"]

_MARKS = " \t\r\u00a0,\"'`*_()[]{}.“”‘’"  # what may stand around items
_WITHOUT_MARKS = str.maketrans("", "", _MARKS)
_MOST_TIMES = 4
_FENCE = "```"


class Verdict(NamedTuple):
    """What an answer is worth.

    Attributes:
        is_right: Whether it is the right set or list.
        f1: The harmonic mean of precision and recall of its items.
    """

    is_right: bool
    f1: float


def answer_line(text: str) -> str:
    r"""Return the answer in the last line of a text, behind `Answer:` if the line has it.

    A line that only closes a code fence is skipped.

    Example:
        >>> answer_line("I looked twice.\nAnswer: 17, 4"), answer_line("```\n17, 4\n```")
        ('17, 4', '17, 4')
    """
    line = last_line(text.rstrip().removesuffix(_FENCE))
    answer = last_answer(line)
    return line if answer is None else answer


def items_of(line: str) -> list[str]:
    """Return the items of a list, which commas separate, without quotes and brackets.

    Example:
        >>> items_of('["17", "Ada  Holm"]'), items_of("**17, Ada Holm**.")
        (['17', 'ada holm'], ['17', 'ada holm'])
    """
    return list(filter(None, map(normalize_item, line.split(","))))


def normalize_item(item: str) -> str:
    """Return an item in the form in which items are compared.

    Example:
        >>> normalize_item(" **Ada  HOLM**."), normalize_item("007")
        ('ada holm', '007')
    """
    return normalize_text(plain_marks(item).strip(_MARKS))


def grade_items(line: str, expected: Sequence[str], *, ordered: bool) -> Verdict:
    """Grade the answer in a line.

    Args:
        line: The answer, see `answer_line`.
        expected: The right items, at least one.
        ordered: Whether their order matters. Else items may be repeated.

    Example:
        >>> grade_items("4, 17", ["17", "4"], ordered=False)
        Verdict(is_right=True, f1=1.0)
        >>> grade_items("17, 5", ["17", "4"], ordered=True)
        Verdict(is_right=False, f1=0.5)
        >>> grade_items("17, 1, 2, 3, 4, 5, 6, 7, 8", ["17"], ordered=False)
        Verdict(is_right=False, f1=0.0)
    """
    longest = _MOST_TIMES * sum(len(item.translate(_WITHOUT_MARKS)) for item in expected)
    if len(line.translate(_WITHOUT_MARKS)) > longest:
        return Verdict(False, 0.0)
    items, right = items_of(line), [*map(normalize_item, expected)]
    if ordered:
        common = sum(map(str.__eq__, items, right))
        return Verdict(items == right, f1_score(common, len(items), len(right)))
    distinct, wanted = set(items), set(right)
    return Verdict(distinct == wanted, f1_score(len(distinct & wanted), len(distinct), len(wanted)))


def f1_score(common: int, answered: int, wanted: int) -> float:
    """Return the F1 score of an answer, 0 if nothing is right.

    Args:
        common: How many of its items are right.
        answered: How many items it has.
        wanted: How many items the right answer has.

    Example:
        >>> f1_score(1, 2, 2), f1_score(0, 0, 3)
        (0.5, 0.0)
    """
    return 2 * common / (answered + wanted) if common else 0.0
