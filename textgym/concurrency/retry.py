"""Which failed calls are retried, how often, and how long to pause in between.

Rollouts and vectors ask `retry_pause` after a failed call; HTTP requests, whose server may ask for
a pause of its own, use `pause_seconds` alone.
"""

from __future__ import annotations

import random
from collections.abc import Callable

from textgym.errors import BoundaryFailure

__all__ = ["is_boundary_failure", "pause_seconds", "retry_pause"]

_random = random.Random()  # leaves the program's own generator alone
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
