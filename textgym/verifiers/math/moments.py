"""Times of day and dates, in one spelling.

Invariants: whether a gold such as `3:30` is a time or a ratio does not depend on the answer; any
text is read in linear time.
"""

from __future__ import annotations

import re
from math import gcd

from textgym.verifiers.calendar import read_time

__all__ = ["ASKS_FOR_RATIO", "MOMENT", "is_moment", "names_half", "plain_moments"]

_TIME = (
    r"(?<![\d:.])\d{1,2}(?:(?: ?[:.] ?\d\d(?::00)?)? ?[ap]\.? ?m\b\.?"
    r"|(?: ?: ?\d\d(?::00)?|\.\d\d(?= uhr))"
    r"(?: ?uhr\b| ?h\b)?(?![\d:])| ?uhr\b(?: ?\d\d\b)?| ?h ?\d\d(?![\da-z:]| ?m))"
)
_MONTH = (
    r"(?:jan(?:uary)?|feb(?:ruary)?|mar(?:ch)?|apr(?:il)?|may|june?|july?|aug(?:ust)?"
    r"|sept?(?:ember)?|oct(?:ober)?|nov(?:ember)?|dec(?:ember)?)(?![a-z])\.?"
)
_DAY = r"(?:0?[1-9]|[12]\d|3[01])(?:st|nd|rd|th)?(?![\d:.]\d)\b"
_DATE = (
    rf"(?:\b(?P<month>{_MONTH}) (?:the )?(?P<day>{_DAY})"
    rf"|(?:\bthe )?(?<![\d:.])(?P<first>{_DAY}) (?:of )?(?P<behind>{_MONTH}))"
    r"(?:,? (?P<year>\d{4})\b)?"
)
MOMENT = re.compile(f"(?P<time>{_TIME})|{_DATE}", re.IGNORECASE)
"""A time of day or a date."""

_CLOCK = re.compile(r"(\d{1,2}) ?: ?(\d\d)")
_HALF = re.compile(r"[ap](?=\.? ?m)", re.IGNORECASE)
ASKS_FOR_RATIO = re.compile(
    r"\b(?:ratios?|proportions?|odds)\b|(?<!\w)[a-z]{1,2}:[a-z]{1,2}(?!\w)", re.IGNORECASE
)
"""A question that asks for a ratio."""
_ASKS_FOR_TIME = re.compile(r"\b(?:(?:what|which) time|clock|o['’]clock)\b", re.IGNORECASE)
_NAMES_TIME = re.compile(r"\b(?:when|midnight|noon)\b|\d ?[ap]\.?m\b|\d:\d\d", re.IGNORECASE)


def is_moment(text: str, question: str = "") -> bool:
    """Return whether a text is a time of day or a date as a whole.

    Two numbers with a colon are a ratio if the question asks for one. If it does not say, they are
    a time unless they are in lowest terms.

    Example:
        >>> is_moment("4:10 P.M."), is_moment("May 5"), is_moment("3:30"), is_moment("3:40")
        (True, True, True, False)
        >>> is_moment("3:40", "What time is it?"), is_moment("3:30", "What is the ratio?")
        (True, False)
    """
    if not MOMENT.fullmatch(text):
        return False
    clock = _CLOCK.fullmatch(text)
    if clock is None:
        return True
    hour, minute = int(clock[1]), int(clock[2])
    if hour > 23 or minute > 59:
        return False
    if _ASKS_FOR_TIME.search(question) or ASKS_FOR_RATIO.search(question):
        return _ASKS_FOR_TIME.search(question) is not None
    is_lowest = gcd(hour, minute) == 1 and minute > 9
    return not is_lowest or _NAMES_TIME.search(question) is not None


def names_half(text: str) -> bool:
    """Return whether a text has a time that is before or after noon in one reading only.

    Example:
        >>> names_half("4:10 pm"), names_half("16:10"), names_half("4:10")
        (True, True, False)
    """
    times = (match["time"] for match in MOMENT.finditer(text))
    return any(_time(time, by_half=True).endswith("h") for time in times if time)


def plain_moments(text: str, *, by_half: bool) -> str:
    """Return a text with its times and dates in one spelling, without blanks and punctuation.

    Args:
        text: The text.
        by_half: Whether times before and after noon differ. Otherwise `3:30 pm` is `3:30`.

    Example:
        >>> plain_moments("04:10 PM", by_half=True), plain_moments("4:10 p.m.", by_half=False)
        ('16:10h', '4:10')
        >>> plain_moments("the 5th of May", by_half=True), plain_moments("4:10", by_half=True)
        ('may5', '4:10')
        >>> plain_moments("16h30", by_half=True), plain_moments("16.30 Uhr", by_half=True)
        ('16:30h', '16:30h')
    """
    return MOMENT.sub(
        lambda match: _time(match["time"], by_half) if match["time"] else _date(match), text
    )


def _time(time: str, by_half: bool) -> str:
    numbers, half = re.findall(r"\d+", time), _HALF.search(time)
    time = ":".join([*numbers, "00"][:2]) + (f"{half[0]}m" if half else "")
    minutes = read_time(time)
    if minutes is None:
        return time
    hour, minute = divmod(minutes, 60)
    clock = _CLOCK.fullmatch(time)
    if by_half and (clock is None or not 0 < hour < 13):
        return f"{hour}:{minute:02}h"
    return f"{hour if clock else (hour - 1) % 12 + 1}:{minute:02}"


def _date(match: re.Match[str]) -> str:
    month = (match["month"] or match["behind"])[:3].lower()
    day = int(re.sub(r"\D", "", match["day"] or match["first"]))
    return f"{month}{day}y{match['year']}" if match["year"] else f"{month}{day}"
