"""What an attacker is: a policy that sees what a model sees, and does not know the answer."""

from __future__ import annotations

from dataclasses import dataclass

from textgym.checks.episodes import Act
from textgym.messages import Message, assistant

__all__ = ["Attacker", "NotApplicable", "as_message"]


class NotApplicable(Exception):
    """Raised by an attacker that cannot do anything in a task, such as call a tool without one."""


@dataclass(frozen=True)
class Attacker:
    """A policy that knows the form of an answer but not the answer.

    Attributes:
        name: Its name in reports, which does not change.
        summary: What it does, in one plain sentence.
        act: The policy. It may raise `NotApplicable`.
        family: What kind of attack it is, such as `texts` or `calls`.
        most_tasks: How many tasks it plays at most; None for as many as the others.
    """

    name: str
    summary: str
    act: Act
    family: str
    most_tasks: int | None = None


def as_message(action: Message | str) -> Message:
    """Return an action as a message."""
    return assistant(action) if isinstance(action, str) else action
