"""One sub-environment of a vector: its episode, when the next one begins, and its failures.

Invariants: a failed call is retried before it counts as a failure; a step that succeeded is never
taken twice, even if the reset after it fails; a failure that is not raised is a truncation with the
reward NaN, never another number.
"""

from __future__ import annotations

import functools
import itertools
import time
from collections.abc import Callable
from typing import Any, SupportsFloat, TypeVar

import gymnasium as gym
from gymnasium.vector import AutoresetMode

from textgym.concurrency.blocking import reset_may_block, step_may_block
from textgym.concurrency.retry import retry_pause
from textgym.errors import BoundaryFailure, UsageError
from textgym.layers import grade_at_time_limit
from textgym.trajectories.episode_record import failure_of
from textgym.trajectories.schema import Failure

__all__ = ["StepResult", "SubEnv"]

T = TypeVar("T")
StepResult = tuple[Any, SupportsFloat, bool, bool, dict[str, Any]]
"""What a step returns for one sub-environment; a reset returns one with the reward 0."""


class SubEnv:
    """A sub-environment of a vector.

    Args:
        env: The environment.
        mode: When the next episode begins.
        retries: How often a failed reset or step is retried.
        nan_failures: Whether a failure truncates the episode with the reward NaN instead of being
            raised.

    Attributes:
        env: The environment.
        id: Its id, or the name of its class if it has none.
        step_may_block: Whether `step` may block, including the reset of the next episode.
        reset_may_block: Whether `reset` may block.
        observation: The last observation; None before the first reset.
        ended: Whether the episode has ended and the next one has not begun.
    """

    def __init__(
        self,
        env: gym.Env[Any, Any],
        mode: AutoresetMode,
        retries: int,
        nan_failures: bool,
    ) -> None:
        unwrapped = env.unwrapped
        self.env = grade_at_time_limit(env)
        self.id = unwrapped.spec.id if unwrapped.spec else type(unwrapped).__name__
        self.reset_may_block = reset_may_block(env)
        self.step_may_block = step_may_block(env) or (
            self.reset_may_block and mode is not AutoresetMode.DISABLED
        )
        self.observation: Any = None
        self.ended = False
        self._mode, self._retries, self._nan_failures = mode, retries, nan_failures
        self._last_step: StepResult | None = None  # its reset has not succeeded yet
        self._reset_failure: Failure | None = None

    def reset(self, seed: int | None = None, options: dict[str, Any] | None = None) -> StepResult:
        """Begin an episode."""
        self._last_step = None
        return self._reset(seed, options)

    def step(self, action: Any) -> StepResult:
        """Take an action, or begin the next episode if that is due; None does nothing."""
        if self.ended and self._mode is AutoresetMode.NEXT_STEP:
            return self._reset()
        if action is None:
            return self.observation, 0.0, False, False, {}
        result = self._last_step or self._step(action)
        if result[2] or result[3]:
            if self._mode is AutoresetMode.SAME_STEP:
                return self._reset_after(result)
            self.ended = True
        self.observation = result[0]
        return result

    def _reset_after(self, result: StepResult) -> StepResult:
        """Begin the next episode in the step that ended one."""
        self._last_step = result
        final_obs, reward, terminated, truncated, final_info = result
        observation, _, _, _, info = self._reset()
        self._last_step = None
        info = {"final_obs": final_obs, "final_info": final_info, **info}
        if "failure" in final_info:
            info["failure"] = final_info["failure"]
        return observation, reward, terminated, truncated, info

    def _reset(self, seed: int | None = None, options: dict[str, Any] | None = None) -> StepResult:
        self._reset_failure = None
        try:
            reset = functools.partial(self.env.reset, seed=seed, options=options)
            observation, info = self._with_retries(reset)
        except Exception as error:
            self._reset_failure = self._failure_or_raise(error)
            observation, info = [], {"failure": self._reset_failure}
        self.observation, self.ended = observation, False
        return observation, 0.0, False, False, info

    def _step(self, action: Any) -> StepResult:
        if self._reset_failure:
            return self._truncated(self._reset_failure, {})
        try:
            return self._with_retries(functools.partial(self.env.step, action))
        except Exception as error:
            task = getattr(self.env.unwrapped, "task", None)
            info = {} if task is None else {"task_id": task.id}
            return self._truncated(self._failure_or_raise(error), info)

    def _truncated(self, failure: Failure, info: dict[str, Any]) -> StepResult:
        return self.observation, float("nan"), False, True, {**info, "failure": failure}

    def _with_retries(self, call: Callable[[], T]) -> T:
        for attempt in itertools.count():
            try:
                return call()
            except BoundaryFailure as error:
                pause = retry_pause(error, attempt, self._retries)
                if pause is None:
                    raise
                time.sleep(pause)
        raise AssertionError("the last attempt returns or raises")

    def _failure_or_raise(self, error: Exception) -> Failure:
        """Return a failure as it is reported, or raise the error if it should be raised."""
        if not self._nan_failures or isinstance(error, UsageError):
            raise error
        return failure_of(error, "environment")
