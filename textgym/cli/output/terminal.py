"""What the command prints: tables and lines, a pager for long texts, and a status line.

Text from data sets is escaped before it is printed.
"""

from __future__ import annotations

import os
import shlex
import shutil
import subprocess
import sys
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager

from rich.console import Console, RenderableType
from rich.live import Live
from rich.spinner import Spinner
from rich.text import Text

from textgym.display.terminal import show, visible, wrapped

__all__ = ["as_text", "page", "print_all", "status_line"]


_PIPED_WIDTH = 200  # characters per line if the output is not a terminal


def print_all(*parts: RenderableType) -> None:
    """Print tables and lines; without a terminal, they are as wide as they need to be."""
    piped = not sys.stdout.isatty() and "COLUMNS" not in os.environ
    console = Console(width=_PIPED_WIDTH if piped else None, highlight=False, markup=False)
    with console.capture() as captured:
        for part in parts:
            console.print(part)
    lines = (line.rstrip() for line in captured.get().rstrip("\n").split("\n"))
    show("\n".join(lines))


def as_text(text: str) -> Text:
    """Return a text without markup, with control characters escaped."""
    return Text(visible(text))


def page(texts: Iterable[str]) -> None:
    """Show texts through a pager (`PAGER`, or `less`) in a terminal, and print them elsewhere.

    Args:
        texts: Each is written as soon as it is generated, until the user leaves the pager.
    """
    command = shlex.split(os.environ.get("PAGER", "less"))
    pages = sys.stdin.isatty() and sys.stdout.isatty()
    if not pages or not command or not shutil.which(command[0]):
        for text in texts:
            show(wrapped(text))
        return
    # -F: quit if everything fits on one screen; -R: colours; -X: keep the text on the screen.
    environment = {"LESS": "FRX", **os.environ}
    pager = subprocess.Popen(
        command, stdin=subprocess.PIPE, env=environment, text=True, errors="backslashreplace"
    )
    assert pager.stdin is not None
    try:
        for text in texts:
            pager.stdin.write(wrapped(text) + "\n")
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


class _Line:
    """A line whose text is made whenever it is drawn."""

    def __init__(self, text: str) -> None:
        self.make_text: Callable[[], str] = lambda: text

    def __rich__(self) -> Text:
        return Text(self.make_text())


@contextmanager
def status_line(text: str) -> Iterator[Callable[[Callable[[], str]], None]]:
    """Show a line on standard error while a block runs, if that is a terminal.

    Args:
        text: What the line says first.

    Yields:
        A function that changes the line. Its argument is a function that returns the new text; it
        is called a few times a second, in another thread.
    """
    console = Console(stderr=True)
    if not console.is_terminal:
        yield lambda make_text: None
        return
    line = _Line(text)
    # Without redirection: a forked process must not print through locks that it inherited.
    with Live(
        Spinner("dots", line, style="status.spinner"),
        console=console,
        refresh_per_second=12.5,
        transient=True,
        redirect_stdout=False,
        redirect_stderr=False,
    ):
        yield lambda make_text: setattr(line, "make_text", make_text)
