"""Families of multiple-choice questions, each drawn at one of five levels.

A family is a function of a random generator and a level. Invariants: the same generator state gives
the same item; every item has one correct option and three different wrong ones.
"""

import random
from collections.abc import Callable

from .item import Item
from .knowledge.calendars import clock, dates, weekdays
from .knowledge.chemistry import elements, molar_mass
from .knowledge.geography import capitals, continents
from .mathematics.arithmetic import arithmetic, missing, sequences
from .mathematics.chance import counting, probability
from .mathematics.everyday import change, rates
from .mathematics.integers import bases, divisors, primes, roman
from .mathematics.measures import geometry, units
from .mathematics.parts import comparing, fractions, percentages
from .reasoning.logic import orderings, syllogisms, truth
from .reasoning.snippets import lists, strings
from .reasoning.tables import rankings, tables
from .reasoning.words import alphabetical, anagrams, letters

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
    """Draw a family, with equal probabilities, and an item of it."""
    name = _NAMES[int(rng.random() * len(_NAMES))]
    return name, FAMILIES[name](rng, level)
