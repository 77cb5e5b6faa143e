"""Metrics for other programs: CSV with plain numbers, and the tables as Markdown."""

from __future__ import annotations

import csv
import sys
from collections.abc import Sequence
from typing import Any

from rich.console import RenderableType
from rich.table import Table

from textgym.display.terminal import show
from textgym.metrics.statistics import Estimate, mean_interval, rate_interval
from textgym.metrics.tables import find, row_keys

__all__ = ["csv_records", "print_csv", "print_markdown"]

_COUNTS = ("episodes", "failures", "tasks", "repeats")
_MEANS = ("no_answer_rate", "truncated_rate", "mean_steps", "mean_completion_tokens")


def csv_records(
    runs: Sequence[tuple[str, dict[str, Any]]], differences: Sequence[dict[str, Any]], by: str
) -> list[dict[str, Any]]:
    """Return a record for each run, environment and group.

    Args:
        runs: The name and the metrics of each run.
        differences: The result of `compare` for the first run and each other run.
        by: `env`, `level` or `category`.
    """
    records = []
    for id, group in row_keys([metrics for _, metrics in runs], by):
        for place, (name, metrics) in enumerate(runs):
            node = find(metrics, by, (id, group))
            if node is None:
                continue
            record = {"run": name, "environment": id or "overall", "group": group, **_figures(node)}
            if place:
                record |= _difference(find(differences[place - 1], by, (id, group)))
            records.append(record)
    return records


def print_csv(records: Sequence[dict[str, Any]]) -> None:
    """Print records as CSV, with empty cells for unknown figures."""
    names = dict.fromkeys(name for record in records for name in record)
    writer = csv.DictWriter(sys.stdout, list(names), lineterminator="\n")
    writer.writeheader()
    writer.writerows(records)


def print_markdown(*parts: RenderableType) -> None:
    """Print tables in Markdown, and everything else as lines."""
    for part in parts:
        if not isinstance(part, Table):
            show(str(part))
            continue
        columns = [list(column.cells) for column in part.columns]
        aligned = ["---:" if column.justify == "right" else "---" for column in part.columns]
        show(_row(column.header if part.show_header else "" for column in part.columns))
        show(_row(aligned))
        for cells in zip(*columns, strict=True):
            show(_row(cells))


def _figures(metrics: dict[str, Any]) -> dict[str, Any]:
    """Return the metrics of a record, with confidence intervals."""
    reward = Estimate(metrics["mean_reward"], metrics["reward_error"], metrics["tasks"])
    success = Estimate(metrics["success_rate"], metrics["success_error"], metrics["tasks"])
    graded = metrics["mean_reward"] is not None
    reward_low, reward_high = (graded and mean_interval(reward)) or (None, None)
    success_low, success_high = rate_interval(success) if graded else (None, None)
    return {
        **{name: metrics[name] for name in _COUNTS},
        "mean_reward": reward.mean,
        "reward_low": reward_low,
        "reward_high": reward_high,
        "mean_task_reward": metrics["mean_task_reward"],
        "success_rate": success.mean,
        "success_low": success_low,
        "success_high": success_high,
        **{name: metrics[name] for name in _MEANS},
        **{name: value["mean"] for name, value in metrics["at_k"].items()},
    }


def _difference(node: dict[str, Any] | None) -> dict[str, Any]:
    """Return the difference in mean reward from the first run, with its confidence interval."""
    if not node or not node["reward"]:
        return {}
    return {
        "difference": node["reward"]["difference"],
        "difference_low": node["reward"]["low"],
        "difference_high": node["reward"]["high"],
        "shared_tasks": node["shared_tasks"],
    }


def _row(cells: Any) -> str:
    escaped = (" ".join(str(cell).split()).replace("|", "\\|") for cell in cells)
    return f"| {' | '.join(escaped)} |"
