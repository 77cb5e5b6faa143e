"""Waiting for processes of this machine, and whether they run."""

from __future__ import annotations

import time
from collections.abc import Callable
from pathlib import Path

__all__ = ["eventually", "is_alive"]


def eventually(holds: Callable[[], object], seconds: float = 60.0) -> None:
    """Wait until something holds; fail if it does not in time."""
    end = time.monotonic() + seconds
    while not holds():
        assert time.monotonic() < end
        time.sleep(0.01)


def is_alive(process: int | str) -> bool:
    """Return whether a process runs; one that has ended and that nobody has waited for does not."""
    try:
        stat = Path(f"/proc/{process}/stat").read_text()
    except OSError:
        return False
    return stat.rpartition(")")[2].split()[0] != "Z"
