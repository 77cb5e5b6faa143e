"""Forms of values: how a value is drawn, how prose words it, and its JSON Schema.

Invariant: the prose, together with the unit in the field's description, gives the value exactly.
There are several wordings of a value, so a number can rarely be copied.
"""

from __future__ import annotations

import random
from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

from textgym.envs.generation import MONTHS, choice, in_words, randint, sample

__all__ = [
    "Form", "area", "code", "compound", "count", "date", "digits", "duration", "flag", "length",
    "listing", "mass", "money", "option", "person", "share", "time", "word",
]  # fmt: skip

_ORDINALS = (
    "", "first", "second", "third", "fourth", "fifth", "sixth", "seventh", "eighth", "ninth",
    "tenth", "eleventh", "twelfth", "thirteenth", "fourteenth", "fifteenth", "sixteenth",
    "seventeenth", "eighteenth", "nineteenth", "twentieth",
)  # fmt: skip
_FIRST_NAMES = (
    "Ada", "Amir", "Anke", "Bela", "Carla", "Dario", "Edda", "Emil", "Farah", "Goran", "Hana",
    "Ines", "Ivo", "Jana", "Kofi", "Lena", "Malik", "Mira", "Nuno", "Olga", "Pavel", "Rosa", "Sami",
    "Tessa", "Umar", "Vera", "Wanda", "Yusuf", "Zoe",
)  # fmt: skip
_LAST_NAMES = (
    "Abara", "Berger", "Castro", "Dahl", "Eriksen", "Farkas", "Greco", "Horvat", "Ibsen", "Jansen",
    "Kowal", "Lindt", "Moreau", "Novak", "Okafor", "Petrov", "Quist", "Rossi", "Silva", "Tanaka",
    "Ulmer", "Varga", "Weber", "Yilmaz", "Zeman",
)  # fmt: skip
_LETTERS = "ABCDEFGHJKLMNPQRSTUVWXYZ"
_MAX_WORDED = 99


class Form(NamedTuple):
    """A form of values.

    Attributes:
        draw: Draws a value, which is JSON data.
        worded: Words a value for prose; the generator of random numbers selects the wording.
        schema: The JSON Schema of all its values.
        bounds: The keywords that narrow the schema at higher levels.
    """

    draw: Callable[[random.Random], Any]
    worded: Callable[[Any, random.Random], str]
    schema: dict[str, Any]
    bounds: dict[str, Any]


def _ordinal(number: int) -> str:
    """Spell the ordinal of a number from 1 to 31."""
    if number < len(_ORDINALS):
        return _ORDINALS[number]
    tens, ones = divmod(number, 10)
    return f"{in_words(10 * tens)}-{_ORDINALS[ones]}" if ones else "thirtieth"


def _number(value: int, rng: random.Random) -> str:
    """Return a whole number in digits, or in words if it is small."""
    if value <= _MAX_WORDED and rng.random() < 0.5:
        return in_words(value)
    return f"{value:,}" if value >= 10_000 else str(value)


def _verbatim(value: Any, rng: random.Random) -> str:
    return str(value)


def word(words: Sequence[str]) -> Form:
    """Return the form of one of several words or phrases."""
    longest = max(map(len, words))
    return Form(
        lambda rng: choice(rng, words),
        _verbatim,
        {"type": "string"},
        {"minLength": 1, "maxLength": longest},
    )


def compound(firsts: Sequence[str], seconds: Sequence[str]) -> Form:
    """Return the form of a name of two words, such as "Alder Lamp"."""
    return Form(
        lambda rng: f"{choice(rng, firsts)} {choice(rng, seconds)}",
        _verbatim,
        {"type": "string"},
        {"minLength": 3, "maxLength": 60},
    )


def person() -> Form:
    """Return the form of a person's full name."""
    return compound(_FIRST_NAMES, _LAST_NAMES)


def code(prefixes: Sequence[str], digits: int) -> Form:
    """Return the form of a code such as "KX-1047"."""
    low, high = 10 ** (digits - 1), 10**digits - 1
    letters = len(prefixes[0])
    return Form(
        lambda rng: f"{choice(rng, prefixes)}-{randint(rng, low, high)}",
        _verbatim,
        {"type": "string"},
        {"pattern": f"^[A-Z]{{{letters}}}-[0-9]{{{digits}}}$"},
    )


def digits(size: int) -> Form:
    """Return the form of a string of digits, which may begin with a zero, such as "04210"."""
    return Form(
        lambda rng: f"{randint(rng, 0, 10**size - 1):0{size}d}",
        _verbatim,
        {"type": "string"},
        {"pattern": f"^[0-9]{{{size}}}$"},
    )


def count(low: int, high: int) -> Form:
    """Return the form of a whole number, in digits or words."""
    return Form(
        lambda rng: randint(rng, low, high),
        _number,
        {"type": "integer"},
        {"minimum": low, "maximum": high},
    )


def money(low: int, high: int) -> Form:
    """Return the form of an amount of euros, in steps of 5 cents."""

    def worded(value: float, rng: random.Random) -> str:
        euros, cents = divmod(round(value * 100), 100)
        style = rng.random()
        if style < 0.4:
            return f"EUR {euros}.{cents:02d}"
        if style < 0.7:
            return f"€{euros}.{cents:02d}"
        return f"{euros} euros and {_number(cents, rng)} cents" if cents else f"{euros} euros"

    return Form(
        lambda rng: randint(rng, low * 20, high * 20) / 20,
        worded,
        {"type": "number"},
        {"minimum": low, "exclusiveMaximum": high + 1},
    )


