"""Families of multiple-choice questions, each with five levels; `named` is the one of level 0.

Invariants: the same state of the random generator gives the same item; every item has one correct
option and three different wrong ones, on level 0 one.
"""

from textgym.envs.generation import Families
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
from textgym.envs.mcqa.families.snippets import lists, strings
from textgym.envs.mcqa.families.tables import rankings, tables
from textgym.envs.mcqa.families.words import alphabetical, anagrams, letters, named

__all__ = ["FAMILIES", "FIRST_RUNG", "LEVELS"]

LEVELS = (1, 2, 3, 4, 5)

FAMILIES = Families(
    arithmetic, missing, sequences, fractions, percentages, comparing, primes, divisors, bases,
    roman, change, rates, weekdays, dates, clock, orderings, syllogisms, truth, elements,
    molar_mass, capitals, continents, letters, alphabetical, anagrams, tables, rankings,
    probability, counting, geometry, units, lists, strings,
)  # fmt: skip

FIRST_RUNG = Families(named)
