"""Printing of tables and lines; text from data sets is escaped before it is printed."""

from __future__ import annotations

import os
import sys

from rich.console import Console, RenderableType
from rich.text import Text

from textgym.display.terminal import show, visible

__all__ = ["as_text", "print_all"]

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
