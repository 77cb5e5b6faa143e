r"""The final answer in a text: what its last box holds, or its last boxes where they are joined.

Invariants: only boxes whose braces are closed count; the last box alone decides, unless `and`, `or`
or a comma is all that stands between it and the one before; any text is read in linear time.
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
    r"""Return the formula in the last box, joined with those before it; None without a box.

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
    """Return the closed boxes that hold no other box, in order."""
    if "\\boxed" not in text:
        return []
    open_braces: list[int] = []  # where a box begins, or -1
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
