"""A box in which untrusted programs run.

Invariants: what happens in a box raises nothing but `SandboxFailure`, when the box itself cannot
start or was lost. Nothing outlives a box: it ends with its `with` block, when it is collected, and
with this process, whose end closes the socket that the box listens to.
"""

from __future__ import annotations

import contextlib
import errno
import json
import os
import signal
import socket
import subprocess
import tempfile
import time
import weakref
from collections.abc import Iterator, Sequence
from functools import cache
from typing import Any

from ..errors import SandboxFailure, UsageError, did_you_mean, in_one_line
from .kinds import KINDS, launch, missing, portable
from .limits import ExecResult, Limits
from .processes import Process, ready

__all__ = ["Sandbox", "default_kind"]

_PATIENCE = 300.0  # seconds for the agent's answers, which take milliseconds
_MESSAGE_BYTES = 1 << 16
_CHOICE = "TEXTGYM_SANDBOX"  # the environment variable that names a kind


class Sandbox:
    r"""A box in which untrusted programs run.

    Programs in it have no network, see no files but the system's programs and libraries and their
    own `/tmp`, and are bounded in what they use. Files stay until the box is closed. What a command
    leaves running is ended with it. A box is used from one thread at a time.

    Args:
        kind: `"bwrap"`, `"landlock"` or `"none"`; None takes `default_kind()`.
        limits: What a program may use.

    Attributes:
        kind: The kind of the box.
        limits: What a program may use.

    Raises:
        SandboxFailure: The box cannot start.
        UsageError: There is no such kind.

    Example:
        >>> with Sandbox() as box:
        ...     box.write_file("hello.py", "print('hello from the box')")
        ...     box.exec(["python3", "hello.py"]).stdout
        'hello from the box\n'
    """

    def __init__(self, kind: str | None = None, *, limits: Limits | None = None) -> None:
        self.kind = _checked_kind(kind) if kind else default_kind()
        self.limits = limits or Limits()
        self._ended: dict[int, dict[str, Any]] = {}  # reports of programs that nobody asked for yet
        with _failures(f"a {self.kind} box cannot start"), contextlib.ExitStack() as undo:
            mine, agents = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
            undo.callback(mine.close)
            self._folder = None if self.kind == "bwrap" else tempfile.mkdtemp(prefix="box-")
            undo.callback(_remove, self._folder)
            with agents:
                self._process = self._launched(agents)
            undo.pop_all()
        self._socket = mine
        self._close = weakref.finalize(self, _end, self._process, mine, self.kind, self._folder)
        try:
            self._message(time.monotonic() + _PATIENCE)
        except SandboxFailure:
            stderr = self._process.stderr
            said = stderr.read().decode(errors="replace").strip() if stderr else ""
            self.close()
            last = said.rpartition("\n")[2] or "it ended without a word"
            raise SandboxFailure(f"a {self.kind} box cannot start: {last}") from None
        if self._process.stderr:
            self._process.stderr.close()

    @property
    def control(self) -> int:
        """The descriptor that is readable when the agent has something to say."""
        return self._socket.fileno()

    def exec(
        self,
        cmd: Sequence[str],
        *,
        input: str = "",  # noqa: A002 - the name in subprocess and Inspect
        timeout: float | None = None,
    ) -> ExecResult:
        """Run a command, and return how it ended and what it printed.

        Args:
            cmd: The program and its arguments. It is looked up in the box.
            input: Its standard input.
            timeout: Seconds it may take; None takes the limit `seconds`.
        """
        with self.start(cmd) as process:
            return process.communicate(input, timeout)

    def start(self, cmd: Sequence[str]) -> Process:
        """Start a command, to talk to it by lines."""
        return self._started({"command": list(cmd)})

    def start_python(self, source: str) -> Process:
        """Start a Python program, as `python -c source` would, within a few milliseconds.

        The program runs in a copy of the box's own interpreter, which need not start again.
        """
        file = _file(source.encode(errors="replace"))
        try:
            return self._started({"python": True}, file)
        finally:
            os.close(file)

    def write_file(self, path: str, contents: str | bytes) -> None:
        """Write a file; folders on its way are made.

        Raises:
            OSError: It cannot be written there, or the box is full.
        """
        file = _file(contents.encode() if isinstance(contents, str) else contents)
        try:
            self._ask({"write": path}, [file], path)
        finally:
            os.close(file)

    def read_file(self, path: str) -> str:
        """Return the text of a file, at most `disk_mb` long.

        Raises:
            OSError: There is no such file, or it is not a regular one.
            UnicodeDecodeError: It is not UTF-8.
        """
        file = _file(b"")
        try:
            self._ask({"read": path}, [file], path)
            with open(os.dup(file), "rb") as copy:
                copy.seek(0)
                return copy.read().decode()
        finally:
            os.close(file)

    def close(self) -> None:
        """End the box and all that runs in it."""
        self._close()

    def __enter__(self) -> Sandbox:
        return self

    def __exit__(self, *error: object) -> None:
        self.close()

    def kill(self, pid: int) -> None:
        """End a program, with all that it started, and forget how it ended."""
        if pid in self._ended or not self._close.alive:
            self._ended.pop(pid, None)
            return
        if self.kind != "bwrap":  # its processes share the agent's group
            self.close()
            return
        with contextlib.suppress(SandboxFailure):
            self._ask({"kill": True}, [])
            self.end_of(pid, time.monotonic() + _PATIENCE)

    def has_ended(self, pid: int) -> bool:
        """Read a message of the agent, and return whether a program has ended."""
        try:
            self._read_message()
        except SandboxFailure:
            self._ended.setdefault(pid, _LOST)
        return pid in self._ended

    def end_of(self, pid: int, deadline: float) -> dict[str, Any] | None:
        """Return the agent's report of how a program ended; None at the deadline."""
        while pid not in self._ended:
            if not ready([self.control], [], deadline):
                return None
            self.has_ended(pid)
        return self._ended.pop(pid)

    def _launched(self, agents: socket.socket) -> subprocess.Popen[bytes]:
        others = _others(self.kind)
        bounds = self.limits.of_processes(others)
        started = launch(
            self.kind, self._folder or "", agents.fileno(), bounds, self.limits.disk_mb
        )
        try:
            return subprocess.Popen(
                started.command,
                env=started.environment,
                cwd=self._folder or "/",
                stdin=subprocess.DEVNULL,
                stdout=subprocess.DEVNULL,
                stderr=subprocess.PIPE,
                pass_fds=(agents.fileno(), *started.descriptors),
                start_new_session=True,
            )
        finally:
            for descriptor in started.descriptors:
                os.close(descriptor)

    def _started(self, message: dict[str, Any], *more: int) -> Process:
        """Have the agent start a program on three pipes; descriptors in `more` go with them."""
        with contextlib.ExitStack() as theirs, contextlib.ExitStack() as ours:
            with _failures(f"no pipes to the {self.kind} box"):
                pipes = [os.pipe() for _ in range(3)]
            (stdin, to_it), (from_it, stdout), (errors, stderr) = pipes
            for stack, descriptors in (
                (theirs, (stdin, stdout, stderr)),
                (ours, (to_it, from_it, errors)),
            ):
                for descriptor in descriptors:
                    stack.callback(os.close, descriptor)
            try:
                pid = self._ask(message, [stdin, stdout, stderr, *more])["started"]
            except OSError:  # what runs in the box leaves no room for another process
                pid = _NEVER
                self._ended[pid] = _LOST
            ours.pop_all()
        return Process(self, pid, (to_it, from_it, errors))

    def _ask(
        self, message: dict[str, Any], descriptors: list[int], path: str = ""
    ) -> dict[str, Any]:
        """Send a message to the agent, and return its answer."""
        try:
            socket.send_fds(self._socket, [portable(message)], descriptors)
        except OSError as error:
            if error.errno == errno.EMSGSIZE:
                raise UsageError("the command is too long to send to the box") from None
            raise SandboxFailure(f"the {self.kind} box has ended") from None
        deadline = time.monotonic() + _PATIENCE
        answer = None
        while answer is None:
            answer = self._message(deadline)
        if "errno" in answer:
            raise OSError(answer["errno"], os.strerror(answer["errno"]), path or None)
        return answer

    def _message(self, deadline: float) -> dict[str, Any] | None:
        """Wait for a message of the agent; return it if it answers something."""
        if not ready([self.control], [], deadline):
            raise SandboxFailure(f"the {self.kind} box does not answer")
        return self._read_message()

    def _read_message(self) -> dict[str, Any] | None:
        """Read a message: note the report of an end, return any other."""
        try:
            data = self._socket.recv(_MESSAGE_BYTES)
        except OSError:
            data = b""
        if not data:
            raise SandboxFailure(f"the {self.kind} box has ended")
        message: dict[str, Any] = json.loads(data)
        if "ended" in message:
            self._ended[message["ended"]] = message
            return None
        return message


