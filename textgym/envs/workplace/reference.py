"""Reference calls: what they change in a company's databases, found by making them.

Invariants: a database is never modified; each run has a state of its own.
"""

from __future__ import annotations

from collections.abc import Sequence

from textgym.envs.reference_calls import Call
from textgym.envs.workplace.database import Database, State, Table, new_state
from textgym.envs.workplace.rows import toolbox
from textgym.envs.workplace.toolkits import Tools

__all__ = ["ReferenceRun", "effect_of"]


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
