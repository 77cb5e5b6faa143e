"""The sub-environments of a vector: the episode of each, and their running calls.

Calls that may block run in threads, all others in the thread that waits for results, one after
another.

Invariants: a failed call is retried before it counts as a failure; a step that succeeded is never
taken twice, even if the reset after it fails; a failure that is not raised is a truncation with the
reward NaN. A sub-environment has at most one running call or one result that has not been taken;
calls may be submitted from any thread, but only one thread at a time waits for results.
"""

from __future__ import annotations

import functools
import itertools
import math
import os
import threading
import time
from collections import deque
from collections.abc import Callable, Iterable
from concurrent.futures import Future, ThreadPoolExecutor
from typing import Any, SupportsFloat, TypeVar

import gymnasium as gym
from gymnasium.vector import AutoresetMode

from textgym.concurrency.calls import THREAD_NAME, reset_may_block, retry_pause, step_may_block
from textgym.errors import BoundaryFailure, UsageError
from textgym.layers import grade_at_time_limit
from textgym.trajectories.episode_record import failure_of
from textgym.trajectories.schema import Failure

__all__ = ["PendingCalls", "StepResult", "SubEnv", "shorten"]


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
        self, env: gym.Env[Any, Any], mode: AutoresetMode, retries: int, nan_failures: bool
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
        """Take an action, or begin the next episode if it is due; None does nothing."""
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
        """Begin the next episode in the step that ended the last one."""
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
        """Return the failure to report, or raise the error."""
        if not self._nan_failures or isinstance(error, UsageError):
            raise error
        return failure_of(error, "environment")


Call = Callable[[], StepResult]


class PendingCalls:
    """Runs calls of sub-environments, and keeps their results until they are taken.

    Args:
        num_envs: The number of sub-environments.

    Attributes:
        lock: Held while calls are submitted and while results are collected.

    Example:
        >>> calls = PendingCalls(2)
        >>> calls.submit([(1, lambda: ([], 0.5, True, False, {}), True)])
        >>> calls.run(lambda: not calls.is_running())
        >>> calls.take([0, 1])
        {1: ([], 0.5, True, False, {})}
        >>> calls.close()
    """

    def __init__(self, num_envs: int) -> None:
        self.lock = threading.RLock()
        self._num_envs = num_envs
        self._pool: ThreadPoolExecutor | None = None
        self._process = os.getpid()
        self._changed = threading.Event()  # something was submitted or has finished
        self._inline: deque[tuple[int, Call]] = deque()
        self._finished: deque[tuple[int, Future[StepResult]]] = deque()
        self._running: set[int] = set()
        self._results: dict[int, StepResult] = {}
        self._errors: dict[int, BaseException] = {}

    def check_idle(self, indices: Iterable[int]) -> None:
        """Check that sub-environments have no running call and no result to be taken.

        Raises:
            UsageError: One of them is not idle.
        """
        taken = {*self._running, *self._results, *self._errors}
        busy = [index for index in indices if index in taken]
        if busy:
            raise UsageError(f"sub-environments {shorten(busy)} were sent actions: call recv first")

    def submit(self, calls: Iterable[tuple[int, Call, bool]]) -> None:
        """Submit calls; sub-environments with a running call or a result are skipped.

        Args:
            calls: The index of the sub-environment, its call, and whether the call may block.
        """
        with self.lock:
            for index, call, may_block in calls:
                if index in self._running or index in self._results:
                    continue
                self._running.add(index)
                if may_block:
                    future = self._threads().submit(call)
                    future.add_done_callback(functools.partial(self._on_done, index))
                else:
                    self._inline.append((index, call))
        self._changed.set()

    def _threads(self) -> ThreadPoolExecutor:
        """Return the thread pool; a forked process gets a new one."""
        if self._pool is None or self._process != os.getpid():
            self._pool = ThreadPoolExecutor(self._num_envs, THREAD_NAME)
            self._process = os.getpid()
        return self._pool

    def _on_done(self, index: int, future: Future[StepResult]) -> None:
        self._finished.append((index, future))
        self._changed.set()

    def is_running(self, indices: Iterable[int] | None = None) -> bool:
        """Return whether any of some sub-environments, or of all, has a running call."""
        return bool(self._running if indices is None else self._running.intersection(indices))

    def ready(self) -> list[int]:
        """Return the sub-environments that have a result, in the order in which they finished."""
        with self.lock:
            return list(self._results)

    def failed(self) -> list[int]:
        """Return the sub-environments whose call raised, in the order in which they finished."""
        with self.lock:
            return list(self._errors)

    def run(self, is_enough: Callable[[], bool], timeout: float | None = None) -> None:
        """Run the calls that do not block and collect results, until a condition is met.

        Args:
            is_enough: The condition.
            timeout: The maximum number of seconds to wait; None for no limit.
        """
        deadline = math.inf if timeout is None else time.monotonic() + timeout
        while True:
            self._changed.clear()
            while self._inline:
                self._run_inline(*self._inline.popleft())
            with self.lock:
                while self._finished:
                    self._collect(*self._finished.popleft())
                if is_enough():
                    return
            left = min(deadline - time.monotonic(), threading.TIMEOUT_MAX)
            if left <= 0:
                return
            self._changed.wait(left)

    def _collect(self, index: int, future: Future[StepResult]) -> None:
        error = future.exception()
        if error is None:
            self._results[index] = future.result()
        else:
            self._errors[index] = error
        self._running.discard(index)

    def _run_inline(self, index: int, call: Call) -> None:
        try:
            self._results[index] = call()
        except Exception as error:
            self._errors[index] = error
        except BaseException:  # after Ctrl-C the call runs again
            self._inline.appendleft((index, call))
            raise
        self._running.discard(index)

    def take(self, indices: Iterable[int]) -> dict[int, StepResult]:
        """Remove and return the results of some sub-environments, if they have one."""
        with self.lock:
            return {index: self._results.pop(index) for index in indices if index in self._results}

    def take_errors(self, indices: Iterable[int]) -> dict[int, BaseException]:
        """Remove and return the errors of some sub-environments, if they have one."""
        with self.lock:
            return {index: self._errors.pop(index) for index in indices if index in self._errors}

    def discard_all(self) -> None:
        """Drop the calls that have not started, wait for the others, and drop all results."""
        with self.lock:
            self._running.difference_update(index for index, _ in self._inline)
            self._inline.clear()
        self.run(lambda: not self._running)
        self._results.clear()
        self._errors.clear()

    def close(self) -> None:
        """Wait for the calls that run in threads, and end the threads."""
        if self._pool is not None and self._process == os.getpid():
            self._pool.shutdown(cancel_futures=True)


def shorten(indices: Iterable[int]) -> str:
    """Return the first numbers as text.

    Example:
        >>> shorten(range(100))
        '0, 1, 2, 3, 4 and 95 more'
    """
    numbers = list(map(str, indices))
    more = f" and {len(numbers) - 5} more" if len(numbers) > 5 else ""
    return ", ".join(numbers[:5]) + more