_LOST = {"code": None}  # the report of a program that took its box down
_NEVER = -1  # the process id of a program that did not start


def default_kind() -> str:
    """Return the kind of box that runs here: `bwrap`, or else `landlock`.

    The environment variable `TEXTGYM_SANDBOX` names another one. Kinds are tried once per process.

    Raises:
        SandboxFailure: Neither runs here. The message says why.
        UsageError: The variable names no kind.
    """
    if named := os.environ.get(_CHOICE):
        return _checked_kind(named)
    kind, reasons = _probed()
    if not kind:
        raise SandboxFailure(f"no sandbox runs here: {'; '.join(reasons)}")
    return kind


@cache
def _probed() -> tuple[str, tuple[str, ...]]:
    """Return the first kind that runs `true`, and why those before it do not."""
    reasons: list[str] = []
    for kind in ("bwrap", "landlock"):
        reason = missing(kind)
        if reason is None:
            try:
                with Sandbox(kind) as box:
                    if box.exec(["true"]).success:
                        return kind, tuple(reasons)
                reason = "programs do not run in it"
            except SandboxFailure as failure:
                reason = str(failure).partition(": ")[2]
            except Exception as error:
                reason = in_one_line(error)
        reasons.append(f"{kind}: {reason}")
    return "", tuple(reasons)


