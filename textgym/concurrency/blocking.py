"""Which calls of an environment may wait, and how long to pause before a failed one is tried again.

What drives environments, rollouts and vectors, asks here, so that all treat a call alike.
"""

from __future__ import annotations

import random
from typing import Any

__all__ = ["pause_seconds", "reset_waits", "step_waits"]

_FIRST_PAUSE, _LONGEST_PAUSE = 0.05, 5.0  # seconds


def step_waits(env: Any) -> bool:
    """Tell whether `step` of a Gymnasium environment may wait: it says so with `blocking`."""
    return bool(getattr(env.unwrapped, "blocking", False))


def reset_waits(env: Any) -> bool:
    """Tell whether `reset` may wait: `blocking_reset` says so, else `blocking` does for both."""
    plain = env.unwrapped
    return bool(getattr(plain, "blocking_reset", getattr(plain, "blocking", False)))


def pause_seconds(attempt: int) -> float:
    """Draw a pause after a failed attempt, 0 for the first: longer each time, never quite equal.

    Example:
        >>> pause_seconds(0) <= 0.05 < pause_seconds(2) <= 0.8 < pause_seconds(40) <= 5
        True
    """
    longest: float = min(_FIRST_PAUSE * 4 ** min(attempt, 10), _LONGEST_PAUSE)
    return longest * random.uniform(0.5, 1)
