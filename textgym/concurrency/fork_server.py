"""The program of worker processes: a fork server and the workers that it forks.

The fork server loads a function once. After that it only forks and reaps workers when its parent
asks it to, so a worker that died is replaced within milliseconds. Each worker has its own socket,
and calls the function for one request after another. Invariants:

- Each call has a limit of CPU time, which the kernel enforces (SIGPROF), so a busy machine gives
  the same replies as an idle one. Memory is limited too.
- Workers end when their socket closes. The fork server ends with its parent, and ends its workers.
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

Function = Callable[..., dict[str, Any]]


def send(line: socket.socket, value: Any) -> None:
    """Send one JSON value."""
    data = json.dumps(value).encode("ascii")
    line.sendall(_LENGTH.pack(len(data)) + data)


def receive(line: socket.socket) -> Any:
    """Return the next JSON value.

    Raises:
        EOFError: The other side has closed the connection.
    """
    (length,) = _LENGTH.unpack(_read(line, _LENGTH.size))
    return json.loads(_read(line, length))


def _read(line: socket.socket, length: int) -> bytes:
    data = bytearray()
    while len(data) < length:
        part = line.recv(min(length - len(data), 1 << 20))
        if not part:
            raise EOFError
        data += part
    return bytes(data)


def order(control: socket.socket, kind: bytes, number: int, descriptors: list[int]) -> int:
    """Send the fork server an order, and return the number that it replies with.

    `FORK` passes the worker's end of a socket pair; the reply is the worker's process id. `REAP`
    passes a process id. The process is killed if it is alive, and the reply is its status, in the
    format of `waitpid`.
    """
    socket.send_fds(control, [_ORDER.pack(kind, number)], descriptors)
    answer: int = _NUMBER.unpack(_read(control, _NUMBER.size))[0]
    return answer


def run(descriptor: int, program: Mapping[str, Any]) -> None:
    """Run the fork server on its end of a socket pair, until its parent is gone.

    Args:
        descriptor: Its end of the socket pair.
        program: `load` names a function that returns the one to call, `arguments` are its
            arguments, and `memory` is how many bytes a worker may use in addition to its initial
            memory.
    """
    control = socket.socket(fileno=descriptor)
    warnings.simplefilter("ignore")
    logging.disable(logging.CRITICAL)
    try:
        function = import_object(program["load"])(**program["arguments"])
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
                number = _fork(control, descriptors[0], function, program["memory"])
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
        signal.setitimer(signal.ITIMER_PROF, request["seconds"])
        reply = function(**request["arguments"])
        signal.setitimer(signal.ITIMER_PROF, 0)
        send(line, reply)


def _limit_memory(memory: int) -> None:
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    if os.path.exists("/proc/self/statm"):  # other systems do not enforce the limit
        with open("/proc/self/statm") as file:
            most = int(file.read().split()[0]) * resource.getpagesize() + memory
        resource.setrlimit(resource.RLIMIT_AS, (most, most))