def _checked_kind(kind: str) -> str:
    if kind not in KINDS:
        raise UsageError(f"{kind!r} is not a kind of sandbox{did_you_mean(kind, KINDS)}")
    return kind


def _others(kind: str) -> int | None:
    """Return how many tasks of the box's user are outside it; None if tasks cannot be bounded."""
    if kind == "none":
        return None
    if kind == "bwrap" or os.geteuid() == 0:  # counted separately, or a user of its own
        return 0
    tasks = 0
    for name in filter(str.isdigit, os.listdir("/proc")):
        with contextlib.suppress(OSError):
            if os.stat(f"/proc/{name}").st_uid == os.getuid():
                tasks += len(os.listdir(f"/proc/{name}/task"))
    return tasks


def _file(contents: bytes) -> int:
    """Return a descriptor of a file in memory."""
    with _failures("no file in memory"):
        file = os.memfd_create("box")
    view = memoryview(contents)
    while view:
        view = view[os.write(file, view) :]
    os.lseek(file, 0, os.SEEK_SET)
    return file


@contextlib.contextmanager
def _failures(what: str) -> Iterator[None]:
    """Turn an OSError of this process, such as too many open files, into a failure of the box."""
    try:
        yield
    except OSError as error:
        raise SandboxFailure(f"{what}: {error}") from None


def _end(
    process: subprocess.Popen[bytes], control: socket.socket, kind: str, folder: str | None
) -> None:
    """End a box: its agent, all that it started, and its folder."""
    control.close()
    with contextlib.suppress(ProcessLookupError, PermissionError):
        os.killpg(process.pid, signal.SIGKILL)
    process.wait()
    if process.stderr:
        process.stderr.close()
    _remove(folder)


def _remove(folder: str | None) -> None:
    """Remove the folder of a box. Folders in it can be nested too deeply for `shutil.rmtree`."""
    if folder:
        subprocess.run(["rm", "-rf", "--", folder], stderr=subprocess.DEVNULL, check=False)
