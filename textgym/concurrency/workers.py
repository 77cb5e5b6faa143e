"""Worker processes, which call a function under limits. A thread borrows a worker for each call.

`workers_for` returns the workers of a function, which all threads share. `Workers.own` is a worker
that keeps what it holds from call to call. Invariants:

- A worker that exceeds a limit is replaced, and other calls do not wait for that.
- If a worker or the fork server dies for another reason, it is replaced and the call is repeated
  once. If that fails as well, `WorkerFailure` is raised; but arguments that crash both workers
  count as ones that exceed a limit.
- No process is left behind: all of them end with this process, however it ends.
"""

from __future__ import annotations

import atexit
import json
import os
import signal
import socket
import subprocess
import sys
import threading
import weakref
from collections import deque
from typing import Any

from textgym.concurrency import fork_server
from textgym.errors import WorkerFailure

__all__ = ["CORES", "OwnWorker", "Workers", "workers_for"]

_PROGRAM = (
    "import json, sys; number, sys.path[:] = json.loads(sys.argv[1]); "
    "from textgym.concurrency.fork_server import run; run(number)"
)
CORES = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
_START_SECONDS = 120.0
_EXTRA_SECONDS = 60.0  # to wait for a reply; only a stopped or starved worker takes so long
_MAX_CALLS_PER_WORKER = 2000  # then it is replaced, because libraries' tables grow
_CRASH_SIGNALS = {signal.SIGSEGV, signal.SIGBUS, signal.SIGABRT, signal.SIGILL, signal.SIGFPE}


class _ForkServer:
    """The process that forks workers; see `fork_server`."""

    def __init__(self, name: str, program: dict[str, Any]) -> None:
        self.closed = False
        self._control, theirs = socket.socketpair()
        with theirs:
            number = theirs.fileno()
            self._process = subprocess.Popen(
                [sys.executable, "-P", "-c", _PROGRAM, json.dumps([number, sys.path])],
                env={**os.environ, "PYTHONHASHSEED": "0"},  # results of libraries depend on it
                pass_fds=[number],
                stdin=subprocess.DEVNULL,
                stdout=subprocess.DEVNULL,
                stderr=subprocess.DEVNULL,
                start_new_session=True,
            )
        self._control.settimeout(_START_SECONDS)
        try:
            fork_server.send(self._control, program)
            greeting = fork_server.receive(self._control)
        except BaseException as error:
            self.close()
            if isinstance(error, (OSError, EOFError)):
                raise WorkerFailure(f"the {name} workers did not start") from error
            raise
        if "error" in greeting:
            self.close()
            raise WorkerFailure(f"the {name} workers did not start: {greeting['error']}")

    def fork(self) -> _Worker:
        """Return a new worker.

        Raises:
            OSError, EOFError: The fork server has ended.
        """
        line, theirs = socket.socketpair()
        with theirs:
            try:
                pid = self._order(fork_server.FORK, 0, [theirs.fileno()])
            except BaseException:
                line.close()
                raise
        return _Worker(self, line, pid)

    def reap(self, pid: int) -> int | None:
        """Kill a worker if it is alive, and return its exit status, or minus the signal.

        Returns None if the status is unknown because the fork server has ended.
        """
        if self.closed:
            return None
        try:
            return os.waitstatus_to_exitcode(self._order(fork_server.REAP, pid, []))
        except (OSError, EOFError):
            return None

    def _order(self, kind: bytes, number: int, descriptors: list[int]) -> int:
        try:
            return fork_server.order(self._control, kind, number, descriptors)
        except BaseException:  # also an interrupt, or the next order would get this one's reply
            self.close()
            raise

    def forget(self) -> None:
        """Release the fork server in a forked process, which does not own it."""
        self._control.close()
        self._process.returncode = 0

    def close(self) -> None:
        """End the fork server and its workers."""
        self.closed = True
        self._control.close()
        try:
            self._process.wait(2.0)
        except subprocess.TimeoutExpired:
            self._process.kill()
            self._process.wait()


