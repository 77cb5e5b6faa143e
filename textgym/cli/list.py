"""`textgym list`: the registered environments.

Invariant: no environment of this package is imported, because their cards are stored.
"""

from __future__ import annotations

import dataclasses
import sys
from typing import Annotated

import typer
from rich.table import Table

from textgym.cli.output.terminal import print_all
from textgym.core.card import Card
from textgym.display.terminal import show, visible
from textgym.errors import ExtraMissingError, UnknownNameError, UsageError, did_you_mean
from textgym.registry import card, ids

__all__ = ["list_command"]


def list_command(
    filters: Annotated[
        list[str] | None,
        typer.Argument(
            metavar="FIELD=VALUE",
            help="Only environments whose card matches, such as domain=logic.",
        ),
    ] = None,
) -> None:
    conditions = [_parse_filter(text) for text in filters or []]
    table = Table(box=None, pad_edge=False, header_style="bold")
    table.add_column("environment", no_wrap=True)  # ids are copied from the table
    table.add_column("summary")
    table.add_column("levels", no_wrap=True)
    is_found, broken = False, []
    for id in ids():
        try:
            env_card = card(id)
        except ExtraMissingError as error:
            table.add_row(id, str(error))
            continue
        except UsageError as error:
            broken.append(f"{id} cannot be used: {error}")
            continue
        if all(env_card.matches(field, value) for field, value in conditions):
            is_found = True
            levels = f"{env_card.levels[0]} to {env_card.levels[-1]}" if env_card.levels else ""
            table.add_row(id, env_card.summary, levels)
    if is_found:
        print_all(table)
    else:
        print("no environment matches")
    for line in broken:
        show(visible(line), sys.stderr)


def _parse_filter(text: str) -> tuple[str, str]:
    field, separator, value = text.partition("=")
    if not separator:
        raise UsageError(f"a filter must be FIELD=VALUE, not {text!r}")
    names = [card_field.name for card_field in dataclasses.fields(Card)]
    if field not in names:
        raise UnknownNameError(f"cards have no field {field!r}{did_you_mean(field, names)}")
    return field, value
