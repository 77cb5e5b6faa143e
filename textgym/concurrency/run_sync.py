"""Running coroutines from synchronous code.

`run_sync` runs one from any place: a script, a notebook, a thread, a running loop. `result_of` runs
the coroutine of an author's method, which may be `async`, on the background loop.
"""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import Callable, Coroutine
from concurrent.futures import ThreadPoolExecutor
from types import CoroutineType
from typing import Any, TypeVar, cast

__all__ = ["result_of", "run_sync"]


Result = TypeVar("Result")


def run_sync(start: Callable[[], Coroutine[Any, Any, Result]]) -> Result:
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
    try:
        asyncio.get_running_loop()
        is_running = True
    except RuntimeError:
        is_running = False
    if not is_running:
        return asyncio.run(start())
    running = list[asyncio.Task[Any]]()

    async def run() -> Result:
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
    if value.__class__ is not CoroutineType:
        return value
    from textgym.concurrency.background_loop import run  # asyncio is loaded only where it is used

    return run(value)
