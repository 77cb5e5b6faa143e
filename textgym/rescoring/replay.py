"""A stored episode played again: the policy says what was said, and nothing is sampled.

What always holds: a stored message is only said to a conversation that is the stored one to the
letter. Where the environment shows something else than it did, the episode cannot be compared, and
`Replay.difference` says why.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from textgym.errors import ContextFullError, UsageError
from textgym.messages import Message, ToolSchema, copy_json
from textgym.policies import Action, Policy
from textgym.policies.base import Tokens
from textgym.trajectories.schema import Trajectory
from textgym.trajectories.store import as_stored

__all__ = ["Replay", "can_be_replayed"]


def can_be_replayed(trajectory: Trajectory) -> bool:
    """Tell whether all that was sampled in an episode is stored.

    It is where the episode did not fail, and where the environment failed at a message.
    """
    failure = trajectory["failure"]
    if failure is None:
        return True
    steps = trajectory["steps"]
    return failure["boundary"] == "environment" and bool(steps) and steps[-1]["reward"] is None


class _Differs(UsageError):
    """Ends a replay; a usage error is not tried again."""


class Replay(Policy):
    """Says the assistant messages of one stored episode.

    Args:
        trajectory: The episode.

    Attributes:
        name: The policy that played it.
        difference: How the environment differs from what it was; "" as far as it does not.
    """

    def __init__(self, trajectory: Trajectory) -> None:
        self.name = trajectory["policy"]
        self.difference = ""
        self._messages: list[Any] = trajectory["messages"]
        self._steps = trajectory["steps"]
        self._failed = trajectory["failure"] is not None
        cut = trajectory["truncated"] and trajectory["stop_reason"] == "context"
        self._cut_by_context = cut and not self._failed
        self._turn = 0

    async def act(
        self,
        messages: Sequence[Message],
        tools: Sequence[ToolSchema],
        *,
        prior: Tokens | None = None,
        seed: int | None = None,
    ) -> Action:
        """Say the next stored message; see `Policy.act`."""
        if self._turn == len(self._steps):
            if not self._cut_by_context:
                self._stop("the episode goes on after the last stored message")
            self._compare(messages, self._messages)
            raise ContextFullError("the stored episode was cut here")
        step = self._steps[self._turn]
        place = step["message_index"]
        self._compare(messages, self._messages[:place])
        if place >= len(self._messages) or not _is_said(self._messages[place]):
            self._stop(f"message {place}, which its policy said, is not stored")
        self._turn += 1
        return Action(copy_json(self._messages[place]), step["finish_reason"])

    def compare_end(self, messages: Sequence[Message]) -> None:
        """Compare the whole conversation with the stored one, once the episode has ended.

        Of an episode that failed, what came after its last message is not stored.
        """
        if self._turn < len(self._steps):
            said = f"{self._turn} of {len(self._steps)}"
            self.difference = f"the episode ends after {said} messages"
        elif self._failed:
            last = len(self._messages) - 1
            self.difference = self._difference(messages[:last], self._messages[:last])
        else:
            self.difference = self._difference(messages, self._messages)

    def _compare(self, messages: Sequence[Any], stored: Sequence[Any]) -> None:
        difference = self._difference(messages, stored)
        if difference:
            self._stop(difference)

    def _stop(self, difference: str) -> None:
        self.difference = difference
        raise _Differs(difference)

    def _difference(self, messages: Sequence[Any], stored: Sequence[Any]) -> str:
        """Name the first message that is not the stored one."""
        if list(messages) == list(stored):
            return ""
        messages = as_stored(messages)
        if messages == stored:
            return ""
        pairs = zip(messages, stored, strict=False)
        shorter = min(len(messages), len(stored))
        place = next((n for n, (now, then) in enumerate(pairs) if now != then), shorter)
        if not self._steps or place < self._steps[0]["message_index"]:
            return "the prompt differs"
        return f"message {place} differs"


def _is_said(message: Any) -> bool:
    return isinstance(message, dict) and message.get("role") == "assistant"
