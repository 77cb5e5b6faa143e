"""Calls of one function that worker processes make side by side, for work that needs the CPU.

`WorkerCalls` divides work among processes of this machine. Invariants:

- The results do not depend on the number of workers, nor on which of them made a call.
- A call whose worker was killed is made once more, by a new worker. If that one is killed, too,
  `WorkerFailure` is raised: no result is left out.
- A call that raises an error in a worker is made again in this process, where the error appears as
  it does without workers.
- All workers end with the block, even after an error or Ctrl-C, and with this process.
"""

from __future__ import annotations

import pickle
import threading
from collections import deque
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import Future, ThreadPoolExecutor, wait
from contextlib import AbstractContextManager, ExitStack, suppress
from functools import cached_property
from typing import Any, Generic, TypeVar

from textgym.concurrency.workers import OwnWorker, Workers
from textgym.errors import UsageError, WorkerFailure, in_one_line

__all__ = ["Call", "WorkerCalls"]

A = TypeVar("A")
R = TypeVar("R")

_SECONDS, _MEMORY = 1e5, 1 << 46  # as good as no limits
_AHEAD = 3  # calls for each worker that have begun before the oldest result is taken
_CLOSING = 0.1  # seconds between attempts to end workers: one may start meanwhile


class Call(Generic[A, R]):
    """A call that has begun.

    Args:
        argument: Its argument.
        future: The pickled result; None if the call failed in the worker.
        here: The function, for calls in this process.

    Attributes:
        future: The future, to wait for the result in other ways.
    """

    def __init__(self, argument: A, future: Future[bytes | None], here: Callable[[A], R]) -> None:
        self.future = future
        self._argument = argument
        self._here = here

    def result(self) -> R:
        """Wait for the result, and return it.

        Raises:
            WorkerFailure: Two workers died during the call.
            Exception: What the function raises.
        """
        pickled = self.future.result()
        if pickled is None:
            return self._here(self._argument)
        result: R = pickle.loads(pickled)
        return result


class WorkerCalls(Generic[A, R]):
    """A block in which worker processes call a function.

    Args:
        start: Returns a context manager of the function. Each worker enters it before its first
            call, and leaves it at the end, unless calls are then running, which are ended. It is
            pickled, as arguments and results are.
        workers: How many processes work.
        name: What the workers are for, for errors.

    Raises:
        UsageError: `start` cannot be pickled.

    Example:
        >>> from contextlib import nullcontext
        >>> from functools import partial
        >>> with WorkerCalls(partial(nullcontext, abs), 2, name="example") as calls:
        ...     [call.result() for call in calls.in_order([-1, -2, -3])]
        [1, 2, 3]
    """

    def __init__(
        self,
        start: Callable[[], AbstractContextManager[Callable[[A], R]]],
        workers: int,
        *,
        name: str,
    ) -> None:
        try:
            pickled = pickle.dumps(start)
        except Exception as error:  # what is pickled may raise anything
            raise UsageError(
                f"workers need what other processes can import: {in_one_line(error)}"
            ) from error
        self._stack = ExitStack()
        self._start = start
        self._workers = workers
        self._pool = Workers(f"{__name__}:load", {"start": pickled}, name=name, memory=_MEMORY)
        self._threads = ThreadPoolExecutor(workers, f"textgym-{name}")
        self._local = threading.local()
        self._owned: list[OwnWorker] = []
        self._running: set[Future[bytes | None]] = set()
        self._is_closed = False

    def __enter__(self) -> WorkerCalls[A, R]:
        return self

    def __exit__(self, kind: type[BaseException] | None, *error: object) -> None:
        try:
            if kind is None and not self._running:
                for worker in self._owned:
                    if worker.is_running:
                        with suppress(WorkerFailure):  # it was killed, and all results are here
                            worker.call({"argument": None}, _SECONDS)
        finally:
            self._close()

    def begin(self, argument: A) -> Call[A, R]:
        """Begin a call. Calls that have begun are made in their order."""
        future = self._threads.submit(self._ask, argument)
        self._running.add(future)
        future.add_done_callback(self._running.discard)
        return Call(argument, future, lambda argument: self._here(argument))

    def in_order(self, arguments: Iterable[A]) -> Iterator[Call[A, R]]:
        """Begin calls, and yield them in their order. Few of them are ahead.

        Args:
            arguments: The argument of each call.
        """
        begun = deque[Call[A, R]]()
        for argument in arguments:
            begun.append(self.begin(argument))
            if len(begun) > _AHEAD * self._workers:
                yield begun.popleft()
        yield from begun

    @cached_property
    def _here(self) -> Callable[[A], R]:
        return self._stack.enter_context(self._start())

    def _ask(self, argument: A) -> bytes | None:
        """Return the pickled result of a call; None if it failed."""
        request = {"argument": pickle.dumps(argument)}
        if not hasattr(self._local, "worker"):
            self._local.worker = self._pool.own()
            self._owned.append(self._local.worker)
        try:
            reply = self._local.worker.call(request, _SECONDS)
        except WorkerFailure:
            if self._is_closed:
                raise
            reply = self._local.worker.call(request, _SECONDS)
        return None if reply is None else reply["result"]

    def _close(self) -> None:
        """End all workers, at once."""
        self._is_closed = True
        self._threads.shutdown(wait=False, cancel_futures=True)
        self._pool.close()
        while wait(self._running, _CLOSING).not_done:
            self._pool.close()
        self._threads.shutdown()
        self._stack.close()


def load(start: bytes) -> Callable[[bytes | None], dict[str, Any]]:
    """Return the function that a worker calls.

    Args:
        start: `start` of `WorkerCalls`, pickled.
    """
    started: AbstractContextManager[Callable[[Any], Any]] = pickle.loads(start)()
    stack = ExitStack()
    function: Callable[[Any], Any] | None = None

    def call(argument: bytes | None) -> dict[str, Any]:
        nonlocal function
        if argument is None:  # the block ends
            stack.close()
            return {}
        if function is None:
            function = stack.enter_context(started)
        return {"result": pickle.dumps(function(pickle.loads(argument)))}

    return call
