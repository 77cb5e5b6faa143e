"""What a program in a box may use, and how a program ended.

Invariants: a limit is a number that the program cannot raise. A program that reached one is not a
failure of the box: its result says which.
"""

from __future__ import annotations

from dataclasses import dataclass, fields

from ..errors import UsageError

__all__ = ["ExecResult", "Limits", "reached_limit"]

_MEMORY_SHARE = 0.9  # of the memory, from which a program that failed is taken to have had no more
_SIGKILL, _SIGXCPU, _SIGXFSZ = 9, 24, 25


@dataclass(frozen=True, slots=True)
class Limits:
    """What a program may use.

    Attributes:
        seconds: Wall-clock time of one command, or of one answer of a program that is talked to. It
            only ends programs that wait; those that compute are ended by `cpu_seconds`, which does
            not depend on what else the machine does.
        cpu_seconds: Processor time of a process, in whole seconds.
        memory_mb: Address space of a process, in megabytes.
        disk_mb: Size of `/tmp`, and of any file, in megabytes.
        output_bytes: Length of what a command prints, or of one line that a program answers.
        processes: Processes and threads at a time.
        open_files: Open files of a process.

    Raises:
        UsageError: A limit is not a positive number.

    Example:
        >>> Limits(cpu_seconds=2).memory_mb
        512
    """

    seconds: float = 30.0
    cpu_seconds: int = 5
    memory_mb: int = 512
    disk_mb: int = 16
    output_bytes: int = 65_536
    processes: int = 16
    open_files: int = 64

    def __post_init__(self) -> None:
        for field in fields(self):
            value = getattr(self, field.name)
            number = isinstance(value, (int, float)) and not isinstance(value, bool)
            if not number or value <= 0 or (field.name != "seconds" and value != int(value)):
                kind = "number" if field.name == "seconds" else "whole number"
                raise UsageError(f"{field.name} must be a positive {kind}, not {value!r}")

    def of_processes(self, others: int | None = 0) -> dict[str, list[int]]:
        """Return the soft and hard limits of a process, by their names in Python's `resource`.

        Args:
            others: How many processes the user of the box runs besides it; None if the number of
                processes cannot be bounded.
        """
        bounds = {
            "RLIMIT_AS": [self.memory_mb << 20] * 2,
            "RLIMIT_CPU": [self.cpu_seconds, self.cpu_seconds + 1],
            "RLIMIT_FSIZE": [self.disk_mb << 20] * 2,
            "RLIMIT_NOFILE": [self.open_files] * 2,
            "RLIMIT_CORE": [0, 0],
            "RLIMIT_MSGQUEUE": [0, 0],
        }
        if others is not None:
            bounds["RLIMIT_NPROC"] = [others + self.processes + 1] * 2  # with the agent
        return bounds


@dataclass(frozen=True, slots=True)
class ExecResult:
    """How a command ended.

    Attributes:
        returncode: Its exit status; the negative number of a signal that ended it; None if it was
            ended for a limit of the box's own (`time`, `output`).
        stdout: What it printed, up to the limit; bytes that are not UTF-8 are replaced.
        stderr: What it printed on the error stream.
        limit: The limit that it reached: `time`, `cpu`, `memory`, `disk`, `output`, or `killed` if
            it was killed from outside or killed itself; "" if none.
    """

    returncode: int | None
    stdout: str
    stderr: str
    limit: str = ""

    @property
    def success(self) -> bool:
        """Whether the command ended with status 0."""
        return self.returncode == 0 and not self.limit


def reached_limit(limits: Limits, code: int, cpu: float, memory_mb: float, stderr: str) -> str:
    """Return the limit that a program reached, by how it ended; "" if none.

    Args:
        limits: Its limits.
        code: Its exit status, or the negative number of a signal.
        cpu: Processor time, in seconds.
        memory_mb: The most memory it held, in megabytes.
        stderr: What it printed on the error stream.

    Example:
        >>> reached_limit(Limits(), -24, 5.0, 10.0, "")
        'cpu'
        >>> reached_limit(Limits(), 1, 0.1, 10.0, "ValueError: no")
        ''
    """
    if code == -_SIGXCPU or (code == -_SIGKILL and cpu >= limits.cpu_seconds):
        return "cpu"
    last = stderr.rstrip().rpartition("\n")[2]
    if code and (last.startswith("MemoryError") or memory_mb >= _MEMORY_SHARE * limits.memory_mb):
        return "memory"
    if code == -_SIGXFSZ or (code and ("No space left" in last or "File too large" in last)):
        return "disk"
    return "killed" if code == -_SIGKILL else ""
