"""Dates, times, prices and amounts in the many ways of writing them.

Texts are read in the form of `folded`. Invariants: the patterns have no unbounded repetition, so
the time is linear in the text; an ambiguous part, such as `4/7/2025`, has all the values that it
may mean.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from typing import NamedTuple

from textgym.envs.generation import MONTHS, in_words

__all__ = ["Quantity", "Value", "in_digits", "quantities_of"]

_ODD_ORDINALS = ("zeroth", "first", "second", "third", "fourth", "fifth", "sixth", "seventh",
                 "eighth", "ninth", "tenth", "eleventh", "twelfth")  # fmt: skip
_NUMBERS = (
    {in_words(n): n for n in range(20)}
    | {"oh": 0}
    | {in_words(n)[:-1] + "ieth": n for n in range(20, 100, 10)}
    | {in_words(n): n for n in range(20, 100, 10)}
    | {f"{in_words(n)}th": n for n in range(13, 20)}
    | {word: n for n, word in enumerate(_ODD_ORDINALS) if n}
)
_ORDINALS = {word for word in _NUMBERS if word.endswith("th")} | {*_ODD_ORDINALS}
_UNITS = "|".join(word for word, n in _NUMBERS.items() if 0 < n < 10)
_TENS = "|".join(in_words(n) for n in range(20, 100, 10))
_WORDS = "|".join(sorted(_NUMBERS, key=len, reverse=True))
_NUMBER = re.compile(  # not "no one may" or "the second march"
    r"(?<![a-z])(?<!may )(?<!may the )(?<!march )(?<!march the )"
    rf"(?:(?P<tens>{_TENS})[\s-]{{0,2}}(?P<unit>{_UNITS})|(?:zero|oh)[\s-](?P<digit>{_UNITS})"
    rf"|(?P<word>{_WORDS}))(?![a-z]|\s(?:may|march)(?![a-z]))"
)
_HUNDREDS = re.compile(r"(?<!\d)(\d) hundred(?:(?: and)? (\d{1,2})(?!\d))?(?![a-z])")
_POINT = re.compile(r"(?<=\d) point (?=\d)")
_LETTERS_IN_NUMBER = re.compile(
    r"(?<![a-z\d])(?:[oil]{1,6}\d[oil\d]{0,12}|\d[oil\d]{1,12})(?![a-z\d])"
)
_AS_DIGITS = str.maketrans("oil", "011")

_START = r"(?<![\d$])(?<!\d[.,:])"
_END = r"(?!\d|[.,:]\d)"
_SHORT = tuple(month[:3].lower() for month in MONTHS)
_NAMES = "|".join(f"{month[:3]}(?:{month[3:]})?" for month in map(str.lower, MONTHS))
_MONTH = rf"(?P<month>{_NAMES}|sept)(?![a-z])"
_UNIT = r"(?P<unit>min(?:ute)?s?|g(?:ra?m?s?)?|%|per ?cent|pct)(?![a-z])"
_MONEY = r"(?:dollars?|usd|bucks|\$)"
_COUNTED = "people|persons|guests|times|days|weeks|months|years|hours|miles|km|kilomet|met|steps"
_OTHER = rf"[\s-]?(?:{_UNIT}|{_MONEY}|{_COUNTED})"
_HALF = r"[\s-]{0,2}(?P<half>[ap])\.?\s?m(?![a-z])"

Value = tuple[str, int]
"""A kind, such as `minutes`, and a number."""

Values = set[Value]


class Quantity(NamedTuple):
    """What a part of a text says.

    Attributes:
        start: Where the part begins.
        end: Where it ends.
        values: The values that it may mean.
    """

    start: int
    end: int
    values: frozenset[Value]


def in_digits(text: str) -> str:
    """Return a folded text with digits for numbers in words, and for letters within numbers.

    Numbers before and after `may` and `march`, which are verbs too, stay as they are.

    Example:
        >>> in_digits("the twenty-first of june, k t four hundred and seventeen, 555-o142")
        'the 21th of june, k t 417, 555-0142'
        >>> in_digits("no one may enter, stone")
        'no one may enter, stone'
    """
    text = _HUNDREDS.sub(_hundreds, _NUMBER.sub(_number, text))
    text = _LETTERS_IN_NUMBER.sub(lambda match: match[0].translate(_AS_DIGITS), text)
    return _POINT.sub(".", text)


def _number(match: re.Match[str]) -> str:
    last = match["unit"] or match["digit"] or match["word"]
    tens = str(_NUMBERS[match["tens"]] // 10) if match["tens"] else "0" if match["digit"] else ""
    return f"{tens}{_NUMBERS[last]}{'th' if last in _ORDINALS else ''}"


def _hundreds(match: re.Match[str]) -> str:
    return str(100 * int(match[1]) + int(match[2] or 0))


def quantities_of(text: str) -> Iterator[Quantity]:
    """Yield the dates, times, prices and amounts of a text in the form of `in_digits`.

    Dates have no year, and a time without `am` or `pm` may be either.

    Example:
        >>> [sorted(found.values) for found in quantities_of("june 14th, 2:00, half an hour")]
        [[('date', 614)], [('time', 120), ('time', 840)], [('minutes', 30)]]
    """
    for pattern, read in _READERS:
        for match in pattern.finditer(text):
            if values := read(match):
                yield Quantity(match.start(), match.end(), frozenset(values))


def _date(*days: tuple[int, int]) -> Values:
    return {("date", 100 * month + day) for month, day in days if 0 < month < 13 and 0 < day < 32}


def _named_date(match: re.Match[str]) -> Values:
    return _date((_SHORT.index(match["month"][:3]) + 1, int(match["day"])))


def _numeric_date(match: re.Match[str]) -> Values:
    """Return the readings of `14/6/2025`; without a year, `3/4` and `24/7` are not dates."""
    first, second = match["first"], match["second"]
    is_padded = match["mark"] != "." and "0" in (first[0], second[0])
    is_padded |= match["mark"] == "/" and len(first) == len(second) == 2
    is_after_on = f" {match.string[max(0, match.start() - 4) : match.start()]}".endswith(" on ")
    if not (match["year"] or is_padded or is_after_on):
        return set()
    return _date((int(first), int(second)), (int(second), int(first)))


def _iso_date(match: re.Match[str]) -> Values:
    return _date((int(match["month"]), int(match["day"])))


def _clock(hour: str, minute: str | None, half: str | None) -> Values:
    hours, minutes = int(hour), int(minute or 0)
    if hours > 24 or minutes > 59 or (half and not 0 < hours < 13):
        return set()
    if half:
        return {("time", hours % 12 * 60 + (720 if half == "p" else 0) + minutes)}
    either = (hours, hours + 12) if 0 < hours < 13 else (hours,)
    return {("time", hours % 24 * 60 + minutes) for hours in either}


def _time(match: re.Match[str]) -> Values:
    named = match.groupdict()
    return _clock(match["hour"], named.get("minute"), named.get("half"))


def _time_in_parts(match: re.Match[str]) -> Values:
    minutes = {"quarter": 15, "half": 30}.get(match["part"]) or int(match["part"].split()[0])
    exact = _clock(match["hour"], None, match["half"])
    sign = 1 if match["way"] in ("past", "after") else -1
    return {(kind, (time + sign * minutes) % 1440) for kind, time in exact}


def _noon(match: re.Match[str]) -> Values:
    return {("time", 720 if match[0] == "noon" else 0)}


def _price(match: re.Match[str]) -> Values:
    cents = (match["cents"] or "").ljust(2, "0")
    return {("cents", 100 * int(match["dollars"]) + int(cents))}


def _cents(match: re.Match[str]) -> Values:
    return {("cents", int(match["cents"]))}


def _amount(match: re.Match[str]) -> Values:
    kind = {"m": "minutes", "g": "grams"}.get(match["unit"][0], "percent")
    return {(kind, int(match["number"]))}


def _hours(match: re.Match[str]) -> Values:
    hours = int(match["hours"] or 1)
    minutes = 30 if match["half"] else int(match["minutes"] or 0)
    return {("minutes", 60 * hours + minutes)}


def _half_hour(match: re.Match[str]) -> Values:
    parts = {"half": 30, "quarter": 15, "3 quarters": 45}
    return {("minutes", parts[match["part"]])}


def _kilograms(match: re.Match[str]) -> Values:
    return {("grams", 1000 * int(match["whole"]) + int(match["rest"].ljust(3, "0")))}


_READERS: tuple[tuple[re.Pattern[str], Callable[[re.Match[str]], Values]], ...] = tuple(
    (re.compile(pattern), read)
    for pattern, read in (
        (rf"{_START}(?P<day>\d{{1,2}})(?:\(?(?:st|nd|rd|th)\)?(?:,? in )?)?\W{{0,3}}"
         rf"(?:(?:day )?of )?(?:the (?:month of )?)?{_MONTH}", _named_date),
        (rf"(?<![a-z]){_MONTH}(?:\.?[\s/-]{{0,2}}|, (?=the |\d\d?(?:st|nd|rd|th)))(?:the )?"
         r"(?P<day>\d{1,2})(?:st|nd|rd|th)?"
         rf"(?!\d|[.,:]\d|\s?[ap]\.?m|{_OTHER})", _named_date),
        (r"(?<![\d.,:/$-])(?P<first>\d{1,2})(?P<mark>[-/.])(?P<second>\d{1,2})"
         r"(?:(?P=mark)(?P<year>\d{4}|\d\d))?(?![\d%]|[-/.:]\d| of )", _numeric_date),
        (r"(?<![\d.,:/$-])\d{4}(?P<mark>[-/.])(?P<month>\d{1,2})(?P=mark)(?P<day>\d{1,2})"
         r"(?![\d%]|[-/.:]\d)", _iso_date),
        (r"(?<!\d)(?:19|20)\d\d(?P<month>[01]\d)(?P<day>[0-3]\d)(?!\d)", _iso_date),
        (rf"{_START}(?P<hour>\d{{1,2}})(?:\s?(?:[:.;'h]|-(?=1[3-9]|[2-5]))?\s?(?P<minute>\d\d))?"
         rf"{_HALF}", _time),
        (r"(?<![\d$.,:])(?P<hour>\d{1,2})[:h](?P<minute>\d\d)(?::\d\d)?"
         r"(?![\d:]|[\s-]{0,2}[ap]\.?\s?m)", _time),
        (r"(?<![a-z])(?:at|from|until|till|by) (?P<hour>\d\d?)\.(?P<minute>\d\d)"
         r"(?![\d%]|[.,:/-]\d)", _time),
        (r"(?<![\d$.,:-])(?P<hour>\d\d)(?P<minute>\d\d) ?(?:hours|hrs|h)(?![a-z])", _time),
        (rf"{_START}(?P<hour>\d{{1,2}}) ?o.?clock(?:{_HALF})?", _time),
        (r"(?<![a-z\d$])(?P<part>quarter|half|\d{1,2}(?: minutes)?(?= past)|\d{1,2} minutes"
         r") (?P<way>past|after|to) "
         rf"(?P<hour>\d{{1,2}})(?![\d:%]|[.,]\d)(?:{_HALF})?", _time_in_parts),
        (r"(?<![a-z])(?:noon|midnight)(?![a-z])", _noon),
        (rf"(?:\$|usd) ?(?P<dollars>\d{{1,6}})(?:[.,](?P<cents>\d\d?))?{_END}"
         r"(?! and \d\d cents)", _price),
        (r"(?:\$|usd) ?(?P<dollars>\d{1,6})(?: | and (?=\d\d ?c))(?P<cents>\d\d)"
         rf"(?!\d|[.,:]\d|{_OTHER})", _price),
        (rf"{_START}(?<!version )(?<!section )(?<!chapter )(?<!release )(?<!figure )"
         r"(?P<dollars>\d{1,6})[.,](?P<cents>\d\d)(?!\d|[.,:/]\d"
         r"|\s?(?:[%°]|per ?cent|[ap]\.?\s?m(?![a-z])|(?:k?m|kg|g|h|l|min)(?![a-z])"
         r"|hours|met|mile|kilo|lit|min|gram|point|degree))", _price),
        (rf"{_START}(?P<dollars>\d{{1,6}})(?:[.,](?P<cents>\d))? ?{_MONEY}(?![a-z]|"
         r" (?:and )?\d)", _price),
        (rf"{_START}(?P<dollars>\d{{1,6}}) ?{_MONEY},? ?(?:and )?(?P<cents>\d\d)"
         rf"(?!\d|[.,:]\d|{_OTHER})", _price),
        (rf"{_START}(?P<dollars>\d{{1,6}}) (?P<cents>\d\d) ?{_MONEY}", _price),
        (rf"{_START}(?P<cents>\d{{3,6}}) ?(?:cents|¢)", _cents),
        (rf"{_START}(?P<number>\d{{1,6}})[\s-]{{0,2}}{_UNIT}", _amount),
        (rf"(?<![a-z]){_UNIT}\)?[:=] ?(?P<number>\d{{1,6}}){_END}", _amount),
        (rf"(?:{_START}(?P<hours>\d{{1,2}})|(?<![a-z])(?<!half )(?<!of )an?)[\s-]?h(?:ou)?r?s?"
         r"(?:(?: and| plus|,)? ?(?:(?P<half>a half)|(?P<minutes>\d{1,2}) ?m(?:in(?:ute)?s?)?))?"
         r"(?![a-z\d])", _hours),
        (r"(?<![a-z\d])(?P<part>half|quarter|3 quarters)(?: of)? an hour(?![a-z])", _half_hour),
        (rf"{_START}(?P<whole>\d{{1,3}})[.,](?P<rest>\d{{1,3}}) ?(?:kg|kilo(?:gram)?s?)(?![a-z])",
         _kilograms),
    )
)  # fmt: skip
