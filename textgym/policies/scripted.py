"""The policies that play through an environment's own methods: the oracle and random."""

from __future__ import annotations

import random
from collections.abc import Callable, Sequence
from typing import Any, ClassVar

import gymnasium as gym

from textgym.errors import OracleError, UsageError
from textgym.messages import Message, ToolSchema
from textgym.policies.base import Action, Policy, Tokens

__all__ = ["OraclePolicy", "RandomPolicy"]


class _ScriptedPolicy(Policy):
    """Plays through a method of the environment that it is bound to."""

    method: ClassVar[str]

    def __init__(self, env: gym.Env[Any, Any] | None = None) -> None:
        self._method = None if env is None else self._find(env)

    def for_env(self, env: gym.Env[Any, Any]) -> Policy:
        """Return a policy bound to an environment.

        Raises:
            OracleError: The environment does not define the method.
        """
        return type(self)(env)

    async def act(
        self,
        messages: Sequence[Message],
        tools: Sequence[ToolSchema],
        *,
        prior: Tokens | None = None,
        seed: int | None = None,
    ) -> Action:
        """Return the environment's own message; see `Policy.act`."""
        if self._method is None:
            raise UsageError(
                f"the {self.name} policy is not bound to an environment: call for_env first"
            )
        message = self._message(self._method, seed)
        return Action(message, "tool_calls" if message.get("tool_calls") else "stop")

    def _message(self, method: Callable[..., Message], seed: int | None) -> Message:
        raise NotImplementedError

    def _find(self, env: gym.Env[Any, Any]) -> Callable[..., Message]:
        found: Callable[..., Message] | None = getattr(env.unwrapped, self.method, None)
        if found is None or getattr(found, "__left_to_authors__", False):
            card = getattr(env.unwrapped, "card", None)
            name = env.spec.id if env.spec else card.id if card else type(env.unwrapped).__name__
            raise OracleError(
                f"{name} cannot be played by {self.name!r}: it does not define {self.method}"
            )
        return found


class OraclePolicy(_ScriptedPolicy):
    """Plays correctly, through the environment's `solve`."""

    name = "oracle"
    method = "solve"

    def _message(self, method: Callable[..., Message], seed: int | None) -> Message:
        return method()


class RandomPolicy(_ScriptedPolicy):
    """Plays well-formed guesses, through the environment's `guess`."""

    name = "random"
    method = "guess"

    def _message(self, method: Callable[..., Message], seed: int | None) -> Message:
        return method(random.Random(seed))
