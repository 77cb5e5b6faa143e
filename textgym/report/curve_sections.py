"""Curves as HTML: a series of runs, and the histories of training runs."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from textgym.metrics.run_metrics import StoredRun
from textgym.metrics.statistics import Estimate, mean_interval, rate_interval
from textgym.metrics.tables import Metrics, run_letters
from textgym.report.charts import MAX_DRAWN, Curve, Point, curves, keys
from textgym.report.elements import element, escaped, folded

__all__ = ["history_curves", "series_curves"]

_FIRST = (
    "reward", "episodes/success", "success", "validation/reward", "validation/episodes/success",
)  # fmt: skip
_SHOWN = 12  # figures of histories that are unfolded


def series_curves(runs: Sequence[StoredRun]) -> str:
    """Return the reward and the success of a series of runs, with their 95 % intervals."""
    ids = sorted({id for run in runs for id in run.metrics["envs"]})
    nodes = {id: [run.metrics["envs"].get(id) for run in runs] for id in ids}
    if len(ids) > 1:
        nodes = {"overall": [run.metrics["overall"] for run in runs], **nodes}
    letters = run_letters(len(runs))
    ticks = [(float(place), letter) for place, letter in enumerate(letters)]
    figures = ""
    for name, row in nodes.items():
        for title, read in (("reward", _reward), ("success", _success)):
            points = [
                Point(place, *values)
                for place, node in enumerate(row)
                if node and (values := read(node))
            ]
            figures += curves(f"{name}: {title}", [Curve(name, points)], ticks=ticks)
    title = element("h3", "The runs as a series, with 95 % intervals")
    names = ", ".join(f"{letter} {run.path}" for letter, run in zip(letters, runs, strict=True))
    note = element("p", escaped(names), class_="note")
    return title + note + element("div", figures, class_="figures")


def _reward(node: Metrics) -> tuple[float, float | None, float | None] | None:
    if node["mean_reward"] is None:
        return None
    estimate = Estimate(node["mean_reward"], node["reward_error"], node["tasks"])
    return estimate.mean, *(mean_interval(estimate) or (None, None))


def _success(node: Metrics) -> tuple[float, float | None, float | None] | None:
    if node["success_rate"] is None:
        return None
    estimate = Estimate(node["success_rate"], node["success_error"], node["tasks"])
    return estimate.mean, *rate_interval(estimate)


def history_curves(histories: Mapping[Path, Sequence[Mapping[str, Any]]]) -> str:
    """Return the figures of histories by step, a line for each history.

    The bounds of a figure, such as `validation/success_low`, are drawn as a band.

    Args:
        histories: The lines of each history, by its file.
    """
    lines = {path: sorted(rows, key=lambda row: row["step"]) for path, rows in histories.items()}
    known = {name for rows in lines.values() for row in rows for name in row} - {"step"}
    names = [*filter(known.__contains__, _FIRST), *sorted(known.difference(_FIRST))]
    names = [name for name in names if not name.endswith(("_low", "_high"))]
    figures = [
        curves(name, [Curve(str(path), _points(rows, name)) for path, rows in lines.items()])
        for name in names
    ]
    figures = [*filter(None, figures)]
    if not figures:
        return ""
    parts = [element("h3", "Histories, by step"), keys([str(path) for path in lines])]
    parts.append(element("div", "".join(figures[:_SHOWN]), class_="figures"))
    if rest := figures[_SHOWN:]:
        content = element("div", "".join(rest), class_="figures")
        parts.append(folded(f"{len(rest)} more figures", content))
    return "".join(parts)


def _points(rows: Sequence[Mapping[str, Any]], name: str) -> list[Point]:
    low, high = (f"{name.replace('episodes/', '')}_{bound}" for bound in ("low", "high"))
    return [
        Point(row["step"], row[name], _number(row.get(low)), _number(row.get(high)))
        for row in rows
        if _number(row.get(name)) is not None and abs(row["step"]) < MAX_DRAWN
    ]


def _number(value: Any) -> float | None:
    """Return a number that can be drawn; None for anything else."""
    return value if isinstance(value, (int, float)) and abs(value) < MAX_DRAWN else None
