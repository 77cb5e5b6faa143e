"""Arguments and options that several commands share."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

__all__ = [
    "DatasetOption",
    "EnvArgument",
    "EnvSettingsOption",
    "JsonOption",
    "LevelOption",
    "OwnSettingsOption",
    "RunArgument",
    "SplitOption",
]

EnvArgument = Annotated[str, typer.Argument(metavar="ID", help="An id, MODULE:ID or MODULE:CLASS.")]
RunArgument = Annotated[Path, typer.Argument(metavar="RUN", help="Folder of the run.")]
LevelOption = Annotated[
    int | None, typer.Option(metavar="LEVEL", help="Only one level; all by default.")
]
SplitOption = Annotated[
    str | None, typer.Option(metavar="SPLIT", help="train, validation or test.")
]
DatasetOption = Annotated[
    str | None,
    typer.Option(
        metavar="DATASET", help="A .jsonl or .parquet file or a hub id, instead of generated tasks."
    ),
]
OwnSettingsOption = Annotated[
    list[str] | None,
    typer.Option("--set", metavar="NAME=VALUE", help="Argument of the environment: shots=4."),
]
EnvSettingsOption = Annotated[
    list[str] | None,
    typer.Option(
        "--set",
        metavar="[ID:]NAME=VALUE",
        help="Argument of all environments, or of one: shots=4.",
    ),
]
JsonOption = Annotated[bool, typer.Option("--json", help="Print everything as one JSON object.")]
