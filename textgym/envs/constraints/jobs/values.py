"""The values of details, such as dates, prices and names, written in one fixed way each.

Invariant: no value stands in another one as whole words.
"""

from __future__ import annotations

import itertools
from collections.abc import Callable, Sequence

from textgym.envs.generation import MONTHS

__all__ = ["CODES", "DATES", "DURATIONS", "PEOPLE", "PHONES", "PLACES", "PRICES", "TIMES", "names"]

_FIRST = (
    "Anton", "Bruno", "Dana", "Elif", "Emil", "Felix", "Greta", "Hugo", "Ines", "Ivo", "Jonas",
    "Karim", "Leila", "Marta", "Mira", "Nadia", "Oskar", "Petra", "Priya", "Rosa", "Salma",
    "Tobias", "Viktor", "Yara",
)  # fmt: skip
_LAST = (
    "Adeyemi", "Bianchi", "Brandt", "Castillo", "Dvorak", "Eriksen", "Fontaine", "Haddad",
    "Ibarra", "Jansen", "Kowalski", "Lindqvist", "Moreau", "Nakamura", "Okafor", "Petrov",
    "Quist", "Rahman", "Silva", "Tanaka", "Ueda", "Varga", "Weiss", "Yilmaz",
)  # fmt: skip
_PLACE = (
    "Acorn", "Anchor", "Bishop", "Canal", "Cedar", "Chapel", "Copper", "Falcon", "Garnet",
    "Harbour", "Heron", "Juniper", "Kestrel", "Linden", "Maple", "Orchard", "Poplar", "Quarry",
    "Raven", "Saddler", "Thistle", "Tiller", "Weaver", "Willow",
)  # fmt: skip
_ROOM = (
    "Annex", "Barn", "Court", "Gallery", "Hall", "House", "Lodge", "Pavilion", "Room", "Studio",
    "Terrace", "Theatre", "Tower", "Wing",
)  # fmt: skip

DATES = tuple(f"{day} {month}" for month in MONTHS for day in range(1, 29))
TIMES = tuple(
    f"{hour}:{minute:02} {half}"
    for half in ("am", "pm")
    for hour in range(1, 13)
    for minute in range(0, 60, 5)
)
PRICES = tuple(f"${cents // 100}.{cents % 100:02}" for cents in range(310, 9900, 30))
PEOPLE = tuple(f"{first} {last}" for first in _FIRST for last in _LAST)
PLACES = tuple(f"{first} {second}" for first in _PLACE for second in _ROOM)
PHONES = tuple(f"555-{number:04}" for number in range(117, 9999, 13))
CODES = tuple(
    f"{first}{second}-{number}"
    for first in "BDFHKLMR"
    for second in "CGNPTVXZ"
    for number in range(103, 999, 7)
)
DURATIONS = tuple(f"{number} minutes" for number in range(12, 95))


def names(
    first: str, second: str, join: Callable[[str, str], str] = "{} {}".format
) -> Sequence[str]:
    """Return names that are put together of a first and a second word.

    Example:
        >>> names("Spring Harvest", "Fair Walk")
        ('Spring Fair', 'Spring Walk', 'Harvest Fair', 'Harvest Walk')
    """
    return tuple(join(*pair) for pair in itertools.product(first.split(), second.split()))
