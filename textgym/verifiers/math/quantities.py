r"""Quantities in words, and units after numbers.

Invariants: a text is a quantity as a whole, or not at all; two different known units make two
values unequal, unless they are of time, and one converts into the other exactly; any text is
read in linear time. A single letter is a unit only in `\text{…}` or after a space, because `5m` is
a product.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from fractions import Fraction

__all__ = [
    "conversion", "holds_quantity", "numbers_in_words", "quantity", "split_unit",
    "states_quantity", "with_unit_at_end",
]  # fmt: skip

_MAX_LENGTH = 100  # characters
_MAX_WORDS = 12  # of a number
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
_MULTIPLES = {
    2: "half halves halve twice double doubles doubled pair pairs", 12: "dozen dozens twelfth",
    3: "third thirds thrice triple triples tripled", 4: "quarter quarters fourth fourths",
    5: "fifth fifths", 6: "sixth sixths", 7: "seventh", 8: "eighth eighths", 9: "ninth",
    10: "tenth tenths",
}  # fmt: skip
_NUMBER_WORDS = re.compile(
    rf"\b(?:(?P<number>(?:{_WORDS})\b(?:(?:-| and | )(?:{_WORDS})\b)*+)"
    rf"|(?P<multiple>{'|'.join(' '.join(_MULTIPLES.values()).split())})\b)",
    re.IGNORECASE,
)
_FACTORS = {word: number for number, words in _MULTIPLES.items() for word in words.split()}
_BETWEEN_WORDS = re.compile(r"-| and | ")
_IN_WORDS = re.compile(
    rf"(?P<sign>(?:minus|negative) )?(?P<number>(?:{_WORDS})(?:(?:-| and | )(?:{_WORDS}))*+)"
    r"(?: (?P<unit>[a-z]{3,20}))?(?: (?:left|each|more|altogether|in (?:all|total)))?",
    re.IGNORECASE,
)
_PARTS_IN_WORDS = {
    "half": 2, "halves": 2, "third": 3, "quarter": 4, "fourth": 4, "fifth": 5, "sixth": 6,
    "eighth": 8, "tenth": 10,
}  # fmt: skip
_FRACTION = re.compile(
    rf"(?P<sign>(?:minus|negative) )?"
    rf"(?:(?P<whole>an?|\d{{1,6}}|(?:{_WORDS})(?:[- ](?:{_WORDS}))?+)?"
    r"(?: ?(?<![a-z])(?P<middle>[a-z]{3,20}))? and )?"
    r"(?:(?P<top>an?|one|two|three|four|five|seven|nine)[- ])?"
    rf"(?P<bottom>(?:{'|'.join(_PARTS_IN_WORDS)})s?)(?: (?:an? )?(?P<unit>[a-z]{{3,20}}))?",
    re.IGNORECASE,
)
_NO_UNIT = re.compile(
    r"half|halves|(?:third|quarter|fourth|fifth|sixth|seventh|eighth|ninth|tenth|twelfth|hundredth"
    r"|thousandth)s?|times|plus|minus|over|and|not|less|more|squared|cubed|factorial|choose|mod"
    r"|maybe|perhaps|wrong|false",
    re.IGNORECASE,
)
_HINT = re.compile(
    rf"\b(?:{_WORDS}|half|quarter)\b|\d ?[a-z]{{1,7}}\.?,? ?(?:and )?\d", re.IGNORECASE
)
_COMPOUND = re.compile(
    r"(?P<whole>\d{1,9}) ?(?P<larger>[a-z]{1,7})\.?,? ?(?:and )?"
    r"(?P<rest>\d{1,9}) ?(?P<smaller>[a-z]{1,7})\.?",
    re.IGNORECASE,
)
_NAMES = {
    "mm": "mm millimeter millimetre", "cm": "cm centimeter centimetre", "dm": "dm decimeter",
    "m": "m meter metre", "km": "km kilometer kilometre", "in": "in inch inches", "yd": "yd yard",
    "ft": "ft foot feet", "mi": "mi mile", "mg": "mg milligram", "g": "g gram", "t": "ton tonne",
    "kg": "kg kilogram", "lb": "lb pound", "oz": "oz ounce", "s": "s sec second", "day": "day",
    "min": "min minute", "h": "h hr hour", "week": "week", "month": "month", "year": "year yr",
    "ml": "ml milliliter millilitre", "l": "l liter litre", "gal": "gal gallon", "acre": "acre",
    "ha": "hectare", "N": "newton", "J": "joule", "W": "watt", "V": "volt", "A": "ampere amp",
    "Hz": "hz hertz", "K": "kelvin", "Pa": "pascal", "mol": "mole", "ohm": "ohm", "rad": "radian",
    "degree": "degree deg", "celsius": "celsius", "fahrenheit": "fahrenheit", "mi/h": "mph",
    "km/h": "kmh kmph kph", "$": "dollar usd", "cent": "cent", "£": "gbp", "€": "euro eur",
    "¥": "yen", "₹": "rupee", "unit": "unit",
}  # fmt: skip
_CANONICAL = {name: unit for unit, names in _NAMES.items() for name in names.split()}
_UNITS_WITHOUT_SPACE = {
    "mm", "cm", "km", "kg", "mg", "ml", "lb", "ft", "mph", "kmh", "kmph", "hz", "sec", "hr", "deg",
}  # fmt: skip
_NOT_UNITS = {
    "and", "or", "not", "pi", "theta", "phi", "alpha", "beta", "gamma", "mod", "div", "times",
    "cos", "sin", "tan", "log", "ln", "exp", "sqrt", "inf", "infinity", "to", "union", "base",
    "for", "if", "where", "wrong", "false", "isn", "incorrect", "perhaps", "maybe", "least", "most",
    "divided", "plus", "minus", "double", "twice", "triple", "halves", "thirds", "half",
}  # fmt: skip
_POWERS = {"squared", "cubed"}  # of the number, unless a unit is before them
_BEHIND_UNITS = {"long", "wide", "tall", "high", "deep", "thick", "away", "apart", "old", "total"}
_CURRENCY = re.compile(r"(?P<sign>-?)\s*(?P<mark>\\?\$|£|€|¥|₹)\s*(?=[-\d.(\\])")
_CURRENCY_BEHIND = re.compile(r"(?<=[\d})]) ?(?P<mark>[£€¥₹])\Z")
_DEGREES = re.compile(r"(?<=[\d})])\s*\^\s*\{?\s*\\circ\s*\}?\s*(?:\\text\{)?(?P<scale>[CF]?)\}?\Z")
_IN_TEXT = re.compile(
    r"(?<=[\w)}\]]) ?(?P<unit>\\text\{[^{}]*+\}"
    r"(?:[ /]|\\cdot|\\text\{[^{}]*+\}|\^ ?\{?-?\d\}?){0,20}+)\Z"
)
_BARE = re.compile(
    r"(?<=[\d})])(?P<gap> ?)(?P<unit>[A-Za-z]++(?:[ /.]+[A-Za-z]++)*+(?: ?\^ ?\{?\d\}?)?)\Z"
)
_TEXT = re.compile(r"\\text\{([^{}]*+)\}")
_TERM_UNIT = re.compile(
    r"(?<=[\d}]) ?\\text\{ ?(?P<name>[A-Za-z]++)\.? ?\}(?: ?\^ ?\{?(?P<power>\d)\}?)?"
)
_DIVISION = re.compile(
    r"/(?! ?\d++(?! ?\\text))|\\div(?![a-z])|\\[dt]?frac(?! ?\{\d++\} ?\{\d++\}|\d\d)"
)
"""A division that may be by a unit."""
_TERM_END = re.compile(r"[-+=]")
_PART = re.compile(r"(?P<word>[A-Za-z]+)|(?P<over>/)|\^\s*\{?(?P<power>-?\d)\}?")
_VALUE = re.compile(r"[0-9A-Za-z\u221e]")
_PARTS = {
    ("week", "day"): 7, ("day", "h"): 24, ("h", "min"): 60, ("h", "m"): 60, ("min", "s"): 60,
    ("m", "s"): 60, ("year", "month"): 12, ("ft", "in"): 12, ("yd", "ft"): 3, ("lb", "oz"): 16,
    ("m", "cm"): 100, ("km", "m"): 1000, ("kg", "g"): 1000, ("$", "cent"): 100,
}  # fmt: skip
_SIZES = (
    {"s": 1, "min": 60, "h": 3600, "day": 86_400, "week": 604_800}, {"month": 1, "year": 12},
)  # fmt: skip
"""Units of time that convert into one another, by their sizes."""
_STATED = re.compile(r"(?P<number>\d[\d,]{0,20}(?:\.\d{1,20})?)[ -]?(?P<unit>[A-Za-z]{1,20})\b")
_IN_UNIT = re.compile(
    r"\b(?:how many|in|into|to|number of|as) (?:(?:a|the|whole|full|more) )?"
    r"(?P<unit>[A-Za-z]{1,20})\b",
    re.IGNORECASE,
)


def holds_quantity(text: str) -> bool:
    """Return whether a text may hold a quantity in words; see `quantity`.

    Example:
        >>> holds_quantity("There are seven."), holds_quantity("It is 1 hour."), holds_quantity("7")
        (True, False, False)
    """
    return _HINT.search(text) is not None


def quantity(text: str, question: str = "") -> str:
    r"""Return a number in words, or a quantity in two units, as LaTeX; "" if a text is neither.

    Of two units the smaller one counts, unless the question asks for the larger one only.

    Example:
        >>> quantity("Twenty-one"), quantity("seven apples"), quantity("1h30m")
        ('21', '7\\text{ apples}', '90\\text{ min}')
        >>> quantity("1h30m", "How many hours does it take?")
        '\\frac{3}{2}\\text{ h}'
        >>> quantity("one half"), quantity("an hour and a half")
        ('\\frac{1}{2}', '\\frac{3}{2}\\text{ hour}')
        >>> quantity("two three"), quantity("seven or eight"), quantity("4 feet 14 inches")
        ('', '', '')
    """
    if len(text) > _MAX_LENGTH:
        return ""
    compound = _COMPOUND.fullmatch(text)
    if compound is not None:
        whole, larger, rest, smaller = compound.groups()
        size = _parts_of_unit(larger, smaller)
        if int(rest) >= size:
            return ""
        unit = "min" if smaller.lower() == "m" else smaller
        count = int(whole) * size + int(rest)
        value, stated = f"{count}\\text{{ {unit}}}", _COMPOUND.finditer(question)
        is_new = int(rest) and value not in [quantity(match[0]) for match in stated]
        if is_new and _asks_for(question, larger) and not _asks_for(question, unit):
            top, bottom = Fraction(count, size).as_integer_ratio()
            return f"\\frac{{{top}}}{{{bottom}}}\\text{{ {larger}}}"
        return value
    if fraction := _FRACTION.fullmatch(text):
        return _fraction(fraction)
    words = _IN_WORDS.fullmatch(text)
    if words is None or _NO_UNIT.fullmatch(words["unit"] or ""):
        return ""
    number = _number(_BETWEEN_WORDS.split(words["number"].lower()))
    if number is None:
        return ""
    unit = f"\\text{{ {words['unit']}}}" if words["unit"] else ""
    return f"{'-' if words['sign'] else ''}{number}{unit}"


def _fraction(words: re.Match[str]) -> str:
    """Return a fraction or a mixed number in words as LaTeX; "" if it is neither."""
    name = words["bottom"].lower()
    bottom = _PARTS_IN_WORDS.get(name) or _PARTS_IN_WORDS.get(name.removesuffix("s"), 2)
    units = [unit for unit in (words["middle"], words["unit"]) if unit]
    whole, top = ((words[part] or "").lower() for part in ("whole", "top"))
    if len(units) > 1 or any(map(_NO_UNIT.fullmatch, units)) or not (top or bottom == 2):
        return ""
    is_one = whole in ("a", "an") or (words["middle"] and not whole)
    count = 1 if is_one else _count(whole)
    if count is None:
        return ""
    value = count + Fraction(_SMALL.get(top, 1), bottom)
    unit = f"\\text{{ {units[0]}}}" if units else ""
    return f"{'-' if words['sign'] else ''}\\frac{{{value.numerator}}}{{{value.denominator}}}{unit}"


def _count(words: str) -> int | None:
    """Return a whole number in words or digits; 0 for no words, None for no number."""
    if not words or words.isdigit():
        return int(words or 0)
    return _number(_BETWEEN_WORDS.split(words))


def numbers_in_words(text: str) -> set[Fraction]:
    """Return the numbers that a text has in words; `half` stands for 2 and for 1/2.

    Example:
        >>> sorted(map(str, numbers_in_words("Six and seven, or half of twenty-one")))
        ['1/2', '2', '21', '6', '7']
    """
    numbers = set()
    for match in _NUMBER_WORDS.finditer(text):
        if match["multiple"]:
            factor = _FACTORS[match["multiple"].lower()]
            numbers |= {Fraction(factor), Fraction(1, factor)}
        else:
            run = match["number"].lower()
            for part in (run, *run.split(" and ")):
                numbers |= {*_longest_numbers(_BETWEEN_WORDS.split(part))}
    return numbers


def _longest_numbers(words: list[str]) -> Iterator[Fraction]:
    start = 0
    while start < len(words):
        for end in range(min(len(words), start + _MAX_WORDS), start, -1):
            number = _number(words[start:end])
            if number is not None:
                yield Fraction(number)
                break
        start = end


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


def with_unit_at_end(text: str) -> str:
    r"""Return an equation with the unit of its terms at its end, if there is only one unit.

    Example:
        >>> with_unit_at_end(r"3\text{ m}+4\text{ m}=7\text{ m}")
        '3+4=7\\text{ m}'
        >>> with_unit_at_end(r"3\text{ m}\cdot4\text{ m}=12\text{ m}^2")
        '3\\cdot4=12\\text{ m}^2'
    """
    units = [[*_TERM_UNIT.finditer(term)] for term in _TERM_END.split(text)]
    names = [unit["name"].lower() for term in units for unit in term]
    powers = {sum(int(unit["power"] or 1) for unit in term) for term in units if term}
    is_one = len({name.removesuffix("s") for name in names}) == 1 == len(powers)
    if "=" not in text or not is_one or names[0] in _NOT_UNITS:
        return text
    power = powers.pop()
    if power > 1 and _DIVISION.search(text):
        return text
    exponent = f"^{power}" if power > 1 else ""
    return f"{_TERM_UNIT.sub('', text)}\\text{{ {names[-1]}}}{exponent}"


def conversion(unit: str, other: str) -> Fraction | None:
    """Return by what a number of one unit is multiplied to be one of another; None if unknown.

    Example:
        >>> conversion("min", "h"), conversion("kg", "h"), conversion("h", "")
        (Fraction(1, 60), None, None)
    """
    sizes = next((sizes for sizes in _SIZES if unit in sizes and other in sizes), None)
    return Fraction(sizes[unit], sizes[other]) if sizes else None


def states_quantity(question: str, number: Fraction, unit: str, gold_unit: str) -> bool:
    """Return whether a question states a quantity, or asks for a number of the gold's unit.

    Example:
        >>> states_quantity("Convert 90 minutes.", Fraction(90), "min", "h")
        True
        >>> states_quantity("How many hours are a day?", Fraction(1), "day", "h")
        True
        >>> states_quantity("How long does it take?", Fraction(90), "min", "h")
        False
    """
    return _asks_for(question, gold_unit) or any(
        Fraction(match["number"].replace(",", "")) == number and _canonical(match["unit"]) == unit
        for match in _STATED.finditer(question)
    )


def _asks_for(question: str, unit: str) -> bool:
    unit = _canonical(unit)
    return any(_canonical(match["unit"]) == unit for match in _IN_UNIT.finditer(question))


def split_unit(text: str) -> tuple[str, str]:
    r"""Split the unit off a value. An unknown word after a number is removed without being a unit.

    Example:
        >>> split_unit(r"5\text{ cm}^2"), split_unit("42 apples"), split_unit(r"\$6")
        (('5', 'cm2'), ('42', ''), ('6', '$'))
        >>> split_unit("6 €"), split_unit("€6")
        (('6', '€'), ('6', '€'))
        >>> split_unit("5m"), split_unit(r"\text{even}")
        (('5m', ''), ('\\text{even}', ''))
    """
    currency = _CURRENCY.match(text)
    if currency is not None:
        value, _ = split_unit(text[currency.end() :])
        mark = currency["mark"].removeprefix("\\")
        return currency["sign"] + value, mark
    currency = _CURRENCY_BEHIND.search(text)
    if currency is not None:
        return text[: currency.start()], currency["mark"]
    match = _DEGREES.search(text)
    if match is not None:
        scale = {"C": "celsius", "F": "fahrenheit", "": "degree"}[match["scale"]]
        return text[: match.start()], scale
    match = _IN_TEXT.search(text) or _BARE.search(text)
    if match is None or not _VALUE.search(_TEXT.sub("", text[: match.start()])):
        return text, ""
    words = [word.lower() for word in re.findall(r"[A-Za-z]+", _TEXT.sub(r"\1", match["unit"]))]
    if not _NOT_UNITS.isdisjoint(words) or not _POWERS.isdisjoint(words[:1]):
        return text, ""
    if match.re is _BARE and not _stands_apart(match["gap"], words):
        return text, ""
    return text[: match.start()], _canonical(_TEXT.sub(r" \1 ", match["unit"]))


def _parts_of_unit(whole: str, part: str) -> int:
    """Return how many of one unit make another, such as minutes an hour; 0 if unknown.

    Example:
        >>> _parts_of_unit("hour", "minutes"), _parts_of_unit("minutes", "hour")
        (60, 0)
    """
    return _PARTS.get((_canonical(whole), _canonical(part)), 0)


def _stands_apart(gap: str, words: list[str]) -> bool:
    """Return whether letters after a number are words and not a product of variables."""
    if gap:
        return len(words[0]) > 1 or words[0] in _CANONICAL
    return words[0] in _UNITS_WITHOUT_SPACE


def _canonical(unit: str) -> str:
    """Return a unit's canonical name, such as `km/h` or `cm2`; "" if a word of it is unknown."""
    names: list[list[str | int]] = []
    over, power = False, 1
    for part in _PART.finditer(unit.replace("\\cdot", " ")):
        word = (part["word"] or "").lower()
        if names and word in _BEHIND_UNITS:
            continue
        if part["over"] or word == "per":
            over = True
        elif part["power"]:
            if not names:
                return ""
            names[-1][1] = int(names[-1][1]) * int(part["power"])
        elif word in _POWERS and names:
            names[-1][1] = int(names[-1][1]) * (2 if word == "squared" else 3)
        elif word in ("square", "squared", "sq"):
            power = 2
        elif word in ("cubic", "cubed", "cu"):
            power = 3
        else:
            known = _CANONICAL.get(word) or _CANONICAL.get(word.removesuffix("s"))
            if known is None:
                return ""
            for index, name in enumerate(known.split("/")):
                names.append([name, -power if over or index else power])
            power = 1
    factors = (f"/{name}" if p == -1 else f"·{name}{p if p != 1 else ''}" for name, p in names)
    return "".join(factors).removeprefix("·")
