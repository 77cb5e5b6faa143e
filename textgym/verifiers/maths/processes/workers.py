"""The worker processes of the mathematics verifier: lent to threads one check at a time.

A process has one `Workers`, made on first use and made anew after a fork. Invariants:

- A worker that a check has killed is replaced, and nobody else waits for that.
- A worker or fork server that dies by itself is replaced once and the check done again; a second
  death is a `WorkerFailure`, never a verdict.
- Nothing is left behind: processes end with this one, whatever way it ends.
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
from textgym.verifiers.maths.processes import fork_server

__all__ = ["Workers", "workers"]

_PROGRAM = (
    "import json, sys; sys.path[:] = json.loads(sys.argv[2]); "
    "from textgym.verifiers.maths.processes.fork_server import run; run(int(sys.argv[1]))"
)
_CORES = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
_START_SECONDS = 120.0
_PATIENCE = 60.0  # CPU time is limited by the kernel; only a machine that gives none takes so long
_CHECKS_A_WORKER = 2000  # then a fresh one takes its place: the parser's tables grow with its input
_CRASHES = {signal.SIGSEGV, signal.SIGBUS, signal.SIGABRT, signal.SIGILL, signal.SIGFPE}


class _ForkServer:
    """The process that forks workers; see `fork_server`."""

    def __init__(self) -> None:
        self.closed = False
        self._control, theirs = socket.socketpair()
        with theirs:
            number = theirs.fileno()
            self._process = subprocess.Popen(
                [sys.executable, "-P", "-c", _PROGRAM, str(number), json.dumps(sys.path)],
                env={**os.environ, "PYTHONHASHSEED": "0"},  # sympy's verdicts depend on it
                pass_fds=[number],
                stdin=subprocess.DEVNULL,
                stdout=subprocess.DEVNULL,
                stderr=subprocess.DEVNULL,
                start_new_session=True,
            )
        self._control.settimeout(_START_SECONDS)
        try:
            said = fork_server.receive(self._control)
        except BaseException as error:
            self.close()
            if isinstance(error, (OSError, EOFError)):
                raise WorkerFailure("the mathematics workers did not start") from error
            raise
        if "error" in said:
            self.close()
            raise WorkerFailure(f"the mathematics workers did not start: {said['error']}")

    def fork(self) -> _Worker:
        """Return a new worker.

        Raises:
            OSError, EOFError: The fork server is gone.
        """
        mine, theirs = socket.socketpair()
        with theirs:
            try:
                pid = self._order(fork_server.FORK, 0, [theirs.fileno()])
            except BaseException:
                mine.close()
                raise
        return _Worker(self, mine, pid)

    def reap(self, pid: int) -> int | None:
        """Kill a worker if it lives, and return how it ended: its status, or minus the signal.

        None where the fork server is gone, and nobody knows.
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
        except BaseException:  # an interrupt too: the answer would be taken for the next one's
            self.close()
            raise

    def forget(self) -> None:
        """Let go in a forked process, to which the fork server does not belong."""
        self._control.close()
        self._process.returncode = 0

    def close(self) -> None:
        """End the fork server and with it its workers."""
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
            OSError, EOFError: The worker died, or was given no time by the machine.
        """
        self.checks += 1
        self.line.settimeout(10 * request["seconds"] + _PATIENCE)
        fork_server.send(self.line, request)
        reply: dict[str, Any] = fork_server.receive(self.line)
        return reply


class _Turns:
    """A semaphore that serves in the order of asking, so that nobody waits for ever."""

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
                given = turn not in self._waiting
                if not given:
                    self._waiting.remove(turn)
            if given:
                self.__exit__()
            raise

    def __exit__(self, *_: object) -> None:
        with self._lock:
            if self._waiting:
                self._waiting.popleft().release()
            else:
                self._free += 1


class Workers:
    """As many workers as there are cores, each started when it is first needed."""

    def __init__(self) -> None:
        self._server: _ForkServer | None = None
        self._all: set[_Worker] = set()
        self._idle: list[_Worker] = []
        self._lock = threading.Lock()
        self._turns = _Turns(_CORES)

    def check(self, arguments: dict[str, Any], seconds: float) -> dict[str, Any]:
        """Return what `check.check` replies to its arguments, or `over` where a limit was met.

        Raises:
            WorkerFailure: No worker could be started, or two died for no fault of the check's.
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
        if ended is not None and (ended > 0 or -ended in _CRASHES):
            return {"over": True}  # this text crashes every worker
        raise WorkerFailure(f"two mathematics workers died over one check, {_told(ended)}")

    def _take(self, fresh: bool) -> _Worker:
        with self._lock:
            worker = self._idle.pop() if self._idle else None
        if worker is not None:
            if not fresh:
                return worker
            self._drop(worker)  # it may have died with the one before
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
        raise WorkerFailure("the process that forks the mathematics workers died twice") from lost

    def _give(self, worker: _Worker) -> None:
        if worker.checks >= _CHECKS_A_WORKER or worker.server.closed:
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
        """Close what a fork has copied of the sockets, so that the workers see the other's end."""
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


def _told(ended: int | None) -> str:
    if ended is None:
        return "and the process that forks them too"
    return f"the last by {signal.Signals(-ended).name}" if ended < 0 else "the last of its own will"


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
