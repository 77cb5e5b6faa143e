"""The values of arguments: how they are drawn, written in a request, and accepted in a call."""

from __future__ import annotations

import random
from collections.abc import Callable
from dataclasses import dataclass
from datetime import date, timedelta
from typing import Any

from textgym.envs.generation import MONTHS, choice, clock, in_words, randbelow, randint, sample

__all__ = ["Value", "draws", "referring_day"]

_FIRST_NAMES = (
    "Ada", "Amir", "Bea", "Boris", "Carla", "Chen", "Dana", "Diego", "Elif", "Emil", "Fatima",
    "Felix", "Greta", "Hana", "Hugo", "Ida", "Igor", "Jonas", "Julia", "Kofi", "Lea", "Luis",
    "Mara", "Milan", "Nadia", "Noah", "Olga", "Omar", "Petra", "Rafael", "Ravi", "Rosa", "Sami",
    "Selma", "Tariq", "Tessa", "Uma", "Viktor", "Wanda", "Yusuf",
)  # fmt: skip
_LAST_NAMES = (
    "Adler", "Bakker", "Castro", "Dahl", "Ekman", "Fischer", "Garcia", "Haddad", "Ito", "Jansen",
    "Keller", "Lopez", "Meyer", "Novak", "Okafor", "Park", "Quist", "Rossi", "Silva", "Tanaka",
    "Ueda", "Vogel", "Weber", "Yilmaz", "Ziegler",
)  # fmt: skip
_CITIES = (
    "Aarhus", "Basel", "Bergen", "Bremen", "Brno", "Cork", "Dresden", "Eindhoven", "Espoo",
    "Genoa", "Ghent", "Graz", "Kaunas", "Leeds", "Leipzig", "Linz", "Lyon", "Malmo", "Nantes",
    "Odense", "Ostrava", "Parma", "Porto", "Rennes", "Rijeka", "Salzburg", "Seville", "Tampere",
    "Tartu", "Trieste", "Turku", "Utrecht", "Uppsala", "Verona", "Zagreb",
)  # fmt: skip
_STREETS = ("Elm Street", "Mill Lane", "Harbour Road", "Station Street", "Church Lane", "Park Road")
_GOODS = (
    "books", "candles", "cups", "forks", "gloves", "jackets", "lamps", "maps", "pens", "plates",
    "scarves", "socks", "spoons", "towels", "vases",
)  # fmt: skip
_ROOMS = ("kitchen", "workshop", "cellar", "attic", "office", "nursery", "library", "bakery")
_TOPICS = (
    "the annual report", "the broken lift", "the garden party", "the new contract", "the lost keys",
    "the summer school", "the train strike", "the water bill", "the choir practice",
    "the office move",
)  # fmt: skip
_FIRST_DAY, _DAYS = date(2027, 1, 1), 700
_IN_WORDS = 12  # numbers up to it are often written in words


@dataclass(frozen=True)
class Value:
    """A value of an argument.

    Attributes:
        text: How the request states it.
        accepted: The values that are accepted in a call, the best one first.
        refers: Whether the text refers to an earlier part of the request.
    """

    text: str
    accepted: tuple[Any, ...]
    refers: bool = False


Draw = Callable[[random.Random], Value]


def _day(rng: random.Random) -> Value:
    day = _FIRST_DAY + timedelta(days=randbelow(rng, _DAYS))
    month = MONTHS[day.month - 1]
    texts = [f"{day.day} {month} {day.year}", f"{month} {day.day}, {day.year}"]
    return Value(choice(rng, texts), (day.isoformat(),))


def referring_day(rng: random.Random, earlier: Value, part: str) -> Value:
    """Return a date as a number of days after the one of an earlier part."""
    days = randint(rng, 0, 5)
    day = date.fromisoformat(earlier.accepted[0]) + timedelta(days=days)
    text = f"the day {days} days after the one in {part}"
    if days == 0:
        text = f"the same day as in {part}"
    elif days == 1:
        text = f"the day after the one in {part}"
    return Value(text, (day.isoformat(),), refers=True)


def _time(rng: random.Random) -> Value:
    minutes = 15 * randint(rng, 28, 87)  # 07:00 to 21:45
    hour, minute = divmod(minutes, 60)
    texts = [clock(minutes), f"{(hour - 1) % 12 + 1}:{minute:02} {'am' if hour < 12 else 'pm'}"]
    return Value(choice(rng, texts), (clock(minutes), f"{hour}:{minute:02}"))


def _count(low: int, high: int) -> Draw:
    def draw(rng: random.Random) -> Value:
        n = randint(rng, low, high)
        words = n <= _IN_WORDS and rng.random() < 0.5
        return Value(in_words(n) if words else str(n), (n,))

    return draw


def _decimal(low: int, high: int, unit: str, small_unit: str = "") -> Draw:
    """Return a function that draws tenths of a unit, or thousands of a small unit."""

    def draw(rng: random.Random) -> Value:
        tenths = randint(rng, 10 * low, 10 * high)
        number = tenths / 10
        text = f"{number:g} {unit}"
        if small_unit and rng.random() < 0.5:
            text = f"{100 * tenths:,} {small_unit}"
        return Value(text, (number,))

    return draw


def _of(options: tuple[str, ...]) -> Draw:
    def draw(rng: random.Random) -> Value:
        text = choice(rng, options)
        return Value(text, (text,))

    return draw


def _person(rng: random.Random) -> Value:
    name = f"{choice(rng, _FIRST_NAMES)} {choice(rng, _LAST_NAMES)}"
    return Value(name, (name,))


def _topic(rng: random.Random) -> Value:
    topic = choice(rng, _TOPICS)
    return Value(topic, (topic, topic.removeprefix("the ")))


def _goods(rng: random.Random) -> Value:
    goods = sample(rng, _GOODS, randint(rng, 2, 4))
    text = f"{', '.join(goods[:-1])} and {goods[-1]}"
    return Value(text, (goods,))


def _address(rng: random.Random) -> Value:
    """Draw an address, which is an object in a call."""
    name, city = _person(rng).text, choice(rng, _CITIES)
    number, street = randint(rng, 1, 120), choice(rng, _STREETS)
    accepted = {"name": [name], "street": [street], "number": [number], "city": [city]}
    return Value(f"{name}, {number} {street}, {city}", (accepted,))


def _money(rng: random.Random) -> Value:
    amount = randint(rng, 200, 99_900) / 100
    return Value(f"{amount:.2f}", (amount,))


draws: dict[str, Draw] = {
    "person": _person,
    "city": _of(_CITIES),
    "room": _of(_ROOMS),
    "topic": _topic,
    "day": _day,
    "time": _time,
    "few": _count(2, 9),
    "many": _count(15, 180),
    "money": _money,
    "degrees": _decimal(5, 85, "degrees"),
    "kilometres": _decimal(2, 60, "kilometres", "metres"),
    "kilograms": _decimal(1, 40, "kilograms", "grams"),
    "goods": _goods,
    "address": _address,
}
"""Functions that draw a value, by the kind of the argument."""
