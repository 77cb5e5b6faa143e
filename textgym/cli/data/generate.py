"""`textgym data generate`: the rows of a generator in a file."""

from __future__ import annotations

from contextlib import closing
from pathlib import Path
from typing import Annotated

import typer
from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TimeRemainingColumn

from textgym.cli.arguments import (
    EnvArgument,
    LevelOption,
    OwnSettingsOption,
    SplitOption,
    check_place,
    env_arguments,
    read_settings,
)
from textgym.concurrency.workers import CORES
from textgym.data.generating import generate_rows
from textgym.data.row_files import write_rows
from textgym.display.terminal import show

__all__ = ["generate_command"]

_FEW = 1000  # rows, which are drawn before worker processes have started


def generate_command(
    id: EnvArgument,
    rows: Annotated[int, typer.Option(metavar="N", help="Number of rows.")],
    out: Annotated[Path, typer.Option(metavar="FILE", help="File, .jsonl or .parquet.")],
    split: SplitOption = "train",
    level: LevelOption = None,
    settings: OwnSettingsOption = None,
    workers: Annotated[
        int | None,
        typer.Option(
            metavar="N",
            help="Number of processes that share the work; by default one for each core, and one "
            f"for fewer than {_FEW:,} rows.",
        ),
    ] = None,
) -> None:
    check_place(out, "--out")
    if workers is None:
        workers = 1 if rows < _FEW else CORES
    arguments = env_arguments(split, level, None, read_settings(settings or ()))
    bar = Progress(
        BarColumn(), MofNCompleteColumn(), TimeRemainingColumn(),
        console=(console := Console()), transient=True, disable=not console.is_terminal,
    )  # fmt: skip
    with bar, closing(generate_rows(id, rows, workers=workers, **arguments)) as drawn:
        written = write_rows(out, bar.track(drawn, total=rows))
    show(f"{out}: {written:,} rows")
