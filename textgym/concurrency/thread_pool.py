"""Threads for calls that wait: for an event loop that awaits them, or for one thread of the caller.

With hundreds of calls under way, the pool of `concurrent.futures` spends most of its time on locks,
wakes threads that find nothing to do, and tells the loop of each result apart. Here the owner alone
decides which thread does what: a call wakes one thread, the one that came back last, and results
that come in meanwhile are taken together. A call that has begun is never cancelled: leaving waits
for it.
"""

from __future__ import annotations

import asyncio
import contextlib
import os
import threading
from collections import deque
from collections.abc import Callable, Iterator
from queue import SimpleQueue
from types import TracebackType
from typing import Any

__all__ = ["Crew", "Threads"]

_Call = tuple[Any, Callable[[], Any]]
_Result = tuple["_Thread", Any, Any, "BaseException | None"]


class Crew:
    """Runs calls in threads of its own, which are started as they are needed.

    Its owner calls it from one thread at a time.

    Args:
        most: The most calls that run at once; the others queue.
        tell: Called in one of the threads where there are results that the owner, since it last
            asked for `results`, has not been told of.

    Example:
        >>> news = threading.Event()
        >>> crew = Crew(8, news.set)
        >>> crew.begin("a name", lambda: 7)
        >>> news.wait(10), list(crew.results()), crew.leave()
        (True, [('a name', 7, None)], [])
    """

    def __init__(self, most: int, tell: Callable[[], object]) -> None:
        self._most = most
        self._tell = tell
        self._all: list[_Thread] = []
        self._idle: list[_Thread] = []
        self._queue: deque[_Call] = deque()
        self._results: deque[_Result] = deque()
        self._is_told = False
        self._process = os.getpid()

    def begin(self, name: Any, function: Callable[[], Any]) -> None:
        """Call a function in a thread; its result bears the name."""
        if self._process != os.getpid():  # a fork has none of the threads
            self._all, self._idle, self._process = [], [], os.getpid()
        if self._idle:
            self._idle.pop().begin((name, function))
        elif len(self._all) < self._most:
            thread = _Thread(self._done)
            self._all.append(thread)
            thread.start()
            thread.begin((name, function))
        else:
            self._queue.append((name, function))

    def results(self) -> Iterator[tuple[Any, Any, BaseException | None]]:
        """Take what is done: names, results and errors; the threads go on with what queues."""
        self._is_told = False  # what comes from here on tells the owner again
        while self._results:
            thread, name, result, error = self._results.popleft()
            if self._queue:
                thread.begin(self._queue.popleft())
            else:
                self._idle.append(thread)
            yield name, result, error

    def leave(self) -> list[Any]:
        """Wait for what has begun, and end the threads; return the names of what has not begun."""
        dropped = [name for name, _ in self._queue]
        self._queue.clear()
        self.dismiss()
        for thread in self._all:
            thread.join()
        return dropped

    def dismiss(self) -> None:
        """Let the threads end with what they are at; nobody waits for them."""
        for thread in self._all:
            thread.begin(None)

    def _done(self, result: _Result) -> None:
        """Take a result, in the thread that it comes from."""
        self._results.append(result)
        if not self._is_told:
            self._is_told = True
            self._tell()


class Threads:
    """A crew whose calls are awaited.

    One object belongs to one event loop, in which it is entered, called and left.

    Args:
        most: The most calls that run at once; the others queue.

    Example:
        >>> import time
        >>> async def main():
        ...     with Threads(8) as threads:
        ...         return await asyncio.gather(*[threads.call(lambda: time.sleep(0) or 7)] * 2)
        >>> asyncio.run(main())
        [7, 7]
    """

    def __init__(self, most: int) -> None:
        self._crew = Crew(most, self._tell_loop)

    def __enter__(self) -> Threads:
        self._loop = asyncio.get_running_loop()
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        """Drop the calls that have not begun, and wait for the others."""
        for future in self._crew.leave():
            future.cancel()

    def call(self, function: Callable[[], Any]) -> asyncio.Future[Any]:
        """Call a function in a thread; await what is returned for its result."""
        future = self._loop.create_future()
        self._crew.begin(future, function)
        return future

    def _tell_loop(self) -> None:
        with contextlib.suppress(RuntimeError):  # the loop is closed: nobody waits
            self._loop.call_soon_threadsafe(self._hand_over)

    def _hand_over(self) -> None:
        """Give all results that there are to those who wait for them."""
        for future, result, error in self._crew.results():
            if future.done():
                continue
            if isinstance(error, StopIteration):  # which no future takes
                error = RuntimeError(f"StopIteration: {error}")
            if error is None:
                future.set_result(result)
            else:
                future.set_exception(error)


class _Thread(threading.Thread):
    """Runs one call after another, each when it is told to."""

    def __init__(self, done: Callable[[_Result], None]) -> None:
        super().__init__(name="textgym-step", daemon=True)
        self._done = done
        self._calls: SimpleQueue[_Call | None] = SimpleQueue()
        self.begin = self._calls.put  # None ends the thread

    def run(self) -> None:
        """Run what comes."""
        while (call := self._calls.get()) is not None:
            name, function = call
            try:
                result: _Result = self, name, function(), None
            except BaseException as error:
                result = self, name, None, error
            self._done(result)
            del call, name, function, result  # nothing is held while the thread waits
