"""`textgym wrappers`: the wrappers, with their arguments."""

from __future__ import annotations

import inspect
import json

from rich.table import Table

from textgym.cli.output.printing import print_all
from textgym.wrappers.specs import WRAPPERS, arguments_of

__all__ = ["wrappers_command"]


def wrappers_command() -> None:
    """Run `textgym wrappers`."""
    table = Table(box=None, pad_edge=False, header_style="bold")
    for column in ("wrapper", "arguments", "what it does"):
        table.add_column(column, overflow="fold", no_wrap=column == "wrapper")
    for title, cls in WRAPPERS.items():
        shown = [
            name if given.default is given.empty else f"{name}={json.dumps(given.default)}"
            for name, given in arguments_of(cls).items()
            if name != "name"
        ]
        table.add_row(title, ", ".join(shown), (inspect.getdoc(cls) or "").splitlines()[0])
    print_all(table)
