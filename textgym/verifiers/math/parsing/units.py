r"""Units after a number: finding them, and their canonical names.

Invariants: a unit never makes two values equal; two different known units make them unequal. A
single letter is a unit only in `\text{…}` or after a space, because `5m` is a product.
"""

from __future__ import annotations

import re

__all__ = ["parts_of_unit", "split_unit"]

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
    "for", "if", "where", "wrong", "false", "isn",
}  # fmt: skip
_CURRENCY = re.compile(r"(?P<sign>-?)\s*(?P<mark>\\?\$|£|€|¥|₹)\s*(?=[-\d.(\\])")
_DEGREES = re.compile(r"(?<=[\d})])\s*\^\s*\{?\s*\\circ\s*\}?\s*(?:\\text\{)?(?P<scale>[CF]?)\}?\Z")
_IN_TEXT = re.compile(
    r"(?<=[\w)}\]]) ?(?P<unit>\\text\{[^{}]*+\}"
    r"(?:[ /]|\\cdot|\\text\{[^{}]*+\}|\^ ?\{?-?\d\}?){0,20}+)\Z"
)
_BARE = re.compile(
    r"(?<=[\d})])(?P<gap> ?)(?P<unit>[A-Za-z]++(?:[ /.]+[A-Za-z]++)*+(?: ?\^ ?\{?\d\}?)?)\Z"
)
_TEXT = re.compile(r"\\text\{([^{}]*+)\}")
_PART = re.compile(r"(?P<word>[A-Za-z]+)|(?P<over>/)|\^\s*\{?(?P<power>-?\d)\}?")
_VALUE = re.compile(r"[0-9A-Za-z\u221e]")


def split_unit(text: str) -> tuple[str, str]:
    r"""Split the unit off a value. An unknown word after a number is removed without being a unit.

    Example:
        >>> split_unit(r"5\text{ cm}^2"), split_unit("42 apples"), split_unit(r"\$6")
        (('5', 'cm2'), ('42', ''), ('6', '$'))
        >>> split_unit("5m"), split_unit(r"\text{even}")
        (('5m', ''), ('\\text{even}', ''))
    """
    currency = _CURRENCY.match(text)
    if currency is not None:
        value, _ = split_unit(text[currency.end() :])
        mark = currency["mark"].removeprefix("\\")
        return currency["sign"] + value, mark
    found = _DEGREES.search(text)
    if found is not None:
        scale = {"C": "celsius", "F": "fahrenheit", "": "degree"}[found["scale"]]
        return text[: found.start()], scale
    found = _IN_TEXT.search(text) or _BARE.search(text)
    if found is None or not _VALUE.search(_TEXT.sub("", text[: found.start()])):
        return text, ""
    words = [word.lower() for word in re.findall(r"[A-Za-z]+", _TEXT.sub(r"\1", found["unit"]))]
    if not _NOT_UNITS.isdisjoint(words):
        return text, ""
    if found.re is _BARE and not _stands_apart(found["gap"], words):
        return text, ""
    return text[: found.start()], _canonical(_TEXT.sub(r" \1 ", found["unit"]))


_PARTS = {
    ("week", "day"): 7, ("day", "h"): 24, ("h", "min"): 60, ("min", "s"): 60, ("year", "month"): 12,
    ("ft", "in"): 12, ("yd", "ft"): 3, ("lb", "oz"): 16, ("m", "cm"): 100, ("km", "m"): 1000,
    ("kg", "g"): 1000, ("$", "cent"): 100,
}  # fmt: skip


def parts_of_unit(whole: str, part: str) -> int:
    """Return how many of one unit make another, such as minutes an hour; 0 if it is unknown.

    Example:
        >>> parts_of_unit("hour", "minutes"), parts_of_unit("minutes", "hour")
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
        if part["over"] or word == "per":
            over = True
        elif part["power"]:
            if not names:
                return ""
            names[-1][1] = int(names[-1][1]) * int(part["power"])
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
