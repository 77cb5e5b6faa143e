"""The function of a worker process that confines itself and then tries what it may not do."""

from __future__ import annotations

import os
import socket
import subprocess
import sys
import threading
from collections.abc import Callable
from typing import Any

from textgym.sandbox.confine import confine_process


def load() -> Callable[..., dict[str, Any]]:
    confined: list[bool] = []

    def answer(attempt: str, path: str) -> dict[str, Any]:
        if not confined:
            confine_process([sys.prefix, sys.base_prefix, *filter(os.path.isdir, sys.path)])
            confined.append(True)
        try:
            return {"done": repr(ATTEMPTS[attempt](path))}
        except (OSError, RuntimeError) as error:
            return {"refused": type(error).__name__}

    return answer


def _read(path: str) -> str:
    with open(path, encoding="utf-8") as file:
        return file.read()


def _write(path: str) -> None:
    with open(path, "w", encoding="utf-8") as file:
        file.write("x")


def _connect(path: str) -> None:
    socket.create_connection(("127.0.0.1", 9), timeout=1)


ATTEMPTS: dict[str, Callable[[str], Any]] = {
    "read": _read,
    "write": _write,
    "list": os.listdir,
    "connect": _connect,
    "unix socket": lambda path: socket.socket(socket.AF_UNIX),
    "fork": lambda path: os.fork(),
    "run": lambda path: subprocess.run(["true"], check=True),
    "thread": lambda path: threading.Thread(target=print).start(),
    "signal": lambda path: os.kill(os.getppid(), 0),
    "mount": lambda path: os.chroot("/usr"),
    "remove": os.remove,
    "own": lambda path: os.chown(path, 0, 0),
}
