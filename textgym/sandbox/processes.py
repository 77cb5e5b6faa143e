"""A program that runs in a box: what is sent to it, what it answers, and how it ends.

Invariants: no call waits longer than its time-out. What is kept of a program's output is bounded. A
program that floods, hangs or ends raises nothing: `receive` returns None, and `limit` says why.
"""

from __future__ import annotations

import math
import os
import select
import time
from collections.abc import Iterable
from typing import Any, Protocol

from .limits import ExecResult, Limits, reached_limit

__all__ = ["Process", "ready"]

_CHUNK = 1 << 16
_IN, _OUT, _ERR = range(3)


def ready(reading: Iterable[int], writing: Iterable[int], deadline: float) -> set[int]:
    """Wait until descriptors can be read or written, and return these; none at the deadline.

    `select.select` does not take descriptors from 1,024 on, which a training process may have.
    """
    poll = select.poll()
    for descriptor in reading:
        poll.register(descriptor, select.POLLIN)
    for descriptor in writing:
        poll.register(descriptor, select.POLLOUT)
    seconds = max(0.0, deadline - time.monotonic())
    return {descriptor for descriptor, _ in poll.poll(math.ceil(1000 * seconds))}


class Box(Protocol):
    """What a program needs of its box, a `Sandbox`."""

    limits: Limits

    @property
    def control(self) -> int:
        """The descriptor that is readable when the agent has something to say."""

    def kill(self, pid: int) -> None:
        """End a program, with all that it started, and forget how it ended."""

    def has_ended(self, pid: int) -> bool:
        """Read a message of the agent, and return whether a program has ended."""

    def end_of(self, pid: int, deadline: float) -> dict[str, Any] | None:
        """Return the agent's report of how a program ended; None at the deadline."""


class Process:
    """A program that was started in a box by `Sandbox.start` or `Sandbox.start_python`.

    Attributes:
        limit: The limit that it reached, as in `ExecResult`; "" if none, or while it runs.
        returncode: Its exit status, as in `ExecResult`; None while it runs.

    Example:
        >>> from textgym.sandbox import Sandbox
        >>> with Sandbox() as box, box.start(["python3", "-uc", "print(input()[::-1])"]) as program:
        ...     program.send("drawer")
        ...     program.receive()
        'reward'
    """

    def __init__(self, box: Box, pid: int, streams: tuple[int, int, int]) -> None:
        self._box = box
        self._pid = pid
        self._streams: dict[int, int] = dict(enumerate(streams))  # those that are open
        self._unsent = bytearray()
        self._read = {_OUT: bytearray(), _ERR: bytearray()}
        self._input_ends = False
        self.limit = ""
        self.returncode: int | None = None
        self._ended = False
        for stream in streams:
            os.set_blocking(stream, False)

    @property
    def stderr(self) -> str:
        """What the program has printed on the error stream so far, as far as it was read."""
        return self._read[_ERR].decode(errors="replace")

    def send(self, line: str) -> None:
        """Queue a line of input, which `receive` writes."""
        self._unsent += line.encode(errors="replace") + b"\n"

    def receive(self, timeout: float | None = None) -> str | None:
        """Write what was queued, and return the next line that the program prints.

        Args:
            timeout: Seconds to wait; None takes the limit `seconds` of the box.

        Returns:
            The line without its end; None if the program ended or was ended for a limit.
        """
        kept = self._read[_OUT]
        deadline = time.monotonic() + (self._box.limits.seconds if timeout is None else timeout)
        running = True
        while b"\n" not in kept and running:
            running = self._exchange(deadline)
        if not running and not self.limit:
            self._finish(deadline)
        if not kept or self.limit in ("time", "output"):
            return None
        line, _, rest = bytes(kept).partition(b"\n")
        kept[:] = rest
        return line.decode(errors="replace")

    def communicate(self, text: str, timeout: float | None = None) -> ExecResult:
        """Write the whole input, and return how the program ended and what it printed."""
        self._unsent += text.encode(errors="replace")
        self._input_ends = True
        seconds = self._box.limits.seconds if timeout is None else timeout
        deadline = time.monotonic() + seconds
        while self._exchange(deadline):
            pass
        self._finish(deadline)
        out = self._read[_OUT][: self._box.limits.output_bytes].decode(errors="replace")
        return ExecResult(self.returncode, out, self.stderr, self.limit)

    def wait(self, timeout: float | None = None) -> str:
        """Wait until the program has ended, and return the limit that it reached."""
        seconds = self._box.limits.seconds if timeout is None else timeout
        self._finish(time.monotonic() + seconds)
        return self.limit

    def close(self) -> None:
        """End the program if it runs."""
        if not self._ended:
            self._stop("")
        for stream in self._streams.values():
            os.close(stream)
        self._streams.clear()

    def __enter__(self) -> Process:
        return self

    def __exit__(self, *error: object) -> None:
        self.close()

    def _exchange(self, deadline: float) -> bool:
        """Read and write what can be; return whether the program may still print."""
        outputs = [stream for stream in (_OUT, _ERR) if stream in self._streams]
        if self._ended or not outputs:
            return False
        if _IN in self._streams and self._input_ends and not self._unsent:
            os.close(self._streams.pop(_IN))
        if time.monotonic() >= deadline:
            self._stop("time")
            return False
        writing = [self._streams[_IN]] if self._unsent and _IN in self._streams else []
        reading = [self._box.control, *(self._streams[stream] for stream in outputs)]
        found = ready(reading, writing, deadline)
        if found.intersection(writing):
            self._write()
        # What the program started may hold its streams open after its end: they are not awaited.
        ended = self._box.control in found and self._box.has_ended(self._pid)
        for stream in outputs:
            if (ended or self._streams[stream] in found) and not self._read_from(stream, ended):
                self._stop("output")
                return False
        return not ended

    def _write(self) -> None:
        try:
            del self._unsent[: os.write(self._streams[_IN], self._unsent[:_CHUNK])]
        except BlockingIOError:
            pass
        except BrokenPipeError:  # the program has stopped reading
            self._unsent.clear()
            os.close(self._streams.pop(_IN))

    def _read_from(self, stream: int, to_the_end: bool) -> bool:
        """Read what a stream holds; return whether the output is within its limit."""
        kept = self._read[stream]
        while len(kept) <= self._box.limits.output_bytes:
            try:
                data = os.read(self._streams[stream], _CHUNK)
            except BlockingIOError:
                return True
            if not data:
                os.close(self._streams.pop(stream))
                return True
            kept += data
            if not to_the_end:
                break
        return len(kept) <= self._box.limits.output_bytes

    def _finish(self, deadline: float) -> None:
        """Wait for the end of the program, and note how it ended."""
        if self._ended:
            return
        report = self._box.end_of(self._pid, deadline)
        if report is None:
            self._stop("time")
            return
        self._note(report)

    def _stop(self, limit: str) -> None:
        """End the program for a limit of the box."""
        self._box.kill(self._pid)
        self._ended = True
        self.limit = limit

    def _note(self, report: dict[str, Any]) -> None:
        self._ended = True
        self.returncode = report["code"]
        if self.returncode is None:  # the box went down with it
            self.limit = "killed"
            return
        self.limit = reached_limit(
            self._box.limits, report["code"], report["cpu"], report["memory_mb"], self.stderr
        )
