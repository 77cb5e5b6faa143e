"""Families of tasks with redefined rules, each drawn at one of five levels.

A family is a function of a random generator and a level that returns a `Puzzle`. Invariant: the same
generator state gives the same draft.
"""

from __future__ import annotations

import random
from collections.abc import Callable

from textgym.envs.generation import choice
from textgym.envs.redefined_rules.families import calculation as operators
from textgym.envs.redefined_rules.families import measures as calendars
from textgym.envs.redefined_rules.families import measures as units
from textgym.envs.redefined_rules.families import sorting as alphabets
from textgym.envs.redefined_rules.families import sorting as numbers
from textgym.envs.redefined_rules.families.board_games import noughts, pieces
from textgym.envs.redefined_rules.families.calculation import precedence
from textgym.envs.redefined_rules.families.instructions import directions, lists, tables
from textgym.envs.redefined_rules.families.puzzle import Puzzle, Solved, finish
from textgym.envs.redefined_rules.families.replies import options, verdicts
from textgym.envs.redefined_rules.families.table_games import dice, gestures, tricks

__all__ = ["FAMILIES", "LEVELS", "draw"]

LEVELS = (1, 2, 3, 4, 5)

FAMILIES: dict[str, Callable[[random.Random, int], Puzzle]] = {
    family.__name__: family
    for family in (
        operators, precedence, alphabets, numbers, units, calendars, pieces, gestures, noughts,
        tricks, dice, options, verdicts, directions, lists, tables,
    )
}  # fmt: skip
_NAMES = tuple(FAMILIES)


def draw(rng: random.Random, level: int) -> tuple[str, Puzzle, Solved]:
    """Draw a family, with equal probabilities, a draft of it, and its answers."""
    name = choice(rng, _NAMES)
    while True:
        draft = FAMILIES[name](rng, level)
        solved = finish(draft)
        if solved is not None:
            return name, draft, solved
