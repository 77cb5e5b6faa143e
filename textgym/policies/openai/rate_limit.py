"""When a request may go: a rate that is kept, and a pause that holds all requests back.

What always holds: with a rate, requests begin at least one interval apart, after a pause too; while
a pause lasts none begins. Waiting is done through a clock and a sleep that a test can replace.
"""

from __future__ import annotations

import asyncio
import random
import time
from collections.abc import Awaitable, Callable, Mapping
from email.utils import parsedate_to_datetime
from math import isfinite

from textgym.concurrency.retry import pause_seconds

__all__ = ["LONGEST_WAIT", "Pacer", "read_retry_after"]

LONGEST_WAIT = 60.0
"""The longest wait, in seconds, that a server can ask for."""

_FIRST_BACKOFF = 0.5
_LONGEST_BACKOFF = 30.0


class Pacer:
    """Says when the next request of a policy may go.

    Args:
        requests_per_minute: The most requests that begin in a minute, evenly spread; None for no
            limit.
        clock: Seconds that only grow.
        sleep: Waits for so many seconds.
        jitter: A number from 0 to 1, another each time.
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
        self._jitter = jitter or random.Random().random  # not the program's own generator
        self._interval = 60.0 / requests_per_minute if requests_per_minute else 0.0
        self._next_start = 0.0
        self._paused_until = 0.0

    async def turn(self) -> None:
        """Wait until a request may begin."""
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
        """Let no request begin for so long."""
        self._paused_until = max(self._paused_until, self.clock() + seconds)

    def backoff(self, tries: int) -> float:
        """Return how long to wait after so many failed tries: random, up to a growing bound."""
        return pause_seconds(
            tries - 1,
            first=_FIRST_BACKOFF,
            factor=2.0,
            longest=_LONGEST_BACKOFF,
            jitter=self._jitter,
        )


def read_retry_after(headers: Mapping[str, str], now: float) -> float | None:
    """Return how many seconds a server asks to wait; None where it asks for nothing readable.

    Args:
        headers: The reply's headers, found whatever their case.
        now: The time of day, in seconds since 1970.

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
