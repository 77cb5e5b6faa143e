"""The process inside a box that starts programs there, and reads and writes files.

It runs only in the box, as a program of the box's Python, so it imports only the standard library.
It imports only modules that are written in C, because importing others would take longer than
everything else that a box does. Its parent, `textgym.sandbox.boxes`, talks to it over a socket.
Messages of the parent are objects of `marshal`, and the descriptors that a program gets as its
standard streams travel beside them. Its own messages are JSON objects of numbers.

Invariants: it has no more rights than the programs that it starts. It ends when its parent closes
the socket. What a program left running is ended with the program, where the box has a process
namespace of its own.

    python agent.py SOCKET UID LIMITS

LIMITS are a dict of `marshal`, in hexadecimal digits.
"""

from __future__ import annotations

# `signal` and `socket` make enumerations of their constants.
import _signal as signal  # type: ignore[import-not-found]
import _socket as socket
import errno
import marshal
import os
import resource
import select
import stat
import sys

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from typing import Any, NoReturn

_MESSAGE_BYTES = 1 << 20
_DESCRIPTORS_BYTES = socket.CMSG_SPACE(4 * 4)  # of the control message with up to four
_CONTROL = 3  # the descriptor of the socket to the parent
_MOST_FILES = 1 << 20


class Agent:
    """Answers the parent's messages, and reports the programs that end."""

    def __init__(self, control: socket.socket, limits: Mapping[str, Sequence[int]]) -> None:
        self._control = control
        self._limits = limits
        self._running: set[int] = set()
        self._alone = os.getpid() == 1  # in a process namespace: all other processes are programs
        self._wake, end = os.pipe()
        os.set_blocking(end, False)
        os.set_blocking(self._wake, False)
        signal.set_wakeup_fd(end, warn_on_full_buffer=False)
        signal.signal(signal.SIGCHLD, lambda *_: None)

    def serve(self) -> str:
        """Answer until the parent closes the socket; in a forked program, return its source."""
        self._send({"ready": 1})
        control = self._control.fileno()
        while True:
            ready, _, _ = select.select((control, self._wake), (), ())
            if self._wake in ready:
                try:
                    os.read(self._wake, 4096)
                except BlockingIOError:
                    pass
                self._report()
            if control in ready:
                data, received, _, _ = self._control.recvmsg(_MESSAGE_BYTES, _DESCRIPTORS_BYTES)
                if not data:
                    self._end()
                descriptors = [
                    number for _, _, sent in received for number in memoryview(sent).cast("i")
                ]
                source = self._answer(marshal.loads(data), descriptors)
                if source is not None:
                    return source

    def _answer(self, message: dict[str, Any], descriptors: list[int]) -> str | None:
        """Do what a message asks for. Return source code in the child that is to run it."""
        source = None
        try:
            if "read" in message:
                self._copy(self._opened(message["read"], os.O_RDONLY), descriptors[0])
            elif "write" in message:
                flags = os.O_WRONLY | os.O_CREAT | os.O_TRUNC
                self._copy(descriptors[0], self._opened(message["write"], flags))
            elif "kill" in message:
                self._kill()
            else:
                source = self._start(message, descriptors)
                return source  # the answer is sent
            self._send({"done": 1})
        except OSError as error:
            self._send({"errno": error.errno or errno.EIO})
        except ValueError:  # of a path that no file can have
            self._send({"errno": errno.EINVAL})
        finally:
            for descriptor in descriptors if source is None else ():
                os.close(descriptor)
        return None

    def _start(self, message: dict[str, Any], descriptors: list[int]) -> str | None:
        child = os.fork()
        if child:
            self._running.add(child)
            self._send({"started": child})
            return None
        try:
            return self._become_program(message, descriptors)
        except BaseException as error:  # nothing of the agent runs in a child
            reason = error.strerror if isinstance(error, OSError) else error
            line = f"{message.get('command', ['python'])[0]}: {reason}\n"
            try:
                os.write(2, line.encode("ascii", "replace"))
            finally:
                os._exit(127)

    def _become_program(self, message: dict[str, Any], descriptors: list[int]) -> str:
        """Replace this process by a program; return the source of a program in Python."""
        signal.set_wakeup_fd(-1)
        signal.signal(signal.SIGCHLD, signal.SIG_DFL)
        source = None
        if len(descriptors) > 3:
            with open(descriptors.pop(), encoding="utf-8") as file:
                source = file.read()
        for number, descriptor in enumerate(descriptors):
            os.dup2(descriptor, number)
        self._control.detach()
        os.closerange(3, _MOST_FILES)
        bound(self._limits)
        if source is not None:
            return source
        os.execvpe(message["command"][0], message["command"], os.environ)

    def _opened(self, path: str, flags: int) -> int:
        """Open a regular file. A link, a pipe or a device could make the agent wait."""
        if flags & os.O_CREAT and os.path.dirname(path):
            os.makedirs(os.path.dirname(path), exist_ok=True)
        file = os.open(path, flags | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC, 0o666)
        if not stat.S_ISREG(os.fstat(file).st_mode):
            os.close(file)
            raise OSError(errno.EINVAL, "not a regular file")
        return file

    def _copy(self, source: int, target: int) -> None:
        """Copy all that can be read; close the file, which the parent's descriptor is not."""
        try:
            while data := os.read(source, 1 << 16):
                while data:
                    data = data[os.write(target, data) :]
        except BrokenPipeError:  # the parent has read enough
            pass
        finally:
            os.close(max(source, target))

    def _report(self) -> None:
        while True:
            try:
                child, status, usage = os.wait4(-1, os.WNOHANG)
            except ChildProcessError:
                return
            if not child:
                return
            if child in self._running:
                self._running.discard(child)
                if self._alone and not self._running:
                    self._kill()
                self._send({
                    "ended": child,
                    "code": os.waitstatus_to_exitcode(status),
                    "cpu": usage.ru_utime + usage.ru_stime,
                    "memory_mb": usage.ru_maxrss / 1024,
                })  # fmt: skip

    def _kill(self) -> None:
        if self._alone:
            try:
                os.kill(-1, signal.SIGKILL)  # all but this process
            except ProcessLookupError:
                pass

    def _end(self) -> NoReturn:
        if not self._alone:  # empty the folder, which the parent may not live to do; end the group
            try:
                os.execvp("sh", ["sh", "-c", 'rm -rf "$0"; kill -9 0', os.getcwd()])
            except OSError:
                os.kill(0, signal.SIGKILL)
        os._exit(0)

    def _send(self, message: dict[str, float]) -> None:
        numbers = ", ".join(f'"{name}": {number}' for name, number in message.items())
        try:
            self._control.sendall(f"{{{numbers}}}".encode())
        except OSError:  # the parent is gone
            self._end()


