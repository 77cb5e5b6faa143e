"""Coroutines in synchronous code: run in a new event loop, or on the background loop.

A process has one background loop. It runs asynchronous judges, simulated users and methods of
authors for a blocking `step`, so that they share connections and never occupy a rollout's loop.

Invariants: the background loop starts when it is first needed and stops when the process exits; a
forked process starts its own.
"""

from __future__ import annotations

import asyncio
import atexit
import contextlib
import functools
import os
import threading
from collections.abc import Callable, Coroutine
from concurrent.futures import Future, ThreadPoolExecutor
from types import CoroutineType
from typing import Any, ParamSpec, TypeVar, cast

from textgym.errors import UsageError

__all__ = ["result_of", "run", "run_sync", "start", "synchronous"]


P = ParamSpec("P")
T = TypeVar("T")


def run_sync(start: Callable[[], Coroutine[Any, Any, T]]) -> T:
    """Call an asynchronous function, and return its result.

    If an event loop is running in this thread, the coroutine runs in a loop of another thread, and
    this thread, with its loop, waits. An interrupt (Ctrl-C) there cancels the coroutine.

    Args:
        start: The function.

    Example:
        >>> async def answer():
        ...     return 42
        >>> run_sync(answer)
        42
        >>> async def ask():
        ...     return run_sync(answer)
        >>> asyncio.run(ask())
        42
    """
    if not _is_loop_running():
        return asyncio.run(start())
    running = list[asyncio.Task[Any]]()

    async def run() -> T:
        running.append(cast("asyncio.Task[Any]", asyncio.current_task()))
        return await start()

    with ThreadPoolExecutor(1, "textgym-run-sync") as thread:
        result = thread.submit(lambda: asyncio.run(run()))
        try:
            return result.result()
        finally:
            if not result.done():
                for task in running:
                    with contextlib.suppress(RuntimeError):  # its loop has just ended
                        task.get_loop().call_soon_threadsafe(task.cancel)


def _is_loop_running() -> bool:
    try:
        asyncio.get_running_loop()
    except RuntimeError:
        return False
    return True


def synchronous(
    function: Callable[P, Coroutine[Any, Any, T]], *, refuses_running_loop: bool = False
) -> Callable[P, T]:
    """Return the blocking version of an asynchronous function, with its signature and docstring.

    Args:
        function: The function or method. Its name is `a` and the name of the blocking version.
        refuses_running_loop: Whether the blocking version raises a `UsageError` in a thread with a
            running event loop, instead of blocking the loop.

    Example:
        >>> async def atotal(left: int, right: int = 1) -> int:
        ...     return left + right
        >>> total = synchronous(atotal)
        >>> total(2, right=3), total.__name__
        (5, 'total')
    """

    @functools.wraps(function)
    def call(*args: P.args, **kwargs: P.kwargs) -> T:
        if refuses_running_loop and _is_loop_running():
            name = function.__name__
            raise UsageError(f"an event loop is running here: await textgym.{name}(...) instead")
        return run_sync(lambda: function(*args, **kwargs))

    scope, dot, name = function.__qualname__.rpartition(".")
    call.__name__ = name.removeprefix("a")
    call.__qualname__ = scope + dot + call.__name__
    return call


def result_of(value: Any) -> Any:
    """Return a value that a method returned; if it is a coroutine, run it and return its result.

    Raises:
        UsageError: The caller runs on the background loop, which would wait for itself.

    Example:
        >>> async def add(a, b):
        ...     return a + b
        >>> result_of(add(1, 2)), result_of(3)
        (3, 3)
    """
    return run(value) if value.__class__ is CoroutineType else value


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
