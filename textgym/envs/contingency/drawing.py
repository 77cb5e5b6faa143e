"""Drawing a task: a chain of steps, each decided by what came out of the step before.

Invariants: in half of the tasks of each level no surprise happens; whether one happens is drawn
before the kinds of the steps and apart from them, so that the request does not tell.
"""

from __future__ import annotations

import random
from typing import Any

from textgym.envs.contingency.draft import Draft, Unfit
from textgym.envs.contingency.steps import KINDS
from textgym.envs.contingency.world import Desk
from textgym.envs.generation import choice, sample

__all__ = ["LEVELS", "draw"]

LEVELS = (1, 2, 3, 4, 5)
OPENINGS = ("", "", "Good morning! ", "Hello. ", "Here is what is to be done today. ")
JOINTS = ("After that,", "Next,", "When that is done,", "Then", "And then")
JOINTS_BEFORE_NAMES = JOINTS[:3]
_VERBS = ("Book", "Cancel", "Change", "Find", "Look", "Move", "Order", "Place", "Put", "Raise")
SMALL = frozenset((*_VERBS, "Booking", "Please", "Reserve", "We"))
"""The first words of the steps' texts that are no names."""


def draw(rng: random.Random, level: int, desk: Desk) -> dict[str, Any]:
    """Draw a task with as many steps as its level says.

    Args:
        rng: The random generator.
        level: The level.
        desk: The desk.

    Returns:
        A row with `query`, `calls` (the oracle's, in order), `kinds` (of the steps) and
        `surprises` (the places of the steps in which something unexpected happens).
    """
    surprises = _surprises(rng, level)
    kinds = sample(rng, KINDS, level)
    while True:
        draft = Draft(rng, desk)
        try:
            texts = _steps(draft, kinds, surprises)
        except Unfit:
            continue
        return {
            "query": choice(rng, OPENINGS) + "\n\n".join(texts),
            "calls": [{"name": name, "arguments": given} for name, given in draft.calls],
            "kinds": kinds,
            "surprises": [place for place, happens in enumerate(surprises) if happens],
        }


def _surprises(rng: random.Random, level: int) -> list[bool]:
    """Draw which steps hold a surprise: in half of the tasks none, in the others at least one."""
    if rng.random() < 0.5:
        return [False] * level
    while True:
        surprises = [rng.random() < 0.5 for _ in range(level)]
        if any(surprises):
            return surprises


def _steps(draft: Draft, kinds: list[str], surprises: list[bool]) -> list[str]:
    texts: list[str] = []
    for kind, surprise in zip(kinds, surprises, strict=True):
        outcome = KINDS[kind](draft, surprise)
        texts.append(_joined(draft.rng, outcome.text) if texts else outcome.text)
        draft.previous = outcome
    return texts


def _joined(rng: random.Random, text: str) -> str:
    """Put a joint before a text, which goes on with a small letter unless it begins with a name."""
    first, _, rest = text.partition(" ")
    if first in SMALL:
        return f"{choice(rng, JOINTS)} {first.lower()} {rest}"
    return f"{choice(rng, JOINTS_BEFORE_NAMES)} {text}"
