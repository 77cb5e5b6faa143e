"""Families of multiple-choice questions, each drawn at one of five levels.

Invariants: a family is a function of a random generator and a level; the same state
of the generator gives the same item, and every item has one right option and three different ones
that are wrong.
"""

import random
from collections.abc import Callable

from .arithmetic import arithmetic, missing, sequences
from .calendars import clock, dates, weekdays
from .chance import counting, probability
from .chemistry import elements, molar_mass
from .everyday import change, rates
from .geography import capitals, continents
from .integers import bases, divisors, primes, roman
from .item import Item
from .logic import orderings, syllogisms, truth
from .measures import geometry, units
from .parts import comparing, fractions, percentages
from .snippets import lists, strings
from .tables import rankings, tables
from .words import alphabetical, anagrams, letters

__all__ = ["FAMILIES", "LEVELS", "Item", "draw"]

LEVELS = (1, 2, 3, 4, 5)

FAMILIES: dict[str, Callable[[random.Random, int], Item]] = {
    family.__name__: family
    for family in (
        arithmetic, missing, sequences, fractions, percentages, comparing, primes, divisors,
        bases, roman, change, rates, weekdays, dates, clock, orderings, syllogisms, truth,
        elements, molar_mass, capitals, continents, letters, alphabetical, anagrams, tables,
        rankings, probability, counting, geometry, units, lists, strings,
    )
}  # fmt: skip
_NAMES = tuple(FAMILIES)


def draw(rng: random.Random, level: int) -> tuple[str, Item]:
    """Draw a family, each equally likely, and an item of it."""
    name = _NAMES[int(rng.random() * len(_NAMES))]
    return name, FAMILIES[name](rng, level)