def mass(low: int, high: int) -> Form:
    """Return the form of a mass in grams, a multiple of 50. Prose may give it in kilograms."""

    def worded(value: int, rng: random.Random) -> str:
        if rng.random() < 0.5:
            return f"{value / 1000:g} kilograms"
        return f"{_number(value, rng)} grams"

    return Form(
        lambda rng: 50 * randint(rng, low // 50, high // 50),
        worded,
        {"type": "integer"},
        {"minimum": low, "maximum": high, "multipleOf": 50},
    )


def length(low: int, high: int) -> Form:
    """Return the form of a length in centimetres. Prose may give it in metres."""

    def worded(value: int, rng: random.Random) -> str:
        if rng.random() < 0.5:
            return f"{value / 100:.2f} metres"
        return f"{_number(value, rng)} centimetres"

    return Form(
        lambda rng: randint(rng, low, high),
        worded,
        {"type": "integer"},
        {"minimum": low, "maximum": high},
    )


def area(low: int, high: int) -> Form:
    """Return the form of an area in square metres, with halves."""

    def worded(value: float, rng: random.Random) -> str:
        whole = int(value)
        if value == whole:
            return f"{_number(whole, rng)} square metres"
        if rng.random() < 0.5:
            return f"{in_words(whole)} and a half square metres"
        return f"{value} square metres"

    return Form(
        lambda rng: randint(rng, 2 * low, 2 * high) / 2,
        worded,
        {"type": "number"},
        {"minimum": low, "maximum": high, "multipleOf": 0.5},
    )


def duration(low: int, high: int) -> Form:
    """Return the form of a time in minutes, a multiple of 15. Prose may give it in hours."""

    def worded(value: int, rng: random.Random) -> str:
        hours, minutes = divmod(value, 60)
        if not hours or rng.random() < 0.4:
            return f"{_number(value, rng)} minutes"
        whole = "one hour" if hours == 1 else f"{_number(hours, rng)} hours"
        if minutes == 30 and hours == 1:
            return "an hour and a half"
        return f"{whole} and {_number(minutes, rng)} minutes" if minutes else whole

    return Form(
        lambda rng: 15 * randint(rng, low // 15, high // 15),
        worded,
        {"type": "integer"},
        {"minimum": low, "maximum": high, "multipleOf": 15},
    )


def share(low: int, high: int) -> Form:
    """Return the form of a fraction of 1. Prose gives it in per cent."""
    return Form(
        lambda rng: randint(rng, low, high) / 100,
        lambda value, rng: f"{_number(round(100 * value), rng)} per cent",
        {"type": "number"},
        {"minimum": 0, "maximum": 1},
    )


def date() -> Form:
    """Return the form of a date from 2027 to 2039, in ISO 8601."""

    def worded(value: str, rng: random.Random) -> str:
        year, month, day = map(int, value.split("-"))
        name, style = MONTHS[month - 1], rng.random()
        if style < 0.35:
            return f"the {_ordinal(day)} of {name} {year}"
        return f"{day} {name} {year}" if style < 0.7 else f"{name} {day}, {year}"

    def draw(rng: random.Random) -> str:
        year, month, day = randint(rng, 2027, 2039), randint(rng, 1, 12), randint(rng, 1, 28)
        return f"{year}-{month:02d}-{day:02d}"

    return Form(
        draw,
        worded,
        {"type": "string", "format": "date"},
        {"pattern": "^[0-9]{4}-[0-9]{2}-[0-9]{2}$"},
    )


def time() -> Form:
    """Return the form of a time of day, to a quarter of an hour, as HH:MM."""

    def worded(value: str, rng: random.Random) -> str:
        hour, minute = map(int, value.split(":"))
        if rng.random() < 0.3:
            return f"{hour % 12 or 12}:{minute:02d} {'pm' if hour >= 12 else 'am'}"
        part = "morning" if hour < 12 else "afternoon" if hour < 18 else "evening"
        shown = in_words((hour + (minute == 45)) % 12 or 12)
        phrase = {0: f"{shown} o'clock", 15: f"a quarter past {shown}", 30: f"half past {shown}",
                  45: f"a quarter to {shown}"}[minute]  # fmt: skip
        return f"{phrase} in the {part}"

    return Form(
        lambda rng: f"{randint(rng, 7, 20):02d}:{15 * randint(rng, 0, 3):02d}",
        worded,
        {"type": "string"},
        {"pattern": "^[0-2][0-9]:[0-5][0-9]$"},
    )


def flag() -> Form:
    """Return the form of a boolean, which whole sentences express."""
    return Form(lambda rng: rng.random() < 0.5, _verbatim, {"type": "boolean"}, {})


def option(options: Sequence[str]) -> Form:
    """Return the form of one of several constants, which whole sentences express."""
    listed = list(options)
    return Form(lambda rng: choice(rng, listed), _verbatim, {"type": "string", "enum": listed}, {})


def listing(words: Sequence[str]) -> Form:
    """Return the form of a list of two to four different words, in the order of the prose."""

    def worded(value: list[str], rng: random.Random) -> str:
        return f"{', '.join(value[:-1])} and {value[-1]}"

    return Form(
        lambda rng: sample(rng, words, randint(rng, 2, 4)),
        worded,
        {"type": "array", "items": {"type": "string"}},
        {"minItems": 1, "maxItems": 6, "uniqueItems": True},
    )
