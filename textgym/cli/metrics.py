"""`textgym metrics`: the figures of stored runs, computed again from their episodes."""

from __future__ import annotations

import json
import string
import time
from collections.abc import Sequence
from contextlib import nullcontext
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Any

import typer
from rich.console import Console, RenderableType
from rich.text import Text

from textgym.cli.output.comparisons import comparison_table, explain
from textgym.cli.output.tables import (
    as_text,
    details,
    figure_rows,
    figure_tables,
    print_all,
    repeats_table,
)
from textgym.display.terminal import show, visible
from textgym.errors import UnknownNameError, did_you_mean
from textgym.metrics.comparison import compare
from textgym.metrics.run_metrics import RunTally, read_tally
from textgym.trajectories.data_digests import changed_data
from textgym.trajectories.schema import Trajectory
from textgym.trajectories.store import read_config

__all__ = ["metrics_command"]

_GROUPINGS = ("env", "level", "category")
_SECONDS_BETWEEN_UPDATES = 0.2


@dataclass(frozen=True)
class _StoredRun:
    """A run that was read.

    Attributes:
        path: Its folder.
        policies: The names of the policies that played it.
        tally: What it holds.
        metrics: Its figures.
        data: The digests of its data sets, as far as `run.json` tells.
    """

    path: Path
    policies: tuple[str, ...]
    tally: RunTally
    metrics: dict[str, Any]
    data: Any


def metrics_command(
    runs: Annotated[
        list[Path],
        typer.Argument(metavar="RUN...", help="Folders of runs; several are compared."),
    ],
    by: Annotated[
        str, typer.Option(help="Rows for each env, level or category.", metavar="GROUP")
    ] = "level",
    as_json: Annotated[bool, typer.Option("--json", help="Print all figures as JSON.")] = False,
) -> None:
    """Compute the figures of stored runs, and how each differs from the first."""
    if by not in _GROUPINGS:
        raise UnknownNameError(f"there is no group {by!r}{did_you_mean(by, _GROUPINGS)}")
    read = [_read(path) for path in runs]
    differences = [compare(read[0].tally, other.tally) for other in read[1:]]
    if as_json:
        show(json.dumps(_as_object(read, differences), indent=2))
    elif len(read) == 1:
        print_all(*_single(read[0], by))
    else:
        print_all(*_side_by_side(read, differences, by))


def _read(path: Path) -> _StoredRun:
    """Read a run; who watches a terminal sees how far it is."""
    console = Console(stderr=True)
    policies: set[str] = set()
    label = f"reading {visible(str(path))}"
    episodes, told = 0, time.monotonic()
    with console.status(Text(label)) if console.is_terminal else nullcontext() as status:

        def count(trajectory: Trajectory) -> None:
            nonlocal episodes, told
            policies.add(str(trajectory.get("policy")))
            episodes += 1
            if status and time.monotonic() - told > _SECONDS_BETWEEN_UPDATES:
                told = time.monotonic()
                status.update(Text(f"{label}: {episodes:,} episodes"))

        tally = read_tally(path, count)
        metrics = tally.metrics()
    return _StoredRun(path, tuple(sorted(policies)), tally, metrics, read_config(path).get("data"))


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
    rows = figure_rows(run.metrics, by)
    parts = [as_text(_headline(run)), Text(""), *figure_tables(rows)]
    for id, figures in run.metrics["envs"].items():
        parts += [Text(""), *details(id, figures)]
    return parts


def _side_by_side(
    runs: Sequence[_StoredRun], differences: list[dict[str, Any]], by: str
) -> list[RenderableType]:
    letters = [_letter(place) for place in range(len(runs))]
    parts: list[RenderableType] = [
        as_text(f"{letter}  {_headline(run)}") for letter, run in zip(letters, runs, strict=True)
    ]
    metrics = [run.metrics for run in runs]
    parts += [Text(""), comparison_table(letters, metrics, differences, by)]
    ids = sorted({id for mine in metrics for id in mine["envs"]})
    rows = [
        (f"{id} {letter}", mine["envs"][id])
        for id in ids
        for letter, mine in zip(letters, metrics, strict=True)
        if id in mine["envs"]
    ]
    repeats = repeats_table(rows)
    if repeats:
        parts += [Text(""), repeats]
    for letter, run in zip(letters[1:], runs[1:], strict=True):
        for name in changed_data(runs[0].data, run.data):
            parts.append(as_text(f"warning: A and {letter} were played on different {name}"))
    return [*parts, Text(""), Text(explain(differences))]


def _headline(run: _StoredRun) -> str:
    figures = run.metrics["overall"]
    failed = f", {figures['failures']:,} failed" if figures["failures"] else ""
    tasks = f"{figures['tasks']:,} tasks, {figures['episodes']:,} episodes{failed}"
    return f"{run.path}: {', '.join(run.policies)}, {tasks}"


def _letter(place: int) -> str:
    letters = string.ascii_uppercase
    return letters[place] if place < len(letters) else f"#{place + 1}"
