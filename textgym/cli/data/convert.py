"""`textgym data convert`: a data set in another format."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from textgym.cli.arguments import SplitOption, check_place
from textgym.data.converting import convert
from textgym.display.terminal import show

__all__ = ["convert_command"]


def convert_command(
    source: Annotated[
        str, typer.Argument(metavar="IN", help="Data set: a file, a name, or a hub id.")
    ],
    out: Annotated[Path, typer.Argument(metavar="OUT", help="File, .jsonl or .parquet.")],
    format: Annotated[
        str,
        typer.Option(
            "--as",
            metavar="FORMAT",
            help="rows; nemo-gym, rows of NeMo Gym; or trl, verl or skyrl, prompts for a trainer.",
        ),
    ],
    env: Annotated[
        str | None,
        typer.Option(
            metavar="ID",
            help="Environment that makes the prompts of the rows; by default the one of a data set "
            "with a name.",
        ),
    ] = None,
    split: SplitOption = "train",
) -> None:
    check_place(out, "OUT")
    show(f"{out}: {convert(source, out, format, env=env, split=split or 'train')} rows")
