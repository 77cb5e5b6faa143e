"""The table that compares runs, each with its difference from the first run."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from rich.table import Table

from textgym.cli.output.tables import find, mean_cell, rate_cell, row_keys, row_name
from textgym.cli.output.terminal import as_text

__all__ = ["comparison_table", "explain", "unpaired_note"]

MetricsTree = dict[str, Any]  # the metrics of a run, or the differences between two runs


def comparison_table(
    letters: Sequence[str],
    metrics: Sequence[MetricsTree],
    differences: Sequence[MetricsTree],
    by: str,
    splits: Mapping[str, str],
) -> Table:
    """Return a table with one block per environment and group, and one row per run in each.

    Args:
        letters: The names of the runs.
        metrics: The metrics of the runs.
        differences: The result of `compare` for the first run and each other run.
        by: `env`, `level` or `category`.
        splits: The splits that were played of each environment, as far as they are known.
    """
    table = Table(box=None, pad_edge=False, padding=(0, 2, 0, 0), header_style="bold")
    table.add_column("", overflow="fold", min_width=10)
    table.add_column("", vertical="bottom")
    titles = ("reward", "success", f"minus {letters[0]}", "95 % interval", "shared\ntasks")
    for title in titles:
        table.add_column(title, justify="right", no_wrap=True, vertical="bottom")
    for key in row_keys(metrics, by):
        name = row_name(by, key, splits)
        for place, letter in enumerate(letters):
            mine = find(metrics[place], by, key)
            if mine is None:
                continue
            difference = find(differences[place - 1], by, key) if place else None
            cells = mean_cell(mine), rate_cell(mine), *_difference_cells(difference)
            table.add_row(as_text(name), letter, *cells)
            name = ""
    return table


def explain(differences: Sequence[MetricsTree]) -> str:
    """Return an explanation of the columns of these differences."""
    nodes = [node for tree in differences for node in (tree["overall"], *tree["envs"].values())]
    text = "Differences are in mean reward, each run minus A."
    if any(node["paired"] for node in nodes):
        text += " They are paired by task, over the tasks that both runs share."
    if any(not node["paired"] and node["reward"] for node in nodes):
        text += " Runs that share no task are compared by their means."
    return text


def unpaired_note(letter: str, other: str, differences: MetricsTree) -> str:
    """Return a line that says how many tasks of two runs are not paired; "" if all are.

    Args:
        letter: The name of the first run.
        other: The name of the second run.
        differences: The result of `compare`.
    """
    ours, theirs = differences["overall"]["unpaired_tasks"]
    if not ours + theirs:
        return ""
    return (
        f"not paired: {ours:,} tasks of {letter} and {theirs:,} of {other}, whose id and prompt no "
        "graded task of the other run has"
    )


def _difference_cells(node: MetricsTree | None) -> tuple[str, ...]:
    """Return the difference, its interval and the number of shared tasks; nothing for None."""
    if node is None or node["reward"] is None:
        return ()
    found = node["reward"]
    interval = "-" if found["low"] is None else f"{found['low']:+.3f} to {found['high']:+.3f}"
    return f"{found['difference']:+.3f}", interval, f"{node['shared_tasks']:,}"
