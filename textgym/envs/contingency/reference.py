"""Reference calls: what they return, and what they change at a desk.

Invariants: a desk is never modified; each run has a state of its own.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache

from textgym.envs.contingency.tools import DeskTools
from textgym.envs.contingency.world import Desk
from textgym.envs.databases import State, Table
from textgym.envs.reference_calls import Call
from textgym.tools import Toolbox

__all__ = ["ReferenceRun", "effect_of", "toolbox"]


@cache
def toolbox() -> Toolbox:
    """Return the toolbox with all tools."""
    return Toolbox(DeskTools)


class ReferenceRun(DeskTools):
    """The tools with a state of their own.

    Args:
        desk: The desk. It is not modified.

    Attributes:
        state: The changes that the calls made so far.
    """

    def __init__(self, desk: Desk) -> None:
        self.desk, self.state = desk, desk.database.new_state()

    def table(self, name: str) -> Table:
        """Return the current content of a table."""
        return self.desk.database.table(name, self.state)


def effect_of(calls: Sequence[Call], desk: Desk) -> State:
    """Return the changes that some calls make at a desk.

    Args:
        calls: The calls, each with a tool's name and arguments.
        desk: The desk. It is not modified.
    """
    run = ReferenceRun(desk)
    for name, arguments in calls:
        toolbox().call(run, name, arguments)
    return run.state
