"""Replaying a stored episode: a policy that returns the stored messages and samples nothing.

Invariant: a stored message only answers the stored conversation. A wrapper may leave out messages,
and the whole conversation is compared at the end. If the environment shows anything else, the
episode cannot be compared, and `Replay.difference` states the reason.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from textgym.errors import ContextFullError, UsageError
from textgym.json_values import copy_json, json_round_trip
from textgym.messages import Message, ToolSchema
from textgym.policies import Action, Policy
from textgym.policies.base import Tokens
from textgym.trajectories.schema import Trajectory

__all__ = ["Replay", "can_be_replayed"]


def can_be_replayed(trajectory: Trajectory) -> bool:
    """Return whether all messages that an episode needs are stored.

    They are if the episode did not fail, or if the environment or its user failed at a message.
    """
    failure = trajectory["failure"]
    if failure is None:
        return True
    steps = trajectory["steps"]
    is_at_message = bool(steps) and steps[-1]["reward"] is None
    return failure["boundary"] in {"environment", "user"} and is_at_message


class _DifferenceFound(UsageError):
    """Ends a replay. It is a `UsageError` because those are not retried."""


class Replay(Policy):
    """A policy that returns the assistant messages of one stored episode.

    Args:
        trajectory: The stored episode.

    Attributes:
        name: The name of the policy that played the episode.
        difference: What differs from the stored conversation; "" if nothing does so far.
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
        """Return the next stored message; see `Policy.act`."""
        if self._turn == len(self._steps):
            if not self._cut_by_context:
                self._stop("the episode continues after the last stored message")
            self._compare(messages, self._messages)
            raise ContextFullError("the stored episode was cut here")
        step = self._steps[self._turn]
        index = step["message_index"]
        self._compare_shown(messages, self._messages[:index])
        message = self._messages[index] if index < len(self._messages) else None
        if not isinstance(message, dict) or message.get("role") != "assistant":
            self._stop(f"message {index}, which should be the policy's, is not stored")
        self._turn += 1
        return Action(copy_json(message), step["finish_reason"])

    def compare_end(self, messages: Sequence[Message]) -> None:
        """Compare the whole conversation with the stored one after the episode has ended.

        For an episode that failed, what came after its last message is not stored.
        """
        if self._turn < len(self._steps):
            count = f"{self._turn} of {len(self._steps)}"
            self.difference = f"the episode ends after {count} messages"
        elif self._failed:
            last = len(self._messages) - 1
            self.difference = self._difference(messages[:last], self._messages[:last])
        else:
            self.difference = self._difference(messages, self._messages)

    def _compare_shown(self, messages: Sequence[Any], stored: Sequence[Any]) -> None:
        """Compare what the policy sees, which may lack messages before the last ones."""
        if len(messages) < len(stored):
            shown = json_round_trip(messages)
            pairs = enumerate(zip(shown, stored, strict=False))
            first = next((n for n, (new, old) in pairs if new != old), len(shown))
            rest = len(shown) - first
            if rest and shown[first:] == stored[-rest:]:
                return
        self._compare(messages, stored)

    def _compare(self, messages: Sequence[Any], stored: Sequence[Any]) -> None:
        if difference := self._difference(messages, stored):
            self._stop(difference)

    def _stop(self, difference: str) -> None:
        self.difference = difference
        raise _DifferenceFound(difference)

    def _difference(self, messages: Sequence[Any], stored: Sequence[Any]) -> str:
        """Return which message is the first that differs; "" if none does."""
        if list(messages) == list(stored):
            return ""
        messages = json_round_trip(messages)
        if messages == stored:
            return ""
        pairs = zip(messages, stored, strict=False)
        shorter = min(len(messages), len(stored))
        index = next((n for n, (new, old) in enumerate(pairs) if new != old), shorter)
        if not self._steps or index < self._steps[0]["message_index"]:
            return "the prompt differs"
        return f"message {index} differs"
