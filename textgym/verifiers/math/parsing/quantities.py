r"""Quantities in words, such as "twenty-one" and "1 hour 30 minutes", as LaTeX.

Invariant: a text is a quantity as a whole, or not at all; any text is read in linear time.
"""

from __future__ import annotations

import re

from textgym.verifiers.math.parsing.units import parts_of_unit

__all__ = ["holds_quantity", "quantity"]

_MAX_LENGTH = 100  # characters
_SMALL = {
    "zero": 0, "one": 1, "two": 2, "three": 3, "four": 4, "five": 5, "six": 6, "seven": 7,
    "eight": 8, "nine": 9, "ten": 10, "eleven": 11, "twelve": 12, "thirteen": 13, "fourteen": 14,
    "fifteen": 15, "sixteen": 16, "seventeen": 17, "eighteen": 18, "nineteen": 19,
}  # fmt: skip
_TENS = {
    "twenty": 20, "thirty": 30, "forty": 40, "fifty": 50, "sixty": 60, "seventy": 70, "eighty": 80,
    "ninety": 90,
}  # fmt: skip
_SCALES = {"thousand": 10**3, "million": 10**6}
_WORDS = "|".join(sorted([*_SMALL, *_TENS, *_SCALES, "hundred"], key=len, reverse=True))
_IN_WORDS = re.compile(
    rf"(?P<sign>(?:minus|negative) )?(?P<number>(?:{_WORDS})(?:(?:-| and | )(?:{_WORDS}))*+)"
    r"(?: (?P<unit>[a-z]{3,20}))?(?: (?:left|each|more|altogether|in (?:all|total)))?",
    re.IGNORECASE,
)
_NO_UNIT = re.compile(
    r"half|halves|(?:third|quarter|fourth|fifth|sixth|seventh|eighth|ninth|tenth|twelfth|hundredth"
    r"|thousandth)s?|times|plus|minus|over|and|not|less|more|squared|cubed|factorial|choose|mod"
    r"|maybe|perhaps|wrong|false",
    re.IGNORECASE,
)
_HINT = re.compile(rf"\b(?:{_WORDS})\b|\d ?[a-z]{{1,7}}\.?,? (?:and )?\d", re.IGNORECASE)
_COMPOUND = re.compile(
    r"(?P<whole>\d{1,9}) ?(?P<larger>[a-z]{1,7})\.?,? (?:and )?"
    r"(?P<rest>\d{1,9}) ?(?P<smaller>[a-z]{1,7})\.?",
    re.IGNORECASE,
)


def holds_quantity(text: str) -> bool:
    """Return whether a text may hold a quantity in words; see `quantity`.

    Example:
        >>> holds_quantity("There are seven."), holds_quantity("It is 1 hour."), holds_quantity("7")
        (True, False, False)
    """
    return _HINT.search(text) is not None


def quantity(text: str) -> str:
    r"""Return a number in words, or a quantity in two units, as LaTeX; "" if a text is neither.

    Example:
        >>> quantity("Twenty-one"), quantity("seven apples"), quantity("1 hour and 30 minutes")
        ('21', '7\\text{ apples}', '90\\text{ minutes}')
        >>> quantity("two three"), quantity("seven or eight"), quantity("4 feet 14 inches")
        ('', '', '')
    """
    if len(text) > _MAX_LENGTH:
        return ""
    compound = _COMPOUND.fullmatch(text)
    if compound is not None:
        whole, larger, rest, smaller = compound.groups()
        size = parts_of_unit(larger, smaller)
        if int(rest) >= size:
            return ""
        return f"{int(whole) * size + int(rest)}\\text{{ {smaller}}}"
    words = _IN_WORDS.fullmatch(text)
    if words is None or _NO_UNIT.fullmatch(words["unit"] or ""):
        return ""
    number = _number(re.split(r"-| and | ", words["number"].lower()))
    if number is None:
        return ""
    unit = f"\\text{{ {words['unit']}}}" if words["unit"] else ""
    return f"{'-' if words['sign'] else ''}{number}{unit}"


def _number(words: list[str]) -> int | None:
    """Return the number that words spell; None if they spell no single one."""
    total, group, scale = 0, 0, 10**9
    limit = 1000  # the next word has to be smaller
    for word in words:
        value = _SMALL.get(word, _TENS.get(word))
        if value is not None and value < limit and (value or len(words) == 1):
            group += value
            limit = 10 if word in _TENS else 1
        elif word == "hundred" and 0 < group < 10:
            group, limit = 100 * group, 100
        elif word in _SCALES and group and _SCALES[word] < scale:
            scale = _SCALES[word]
            total, group, limit = total + group * scale, 0, 1000
        else:
            return None
    return total + group
