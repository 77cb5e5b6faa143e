"""The reference calls of rows about a company, and the changes that they make.

Invariants: a database is never modified; each run has a state of its own.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from datetime import datetime
from functools import cache
from typing import Any

from textgym.envs.office.company.database import Database, State, Table, new_state
from textgym.envs.office.company.toolkits import Tools
from textgym.envs.office.reference import Call, read_calls
from textgym.errors import RowError
from textgym.messages import Message, system, user
from textgym.tools import Toolbox
from textgym.verifiers.state import read_instant

__all__ = [
    "WORKBENCH_CLOCK",
    "ReferenceRun",
    "calls_of",
    "clock_in",
    "clock_of",
    "effect_of",
    "prompt_of",
    "toolbox",
]


WORKBENCH_CLOCK = "2023-11-30 23:59:00"
_OPENING = """\
You are an assistant in an office. You have tools for e-mail, the calendar, the analytics of the \
company's site, project management and customers; use them to do what the user asks, and then say \
in a sentence what you did. It is {day}, {clock}. Meetings begin at 9:00 at the earliest and end \
at 18:00 at the latest."""
_CLOCK = re.compile(r"(\d{4}-\d{2}-\d{2})\D{1,40}?(\d{2}:\d{2}(?::\d{2})?)")
_DAYS = ("Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday", "Sunday")


@cache
def toolbox() -> Toolbox:
    """Return the toolbox with all tools."""
    return Toolbox(Tools)


def clock_of(row: Mapping[str, Any]) -> str:
    """Return the time of a row in textgym's format.

    Raises:
        RowError: It is missing or not valid.

    Example:
        >>> clock_of({"now": "2023-11-30 09:30"})
        '2023-11-30 09:30:00'
    """
    now = row.get("now")
    instant = read_instant(now) if isinstance(now, str) else None
    if instant is None:
        raise RowError("now", f"must be a time such as {WORKBENCH_CLOCK!r}, not {now!r}")
    return instant.isoformat(" ", "seconds")


def clock_in(prompt: Sequence[Message]) -> str:
    """Return the time that a prompt states, or WorkBench's time.

    Example:
        >>> clock_in([{"role": "system", "content": "It is 2024-01-08, at 08:30."}])
        '2024-01-08 08:30:00'
    """
    for message in prompt:
        content = message.get("content")
        found = _CLOCK.search(content) if isinstance(content, str) else None
        if found and (instant := read_instant(f"{found[1]} {found[2]}")):
            return instant.isoformat(" ", "seconds")
    return WORKBENCH_CLOCK


def prompt_of(row: Mapping[str, Any], clock: str) -> list[Message]:
    """Return the prompt of a row in textgym's format.

    Raises:
        RowError: The row has no query.
    """
    query = row.get("query")
    if not isinstance(query, str) or not query.strip():
        raise RowError("query", "is missing or empty")
    day = _DAYS[datetime.fromisoformat(clock).weekday()]
    return [system(_OPENING.format(day=day, clock=clock)), user(query)]


def calls_of(row: Mapping[str, Any], field: str) -> list[Call]:
    """Return the calls in a field of a row, with validated arguments.

    Raises:
        RowError: The field does not contain valid calls.
    """
    return read_calls(row.get(field), field, toolbox())


class ReferenceRun(Tools):
    """The tools with a state of their own.

    Args:
        database: The databases. They are not modified.
        clock: The time of the calls.
        reply_mark: The prefix of a reply's subject.

    Attributes:
        state: The changes that the calls made so far.
    """

    def __init__(self, database: Database, clock: str, reply_mark: str = "") -> None:
        self.database, self.state = database, new_state()
        self.clock, self.reply_mark = clock, reply_mark

    def table(self, name: str) -> Table:
        """Return the current content of a table."""
        return self.database.table(name, self.state)


def effect_of(
    reference: Sequence[Call], database: Database, clock: str, reply_mark: str = ""
) -> State:
    """Return the changes that some calls make to a database.

    Args:
        reference: The calls, each with a tool's name and arguments.
        database: The database. It is not modified.
        clock: The time of the calls.
        reply_mark: The prefix of a reply's subject.
    """
    tools = ReferenceRun(database, clock, reply_mark)
    for name, arguments in reference:
        toolbox().call(tools, name, arguments)
    return tools.state
