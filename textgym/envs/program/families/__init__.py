"""Families of generated tasks, each a function that drafts a task at a level."""

from textgym.envs.generation import Families
from textgym.envs.program.drafts import Draft
from textgym.envs.program.families.dynamic import choices, stairs
from textgym.envs.program.families.first import one_step
from textgym.envs.program.families.graphs import roads
from textgym.envs.program.families.lists import lists
from textgym.envs.program.families.numbers import intervals, recurrences
from textgym.envs.program.families.parsing import expressions
from textgym.envs.program.families.states import shelves
from textgym.envs.program.families.strings import strings

__all__ = ["FAMILIES", "FIRST_FAMILIES", "LEVELS"]

FAMILIES: Families[Draft] = Families(
    lists, strings, recurrences, intervals, expressions, roads, stairs, choices, shelves
)
FIRST_FAMILIES: Families[Draft] = Families(one_step)  # of level 0
LEVELS = (1, 2, 3, 4, 5)
