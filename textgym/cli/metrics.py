"""`textgym metrics`: compute the metrics of stored runs from their episodes, and compare runs."""

from __future__ import annotations

import json
import string
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Any

import typer
from rich.console import RenderableType
from rich.text import Text

from textgym.cli.output.exports import csv_records, print_csv, print_markdown
from textgym.cli.output.tables import (
    comparison_table,
    details,
    explain,
    metrics_rows,
    metrics_tables,
    repeats_table,
    splits_of,
    unpaired_note,
)
from textgym.cli.output.terminal import as_text, print_all, status_line
from textgym.display.terminal import show, visible
from textgym.errors import UnknownNameError, did_you_mean
from textgym.metrics.comparison import compare
from textgym.metrics.episode_table import EpisodeTable
from textgym.metrics.run_index import read_index
from textgym.metrics.run_metrics import planned_episodes, run_metrics, table_of
from textgym.trajectories.run_folder import read_config
from textgym.trajectories.task_identity import changed_data

__all__ = ["metrics_command"]

_GROUPINGS = ("env", "level", "category")
_FORMATS = ("table", "csv", "md", "json")


@dataclass(frozen=True)
class _StoredRun:
    """A run that was read from its folder.

    Attributes:
        path: Its folder.
        policies: The names of the policies that played it.
        table: Its episodes.
        metrics: Its metrics.
        data: The digests of its data sets, if `run.json` has them.
        splits: The split that was played of each environment, if `run.json` states it.
    """

    path: Path
    policies: tuple[str, ...]
    table: EpisodeTable
    metrics: dict[str, Any]
    data: Any
    splits: dict[str, str]


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
) -> None:
    if by not in _GROUPINGS:
        raise UnknownNameError(f"there is no group {by!r}{did_you_mean(by, _GROUPINGS)}")
    if form not in _FORMATS:
        raise UnknownNameError(f"there is no format {form!r}{did_you_mean(form, _FORMATS)}")
    stored = [_read(path) for path in runs]
    differences = [compare(stored[0].table, other.table) for other in stored[1:]]
    if as_json or form == "json":
        show(json.dumps(_as_object(stored, differences), indent=2))
    elif form == "csv":
        print_csv(csv_records([(str(run.path), run.metrics) for run in stored], differences, by))
    else:
        single = len(stored) == 1
        parts = _single(stored[0], by) if single else _side_by_side(stored, differences, by)
        (print_markdown if form == "md" else print_all)(*parts)


def _read(path: Path) -> _StoredRun:
    """Read a run, with a status line."""
    label, episodes = f"reading {visible(str(path))}", 0
    with status_line(label) as update:

        def count() -> None:
            nonlocal episodes
            episodes += 1
            update(lambda: f"{label}: {episodes:,} episodes")

        index = read_index(path, count)
        table, config = table_of(index, path), read_config(path)
        metrics = run_metrics(table, planned_episodes(config))
    return _StoredRun(path, index.policies, table, metrics, config.get("data"), splits_of(config))


def _as_object(runs: Sequence[_StoredRun], differences: list[dict[str, Any]]) -> dict[str, Any]:
    return {
        "runs": [
            {"run": str(run.path), "policies": list(run.policies), **run.metrics} for run in runs
        ],
        "differences": [
            {"run": str(run.path), "to": str(runs[0].path), **difference}
            for run, difference in zip(runs[1:], differences, strict=True)
        ],
    }


def _single(run: _StoredRun, by: str) -> list[RenderableType]:
    rows = metrics_rows(run.metrics, by, run.splits)
    parts: list[RenderableType] = [as_text(line) for line in _headlines("", run)]
    parts += [Text(""), *metrics_tables(rows)]
    for id, metrics in run.metrics["envs"].items():
        parts += [Text(""), *details(id, metrics)]
    return parts


def _side_by_side(
    runs: Sequence[_StoredRun], differences: list[dict[str, Any]], by: str
) -> list[RenderableType]:
    names = string.ascii_uppercase
    letters = [*names[: len(runs)], *(f"#{place + 1}" for place in range(len(names), len(runs)))]
    parts: list[RenderableType] = [
        as_text(line)
        for letter, run in zip(letters, runs, strict=True)
        for line in _headlines(f"{letter}  ", run)
    ]
    metrics = [run.metrics for run in runs]
    table = comparison_table(letters, metrics, differences, by, _all_splits(runs))
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
        for name in changed_data(runs[0].data, run.data):
            parts.append(as_text(f"warning: A and {letter} were played on different {name}"))
    return [*parts, Text(""), Text(explain(differences))]


def _all_splits(runs: Sequence[_StoredRun]) -> dict[str, str]:
    """Return the splits that any of the runs played of each environment."""
    splits: dict[str, dict[str, None]] = {}
    for run in runs:
        for id, split in run.splits.items():
            splits.setdefault(id, {})[split] = None
    return {id: ", ".join(names) for id, names in splits.items()}


def _headlines(name: str, run: _StoredRun) -> list[str]:
    """Return a line about a run, and another one if its episodes are not complete."""
    metrics = run.metrics["overall"]
    failed = f", {metrics['failures']:,} failed" if metrics["failures"] else ""
    tasks = f"{metrics['tasks']:,} tasks, {metrics['episodes']:,} episodes{failed}"
    lines = [f"{name}{run.path}: {', '.join(run.policies)}, {tasks}"]
    stored, planned = run.table.num_episodes, run.metrics["planned_episodes"]
    if planned is not None and stored < planned:
        lines.append(f"{name}partial run: {stored:,} of {planned:,} episodes are stored")
    return lines
