"""The tasks of `Contingency`: drawing rows, and reading them.

Invariants: in half of the tasks of each level no surprise happens; whether one happens is drawn
before the kinds of the steps and independently of them, so that the request does not reveal it.
"""

from __future__ import annotations

import random
from collections.abc import Mapping
from typing import Any

from textgym.envs.generation import MONTHS, choice, redrawn, sample
from textgym.envs.office.contingency.desk import Desk, desk
from textgym.envs.office.contingency.desk_draft import DeskDraft
from textgym.envs.office.contingency.steps import KINDS
from textgym.envs.office.contingency.tools import DeskRun
from textgym.envs.office.reference import (
    OfficeTask,
    read_calls,
    read_query,
    read_world,
)
from textgym.errors import RowError
from textgym.messages import system, user

__all__ = ["CALLS_FACTOR", "LEVELS", "draw", "read_task"]


LEVELS = (1, 2, 3, 4, 5)
OPENINGS = ("", "", "Good morning! ", "Hello. ", "Here is what is to be done today. ")
JOINTS = ("After that,", "Next,", "When that is done,", "Then", "And then")
JOINTS_BEFORE_NAMES = JOINTS[:3]
_VERBS = ("Book", "Cancel", "Change", "Find", "Look", "Move", "Order", "Place", "Put", "Raise")
SMALL = frozenset((*_VERBS, "Booking", "Please", "Reserve", "We"))
"""The first words of the steps' texts that are not names."""


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
    draft, texts = _steps(rng, desk, kinds, surprises)
    return {
        "query": choice(rng, OPENINGS) + "\n\n".join(texts),
        "calls": [{"name": name, "arguments": arguments} for name, arguments in draft.calls],
        "kinds": kinds,
        "surprises": [place for place, happens in enumerate(surprises) if happens],
    }


def _surprises(rng: random.Random, level: int) -> list[bool]:
    """Draw which steps have a surprise: none in half of the tasks, at least one in the others."""
    if rng.random() < 0.5:
        return [False] * level
    while True:
        surprises = [rng.random() < 0.5 for _ in range(level)]
        if any(surprises):
            return surprises


@redrawn
def _steps(
    rng: random.Random, desk: Desk, kinds: list[str], surprises: list[bool]
) -> tuple[DeskDraft, list[str]]:
    """Draw the steps, and return their draft and their texts."""
    draft = DeskDraft(rng, desk)
    texts: list[str] = []
    for kind, surprise in zip(kinds, surprises, strict=True):
        outcome = KINDS[kind](draft, surprise)
        texts.append(_joined(rng, outcome.text) if texts else outcome.text)
        draft.previous = outcome
    return draft, texts


def _joined(rng: random.Random, text: str) -> str:
    """Put a joint before a text. Unless it begins with a name, its first letter becomes small."""
    first, _, rest = text.partition(" ")
    if first in SMALL:
        return f"{choice(rng, JOINTS)} {first.lower()} {rest}"
    return f"{choice(rng, JOINTS_BEFORE_NAMES)} {text}"


CALLS_FACTOR = 3  # the maximum number of calls, as a multiple of the oracle's

_OPENING = """\
You work at the desk of a coach company, which also has a small shop. You have tools for its \
customers, departures, bookings, orders and policy documents; use them to do what you are asked, \
in the order in which it is asked, and then say in a sentence what you did. It is {day}; all \
departures are from here, and prices are in euros. Lists of bookings and the prices of departures \
are those of last night, and may have changed since. Some lists have several pages. What stands in \
brackets, such as "two (or three if ...) seats", depends on what came out of the part before it. \
Change nothing that is not asked for. Do not make more than three times as many calls as are \
needed."""


def read_task(row: Mapping[str, Any]) -> OfficeTask:
    """Read a row.

    Raises:
        RowError: A field is missing or not valid.
    """
    query, world = read_query(row), read_world(row)
    today = desk(world).today
    day = f"{today:%A}, {today.day} {MONTHS[today.month - 1]} {today.year}"
    prompt = (system(_OPENING.format(day=day)), user(query))
    calls = read_calls(row.get("calls"), "calls", DeskRun.toolbox())
    if not calls:
        raise RowError("calls", "must be a list of one or more calls")
    return OfficeTask(row["id"], prompt, calls, row=row, world=world)
