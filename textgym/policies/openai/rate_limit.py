"""When requests may start: a rate limit, pauses that hold back all requests, and backoff.

Invariants: with a rate, requests start at least one interval apart, also after a pause; during a
pause no request starts. Tests can replace the clock and the sleep.
"""

from __future__ import annotations

import asyncio
import random
import time
from collections.abc import Awaitable, Callable, Mapping
from email.utils import parsedate_to_datetime
from math import isfinite

from textgym.concurrency.calls import pause_seconds

__all__ = ["MAX_WAIT", "RateLimiter", "read_retry_after"]

MAX_WAIT = 60.0
"""The maximum wait, in seconds, that a server can ask for."""

_MIN_BACKOFF = 0.5
_MAX_BACKOFF = 30.0


class RateLimiter:
    """Decides when a policy's next request may start.

    Args:
        requests_per_minute: The maximum number of requests that start in a minute, evenly spaced;
            None for no limit.
        clock: Returns a monotonic time in seconds.
        sleep: Waits for a number of seconds.
        jitter: Returns a random number from 0 to 1.
    """

    def __init__(
        self,
        requests_per_minute: float | None = None,
        *,
        clock: Callable[[], float] = time.monotonic,
        sleep: Callable[[float], Awaitable[object]] = asyncio.sleep,
        jitter: Callable[[], float] | None = None,
    ) -> None:
        self.clock = clock
        self.sleep = sleep
        # The global generator may be seeded by the program.
        self._jitter = jitter or random.Random().random
        self._interval = 60.0 / requests_per_minute if requests_per_minute else 0.0
        self._next_start = 0.0
        self._paused_until = 0.0

    async def acquire(self) -> None:
        """Wait until a request may start."""
        while True:
            now = self.clock()
            start = max(now, self._paused_until)
            if self._interval:
                start = max(start, self._next_start)
                self._next_start = start + self._interval
            if start <= now:
                return
            await self.sleep(start - now)
            if self._paused_until <= self.clock():
                return

    def pause(self, seconds: float) -> None:
        """Let no request start for a number of seconds."""
        self._paused_until = max(self._paused_until, self.clock() + seconds)

    def backoff(self, tries: int) -> float:
        """Return a random number of seconds to wait, with a bound that grows with failed tries."""
        return pause_seconds(
            tries - 1, first=_MIN_BACKOFF, factor=2.0, longest=_MAX_BACKOFF, jitter=self._jitter
        )


def read_retry_after(headers: Mapping[str, str], now: float) -> float | None:
    """Return how many seconds a server asks to wait; None without a valid header.

    Args:
        headers: The reply's headers, a case-insensitive mapping.
        now: The current time, in seconds since 1970.

    Example:
        >>> read_retry_after({"Retry-After": "2"}, 0.0)
        2.0
        >>> read_retry_after({"Retry-After": "Thu, 01 Jan 1970 00:01:30 GMT"}, 60.0)
        30.0
        >>> read_retry_after({"Retry-After": "soon"}, 0.0)
    """
    for name, unit in (("Retry-After-Ms", 0.001), ("Retry-After", 1.0)):
        text = headers.get(name, "")
        try:
            seconds = float(text) * unit
        except ValueError:
            continue
        if isfinite(seconds):
            return max(seconds, 0.0)
    try:
        return max(parsedate_to_datetime(headers.get("Retry-After", "")).timestamp() - now, 0.0)
    except (ValueError, OverflowError, OSError):
        return None
