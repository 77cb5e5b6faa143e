"""Tasks with reference calls: drafting them, reading them from rows, and making the calls.

Invariants: a database is never modified, and each run has a state of its own; a draw that does not
make an unambiguous task raises `Unfit`.
"""

from __future__ import annotations

import random
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from typing import Any, TypeVar

from textgym.envs.generation import Unfit, choice
from textgym.envs.office.databases import SharedDatabase, State, Table
from textgym.errors import RowError, ToolError
from textgym.messages import ToolSchema
from textgym.tasks.task import Task
from textgym.tools import Toolbox, arguments_of

__all__ = [
    "Call", "Draft", "OfficeTask", "ReferenceRun", "read_calls", "read_query", "read_tools",
    "read_world",
]  # fmt: skip

T = TypeVar("T")
Call = tuple[str, dict[str, Any]]


@dataclass(frozen=True, slots=True)
class OfficeTask(Task):
    """A task whose answer is a list of calls, each with a tool's name and arguments.

    Attributes:
        world: The seed of the company or desk; None for the databases of WorkBench.
        clock: The time of the request.
        look_ups: Calls that find the information for the answer. They are not graded.
    """

    world: int | None = None
    clock: str = ""
    look_ups: tuple[Call, ...] = ()


class ReferenceRun:
    """Tools with a state of their own. A subclass inherits the tools.

    Attributes:
        database: The tables. They are not modified.
        state: The changes that the calls made so far.
    """

    database: SharedDatabase
    state: State

    @classmethod
    @cache
    def toolbox(cls) -> Toolbox:
        """Return the tools."""
        return Toolbox(cls)

    def table(self, name: str) -> Table:
        """Return the current content of a table."""
        return self.database.table(name, self.state)

    def call(self, name: str, /, **arguments: Any) -> Any:
        """Call a tool, and return its result before it becomes text."""
        return getattr(self, name)(**arguments)

    def make(self, calls: Sequence[Call]) -> State:
        """Make calls with arguments as a model writes them, and return the state."""
        toolbox = self.toolbox()
        for name, arguments in calls:
            toolbox.call(self, name, arguments)
        return self.state


class Draft:
    """A task under construction.

    Args:
        rng: The random generator for the values of the task.
    """

    def __init__(self, rng: random.Random) -> None:
        self.rng = rng

    def choice(self, population: Sequence[T]) -> T:
        """Draw one element. An empty sequence raises `Unfit`."""
        self.need(population)
        return choice(self.rng, population)

    def need(self, condition: object) -> None:
        """Raise `Unfit` unless a condition is true.

        Raises:
            Unfit: The condition is false.
        """
        if not condition:
            raise Unfit


def read_query(row: Mapping[str, Any]) -> str:
    """Return the request of a row.

    Raises:
        RowError: It is missing or empty.

    Example:
        >>> read_query({"query": "Move the meeting."})
        'Move the meeting.'
    """
    query = row.get("query")
    if not isinstance(query, str) or not query.strip():
        raise RowError("query", "is missing or empty")
    return query


def read_world(row: Mapping[str, Any]) -> int:
    """Return the seed of a row's company or desk.

    Raises:
        RowError: It is missing or not an integer.

    Example:
        >>> read_world({"world": 7})
        7
    """
    world = row.get("world")
    if type(world) is not int:
        raise RowError("world", f"must be an integer, not {world!r:.100}")
    return world


def read_tools(row: Mapping[str, Any], toolbox: Toolbox) -> tuple[ToolSchema, ...] | None:
    """Return the schemas of the tools that a row offers; None for all.

    Args:
        row: The row.
        toolbox: All tools.

    Raises:
        RowError: `tools` is not a list of one or more names of tools.

    Example:
        >>> from textgym.envs.office.company.reference import CompanyRun
        >>> read_tools({"tools": ["email_sned"]}, CompanyRun.toolbox())
        Traceback (most recent call last):
        textgym.errors.RowError: field 'tools' has 'email_sned', which is not the name of a tool
    """
    names = row.get("tools")
    if names is None:
        return None
    if not isinstance(names, (list, tuple)) or not names:
        raise RowError("tools", f"must be a list of one or more names of tools, not {names!r:.100}")
    for name in names:
        if not isinstance(name, str) or name not in toolbox.tools:
            raise RowError("tools", f"has {name!r:.100}, which is not the name of a tool")
    return tuple(schema for schema in toolbox.schemas() if schema["function"]["name"] in names)


def read_calls(calls: Any, field: str, toolbox: Toolbox) -> list[Call]:
    """Return calls with validated arguments.

    Args:
        calls: The calls as a row has them, each with `name` and `arguments`.
        field: The field of the row.
        toolbox: The tools.

    Raises:
        RowError: They are not valid calls of these tools.

    Example:
        >>> from textgym.envs.office.company.reference import CompanyRun
        >>> read_calls([{"name": "email_sned"}], "calls", CompanyRun.toolbox())
        Traceback (most recent call last):
        textgym.errors.RowError: field 'calls.0.name' must be the name of a tool, not 'email_sned'
    """
    if not isinstance(calls, list):
        raise RowError(field, f"must be a list of calls, not {calls!r:.100}")
    return [_read_call(call, f"{field}.{place}", toolbox) for place, call in enumerate(calls)]


def _read_call(call: Any, field: str, toolbox: Toolbox) -> Call:
    name = call.get("name") if isinstance(call, Mapping) else None
    if not isinstance(name, str) or name not in toolbox.tools:
        raise RowError(f"{field}.name", f"must be the name of a tool, not {name!r:.100}")
    try:
        arguments = dict(arguments_of(name, call.get("arguments")))
        toolbox.tools[name].read_arguments(arguments)
    except ToolError as error:
        raise RowError(f"{field}.arguments", f"are not valid: {error}") from None
    return name, arguments