class _Worker:
    """One worker process, which answers one request at a time."""

    def __init__(self, server: _ForkServer, line: socket.socket, pid: int) -> None:
        self.server = server
        self.line = line
        self.pid = pid
        self.calls = 0

    def ask(self, request: dict[str, Any]) -> dict[str, Any]:
        """Return the reply to a request.

        Raises:
            OSError, EOFError: The worker died, or did not reply in time.
        """
        self.calls += 1
        self.line.settimeout(10 * request["seconds"] + _EXTRA_SECONDS)
        fork_server.send(self.line, request)
        return fork_server.receive(self.line)


class _Turns:
    """A fair semaphore: threads acquire it in the order in which they asked."""

    def __init__(self, count: int) -> None:
        self._free = count
        self._waiting: deque[threading.Lock] = deque()
        self._lock = threading.Lock()

    def __enter__(self) -> None:
        with self._lock:
            if self._free:
                self._free -= 1
                return
            turn = threading.Lock()
            turn.acquire()
            self._waiting.append(turn)
        try:
            turn.acquire()
        except BaseException:  # an interrupt
            with self._lock:
                granted = turn not in self._waiting
                if not granted:
                    self._waiting.remove(turn)
            if granted:
                self.__exit__()
            raise

    def __exit__(self, *_: object) -> None:
        with self._lock:
            if self._waiting:
                self._waiting.popleft().release()
            else:
                self._free += 1


class Workers:
    """Up to one worker per CPU core, each started when it is first needed.

    Args:
        load: A function, as `module:function`, that returns the function to call. It runs once, in
            the process that the workers are forked from.
        arguments: Its arguments, each JSON data or bytes.
        name: What the workers are for, for errors.
        memory: How many bytes a worker may use in addition to its initial memory.

    Example:
        >>> workers = Workers("textgym.verifiers.math.check:load", name="mathematics")
        >>> workers.call({"gold": "1/2", "answer": "0.5"}, seconds=10)["equal"]
        True
        >>> workers.close()
    """

    def __init__(
        self,
        load: str,
        arguments: dict[str, Any] | None = None,
        *,
        name: str,
        memory: int = 512 << 20,
    ) -> None:
        self.name = name
        self._program = dict(**(arguments or {}), load=load, memory=memory)
        self._server: _ForkServer | None = None
        self._all: set[_Worker] = set()
        self._idle: list[_Worker] = []
        self._left: deque[_Worker] = deque()  # their owners were collected
        self._lock = threading.Lock()
        self._turns = _Turns(CORES)

    def call(self, arguments: dict[str, Any], seconds: float) -> dict[str, Any] | None:
        """Call the function in a worker.

        Args:
            arguments: Its arguments, each JSON data or bytes, as are the values that it returns.
            seconds: The CPU time that it may take.

        Returns:
            What it returned; None if it exceeded a limit.

        Raises:
            WorkerFailure: No worker could be started, or two died for reasons other than the call.
        """
        request = dict(**arguments, seconds=seconds)
        with self._turns:
            for again in (False, True):
                worker = self._take(fresh=again)
                try:
                    reply = worker.ask(request)
                except (OSError, EOFError):
                    ended = self._drop(worker)
                    if ended == -signal.SIGPROF:
                        return None
                except BaseException:
                    self._drop(worker)
                    raise
                else:
                    self._give(worker)
                    return reply
        if ended is not None and (ended > 0 or -ended in _CRASH_SIGNALS):
            return None  # these arguments crash every worker
        raise WorkerFailure(f"two {self.name} workers died during one call, {_cause(ended)}")

    def own(self) -> OwnWorker:
        """Return a worker that nobody else uses. It is started when it is first called."""
        return OwnWorker(self)

    def _take(self, fresh: bool) -> _Worker:
        with self._lock:
            worker = self._idle.pop() if self._idle else None
        if worker is not None:
            if not fresh:
                return worker
            self._drop(worker)  # it may have died together with the first worker
        return self._fork()

    def _fork(self) -> _Worker:
        while self._left:
            self._drop(self._left.popleft())
        with self._lock:
            for _ in range(2):
                if self._server is None or self._server.closed:
                    self._server = _ForkServer(self.name, self._program)
                try:
                    worker = self._server.fork()
                except (OSError, EOFError) as error:
                    lost = error
                else:
                    self._all.add(worker)
                    return worker
        raise WorkerFailure(f"the fork server of the {self.name} workers died twice") from lost

    def _give(self, worker: _Worker) -> None:
        if worker.calls >= _MAX_CALLS_PER_WORKER or worker.server.closed:
            self._drop(worker)
            return
        with self._lock:
            self._idle.append(worker)

    def _drop(self, worker: _Worker) -> int | None:
        worker.line.close()
        with self._lock:
            self._all.discard(worker)
            return worker.server.reap(worker.pid)

    def leave(self, worker: _Worker) -> None:
        """End a worker whose owner is being collected, at a moment when the lock may be held."""
        worker.line.close()
        self._left.append(worker)

    def forget(self) -> None:
        """Close the sockets that a fork copied, so workers notice when the parent closes them."""
        for worker in self._all:
            worker.line.close()
        if self._server is not None:
            self._server.forget()

    def close(self) -> None:
        """End all workers."""
        with self._lock:
            for worker in self._all:
                worker.line.close()
            if self._server is not None:
                self._server.close()


