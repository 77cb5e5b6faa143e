"""One event loop a process, in a thread of its own, for what is asked from threads that may wait.

What always holds: it begins when it is first needed, ends with the process, and a forked process
gets one of its own; what runs on it never runs on a rollout's loop.
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

__all__ = ["run"]

T = TypeVar("T")
_SECONDS_TO_END = 5.0


class _Loop:
    """An event loop that runs in a thread until it is stopped."""

    def __init__(self) -> None:
        started: Future[tuple[asyncio.AbstractEventLoop, asyncio.Event]] = Future()
        self.thread = threading.Thread(
            target=lambda: asyncio.run(_serve(started)), name="textgym-background", daemon=True
        )
        self.thread.start()
        self.loop, self._end = started.result()

    def stop(self) -> None:
        """Cancel what is under way and close what it holds."""
        self.loop.call_soon_threadsafe(self._end.set)
        self.thread.join(_SECONDS_TO_END)


async def _serve(started: Future[tuple[asyncio.AbstractEventLoop, asyncio.Event]]) -> None:
    end = asyncio.Event()
    started.set_result((asyncio.get_running_loop(), end))
    await end.wait()


_lock = threading.Lock()
_running: _Loop | None = None
_inherited: list[_Loop | None] = []  # freed in a child, a loop would spoil its parent's


def run(work: Coroutine[Any, Any, T]) -> T:
    """Run a coroutine on the background loop and wait for it; cancelled where the wait is broken.

    Raises:
        UsageError: It is called on the background loop, which would wait for itself.

    Example:
        >>> async def add(a, b):
        ...     return a + b
        >>> run(add(1, 2))
        3
    """
    background = _get()
    if threading.current_thread() is background.thread:
        work.close()
        raise UsageError("what runs on the background loop cannot wait for the background loop")
    future = asyncio.run_coroutine_threadsafe(work, background.loop)
    try:
        return future.result()
    except BaseException:
        future.cancel()
        raise


def _get() -> _Loop:
    global _running
    with _lock:
        if _running is None:
            _running = _Loop()
        return _running


@atexit.register
def _stop() -> None:
    if _running is not None:
        _running.stop()


def _forget() -> None:
    """Leave the parent's loop, whose thread is not in this process, alone."""
    global _running, _lock
    _inherited.append(_running)
    _running, _lock = None, threading.Lock()


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_forget)
