"""The program of worker processes: a fork server and the workers that it forks.

The fork server loads a function once. After that it only forks and reaps workers when its parent
asks it to, so a worker that died is replaced within milliseconds. Each worker has its own socket,
and calls the function for one request after another. Invariants:

- Each call has a limit of CPU time, which the kernel enforces (SIGPROF), so a busy machine gives
  the same replies as an idle one. Memory is limited too.
- Workers end when their socket closes. The fork server ends with its parent, and ends its workers.
- Messages are JSON data and bytes, so a worker that runs foreign code cannot send objects.
"""

from __future__ import annotations

import gc
import json
import logging
import os
import resource
import select
import signal
import socket
import struct
import warnings
from collections.abc import Callable, Mapping
from typing import Any

from textgym.errors import TextgymError
from textgym.names import import_object

__all__ = ["FORK", "REAP", "order", "receive", "run", "send"]

FORK, REAP = b"f", b"r"
_ORDER = struct.Struct(">cQ")
_NUMBER = struct.Struct(">q")
_LENGTH = struct.Struct(">I")
_PART = 1 << 18  # bytes to receive at once

Function = Callable[..., dict[str, Any]]


def send(line: socket.socket, message: Mapping[str, Any]) -> None:
    """Send a message: JSON data or bytes by name."""
    blobs = {name: value for name, value in message.items() if isinstance(value, bytes)}
    rest = {name: value for name, value in message.items() if name not in blobs}
    sizes = {name: len(blob) for name, blob in blobs.items()}
    head = json.dumps([rest, sizes]).encode("ascii")
    line.sendall(b"".join([_LENGTH.pack(len(head)), head, *blobs.values()]))


def receive(line: socket.socket) -> dict[str, Any]:
    """Return the next message.

    Raises:
        EOFError: The other side has closed the connection.
    """
    (length,) = _LENGTH.unpack(_read(line, _LENGTH.size))
    message, sizes = json.loads(_read(line, length))
    return {**message, **{name: _read(line, size) for name, size in sizes.items()}}


def _read(line: socket.socket, length: int) -> bytes:
    parts = []
    while length > 0:
        part = line.recv(min(length, _PART))
        if not part:
            raise EOFError
        parts.append(part)
        length -= len(part)
    return b"".join(parts)


def order(control: socket.socket, kind: bytes, number: int, descriptors: list[int]) -> int:
    """Send the fork server an order, and return the number that it replies with.

    `FORK` passes the worker's end of a socket pair; the reply is the worker's process id. `REAP`
    passes a process id. The process is killed if it is alive, and the reply is its status, in the
    format of `waitpid`.
    """
    socket.send_fds(control, [_ORDER.pack(kind, number)], descriptors)
    answer: int = _NUMBER.unpack(_read(control, _NUMBER.size))[0]
    return answer


def run(descriptor: int) -> None:
    """Run the fork server on its end of a socket pair, until its parent is gone.

    The first message is its program: `load` names a function that returns the one to call, `memory`
    is how many bytes a worker may use in addition to its initial memory, and all others are
    arguments of `load`.

    Args:
        descriptor: Its end of the socket pair.
    """
    control = socket.socket(fileno=descriptor)
    warnings.simplefilter("ignore")
    logging.disable(logging.CRITICAL)
    program = receive(control)
    load, memory = program.pop("load"), program.pop("memory")
    try:
        function = import_object(load)(**program)
    except TextgymError as error:
        send(control, {"error": str(error)})
        return
    except Exception as error:
        send(control, {"error": f"{type(error).__name__}: {error}"})
        return
    gc.collect()
    gc.freeze()
    send(control, {"ready": True})
    parent, children = os.getppid(), set()
    try:
        while os.getppid() == parent:
            if not select.select([control], [], [], 5.0)[0]:
                continue
            data, descriptors, _, _ = socket.recv_fds(control, _ORDER.size, 1, socket.MSG_WAITALL)
            if len(data) < _ORDER.size:
                break
            kind, number = _ORDER.unpack(data)
            if kind == FORK:
                number = _fork(control, descriptors[0], function, memory)
                children.add(number)
            else:
                children.discard(number)
                number = _reap(number)
            control.sendall(_NUMBER.pack(number))
    finally:
        for child in children:
            _reap(child)


def _fork(control: socket.socket, descriptor: int, function: Function, memory: int) -> int:
    child = os.fork()
    if child:
        os.close(descriptor)
        return child
    control.close()
    try:
        _work(socket.socket(fileno=descriptor), function, memory)
    finally:
        os._exit(1)


def _reap(child: int) -> int:
    os.kill(child, signal.SIGKILL)
    return os.waitpid(child, 0)[1]


def _work(line: socket.socket, function: Function, memory: int) -> None:
    """Answer requests until the connection is closed or a call ends the process."""
    signal.signal(signal.SIGPROF, signal.SIG_DFL)
    signal.pthread_sigmask(signal.SIG_UNBLOCK, {signal.SIGPROF})
    _limit_memory(memory)
    while True:
        try:
            request = receive(line)
        except EOFError:
            os._exit(0)
        signal.setitimer(signal.ITIMER_PROF, request.pop("seconds"))
        reply = function(**request)
        signal.setitimer(signal.ITIMER_PROF, 0)
        send(line, reply)


def _limit_memory(memory: int) -> None:
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    if os.path.exists("/proc/self/statm"):  # other systems do not enforce the limit
        with open("/proc/self/statm") as file:
            most = int(file.read().split()[0]) * resource.getpagesize() + memory
        resource.setrlimit(resource.RLIMIT_AS, (most, most))
