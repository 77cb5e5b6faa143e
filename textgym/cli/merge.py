"""`textgym merge`: make one run of the shards of a run."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from textgym.cli.output.terminal import status_line
from textgym.display.terminal import show, visible

__all__ = ["merge_command"]


def merge_command(
    out: Annotated[Path, typer.Argument(metavar="OUT", help="New folder for the merged run.")],
    runs: Annotated[
        list[Path],
        typer.Argument(
            metavar="RUN", help="Folders of the shards, or of other runs with the same settings."
        ),
    ],
    partial: Annotated[
        bool,
        typer.Option(
            "--partial",
            help="Accept missing episodes; the new run can be resumed.",
        ),
    ] = False,
) -> None:
    from textgym.metrics.run_metrics import StoredRun
    from textgym.rollouts.merging import merge_runs

    with status_line("merging"):
        merge_runs(runs, out, partial=partial)
    for line in StoredRun.read(out).headlines():
        show(visible(line))
