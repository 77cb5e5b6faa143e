"""Methods of authors that may be `async`: their coroutines run on the background loop."""

from __future__ import annotations

from types import CoroutineType
from typing import Any

__all__ = ["result_of"]


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
