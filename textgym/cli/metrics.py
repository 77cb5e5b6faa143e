"""`textgym metrics`: compute the metrics of stored runs from their episodes, and compare runs."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path
from typing import Annotated, Any

import typer
from rich.console import RenderableType
from rich.text import Text

from textgym.cli.arguments import refresh
from textgym.cli.output.exports import csv_records, print_csv, print_markdown
from textgym.cli.output.tables import (
    comparison_table,
    details,
    metrics_tables,
    repeats_table,
)
from textgym.cli.output.terminal import as_text, print_all, status_line
from textgym.display.terminal import show, visible
from textgym.errors import UnknownNameError, did_you_mean
from textgym.metrics.comparison import compare
from textgym.metrics.run_metrics import StoredRun, splits_of
from textgym.metrics.tables import (
    ERRORS_NOTE,
    all_splits,
    explain,
    metrics_rows,
    run_letters,
    unpaired_note,
)
from textgym.trajectories.task_identity import changed_data

__all__ = ["metrics_command"]

_GROUPINGS = ("env", "level", "category")
_FORMATS = ("table", "csv", "md", "json")


def metrics_command(
    runs: Annotated[
        list[Path],
        typer.Argument(metavar="RUN", help="Folders of runs; the first is the baseline."),
    ],
    by: Annotated[
        str,
        typer.Option(
            metavar="GROUP",
            help="Rows below each environment: level, category, or env for none.",
        ),
    ] = "level",
    form: Annotated[
        str,
        typer.Option("--format", metavar="FORMAT", help=f"Output format: {', '.join(_FORMATS)}."),
    ] = "table",
    as_json: Annotated[bool, typer.Option("--json", help="The same as --format json.")] = False,
    prompt_price: Annotated[
        float, typer.Option(metavar="PRICE", help="Price of a million prompt tokens.")
    ] = 0.0,
    completion_price: Annotated[
        float, typer.Option(metavar="PRICE", help="Price of a million completion tokens.")
    ] = 0.0,
) -> None:
    if by not in _GROUPINGS:
        raise UnknownNameError(f"there is no group {by!r}{did_you_mean(by, _GROUPINGS)}")
    if form not in _FORMATS:
        raise UnknownNameError(f"there is no format {form!r}{did_you_mean(form, _FORMATS)}")
    stored = [_read(path) for path in runs]
    differences = [compare(stored[0].table, other.table) for other in stored[1:]]
    if prompt_price or completion_price:
        for run in stored:
            _add_cost(run.metrics["overall"], prompt_price, completion_price)
    if as_json or form == "json":
        show(json.dumps(_as_object(stored, differences), indent=2))
    elif form == "csv":
        print_csv(csv_records([(str(run.path), run.metrics) for run in stored], differences, by))
    else:
        single = len(stored) == 1
        parts = _single(stored[0], by) if single else _side_by_side(stored, differences, by)
        (print_markdown if form == "md" else print_all)(*parts)


def _read(path: Path) -> StoredRun:
    """Read a run, with a status line."""
    refresh(path)
    label, episodes = f"reading {visible(str(path))}", 0
    with status_line(label) as update:

        def count() -> None:
            nonlocal episodes
            episodes += 1
            update(lambda: f"{label}: {episodes:,} episodes")

        return StoredRun.read(path, count)


def _add_cost(metrics: dict[str, Any], prompt_price: float, completion_price: float) -> None:
    """Add `cost` to the metrics of a run, and `cost_per_episode`, in the unit of the prices."""
    cost = metrics["prompt_tokens"] * prompt_price + metrics["completion_tokens"] * completion_price
    metrics["cost"] = cost / 1e6
    metrics["cost_per_episode"] = cost / 1e6 / metrics["episodes"]


def _cost_lines(runs: Sequence[StoredRun], letters: Sequence[str]) -> list[RenderableType]:
    """Return a line with the cost of each run, if prices are given."""
    return [
        as_text(
            f"{letter}cost {overall['cost']:,.4f}, {overall['cost_per_episode']:,.6f} per episode, "
            f"for {overall['prompt_tokens']:,} prompt and {overall['completion_tokens']:,} "
            "completion tokens"
        )
        for letter, run in zip(letters, runs, strict=True)
        if "cost" in (overall := run.metrics["overall"])
    ]


def _as_object(runs: Sequence[StoredRun], differences: list[dict[str, Any]]) -> dict[str, Any]:
    return {
        "runs": [
            {"run": str(run.path), "policies": list(run.policies), **run.metrics} for run in runs
        ],
        "differences": [
            {"run": str(run.path), "to": str(runs[0].path), **difference}
            for run, difference in zip(runs[1:], differences, strict=True)
        ],
    }


def _single(run: StoredRun, by: str) -> list[RenderableType]:
    rows = metrics_rows(run.metrics, by, splits_of(run.config))
    parts: list[RenderableType] = [as_text(line) for line in run.headlines()]
    parts += _cost_lines([run], [""])
    parts += [Text(""), *metrics_tables(rows)]
    for id, metrics in run.metrics["envs"].items():
        parts += [Text(""), *details(id, metrics)]
    return parts


def _side_by_side(
    runs: Sequence[StoredRun], differences: list[dict[str, Any]], by: str
) -> list[RenderableType]:
    letters = run_letters(len(runs))
    parts: list[RenderableType] = [
        as_text(line)
        for letter, run in zip(letters, runs, strict=True)
        for line in run.headlines(f"{letter}  ")
    ]
    parts += _cost_lines(runs, [f"{letter}  " for letter in letters])
    metrics = [run.metrics for run in runs]
    table = comparison_table(letters, metrics, differences, by, all_splits(runs))
    parts += [Text(""), table]
    rows = [
        (f"{id} {letter}", tree["envs"][id])
        for id in sorted({id for tree in metrics for id in tree["envs"]})
        for letter, tree in zip(letters, metrics, strict=True)
        if id in tree["envs"]
    ]
    repeats = repeats_table(rows)
    if repeats:
        parts += [Text(""), repeats]
    for letter, run, difference in zip(letters[1:], runs[1:], differences, strict=True):
        note = unpaired_note(letters[0], letter, difference)
        parts += [Text(note)] if note else []
        for name in changed_data(runs[0].config.get("data"), run.config.get("data")):
            parts.append(as_text(f"warning: A and {letter} were played on different {name}"))
    return [*parts, Text(""), Text(ERRORS_NOTE), Text(explain(differences))]
