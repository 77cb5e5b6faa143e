"""The function of a worker process that counts its calls, hangs, or dies."""

from __future__ import annotations

import os
import signal
from collections.abc import Callable
from typing import Any


def load(first: int = 0) -> Callable[..., dict[str, Any]]:
    calls = [first]

    def answer(do: str = "count", data: bytes = b"") -> dict[str, Any]:
        calls[0] += 1
        if do == "hang":
            while True:
                pass
        if do == "die":
            os.kill(os.getpid(), signal.SIGKILL)
        if do == "crash":
            os.abort()
        if do == "exit":
            os._exit(1)
        if do == "fill":
            bytearray(1 << 31)
        return {"count": calls[0], "pid": os.getpid(), "data": data}

    return answer


def broken() -> None:
    raise ValueError("no such thing")
