"""The worker processes of the mathematics verifier. A thread borrows a worker for each check.

Each process has one `Workers`, created on first use and again after a fork. Invariants:

- A worker that exceeds a limit is replaced, and other checks do not wait for that.
- If a worker or the fork server dies for another reason, it is replaced and the check is repeated
  once. If that fails as well, `WorkerFailure` is raised; but an answer that crashes both workers
  counts as one that exceeds a limit.
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
from collections import deque
from typing import Any

from textgym.errors import WorkerFailure
from textgym.verifiers.math import fork_server

__all__ = ["Workers", "workers"]

_PROGRAM = (
    "import json, sys; sys.path[:] = json.loads(sys.argv[2]); "
    "from textgym.verifiers.math.fork_server import run; run(int(sys.argv[1]))"
)
_CORES = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
_START_SECONDS = 120.0
_EXTRA_SECONDS = 60.0  # to wait for a reply; only a stopped or starved worker takes so long
_MAX_CHECKS_PER_WORKER = 2000  # then it is replaced, because the parser's tables grow
_CRASH_SIGNALS = {signal.SIGSEGV, signal.SIGBUS, signal.SIGABRT, signal.SIGILL, signal.SIGFPE}


class _ForkServer:
    """The process that forks workers; see `fork_server`."""

    def __init__(self) -> None:
        self.closed = False
        self._control, theirs = socket.socketpair()
        with theirs:
            number = theirs.fileno()
            self._process = subprocess.Popen(
                [sys.executable, "-P", "-c", _PROGRAM, str(number), json.dumps(sys.path)],
                env={**os.environ, "PYTHONHASHSEED": "0"},  # sympy's results depend on it
                pass_fds=[number],
                stdin=subprocess.DEVNULL,
                stdout=subprocess.DEVNULL,
                stderr=subprocess.DEVNULL,
                start_new_session=True,
            )
        self._control.settimeout(_START_SECONDS)
        try:
            greeting = fork_server.receive(self._control)
        except BaseException as error:
            self.close()
            if isinstance(error, (OSError, EOFError)):
                raise WorkerFailure("the mathematics workers did not start") from error
            raise
        if "error" in greeting:
            self.close()
            raise WorkerFailure(f"the mathematics workers did not start: {greeting['error']}")

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
        self.checks = 0

    def ask(self, request: dict[str, Any]) -> dict[str, Any]:
        """Return the reply to a request.

        Raises:
            OSError, EOFError: The worker died, or did not reply in time.
        """
        self.checks += 1
        self.line.settimeout(10 * request["seconds"] + _EXTRA_SECONDS)
        fork_server.send(self.line, request)
        reply: dict[str, Any] = fork_server.receive(self.line)
        return reply


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
    """Up to one worker per CPU core, each started when it is first needed."""

    def __init__(self) -> None:
        self._server: _ForkServer | None = None
        self._all: set[_Worker] = set()
        self._idle: list[_Worker] = []
        self._lock = threading.Lock()
        self._turns = _Turns(_CORES)

    def check(self, arguments: dict[str, Any], seconds: float) -> dict[str, Any]:
        """Run `check.check` in a worker and return its reply, or `over` if a limit was exceeded.

        Raises:
            WorkerFailure: No worker could be started, or two died for reasons other than the check.
        """
        request = {"arguments": arguments, "seconds": seconds}
        with self._turns:
            for again in (False, True):
                worker = self._take(fresh=again)
                try:
                    reply = worker.ask(request)
                except (OSError, EOFError):
                    ended = self._drop(worker)
                    if ended == -signal.SIGPROF:
                        return {"over": True}
                except BaseException:
                    self._drop(worker)
                    raise
                else:
                    self._give(worker)
                    return reply
        if ended is not None and (ended > 0 or -ended in _CRASH_SIGNALS):
            return {"over": True}  # this text crashes every worker
        raise WorkerFailure(f"two mathematics workers died during one check, {_cause(ended)}")

    def _take(self, fresh: bool) -> _Worker:
        with self._lock:
            worker = self._idle.pop() if self._idle else None
        if worker is not None:
            if not fresh:
                return worker
            self._drop(worker)  # it may have died together with the first worker
        with self._lock:
            worker = self._fork()
            self._all.add(worker)
            return worker

    def _fork(self) -> _Worker:
        for _ in range(2):
            if self._server is None or self._server.closed:
                self._server = _ForkServer()
            try:
                return self._server.fork()
            except (OSError, EOFError) as error:
                lost = error
        raise WorkerFailure("the fork server of the mathematics workers died twice") from lost

    def _give(self, worker: _Worker) -> None:
        if worker.checks >= _MAX_CHECKS_PER_WORKER or worker.server.closed:
            self._drop(worker)
            return
        with self._lock:
            self._idle.append(worker)

    def _drop(self, worker: _Worker) -> int | None:
        worker.line.close()
        with self._lock:
            self._all.discard(worker)
            return worker.server.reap(worker.pid)

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


_workers: Workers | None = None
_lock = threading.Lock()


def workers() -> Workers:
    """Return this process's workers."""
    global _workers
    with _lock:
        if _workers is None:
            _workers = Workers()
        return _workers


def _after_fork() -> None:
    global _workers, _lock
    if _workers is not None:
        _workers.forget()
    _workers, _lock = None, threading.Lock()


@atexit.register
def _at_exit() -> None:
    if _workers is not None:
        _workers.close()


os.register_at_fork(after_in_child=_after_fork)
