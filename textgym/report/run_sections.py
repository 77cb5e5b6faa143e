"""The overview of a run as HTML: its figures, tables and failures.

All numbers come from `textgym.metrics`; the page computes nothing.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from textgym.metrics.episode_table import EpisodeView
from textgym.metrics.repeats import repeat_counts
from textgym.metrics.run_metrics import StoredRun, splits_of
from textgym.metrics.statistics import Estimate, rate_interval
from textgym.metrics.tables import (
    ERRORS_NOTE,
    LENGTHS,
    Rows,
    lengths_of,
    mean_cell,
    metrics_columns,
    metrics_rows,
    number,
    rate_cell,
    repeats_columns,
)
from textgym.report.charts import Curve, Point, counts_table, curves, histogram
from textgym.report.elements import MAX_ROWS, element, escaped, folded, table
from textgym.report.episode_data import EpisodeData

__all__ = ["overview"]

_OPEN = 3  # environments whose figures are unfolded
_SHOWN_FAILURES = 20
_BY = {"env": "Environments", "level": "Levels", "category": "Categories"}

_SETTINGS = ("textgym", "seed", "repeats", "start", "sampling", "env_kwargs")


def overview(run: StoredRun, data: EpisodeData, place: int) -> str:
    """Return the overview of a run.

    Args:
        run: The run.
        data: Its episodes.
        place: The place of the run in the page, from 0.
    """
    metrics, splits = run.metrics, splits_of(run.config)
    parts = [element("p", escaped(line), class_="note") for line in run.headlines()]
    parts += [_settings(run.config), _tiles(metrics["overall"])]
    tables = {by: metrics_rows(metrics, by, splits) for by in _BY}
    parts.append(_tables("env", tables["env"]))
    views = run.table.view().split("env")
    for id, node in metrics["envs"].items():
        figures = _figures(views[id], node, data.verdicts[id])
        several = len(views) > 1
        parts.append(folded(id, figures, len(views) <= _OPEN) if several else figures)
    parts.append(_failures(data, place))
    for by in ("level", "category"):
        if len(tables[by]) > len(tables["env"]):  # not all episodes have the same one
            parts.append(_tables(by, tables[by]))
    return "\n".join(filter(None, parts))


def _tables(by: str, rows: Rows) -> str:
    """Return the main table and the table of repeats; long ones are folded."""
    names = [name for name, _ in rows]
    title = _BY[by]
    shown = table(title if by == "env" else "", names, metrics_columns(rows))
    if repeats := repeats_columns(rows):
        shown += table("Repeats of a task", names, repeats)
    if by == "env":
        return shown + element("p", ERRORS_NOTE, class_="note")
    return folded(title, shown, len(rows) <= MAX_ROWS)


def _settings(config: Mapping[str, Any]) -> str:
    """Return how the run was made, as far as `run.json` states it."""
    rows = ""
    for name in _SETTINGS:
        value = config.get(name)
        if value in (None, {}, 0) and name != "seed":
            continue
        title = element("dt", escaped(name.replace("_", " ")))
        rows += element("div", title + element("dd", escaped(_words(value))))
    return element("dl", rows, class_="facts") if rows else ""


def _words(value: Any) -> str:
    if isinstance(value, Mapping):
        return ", ".join(f"{name}={_words(item)}" for name, item in value.items())
    return str(value)


def _tiles(metrics: Mapping[str, Any]) -> str:
    """Return the main figures, as large numbers."""
    most = metrics["repeats"]
    tiles = {"mean reward": mean_cell(dict(metrics)), "success": rate_cell(dict(metrics))}
    for name in (f"pass@{most}", f"pass^{most}") if most > 1 else ():
        if name in metrics["at_k"]:
            tiles[name] = number(metrics["at_k"][name]["mean"], "{:.1%}")
    tiles["no answer"] = number(metrics["no_answer_rate"], "{:.1%}")
    tiles["cut by a limit"] = number(metrics["truncated_rate"], "{:.1%}")
    tiles["failed"] = f"{metrics['failures']:,}"
    parts = ""
    for name, text in tiles.items():
        if text != "-":
            figure, _, rest = text.partition(" ")
            small = element("small", escaped(rest)) if rest else ""
            value = element("dd", escaped(figure) + small)
            parts += element("div", element("dt", escaped(name)) + value)
    return element("dl", parts, class_="tiles")


def _figures(episodes: EpisodeView, metrics: Mapping[str, Any], verdicts: Mapping[str, int]) -> str:
    """Return the distributions of an environment."""
    graded = episodes.graded()
    if not len(graded):
        return element("p", "All episodes failed.", class_="note")
    figures = [histogram("Reward", graded.column("reward"))]
    if metrics["repeats"] > 1:
        figures += [_solved_per_task(graded), _at_k_curves(metrics["at_k"], metrics["repeats"])]
    figures += [
        histogram(title.capitalize(), graded.column(name))
        for name, title in LENGTHS.items()
        if len(np.unique(graded.column(name))) > 1
    ]
    success = {"solved": int(graded.column("success").sum())}
    success["not solved"] = len(graded) - success["solved"]
    tables = [
        counts_table("Success", success),
        counts_table("Reward components (mean)", metrics["components"], "{:.3f}"),
        counts_table("Stop reasons", metrics["stop_reasons"]),
        counts_table("Why the reward is not full", verdicts),
    ]
    names, columns = lengths_of(dict(metrics))
    return (
        element("div", "".join(figures), class_="figures")
        + element("div", "".join(tables), class_="figures")
        + table("Lengths per episode", names, columns)
    )


def _solved_per_task(graded: EpisodeView) -> str:
    """Return how many tasks were solved in each share of their repeats."""
    tasks, sizes = graded.distinct_tasks()
    wins = np.bincount(graded.tasks, graded.column("success"))[tasks]
    return histogram("Success rate of a task", wins / sizes, "tasks")


def _at_k_curves(at_k: Mapping[str, Any], repeats: int) -> str:
    lines = []
    for sign in "@^":
        points = []
        for k in repeat_counts(repeats):
            value = at_k.get("pass@1" if k == 1 else f"pass{sign}{k}")
            if value:
                low, high = rate_interval(Estimate(value["mean"], value["error"], value["tasks"]))
                points.append(Point(k, value["mean"], low, high))
        lines.append(Curve(f"pass{sign}k", points))
    ticks = [(float(k), str(k)) for k in repeat_counts(repeats)]
    return curves("pass@k and pass^k, by k", lines, ticks=ticks, bounds=(0, 1), legend=True)


def _failures(data: EpisodeData, run: int) -> str:
    """Return the causes of failures, each with its first message and links to its episodes."""
    if not data.failures:
        return ""
    rows = ""
    for (env, boundary, kind), (message, numbers) in sorted(
        data.failures.items(), key=lambda item: -len(item[1][1])
    )[:_SHOWN_FAILURES]:
        links = " ".join(
            element("a", str(place + 1), href=f"#episode-{run}-{place}") for place in numbers[:5]
        )
        cells = [escaped(env), escaped(boundary), escaped(kind), f"{len(numbers):,}", links]
        first = element("pre", escaped(message)) if message else ""
        row = "".join(element("td", cell) for cell in cells)
        rows += element("tr", row)
        rows += element("tr", element("td", first, colspan="5"), class_="detail") if first else ""
    titles = ("environment", "failed at", "error", "episodes", "first of them")
    head = element("thead", element("tr", "".join(element("th", title) for title in titles)))
    note = element(
        "p", "Failed episodes have no reward and count in no other figure.", class_="note"
    )
    whole = element("table", head + element("tbody", rows), class_="failures")
    return element("h3", "Failures") + note + element("div", whole, class_="wide")
