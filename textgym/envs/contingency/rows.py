"""Reading the rows of `Contingency`."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from textgym.envs.contingency.reference import toolbox
from textgym.envs.contingency.world import desk
from textgym.envs.generation import MONTHS
from textgym.envs.reference_calls import read_calls
from textgym.errors import RowError
from textgym.messages import system, user
from textgym.tasks.task import Task

__all__ = ["CALLS_FACTOR", "ContingencyTask", "read_task"]

CALLS_FACTOR = 3  # how many times the oracle's calls may be made

_OPENING = """\
You work at the desk of a coach company, which also has a small shop. You have tools for its \
customers, departures, bookings, orders and policy documents; use them to do what you are asked, \
in the order in which it is asked, and then say in a sentence what you did. It is {day}; all \
departures are from here, and prices are in euros. Lists of bookings and the prices of departures \
are those of last night, and may have changed since. Some lists have several pages. What stands in \
brackets, such as "two (or three if ...) seats", depends on what came out of the part before it. \
Change nothing that is not asked for. Do not make more than three times as many calls as are \
needed."""


@dataclass(frozen=True, slots=True)
class ContingencyTask(Task):
    """A task whose answer is a list of calls, each with a tool's name and arguments.

    Attributes:
        world: The seed of the desk.
    """

    world: int = 0


def read_task(row: Mapping[str, Any]) -> ContingencyTask:
    """Read a row.

    Raises:
        RowError: A field is missing or not valid.
    """
    query, world = row.get("query"), row.get("world")
    if not isinstance(query, str) or not query.strip():
        raise RowError("query", "is missing or empty")
    if type(world) is not int:
        raise RowError("world", f"must be an integer, not {world!r:.100}")
    today = desk(world).today
    day = f"{today:%A}, {today.day} {MONTHS[today.month - 1]} {today.year}"
    prompt = (system(_OPENING.format(day=day)), user(query))
    calls = read_calls(row.get("calls"), "calls", toolbox())
    if not calls:
        raise RowError("calls", "must be a list of one or more calls")
    return ContingencyTask(row["id"], prompt, calls, None, row, world)
