"""Families of puzzles with redefined rules, each with five levels; `units` also has level 0.

Invariant: the same state of the random generator gives the same puzzle.
"""

from __future__ import annotations

import random

from textgym.envs.generation import Families, redrawn
from textgym.envs.redefined_rules.families.board_games import noughts, pieces
from textgym.envs.redefined_rules.families.calculation import operators, precedence
from textgym.envs.redefined_rules.families.instructions import directions, lists, tables
from textgym.envs.redefined_rules.families.measures import calendars, units
from textgym.envs.redefined_rules.families.puzzle import Answers, Puzzle, answers
from textgym.envs.redefined_rules.families.replies import options, verdicts
from textgym.envs.redefined_rules.families.sorting import alphabets, numbers
from textgym.envs.redefined_rules.families.table_games import dice, gestures, tricks

__all__ = ["FAMILIES", "LEVELS", "draw_puzzle"]

LEVELS = (1, 2, 3, 4, 5)

FAMILIES = Families(
    operators, precedence, alphabets, numbers, units, calendars, pieces, gestures, noughts, tricks,
    dice, options, verdicts, directions, lists, tables,
)  # fmt: skip


@redrawn
def draw_puzzle(rng: random.Random, family: str, level: int) -> tuple[Puzzle, Answers]:
    """Draw a puzzle of a family, and its answers."""
    puzzle = FAMILIES[family](rng, level)
    return puzzle, answers(puzzle)
