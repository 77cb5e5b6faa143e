"""Options that several commands share."""

from __future__ import annotations

from typing import Annotated

import typer

__all__ = ["DatasetOption", "EnvSettingsOption"]

DatasetOption = Annotated[
    str | None,
    typer.Option(help="A .jsonl or .parquet file or a hub id, instead of generated tasks."),
]
EnvSettingsOption = Annotated[
    list[str] | None,
    typer.Option(
        "--set",
        metavar="[ID:]NAME=VALUE",
        help="Argument of all environments, or of one: shots=4.",
    ),
]
