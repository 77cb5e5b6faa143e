"""Environments that are made on demand and reused, shared by rollouts and rescoring.

Invariants: an environment is lent to one user at a time; there are as many environments of a key as
were in use at once; closing the pool closes every environment that it made.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Hashable
from typing import Any

import gymnasium as gym

from textgym.concurrency.calls import reset_may_block, step_may_block
from textgym.layers import grade_at_time_limit
from textgym.policies import Policy
from textgym.rollouts.recorder import RunLog

__all__ = ["EnvPool", "PooledEnv"]


class PooledEnv:
    """An environment of a pool, and its properties that each episode needs.

    Args:
        key: Environments of the same key are interchangeable.
        env: The environment.

    Attributes:
        key: The key.
        env: The environment. An episode that a `TimeLimit` around it cuts is graded.
        step_may_block: Whether `step` may block.
        reset_may_block: Whether `reset` may block.
        has_tasks: Whether the options of `reset` select a task by its index.
    """

    __slots__ = (
        "_bound", "_policy", "env", "has_tasks", "key", "reset_may_block", "step_may_block",
    )  # fmt: skip

    def __init__(self, key: Hashable, env: gym.Env[Any, Any]) -> None:
        self.key, self.env = key, grade_at_time_limit(env)
        self.step_may_block, self.reset_may_block = step_may_block(env), reset_may_block(env)
        self.has_tasks = hasattr(env.unwrapped, "num_tasks")
        self._policy: Policy | None = None
        self._bound: Policy | None = None

    def bound(self, policy: Policy) -> Policy:
        """Return a policy bound to the environment; the last binding is kept."""
        if self._bound is None or self._policy is not policy:
            self._bound = policy.for_env(self.env)
            self._policy = policy
        return self._bound


class EnvPool:
    """Lends environments, and makes new ones when none is idle.

    Args:
        log: Closes the environments, and logs errors while they are closed.

    Example:
        >>> import gymnasium, textgym
        >>> def make():
        ...     return gymnasium.make("textgym/MCQA-v0")
        >>> with EnvPool(RunLog()) as pool:
        ...     first = pool.acquire("mcqa", make)
        ...     pool.release(first)
        ...     pool.acquire("mcqa", make) is first
        True
    """

    def __init__(self, log: RunLog) -> None:
        self._log = log
        self._idle: defaultdict[Hashable, list[PooledEnv]] = defaultdict(list)
        self._all: set[PooledEnv] = set()

    def acquire(self, key: Hashable, make: Callable[[], gym.Env[Any, Any]]) -> PooledEnv:
        """Return an idle environment of a key, or a new one.

        Args:
            key: The key.
            make: Makes a new environment; its errors are raised.
        """
        if self._idle[key]:
            return self._idle[key].pop()
        return self._added(key, make())

    def add(self, key: Hashable, env: gym.Env[Any, Any]) -> None:
        """Add an environment that was made elsewhere; the pool closes it."""
        self.release(self._added(key, env))

    def _added(self, key: Hashable, env: gym.Env[Any, Any]) -> PooledEnv:
        pooled = PooledEnv(key, env)
        self._all.add(pooled)
        return pooled

    def release(self, pooled: PooledEnv) -> None:
        """Take back an environment that can be used again."""
        self._idle[pooled.key].append(pooled)

    def discard(self, pooled: PooledEnv) -> None:
        """Take back an environment whose state is unknown, and close it."""
        if pooled in self._all:  # a closed pool has closed it
            self._all.remove(pooled)
            self._log.close(pooled.env)

    def close(self) -> None:
        """Close all environments, also those that are in use."""
        for pooled in self._all:
            self._log.close(pooled.env)
        self._all.clear()
        self._idle.clear()

    def __enter__(self) -> EnvPool:
        return self

    def __exit__(self, *error: object) -> None:
        self.close()
