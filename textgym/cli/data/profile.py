"""`textgym data profile`: how often the tasks of runs were solved, and their rows as a data set."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path
from typing import Annotated, Any

import typer
from rich.console import RenderableType
from rich.table import Table
from rich.text import Text

from textgym.cli.arguments import JsonOption, check_place, refresh
from textgym.cli.output.terminal import as_text, print_all
from textgym.data.profiling import (
    ORDERS,
    TaskProfile,
    profile_runs,
    read_band,
    summarize_profile,
)
from textgym.display.terminal import show
from textgym.errors import RunError, UnknownNameError, UsageError, did_you_mean
from textgym.metrics.statistics import mean

__all__ = ["profile_command"]


def profile_command(
    runs: Annotated[
        list[Path],
        typer.Argument(metavar="RUN", help="Folders of runs, whose episodes are joined."),
    ],
    env: Annotated[
        str | None, typer.Option(metavar="ID", help="Only tasks of this environment.")
    ] = None,
    keep: Annotated[
        str | None,
        typer.Option(metavar="LOW..HIGH", help="Only tasks with these pass rates, as in 0.1..0.9."),
    ] = None,
    out: Annotated[
        Path | None,
        typer.Option(metavar="FILE", help="Write the rows of these tasks as JSON lines."),
    ] = None,
    sort: Annotated[
        str, typer.Option(metavar="ORDER", help=f"Order of the tasks: {', '.join(ORDERS)}.")
    ] = "rate",
    limit: Annotated[
        int, typer.Option(metavar="N", help="Maximum number of tasks to print; 0 prints all.")
    ] = 20,
    as_json: JsonOption = False,
) -> None:
    if sort not in ORDERS:
        raise UnknownNameError(f"there is no order {sort!r}{did_you_mean(sort, ORDERS)}")
    if limit < 0:
        raise UsageError(f"--limit must be 0 (all) or more, not {limit}")
    band = None if keep is None else read_band(keep)
    if out is not None:
        check_place(out, "--out")
    for run in runs:
        refresh(run)
    profiled = profile_runs(runs, env)
    tasks = sorted(
        (task for task in profiled if band is None or band.holds(task.pass_rate)),
        key=ORDERS[sort],
    )
    if band is not None and not tasks:
        raise RunError(f"none of the {len(profiled):,} tasks has a pass rate in {band}")
    if out is not None:
        from textgym.data.profiled_rows import write_profiled_rows  # which imports the rollouts

        write_profiled_rows(out, sorted(tasks, key=ORDERS["task"]))
    if as_json:
        report = {"runs": [str(path) for path in runs], **summarize_profile(profiled)}
        report["kept"] = [task.as_dict() for task in tasks]
        show(json.dumps(report, indent=2))
        return
    shown = tasks[:limit] if limit else tasks
    parts = [*_summary(summarize_profile(profiled)), Text(""), _table(shown)]
    if len(shown) < len(tasks):
        parts.append(Text(f"{len(tasks) - len(shown):,} more; --limit 0 prints all"))
    if out is not None:
        parts += [Text(""), as_text(f"{out}: {len(tasks):,} rows")]
    print_all(*parts)


def _summary(summary: dict[str, Any]) -> list[RenderableType]:
    failed = f", {summary['failures']:,} failed" if summary["failures"] else ""
    graded = summary["tasks"] - summary["ungraded"]
    table = Table(box=None, pad_edge=False, show_header=False, padding=(0, 2, 0, 0))
    table.add_column()
    table.add_column(justify="right")
    table.add_column(justify="right")
    for name, count in summary["bands"].items():
        table.add_row(name, f"{count:,}", f"{count / graded:.1%}" if graded else "-")
    parts: list[RenderableType] = [
        Text(f"{summary['tasks']:,} tasks, {summary['episodes']:,} episodes{failed}"),
        Text(""),
        table,
    ]
    if summary["ungraded"]:
        parts.append(Text(f"{summary['ungraded']:,} tasks have no graded episode"))
    if graded:
        share = f"{summary['informative']:.1%}"
        parts.append(Text(f"{share} of the tasks are informative: solved, but not always"))
    return parts


def _table(tasks: Sequence[TaskProfile]) -> Table:
    table = Table(box=None, pad_edge=False, padding=(0, 2, 0, 0), header_style="bold")
    several = len({task.env_id for task in tasks}) > 1
    for title in (*(["environment"] if several else []), "task", "level"):
        table.add_column(title, no_wrap=True)
    for title in ("pass rate", "95 % interval", "solved", "reward", "failed"):
        table.add_column(title, justify="right", no_wrap=True)
    for task in tasks:
        rate, interval, reward = task.pass_rate, task.interval, mean(task.rewards)
        name = f"index {task.task_index}" if task.task_id is None else task.task_id
        names = ([task.env_id] if several else []) + [name, task.level or "-"]
        table.add_row(
            *map(as_text, names),
            "-" if rate is None else f"{rate:.1%}",
            "-" if interval is None else "{:.1%} to {:.1%}".format(*interval),
            f"{sum(task.successes):,} of {len(task.successes):,}",
            "-" if reward is None else f"{reward:.3f}",
            f"{task.failures:,}",
        )
    return table
