"""A status line on a terminal while a command works."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager

from rich.console import Console
from rich.text import Text

__all__ = ["status_line"]

_SECONDS_BETWEEN_UPDATES = 0.1


@contextmanager
def status_line(text: str) -> Iterator[Callable[[Callable[[], str]], None]]:
    """Show a line on standard error while a block runs, if that is a terminal.

    Args:
        text: What the line says first.

    Yields:
        A function that updates the line a few times a second, however often it is called. It is
        given a function that returns the new text.
    """
    console = Console(stderr=True)
    if not console.is_terminal:
        yield lambda make_text: None
        return
    last_update = time.monotonic()
    with console.status(Text(text)) as status:

        def update(make_text: Callable[[], str]) -> None:
            nonlocal last_update
            if time.monotonic() - last_update > _SECONDS_BETWEEN_UPDATES:
                last_update = time.monotonic()
                status.update(Text(make_text()))

        yield update
