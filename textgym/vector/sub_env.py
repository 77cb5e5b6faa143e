"""One sub-environment of a vector: its episode, when the next begins, and what a failure becomes.

What always holds: a failed call is tried again before anything is made of it; a step that was taken
is never taken twice, even where the reset after it fails; a failure that is not raised is a
truncation with the reward NaN, never a number.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import Any, SupportsFloat, TypeVar

import gymnasium as gym
from gymnasium.vector import AutoresetMode

from textgym.concurrency.blocking import pause_seconds, reset_waits, step_waits
from textgym.errors import BoundaryFailure, UsageError

__all__ = ["Seat", "Turn"]

T = TypeVar("T")
Turn = tuple[Any, SupportsFloat, bool, bool, dict[str, Any]]
"""What a step of a vector gives for one sub-environment; a reset's has the reward 0."""


class Seat:
    """A sub-environment of a vector.

    Args:
        env: The environment.
        mode: When the episode after one that ended begins.
        retries: How often a failed reset or step is tried again.
        nan: Whether what still fails truncates the episode with the reward NaN; else it is raised.

    Attributes:
        env: The environment.
        id: Its id, or its class's name where it has none.
        step_waits: Whether `step` may wait, where it begins the next episode too.
        reset_waits: Whether `reset` may wait.
        observation: What was observed last; None before the first reset.
        ended: Whether the episode has ended and the next has not begun.
    """

    def __init__(
        self, env: gym.Env[Any, Any], mode: AutoresetMode, retries: int, nan: bool
    ) -> None:
        plain = env.unwrapped
        self.env = env
        self.id = plain.spec.id if plain.spec else type(plain).__name__
        self.reset_waits = reset_waits(plain)
        self.step_waits = step_waits(plain) or (
            self.reset_waits and mode is not AutoresetMode.DISABLED
        )
        self.observation: Any = None
        self.ended = False
        self._mode, self._retries, self._nan = mode, retries, nan
        self._stepped: Turn | None = None  # a step whose reset has not succeeded yet
        self._absent: dict[str, str] | None = None  # why the episode could not begin

    def reset(self, seed: int | None = None, options: dict[str, Any] | None = None) -> Turn:
        """Begin an episode."""
        self._stepped = None
        return self._begin(seed, options)

    def step(self, action: Any) -> Turn:
        """Take an action, None for none, or begin the episode that is due."""
        if self.ended and self._mode is AutoresetMode.NEXT_STEP:
            return self._begin()
        if action is None:
            return self.observation, 0.0, False, False, {}
        turn = self._stepped or self._act(action)
        if turn[2] or turn[3]:
            if self._mode is AutoresetMode.SAME_STEP:
                return self._begin_after(turn)
            self.ended = True
        self.observation = turn[0]
        return turn

    def _begin_after(self, turn: Turn) -> Turn:
        """Begin the next episode in the step that ended one."""
        self._stepped = turn
        final, reward, terminated, truncated, final_info = turn
        observation, _, _, _, info = self._begin()
        self._stepped = None
        info = {"final_obs": final, "final_info": final_info, **info}
        if "failure" in final_info:
            info["failure"] = final_info["failure"]
        return observation, reward, terminated, truncated, info

    def _begin(self, seed: int | None = None, options: dict[str, Any] | None = None) -> Turn:
        self._absent = None
        try:
            observation, info = self._try(self.env.reset, seed=seed, options=options)
        except Exception as error:
            self._absent = self._told(error)
            observation, info = [], {"failure": self._absent}
        self.observation, self.ended = observation, False
        return observation, 0.0, False, False, info

    def _act(self, action: Any) -> Turn:
        if self._absent:
            return self._cut(self._absent, {})
        try:
            return self._try(self.env.step, action)
        except Exception as error:
            task = getattr(self.env.unwrapped, "task", None)
            return self._cut(self._told(error), {} if task is None else {"task_id": task.id})

    def _cut(self, failure: dict[str, str], info: dict[str, Any]) -> Turn:
        return self.observation, float("nan"), False, True, {**info, "failure": failure}

    def _try(self, call: Callable[..., T], *args: Any, **kwargs: Any) -> T:
        """Call, and again after a pause where it fails; other errors are no failures."""
        for attempt in range(self._retries):
            try:
                return call(*args, **kwargs)
            except BoundaryFailure:
                time.sleep(pause_seconds(attempt))
        return call(*args, **kwargs)

    def _told(self, error: Exception) -> dict[str, str]:
        """Return what is said of a failure; raise it where failures are raised, or it is none."""
        if not self._nan or isinstance(error, UsageError):
            raise error
        boundary = error.boundary if isinstance(error, BoundaryFailure) else "environment"
        return {"boundary": boundary, "type": type(error).__name__, "message": str(error)}
