"""Calls that may block or fail: which ones block, threads for them, and pauses before a retry.

An environment or a wrapper whose `step` may block (it waits for a judge, a sandbox, a model) sets
`blocking`. `reset` may then block too, unless `blocking_reset` says otherwise. Rollouts and vectors
check these attributes once for each environment, so they must not change.
"""

from __future__ import annotations

import asyncio
import random
from collections.abc import Callable
from concurrent.futures import Future, ThreadPoolExecutor
from typing import Any

import gymnasium as gym

from textgym.errors import BoundaryFailure
from textgym.layers import layers_of

__all__ = [
    "THREAD_NAME", "CallThreads", "is_boundary_failure", "pause_seconds", "reset_may_block",
    "retry_pause", "step_may_block",
]  # fmt: skip


THREAD_NAME = "textgym-step"


def step_may_block(env: gym.Env[Any, Any]) -> bool:
    """Return whether `step` may block: the `blocking` of the environment or of a wrapper."""
    return any(getattr(layer, "blocking", False) for layer in layers_of(env))


def reset_may_block(env: gym.Env[Any, Any]) -> bool:
    """Return whether `reset` may block: `blocking_reset` of each layer, else its `blocking`."""
    return any(
        getattr(layer, "blocking_reset", getattr(layer, "blocking", False))
        for layer in layers_of(env)
    )


class CallThreads:
    """Threads for calls that may block, which an event loop awaits.

    Use it as an asynchronous context manager: leaving it cancels the calls that have not started
    and waits for the others, because a call that has started cannot be cancelled. The event loop
    keeps running, because such a call may wait for it.

    Args:
        max_threads: The maximum number of calls that run at once; the others queue.

    Example:
        >>> import functools
        >>> async def total():
        ...     async with CallThreads(max_threads=8) as threads:
        ...         return await threads.run(functools.partial(sum, [1, 2]))
        >>> asyncio.run(total())
        3
    """

    def __init__(self, max_threads: int) -> None:
        self._pool = ThreadPoolExecutor(max_threads, THREAD_NAME)
        self._running: set[Future[Any]] = set()

    async def __aenter__(self) -> CallThreads:
        return self

    async def __aexit__(self, *reason: object) -> None:
        self._pool.shutdown(wait=False, cancel_futures=True)
        cancelled = None
        while running := [call for call in list(self._running) if not call.done()]:
            waited = [asyncio.wrap_future(call) for call in running]
            try:
                await asyncio.gather(*waited, return_exceptions=True)
            except asyncio.CancelledError as error:  # the calls keep running
                cancelled = error
        self._pool.shutdown()  # the threads have nothing left to do
        if cancelled is not None:
            raise cancelled

    def run(self, call: Callable[[], Any]) -> asyncio.Future[Any]:
        """Run a call in a thread, and return the future of its result."""
        future = self._pool.submit(_without_stop_iteration, call)
        self._running.add(future)
        future.add_done_callback(self._running.discard)
        return asyncio.wrap_future(future)


def _without_stop_iteration(call: Callable[[], Any]) -> Any:
    """Call a function; raise StopIteration, which would never reach the caller, as RuntimeError."""
    try:
        return call()
    except StopIteration as error:
        raise RuntimeError(f"StopIteration: {error}") from error


_random = random.Random()  # does not advance the program's own generator
_MAX_EXPONENT = 16  # keeps a float from overflowing


def is_boundary_failure(error: BaseException) -> bool:
    """Return whether an error is a `BoundaryFailure`, after which the same call may succeed."""
    return isinstance(error, BoundaryFailure)


def retry_pause(
    error: BaseException,
    attempt: int,
    retries: int,
    is_retryable: Callable[[BaseException], bool] = is_boundary_failure,
) -> float | None:
    """Return how many seconds to pause before a failed call is retried; None if it is not.

    Args:
        error: What the call raised.
        attempt: How many attempts failed before this one.
        retries: The maximum number of attempts after the first.
        is_retryable: Decides which errors are worth another attempt.

    Example:
        >>> from textgym.errors import JudgeFailure
        >>> retry_pause(JudgeFailure("the judge is down"), 0, retries=2) is None
        False
        >>> retry_pause(JudgeFailure("the judge is down"), 2, retries=2) is None
        True
        >>> retry_pause(KeyError("a bug"), 0, retries=2) is None
        True
    """
    if attempt >= retries or not is_retryable(error):
        return None
    return pause_seconds(attempt)


def _half_to_one() -> float:
    return _random.uniform(0.5, 1)


def pause_seconds(
    attempt: int,
    *,
    first: float = 0.05,
    factor: float = 4.0,
    longest: float = 5.0,
    jitter: Callable[[], float] = _half_to_one,
) -> float:
    """Return a pause that grows exponentially with the number of failed attempts.

    Args:
        attempt: How many attempts failed before the last one; 0 after the first failure.
        first: The upper bound of the first pause, in seconds.
        factor: How much longer each next pause may be.
        longest: The upper bound of every pause.
        jitter: Draws the fraction of the bound that is returned, so that calls that failed
            together are not retried together.

    Example:
        >>> pause_seconds(0) <= 0.05 < pause_seconds(2) <= 0.8 < pause_seconds(40) <= 5
        True
        >>> pause_seconds(3, first=0.5, factor=2.0, longest=30.0, jitter=lambda: 1.0)
        4.0
    """
    return jitter() * min(first * factor ** min(attempt, _MAX_EXPONENT), longest)
