"""The record of a failure, made from the exception that caused it."""

from __future__ import annotations

import traceback
from collections.abc import Callable

from textgym.errors import BoundaryFailure
from textgym.trajectories.schema import Failure

__all__ = ["MAX_TRACEBACK", "failure_of"]

MAX_TRACEBACK = 4000
"""The maximum number of characters of a traceback; the last ones are kept."""


def failure_of(error: BaseException, boundary: str = "unknown") -> Failure:
    """Return the record of a failure.

    Args:
        error: The exception.
        boundary: What failed, unless the exception is a `BoundaryFailure`, which names it.

    Example:
        >>> failure = failure_of(KeyError("city"), "environment")
        >>> failure["boundary"], failure["type"], failure["message"]
        ('environment', 'KeyError', "'city'")
    """
    if isinstance(error, BoundaryFailure):
        boundary = error.boundary
    return {
        "boundary": boundary,
        "type": type(error).__name__,
        "message": _text(lambda: str(error)),
        "traceback": _text(lambda: "".join(traceback.format_exception(error)))[-MAX_TRACEBACK:],
    }


def _text(make: Callable[[], str]) -> str:
    try:
        return make()
    except Exception:  # the error's own __str__ failed
        return ""