def _cause(ended: int | None) -> str:
    if ended is None:
        return "and so did their fork server"
    return f"the last by {signal.Signals(-ended).name}" if ended < 0 else "the last by exiting"


class OwnWorker:
    """A worker that keeps what it holds from call to call. Used from one thread at a time.

    It ends when it is closed or collected.

    Args:
        workers: The workers that it is one of.
    """

    def __init__(self, workers: Workers) -> None:
        self._workers = workers
        self._worker: _Worker | None = None
        self._end: weakref.finalize[Any, Any] | None = None

    @property
    def is_running(self) -> bool:
        """Whether it holds what earlier calls left. It does not before the first call."""
        return self._worker is not None

    def call(self, arguments: dict[str, Any], seconds: float) -> dict[str, Any] | None:
        """Call the function, as `Workers.call` does, but only once.

        After a call that returns None or raises, the next one starts a new worker.

        Raises:
            WorkerFailure: The worker could not be started, or died for reasons other than the call.
        """
        if self._worker is None:
            self._worker = self._workers._fork()
            self._end = weakref.finalize(self, self._workers.leave, self._worker)
        try:
            return self._worker.ask(dict(**arguments, seconds=seconds))
        except (OSError, EOFError) as error:
            ended = self.close()
            over = isinstance(error, TimeoutError) or ended == -signal.SIGPROF
            if over or (ended is not None and (ended > 0 or -ended in _CRASH_SIGNALS)):
                return None
            name = self._workers.name
            raise WorkerFailure(f"a worker of {name} died, {_cause(ended)}") from None
        except BaseException:
            self.close()
            raise

    def close(self) -> int | None:
        """End the process, and return its exit status, or minus the signal."""
        worker, self._worker = self._worker, None
        if worker is None or self._end is None or self._end.detach() is None:
            return None
        return self._workers._drop(worker)


_shared: dict[str, Workers] = {}
_lock = threading.Lock()


def workers_for(
    load: str, arguments: dict[str, Any] | None = None, *, name: str, memory: int = 512 << 20
) -> Workers:
    """Return this process's workers for a function, with the same arguments as `Workers`."""
    key = json.dumps([load, arguments, memory], sort_keys=True)
    with _lock:
        if key not in _shared:
            _shared[key] = Workers(load, arguments, name=name, memory=memory)
        return _shared[key]


def _after_fork() -> None:
    global _lock
    for workers in _shared.values():
        workers.forget()
    _shared.clear()
    _lock = threading.Lock()


@atexit.register
def _at_exit() -> None:
    for workers in _shared.values():
        workers.close()


os.register_at_fork(after_in_child=_after_fork)
