"""The calls of a vector's sub-environments that are under way, and what came of them.

What always holds: a sub-environment has at most one call under way or one result that nobody has
taken; calls that wait run in threads, all at once, the others one after another in the thread that
waits for results. Calls may be begun in any thread; one thread at a time waits for results.
"""

from __future__ import annotations

import math
import threading
import time
import weakref
from collections import deque
from collections.abc import Callable, Iterable

from textgym.concurrency.thread_pool import Crew
from textgym.errors import UsageError
from textgym.vector.sub_env import Turn

__all__ = ["Calls", "listed"]


class Calls:
    """Runs calls, each of one sub-environment, and keeps their results until they are taken.

    Args:
        most: How many sub-environments there are.

    Attributes:
        lock: Held while calls are begun and while threads are given more to do.

    Example:
        >>> calls = Calls(2)
        >>> calls.begin([(1, lambda: ([], 0.5, True, False, {}), True)])
        >>> calls.run(lambda: not calls.under_way())
        >>> calls.take([0, 1])
        {1: ([], 0.5, True, False, {})}
        >>> calls.close()
    """

    def __init__(self, most: int) -> None:
        self.lock = threading.RLock()
        self._news = threading.Event()
        self._crew = Crew(most, self._news.set)
        self._inline: deque[tuple[int, Callable[[], Turn]]] = deque()
        self._under_way: set[int] = set()
        self._ready: dict[int, Turn] = {}
        self._errors: dict[int, BaseException] = {}
        weakref.finalize(self, self._crew.dismiss)

    def must_be_free(self, places: Iterable[int]) -> None:
        """Refuse sub-environments with a call under way, or with a result to be taken."""
        taken = {*self._under_way, *self._ready, *self._errors}
        busy = [place for place in places if place in taken]
        if busy:
            raise UsageError(f"sub-environments {listed(busy)} were sent actions: recv them first")

    def begin(self, calls: Iterable[tuple[int, Callable[[], Turn], bool]]) -> None:
        """Begin calls, but for sub-environments that have one under way, or its result.

        Args:
            calls: The sub-environment, its call, and whether the call may wait.
        """
        with self.lock:
            for place, call, waits in calls:
                if place in self._under_way or place in self._ready:
                    continue
                self._under_way.add(place)
                if waits:
                    self._crew.begin(place, call)
                else:
                    self._inline.append((place, call))
        self._news.set()

    def under_way(self, places: Iterable[int] | None = None) -> bool:
        """Tell whether one of some sub-environments, or any, has a call under way."""
        return bool(self._under_way if places is None else self._under_way.intersection(places))

    def ready(self) -> list[int]:
        """Return the sub-environments that have a result, the first one first."""
        with self.lock:
            return list(self._ready)

    def failed(self) -> list[int]:
        """Return the sub-environments whose call raised an error, the first one first."""
        with self.lock:
            return list(self._errors)

    def run(self, enough: Callable[[], bool], timeout: float | None = None) -> None:
        """Run what does not wait, and take what comes from the threads, until it is enough."""
        end = math.inf if timeout is None else time.monotonic() + timeout
        while True:
            self._news.clear()
            while self._inline:
                self._run_one(*self._inline.popleft())
            with self.lock:
                for place, turn, error in self._crew.results():
                    if error is None:
                        self._ready[place] = turn
                    else:
                        self._errors[place] = error
                    self._under_way.discard(place)
                if enough():
                    return
            left = min(end - time.monotonic(), threading.TIMEOUT_MAX)
            if left <= 0:
                return
            self._news.wait(left)

    def _run_one(self, place: int, call: Callable[[], Turn]) -> None:
        try:
            self._ready[place] = call()
        except Exception as error:
            self._errors[place] = error
        except BaseException:  # Ctrl-C does not wait for the others; this one begins again
            self._inline.appendleft((place, call))
            raise
        self._under_way.discard(place)

    def take(self, places: Iterable[int]) -> dict[int, Turn]:
        """Take the results of some sub-environments, as far as there are any."""
        with self.lock:
            return {place: self._ready.pop(place) for place in places if place in self._ready}

    def take_errors(self, places: Iterable[int]) -> dict[int, BaseException]:
        """Take the errors of some sub-environments."""
        with self.lock:
            return {place: self._errors.pop(place) for place in places if place in self._errors}

    def drop_all(self) -> None:
        """Drop what has not begun, wait for what has, and forget all results."""
        with self.lock:
            self._under_way.difference_update(place for place, _ in self._inline)
            self._inline.clear()
        self.run(lambda: not self._under_way)
        self._ready.clear()
        self._errors.clear()

    def close(self) -> None:
        """Wait for what has begun in threads, and end them."""
        self._crew.leave()


def listed(places: Iterable[int]) -> str:
    """Return the first few numbers as a text.

    Example:
        >>> listed(range(100))
        '0, 1, 2, 3, 4 and 95 more'
    """
    numbers = list(map(str, places))
    more = f" and {len(numbers) - 5} more" if len(numbers) > 5 else ""
    return ", ".join(numbers[:5]) + more
