"""Families of multiple-choice questions, each drawn at one of five levels.

A family is a function of a random generator and a level. Invariants: the same generator state gives
the same item; every item has one correct option and three different wrong ones.
"""

import random
from collections.abc import Callable

from textgym.envs.mcqa.families.arithmetic import (
    arithmetic,
    comparing,
    fractions,
    missing,
    percentages,
    sequences,
)
from textgym.envs.mcqa.families.chance import counting, probability
from textgym.envs.mcqa.families.everyday import change, clock, dates, rates, weekdays
from textgym.envs.mcqa.families.facts import capitals, continents, elements, molar_mass
from textgym.envs.mcqa.families.integers import bases, divisors, primes, roman
from textgym.envs.mcqa.families.logic import orderings, syllogisms, truth
from textgym.envs.mcqa.families.measures import geometry, units
from textgym.envs.mcqa.families.question import Item
from textgym.envs.mcqa.families.snippets import lists, strings
from textgym.envs.mcqa.families.tables import rankings, tables
from textgym.envs.mcqa.families.words import alphabetical, anagrams, letters

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
