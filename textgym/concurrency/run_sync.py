"""Running a coroutine to its end from any place: a script, a notebook, a thread, a running loop."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Coroutine
from concurrent.futures import ThreadPoolExecutor
from typing import Any, TypeVar

__all__ = ["run_sync"]

Result = TypeVar("Result")


def run_sync(start: Callable[[], Coroutine[Any, Any, Result]]) -> Result:
    """Call an asynchronous function, and return its result.

    If an event loop is running in this thread, the coroutine runs in a loop of another thread, and
    this thread, with its loop, waits.

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
    with ThreadPoolExecutor(1, "textgym-run-sync") as thread:
        return thread.submit(lambda: asyncio.run(start())).result()
