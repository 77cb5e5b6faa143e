"""One background event loop per process, which runs coroutines for threads that may block.

Asynchronous judges and guests are called from a blocking `step`; this loop runs them, so that they
share connections and never occupy a rollout's loop.

Invariants: the loop starts when it is first needed and stops when the process exits; a forked
process starts its own.
"""

from __future__ import annotations

import asyncio
import atexit
import os
import threading
from collections.abc import Coroutine
from concurrent.futures import Future
from typing import Any, TypeVar

from textgym.errors import UsageError

__all__ = ["run", "start"]

T = TypeVar("T")
_MAX_SECONDS_TO_STOP = 5.0


class _LoopThread:
    """A daemon thread that runs an event loop until it is stopped."""

    def __init__(self) -> None:
        started: Future[tuple[asyncio.AbstractEventLoop, asyncio.Event]] = Future()
        self.thread = threading.Thread(
            target=lambda: asyncio.run(_serve(started)), name="textgym-background", daemon=True
        )
        self.thread.start()
        self.loop, self._stopped = started.result()

    def stop(self) -> None:
        """Cancel the coroutines that are running, and wait for the thread to end."""
        self.loop.call_soon_threadsafe(self._stopped.set)
        self.thread.join(_MAX_SECONDS_TO_STOP)


async def _serve(started: Future[tuple[asyncio.AbstractEventLoop, asyncio.Event]]) -> None:
    stopped = asyncio.Event()
    started.set_result((asyncio.get_running_loop(), stopped))
    await stopped.wait()


_lock = threading.Lock()
_running: _LoopThread | None = None
_inherited: list[_LoopThread | None] = []  # freeing a loop in a child would break the parent's


def run(coroutine: Coroutine[Any, Any, T]) -> T:
    """Run a coroutine on the background loop and wait for its result.

    If the wait is interrupted, such as by Ctrl-C, the coroutine is cancelled.

    Raises:
        UsageError: The caller runs on the background loop, which would wait for itself.

    Example:
        >>> async def add(a, b):
        ...     return a + b
        >>> run(add(1, 2))
        3
    """
    if threading.current_thread() is _background().thread:
        coroutine.close()
        raise UsageError("code on the background loop cannot wait for the background loop")
    future = start(coroutine)
    try:
        return future.result()
    except BaseException:
        future.cancel()
        raise


def start(coroutine: Coroutine[Any, Any, T]) -> Future[T]:
    """Start a coroutine on the background loop, and return the future of its result.

    Another loop waits with `await asyncio.wrap_future(start(...))`, without a thread.

    Example:
        >>> async def add(a, b):
        ...     return a + b
        >>> start(add(1, 2)).result()
        3
    """
    return asyncio.run_coroutine_threadsafe(coroutine, _background().loop)


def _background() -> _LoopThread:
    global _running
    with _lock:
        if _running is None:
            _running = _LoopThread()
        return _running


@atexit.register
def _stop() -> None:
    if _running is not None:
        _running.stop()


def _drop_inherited_loop() -> None:
    """Drop the parent's loop, whose thread does not exist in this process."""
    global _running, _lock
    _inherited.append(_running)
    _running, _lock = None, threading.Lock()


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_drop_inherited_loop)
