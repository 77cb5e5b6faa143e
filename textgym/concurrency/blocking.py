"""Calls of an environment that may block: which ones they are, and running them in threads.

An environment or a wrapper whose `step` may block (it waits for a judge, a sandbox, a guest) sets
`blocking`. `reset` may then block too, unless `blocking_reset` says otherwise. Rollouts and vectors
decide here which calls need a thread, so that both treat an environment alike; they ask once for
each environment, so these attributes must not change.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from concurrent.futures import Future, ThreadPoolExecutor
from typing import Any

import gymnasium as gym

from textgym.layers import layers_of

__all__ = ["THREAD_NAME", "CallThreads", "reset_may_block", "step_may_block"]

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
    goes on meanwhile, because such a call may wait for it.

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
            except asyncio.CancelledError as error:  # the calls go on all the same
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
