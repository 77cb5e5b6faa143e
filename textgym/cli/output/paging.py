"""Output through a pager, for texts that are longer than the screen."""

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
    """Show texts through a pager (`PAGER`, or `less`) in a terminal, and print them elsewhere.

    Args:
        texts: Each is written as soon as it is generated; none is generated after the user left the
            pager.
    """
    command = shlex.split(os.environ.get("PAGER", "less"))
    pages = sys.stdin.isatty() and sys.stdout.isatty()
    if not pages or not command or not shutil.which(command[0]):
        for text in texts:
            show(text)
        return
    # -F: quit if everything fits on one screen; -R: colours; -X: keep the text on the screen.
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
        pass  # the user left the pager
    finally:
        _wait(pager)


def _wait(pager: subprocess.Popen[str]) -> None:
    """Wait until the user leaves the pager; Ctrl-C is for the pager, which shares the terminal."""
    assert pager.stdin is not None
    while True:
        try:
            pager.communicate()
            return
        except KeyboardInterrupt:
            continue
