"""The table that sets runs side by side, each with its difference to the first."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from rich.table import Table

from textgym.cli.output.tables import as_text, find, number, row_keys, row_name

__all__ = ["comparison_table", "explain"]

Tree = dict[str, Any]  # of figures, or of differences


def comparison_table(
    letters: Sequence[str], metrics: Sequence[Tree], differences: Sequence[Tree], by: str
) -> Table:
    """Return a table with a block for each environment and group, and in it a row for each run.

    Args:
        letters: What the runs are called.
        metrics: Their figures.
        differences: What `compare` says of the first and each of the others.
        by: `env`, `level` or `category`.
    """
    table = Table(box=None, pad_edge=False, padding=(0, 2, 0, 0), header_style="bold")
    table.add_column("", overflow="fold", min_width=10)
    table.add_column("", vertical="bottom")
    titles = ("reward", "±", "success", f"less {letters[0]}", "95 % interval", "shared\ntasks")
    for title in titles:
        table.add_column(title, justify="right", no_wrap=True, vertical="bottom")
    for key in row_keys(metrics, by):
        name = row_name(by, key)
        for place, letter in enumerate(letters):
            figures = find(metrics[place], by, key)
            if figures is None:
                continue
            difference = find(differences[place - 1], by, key) if place else None
            table.add_row(as_text(name), letter, *_figures(figures), *_difference(difference))
            name = ""
    return table


def explain(differences: Sequence[Tree]) -> str:
    """Return what the columns of differences mean, as far as it holds for these."""
    nodes = [node for tree in differences for node in (tree["overall"], *tree["envs"].values())]
    text = "Differences are of the mean reward, each run's less that of A"
    if any(node["paired"] for node in nodes):
        text += ", task by task over the tasks that both have"
    if any(not node["paired"] and node["reward"] for node in nodes):
        text += "; where no task is shared, of the two means"
    return f"{text}."


def _figures(figures: Tree) -> tuple[str, ...]:
    return (
        number(figures["mean_reward"], "{:.3f}"),
        number(figures["reward_error"], "{:.3f}"),
        number(figures["success_rate"], "{:.1%}"),
    )


def _difference(node: Tree | None) -> tuple[str, ...]:
    """Return the difference, its interval, and how many tasks it rests on; a dash for nothing."""
    if node is None or node["reward"] is None:
        return ()
    found = node["reward"]
    interval = "-" if found["low"] is None else f"{found['low']:+.3f} to {found['high']:+.3f}"
    return f"{found['difference']:+.3f}", interval, f"{node['shared_tasks']:,}"
