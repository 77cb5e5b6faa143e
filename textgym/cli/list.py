"""`textgym list`: the registered environments.

Invariant: of the environments of this package none is imported, because their cards are stored.
"""

from __future__ import annotations

import dataclasses
from typing import Annotated

import typer
from rich.table import Table

from textgym.cli.output.terminal import print_all
from textgym.core.card import Card
from textgym.errors import ExtraMissingError, UnknownNameError, UsageError, did_you_mean
from textgym.registry import card, ids

__all__ = ["list_command"]


def list_command(
    filters: Annotated[
        list[str] | None,
        typer.Argument(
            metavar="[FIELD=VALUE]...", help="Only environments whose card matches: domain=logic."
        ),
    ] = None,
) -> None:
    """Run `textgym list`."""
    wanted = [_parse_filter(text) for text in filters or []]
    table = Table(box=None, pad_edge=False, header_style="bold")
    table.add_column("environment", no_wrap=True)  # ids are copied from the table
    for column in ("structure", "capabilities", "domain", "levels"):
        table.add_column(column, overflow="fold")
    shown = 0
    for id in ids():
        try:
            its_card = card(id)
        except ExtraMissingError as error:
            table.add_row(id, str(error))
            continue
        if all(its_card.matches(field, value) for field, value in wanted):
            shown += 1
            levels = f"{its_card.levels[0]} to {its_card.levels[-1]}" if its_card.levels else ""
            table.add_row(
                id,
                ", ".join(its_card.structure),
                ", ".join(its_card.capabilities),
                ", ".join(its_card.domain),
                levels,
            )
    if shown:
        print_all(table)
    else:
        print("no environment matches")


def _parse_filter(text: str) -> tuple[str, str]:
    field, separator, value = text.partition("=")
    names = [item.name for item in dataclasses.fields(Card)]
    if not separator:
        raise UsageError(f"a filter must be FIELD=VALUE, not {text!r}")
    if field not in names:
        raise UnknownNameError(f"cards have no field {field!r}{did_you_mean(field, names)}")
    return field, value
