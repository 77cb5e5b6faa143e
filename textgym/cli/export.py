"""`textgym export`: tasks in the formats of other suites."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from textgym.cli.arguments import (
    DatasetOption,
    EnvArgument,
    LevelOption,
    OwnSettingsOption,
    SplitOption,
    check_place,
    env_arguments,
    read_settings,
)
from textgym.display.terminal import show
from textgym.errors import UnknownNameError, UsageError

__all__ = ["export_command"]

_FORMATS = ("nemo-gym", "lm-eval")


def export_command(
    id: EnvArgument,
    out: Annotated[
        Path, typer.Option(metavar="PATH", help="File for nemo-gym, folder for lm-eval.")
    ],
    format: Annotated[
        str,
        typer.Option(
            "--as",
            metavar="FORMAT",
            help="nemo-gym: rows, for `textgym serve --as nemo-gym`; or lm-eval: a task.",
        ),
    ] = "nemo-gym",
    tasks: Annotated[
        int | None, typer.Option(metavar="N", help="Number of tasks; all by default.")
    ] = None,
    split: SplitOption = None,
    level: LevelOption = None,
    dataset: DatasetOption = None,
    settings: OwnSettingsOption = None,
) -> None:
    if format not in _FORMATS:
        raise UnknownNameError(f"--as takes {' or '.join(_FORMATS)}, not {format!r}")
    if tasks is not None and tasks < 1:
        raise UsageError("--tasks must be above 0")
    if dataset is None and split is None:
        split = "test"
    arguments = env_arguments(split, level, dataset, read_settings(settings or ()))
    if format == "nemo-gym":
        from textgym.integrations.nemo_gym.rows import write_rows

        check_place(out, "--out")
        show(f"{out}: {write_rows(id, out, tasks, **arguments)} rows")
        return
    from textgym.integrations.lm_eval import write_task

    name, count = write_task(id, out, tasks, **arguments)
    show(
        f"{out}: task {name} with {count} documents; run it with\n"
        f"  lm_eval --include_path {out} --tasks {name} --apply_chat_template --model …"
    )
