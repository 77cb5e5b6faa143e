"""The running calls of a vector's sub-environments, and their results.

Calls that may block run in threads, all others in the thread that waits for results, one after
another.

Invariants: a sub-environment has at most one running call or one result that has not been taken;
calls may be submitted from any thread, but only one thread at a time waits for results.
"""

from __future__ import annotations

import functools
import math
import os
import threading
import time
from collections import deque
from collections.abc import Callable, Iterable
from concurrent.futures import Future, ThreadPoolExecutor

from textgym.concurrency.blocking import THREAD_NAME
from textgym.errors import UsageError
from textgym.vector.sub_env import StepResult

__all__ = ["PendingCalls", "shorten"]

Call = Callable[[], StepResult]


class PendingCalls:
    """Runs calls, each of one sub-environment, and holds their results until they are taken.

    Args:
        num_envs: The number of sub-environments.

    Attributes:
        lock: Held while calls are submitted and while results are collected.

    Example:
        >>> calls = PendingCalls(2)
        >>> calls.submit([(1, lambda: ([], 0.5, True, False, {}), True)])
        >>> calls.run(lambda: not calls.is_running())
        >>> calls.take([0, 1])
        {1: ([], 0.5, True, False, {})}
        >>> calls.close()
    """

    def __init__(self, num_envs: int) -> None:
        self.lock = threading.RLock()
        self._num_envs = num_envs
        self._pool: ThreadPoolExecutor | None = None
        self._process = os.getpid()
        self._changed = threading.Event()  # something was submitted or has finished
        self._inline: deque[tuple[int, Call]] = deque()
        self._finished: deque[tuple[int, Future[StepResult]]] = deque()
        self._running: set[int] = set()
        self._results: dict[int, StepResult] = {}
        self._errors: dict[int, BaseException] = {}

    def check_idle(self, indices: Iterable[int]) -> None:
        """Check that sub-environments have no running call and no result to be taken.

        Raises:
            UsageError: One of them has.
        """
        taken = {*self._running, *self._results, *self._errors}
        busy = [index for index in indices if index in taken]
        if busy:
            raise UsageError(f"sub-environments {shorten(busy)} were sent actions: recv them first")

    def submit(self, calls: Iterable[tuple[int, Call, bool]]) -> None:
        """Submit calls; sub-environments with a running call or a result are skipped.

        Args:
            calls: The index of the sub-environment, its call, and whether the call may block.
        """
        with self.lock:
            for index, call, may_block in calls:
                if index in self._running or index in self._results:
                    continue
                self._running.add(index)
                if may_block:
                    future = self._threads().submit(call)
                    future.add_done_callback(functools.partial(self._on_done, index))
                else:
                    self._inline.append((index, call))
        self._changed.set()

    def _threads(self) -> ThreadPoolExecutor:
        """Return the thread pool; a forked process, which has no threads, gets a new one."""
        if self._pool is None or self._process != os.getpid():
            self._pool = ThreadPoolExecutor(self._num_envs, THREAD_NAME)
            self._process = os.getpid()
        return self._pool

    def _on_done(self, index: int, future: Future[StepResult]) -> None:
        self._finished.append((index, future))
        self._changed.set()

    def is_running(self, indices: Iterable[int] | None = None) -> bool:
        """Return whether any of some sub-environments, or of all, has a running call."""
        return bool(self._running if indices is None else self._running.intersection(indices))

    def ready(self) -> list[int]:
        """Return the sub-environments that have a result, in the order in which they finished."""
        with self.lock:
            return list(self._results)

    def failed(self) -> list[int]:
        """Return the sub-environments whose call raised, in the order in which they finished."""
        with self.lock:
            return list(self._errors)

    def run(self, is_enough: Callable[[], bool], timeout: float | None = None) -> None:
        """Run the calls that do not block and collect results, until a condition is met.

        Args:
            is_enough: The condition.
            timeout: The maximum number of seconds to wait; None for no limit.
        """
        deadline = math.inf if timeout is None else time.monotonic() + timeout
        while True:
            self._changed.clear()
            while self._inline:
                self._run_inline(*self._inline.popleft())
            with self.lock:
                while self._finished:
                    self._collect(*self._finished.popleft())
                if is_enough():
                    return
            left = min(deadline - time.monotonic(), threading.TIMEOUT_MAX)
            if left <= 0:
                return
            self._changed.wait(left)

    def _collect(self, index: int, future: Future[StepResult]) -> None:
        error = future.exception()
        if error is None:
            self._results[index] = future.result()
        else:
            self._errors[index] = error
        self._running.discard(index)

    def _run_inline(self, index: int, call: Call) -> None:
        try:
            self._results[index] = call()
        except Exception as error:
            self._errors[index] = error
        except BaseException:  # after Ctrl-C, the same call runs again
            self._inline.appendleft((index, call))
            raise
        self._running.discard(index)

    def take(self, indices: Iterable[int]) -> dict[int, StepResult]:
        """Remove and return the results of some sub-environments, if they have one."""
        with self.lock:
            return {index: self._results.pop(index) for index in indices if index in self._results}

    def take_errors(self, indices: Iterable[int]) -> dict[int, BaseException]:
        """Remove and return the errors of some sub-environments, if they have one."""
        with self.lock:
            return {index: self._errors.pop(index) for index in indices if index in self._errors}

    def discard_all(self) -> None:
        """Drop the calls that have not started, wait for the others, and drop all results."""
        with self.lock:
            self._running.difference_update(index for index, _ in self._inline)
            self._inline.clear()
        self.run(lambda: not self._running)
        self._results.clear()
        self._errors.clear()

    def close(self) -> None:
        """Wait for the calls that run in threads, and end the threads."""
        if self._pool is not None and self._process == os.getpid():
            self._pool.shutdown(cancel_futures=True)


def shorten(indices: Iterable[int]) -> str:
    """Return the first few numbers as text.

    Example:
        >>> shorten(range(100))
        '0, 1, 2, 3, 4 and 95 more'
    """
    numbers = list(map(str, indices))
    more = f" and {len(numbers) - 5} more" if len(numbers) > 5 else ""
    return ", ".join(numbers[:5]) + more