def bound(limits: Mapping[str, Sequence[int]]) -> None:
    """Set the limits of a program, which it cannot raise. Lower limits of the machine stay."""
    for name, (soft, hard) in limits.items():
        limit = getattr(resource, name)
        most = resource.getrlimit(limit)[1]
        if most != resource.RLIM_INFINITY:
            soft, hard = min(soft, most), min(hard, most)
        resource.setrlimit(limit, (soft, hard))


def become(uid: int) -> None:
    """Become a user that owns nothing, if this process is root."""
    if uid and os.geteuid() == 0:
        os.setgroups([])
        os.setresgid(uid, uid, uid)
        os.setresuid(uid, uid, uid)


def main(number: int, limits: Mapping[str, Sequence[int]]) -> str:
    """Serve the parent. In a program that is to run Python code, run it."""
    os.umask(0o022)
    control = socket.socket(fileno=os.dup2(number, _CONTROL))
    os.closerange(_CONTROL + 1, _MOST_FILES)  # the parent's number may be high
    null = os.open(os.devnull, os.O_RDWR)
    own = {name: values for name, values in limits.items() if name not in _OF_PROGRAMS}
    bound(own)
    agent = Agent(control, limits)
    for stream in range(3):
        os.dup2(null, stream)
    os.close(null)
    return agent.serve()


_OF_PROGRAMS = ("RLIMIT_AS", "RLIMIT_CPU", "RLIMIT_FSIZE")


def run(source: str) -> None:
    """Run a program in this process as `python -c` would."""
    sys.argv = ["-c"]
    module = type(sys)("__main__")
    module.__dict__["__builtins__"] = __builtins__
    sys.modules["__main__"] = module
    for name, mode, number in (("stdin", "r", 0), ("stdout", "w", 1), ("stderr", "w", 2)):
        stream = open(  # noqa: SIM115 - it stays open
            number, mode, encoding="utf-8", errors="surrogateescape", closefd=False
        )
        setattr(sys, name, stream)
        setattr(sys, f"__{name}__", stream)
    exec(compile(source, "<program>", "exec"), module.__dict__)


if __name__ == "__main__":
    become(int(sys.argv[2]))
    run(main(int(sys.argv[1]), marshal.loads(bytes.fromhex(sys.argv[3]))))
