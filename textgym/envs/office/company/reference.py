"""The reference calls of rows about a company, and the changes that they make."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import datetime
from typing import Any

from textgym.envs.office.company.database import database_of, new_state
from textgym.envs.office.company.toolkits import Tools
from textgym.envs.office.company.vocabulary import WEEKDAYS
from textgym.envs.office.company.world import company
from textgym.envs.office.databases import SharedDatabase
from textgym.envs.office.reference import Call, ReferenceRun, read_calls, read_tools
from textgym.errors import RowError
from textgym.messages import Message, ToolSchema, system, user
from textgym.verifiers.state import read_instant

__all__ = [
    "SHORT_OPENING", "CompanyRun", "company_calls", "company_tools", "opening", "read_clock",
]  # fmt: skip

SHORT_OPENING = """\
You are an assistant in an office. Use the tools to do what the user asks, and then say in a \
sentence what you did. It is {day}, {clock}."""
"""The system message for rows that offer few tools."""


class CompanyRun(ReferenceRun, Tools):
    """The tools of a company with a state of their own.

    Args:
        database: The databases. They are not modified.
        clock: The time of the calls.
        reply_mark: The prefix of a reply's subject.

    Example:
        >>> CompanyRun.at(7).call("company_directory_find_email_address", name="nobody")
        []
    """

    def __init__(self, database: SharedDatabase, clock: str, reply_mark: str = "") -> None:
        self.database, self.state = database, new_state()
        self.clock, self.reply_mark = clock, reply_mark

    @classmethod
    def at(cls, world: int) -> CompanyRun:
        """Return a run at the generated company of a seed, in its present."""
        return cls(database_of(world), str(company(world).now))


def read_clock(row: Mapping[str, Any]) -> str:
    """Return the time of a row in textgym's format.

    Raises:
        RowError: It is missing or not valid.

    Example:
        >>> read_clock({"now": "2023-11-30 09:30"})
        '2023-11-30 09:30:00'
    """
    now = row.get("now")
    instant = read_instant(now) if isinstance(now, str) else None
    if instant is None:
        raise RowError("now", f"must be a time such as '2023-11-30 23:59:00', not {now!r}")
    return instant.isoformat(" ", "seconds")


def opening(text: str, clock: str, request: str) -> tuple[Message, ...]:
    """Return a prompt: a system message with the day and time, and the user's request.

    Args:
        text: The system message, with `{day}` and `{clock}`.
        clock: The time.
        request: The request.

    Example:
        >>> opening("It is {day}, {clock}.", "2024-01-08 08:30:00", "Hello!")[0]["content"]
        'It is Monday, 2024-01-08 08:30:00.'
    """
    day = WEEKDAYS[datetime.fromisoformat(clock).weekday()]
    return system(text.format(day=day, clock=clock)), user(request)


def company_tools(row: Mapping[str, Any]) -> tuple[ToolSchema, ...] | None:
    """Return the schemas of the tools that a row offers; None for all.

    Raises:
        RowError: `tools` is not a list of one or more names of tools.
    """
    return read_tools(row, CompanyRun.toolbox())


def company_calls(row: Mapping[str, Any], field: str, *, optional: bool = False) -> list[Call]:
    """Return the calls in a field of a row, with validated arguments.

    Args:
        row: The row.
        field: The field.
        optional: Whether the field may be missing, which is the same as an empty list.

    Raises:
        RowError: The field does not contain valid calls.
    """
    if optional and field not in row:
        return []
    return read_calls(row.get(field), field, CompanyRun.toolbox())
