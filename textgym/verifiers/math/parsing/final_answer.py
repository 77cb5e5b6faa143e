r"""The final answer in a text: the content of its last box, or of several joined boxes.

Invariants: only boxes with closed braces count; only the last box counts, unless nothing but `and`,
`or` or a comma separates it from the box before; any text is read in linear time.
"""

from __future__ import annotations

import re
from typing import NamedTuple

__all__ = ["final_answer"]

_BRACE = re.compile(r"(?P<box>\\boxed\s{0,9}\{)|[{}]")
_CLOSING = re.compile(r"[$\s]*+(?P<sign>\\?%)")
_MAX_BETWEEN = 80
_DECORATION = re.compile(r"\\(?:text|mbox|mathrm|q?quad|[()\[\],;:! ])|[$*_{}\s]")
_CONNECTIVES = {
    ",": ",", ";": ",", "&": ",", "and": "and", ",and": "and", "or": "or", ",or": "or",
    "and/or": "or",
}  # fmt: skip


class _Box(NamedTuple):
    start: int
    end: int
    content: str


def final_answer(text: str) -> str | None:
    r"""Return the formula in the last box, or in the last boxes if they are joined.

    Returns None if there is no box.

    Example:
        >>> final_answer(r"First \boxed{3}, no: \boxed{7}.")
        '7'
        >>> final_answer(r"\boxed{3} and \boxed{7}")
        '3 , 7'
        >>> final_answer(r"It is \boxed{\frac{1}{2}} or \boxed{x")
        '\\frac{1}{2}'
    """
    boxes = _boxes(text)
    if not boxes:
        return None
    joined, connective = [boxes[-1]], ","
    for box in reversed(boxes[:-1]):
        between = text[box.end : joined[-1].start]
        word = (
            _CONNECTIVES.get(_DECORATION.sub("", between)) if len(between) < _MAX_BETWEEN else None
        )
        if word is None:
            break
        joined.append(box)
        connective = "\\text{or}" if word == "or" else connective
    formula = f" {connective} ".join(box.content for box in reversed(joined))
    percent = _CLOSING.match(text, boxes[-1].end)
    return f"{formula}\\%" if percent else formula


def _boxes(text: str) -> list[_Box]:
    """Return the closed boxes that contain no other box, in order."""
    if "\\boxed" not in text:
        return []
    open_braces: list[int] = []  # the start of the box, or -1 for other braces
    starts: list[int] = []
    boxes: list[_Box] = []
    for brace in _BRACE.finditer(text):
        if brace["box"]:
            open_braces.append(brace.start())
            starts.append(brace.end())
        elif brace.group() == "{":
            open_braces.append(-1)
        elif open_braces:
            start = open_braces.pop()
            if start < 0:
                continue
            inside = starts.pop()
            if not boxes or boxes[-1].start < start:
                boxes.append(_Box(start, brace.end(), text[inside : brace.start()]))
    return boxes
