"""Calls of an environment's `reset` and `step`: in a thread where they may wait, else at once."""

from __future__ import annotations

import functools
from typing import Any

import gymnasium as gym

from textgym.concurrency.blocking import reset_waits, step_waits
from textgym.concurrency.thread_pool import Threads

__all__ = ["Calls"]


class Calls:
    """Resets and steps environments.

    An environment says with `blocking` that its `step` may wait, and with `blocking_reset` whether
    its `reset` may; where it has only the first, both may.

    Args:
        threads: Where calls that may wait run.
    """

    def __init__(self, threads: Threads) -> None:
        self._threads = threads

    async def reset(self, env: gym.Env[Any, Any], **options: Any) -> Any:
        """Return what `env.reset` returns."""
        if reset_waits(env):
            return await self._threads.call(functools.partial(env.reset, **options))
        return env.reset(**options)

    async def step(self, env: gym.Env[Any, Any], message: Any) -> Any:
        """Return what `env.step` returns."""
        if step_waits(env):
            return await self._threads.call(functools.partial(env.step, message))
        return env.step(message)
