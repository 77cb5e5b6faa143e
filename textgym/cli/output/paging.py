"""A pager for what is longer than the screen."""

from __future__ import annotations

import os
import shlex
import shutil
import subprocess
import sys
from collections.abc import Iterable

from textgym.display.terminal import show

__all__ = ["page"]


def page(texts: Iterable[str]) -> None:
    """Show texts through the pager (`PAGER`, else `less`) in a terminal, plainly elsewhere.

    Args:
        texts: Each is written when it comes, and what comes after the pager was left is not asked
            for.
    """
    command = shlex.split(os.environ.get("PAGER", "less"))
    pages = sys.stdin.isatty() and sys.stdout.isatty()
    if not pages or not command or not shutil.which(command[0]):
        for text in texts:
            show(text)
        return
    # -F: ends at once where all fits the screen; -R: colours; -X: leaves it on the screen.
    environment = {"LESS": "FRX", **os.environ}
    pager = subprocess.Popen(
        command, stdin=subprocess.PIPE, env=environment, text=True, errors="backslashreplace"
    )
    assert pager.stdin is not None
    try:
        for text in texts:
            pager.stdin.write(text + "\n")
            pager.stdin.flush()
    except BrokenPipeError:
        pass  # the pager was left
    finally:
        _wait(pager)


def _wait(pager: subprocess.Popen[str]) -> None:
    """Wait until the pager is left; an interrupt is the pager's, which shares the terminal."""
    assert pager.stdin is not None
    while True:
        try:
            pager.communicate()
            return
        except KeyboardInterrupt:
            continue
