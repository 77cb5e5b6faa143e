"""Tables of a run's figures, for people.

What always holds: numbers are never wrapped (in a narrow terminal names are), a column that has
nothing to say is left out, and nothing that stands in a data set reaches the terminal raw.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Callable, Sequence
from typing import Any

from rich.console import Console, RenderableType
from rich.table import Table
from rich.text import Text

from textgym.display.terminal import show, visible
from textgym.metrics.run_metrics import GROUPS, label_order

__all__ = [
    "as_text",
    "details",
    "figure_rows",
    "figure_tables",
    "find",
    "metrics_table",
    "number",
    "print_all",
    "repeats_table",
    "row_keys",
    "row_name",
]

Figures = dict[str, Any]
Rows = Sequence[tuple[str, Figures]]
Key = tuple[str, str]  # an environment and one of its groups; "" for all of them

_GROUPS = {label: group for group, label in GROUPS.items()}
_PIPED_WIDTH = 200  # characters in a line of what no terminal shows
_MAX_PASS_COLUMNS = 3  # columns of pass@k for k greater than 1
_LENGTHS = {
    "steps": "steps",
    "completion_tokens": "tokens written",
    "completion_chars": "characters written",
    "conversation_chars": "characters in all",
    "seconds": "seconds",
}


def print_all(*parts: RenderableType) -> None:
    """Print tables and lines; as wide as they need to be where no terminal shows them."""
    piped = not sys.stdout.isatty() and "COLUMNS" not in os.environ
    console = Console(width=_PIPED_WIDTH if piped else None, highlight=False, markup=False)
    with console.capture() as captured:
        for part in parts:
            console.print(part)
    lines = (line.rstrip() for line in captured.get().rstrip("\n").split("\n"))
    show("\n".join(lines))


def row_keys(metrics: Sequence[dict[str, Any]], by: str) -> list[Key]:
    """Return the rows of a table of runs: each environment, its groups under it, and overall.

    Groups are shown where there are two or more, and `overall` where there are several
    environments.

    Args:
        metrics: Those of each run.
        by: `env`, `level` or `category`.
    """
    keys: list[Key] = []
    ids = sorted({id for mine in metrics for id in mine["envs"]})
    for id in ids:
        keys.append((id, ""))
        nodes = [mine["envs"][id] for mine in metrics if id in mine["envs"]]
        names = {name for node in nodes for name in node[_GROUPS[by]]} if by != "env" else set()
        if len(names) > 1:
            keys += [(id, name) for name in sorted(names, key=label_order)]
    return [*keys, ("", "")] if len(ids) > 1 else keys


def find(tree: dict[str, Any], by: str, key: Key) -> dict[str, Any] | None:
    """Return what a tree of figures, or of differences, holds for a row; None for nothing."""
    id, group = key
    node: dict[str, Any] | None = tree["envs"].get(id) if id else tree["overall"]
    return node[_GROUPS[by]].get(group) if node and group else node


def row_name(by: str, key: Key) -> str:
    """Return what a row is called.

    Example:
        >>> row_name("level", ("demo/A-v0", "3")), row_name("level", ("demo/A-v0", "hard"))
        ('  level 3', '  hard')
        >>> row_name("env", ("demo/A-v0", "")), row_name("env", ("", ""))
        ('demo/A-v0', 'overall')
    """
    id, group = key
    if not group:
        return id or "overall"
    return f"  level {group}" if by == "level" and group.isdigit() else f"  {group}"


def figure_rows(metrics: dict[str, Any], by: str) -> list[tuple[str, Figures]]:
    """Return the rows of one run: see `row_keys`."""
    found = ((key, find(metrics, by, key)) for key in row_keys([metrics], by))
    return [(row_name(by, key), figures) for key, figures in found if figures]


def figure_tables(rows: Rows) -> list[RenderableType]:
    """Return the tables of all figures that a row has place for, a line between them."""
    repeats = repeats_table(rows)
    return [metrics_table(rows), Text(""), repeats] if repeats else [metrics_table(rows)]


def metrics_table(rows: Rows) -> Table:
    """Return a table with one row for each name and its figures.

    Args:
        rows: A name, and the figures of `textgym.metrics.group_metrics.group_metrics`.
    """
    columns: list[tuple[str, Callable[[Figures], str]]] = [
        ("episodes", lambda figures: f"{figures['episodes']:,}"),
        ("reward", lambda figures: number(figures["mean_reward"], "{:.3f}")),
        ("±", lambda figures: number(figures["reward_error"], "{:.3f}")),
        ("success", lambda figures: number(figures["success_rate"], "{:.1%}")),
        ("no\nanswer", lambda figures: number(figures["no_answer_rate"], "{:.1%}")),
        ("steps", lambda figures: number(figures["mean_steps"], "{:.2f}")),
        ("tokens", lambda figures: _short(figures["mean_completion_tokens"] or None)),
        ("failed", lambda figures: f"{figures['failures']:,}"),
    ]
    return _table(rows, columns)


def repeats_table(rows: Rows) -> Table | None:
    """Return a table of what several episodes of a task are worth; None where there are none.

    Each figure has its standard error. Where episodes failed, the last column says how many tasks
    have all their repeats.

    Args:
        rows: A name, and the figures of `textgym.metrics.group_metrics.group_metrics`.
    """
    most = max((figures["repeats"] for _, figures in rows), default=0)
    if most < 2:
        return None
    known = {name for _, figures in rows for name in figures["at_k"]}
    passes = sorted(int(name[5:]) for name in known if name[5:].isdigit())
    names = [
        f"pass@1[avg-of-{most}]",
        *(f"pass@{k}" for k in passes[1:][-_MAX_PASS_COLUMNS:]),
        f"majority@{most}",
    ]
    columns = [(name.replace("[", "\n["), _at_k(name)) for name in names]
    full = f"pass@{most}"
    if any(f["tasks"] != f["at_k"].get(full, {"tasks": f["tasks"]})["tasks"] for _, f in rows):
        columns.append((f"tasks\nwith {most}", lambda f: _tasks(f, full)))
    return _table(rows, columns)


def details(name: str, figures: Figures) -> list[RenderableType]:
    """Return what a table has no place for: rewards, components, how episodes end, lengths.

    Args:
        name: The environment's.
        figures: Its figures.
    """
    parts = Table(box=None, pad_edge=False, show_header=False, padding=(0, 2, 0, 0))
    parts.add_column(min_width=len("components"))
    for title, text in (
        ("rewards", _rewards(figures)),
        ("components", ", ".join(f"{k} {v:.3f}" for k, v in figures["components"].items())),
        ("ended by", _counted(figures["stop_reasons"])),
        ("failed in", _counted(figures["failures_by_boundary"])),
    ):
        if text:
            parts.add_row(title, as_text(text))
    lengths = [
        (title, figures["lengths"][key])
        for key, title in _LENGTHS.items()
        if figures["lengths"][key] is not None
    ]
    columns = [(key, _length(key)) for key in ("mean", "median", "p95", "max")]
    shown: list[RenderableType] = [Text(visible(name), "bold"), parts]
    return [*shown, Text(""), _table(lengths, columns)] if lengths else shown


def _table(rows: Rows, columns: Sequence[tuple[str, Callable[[Figures], str]]]) -> Table:
    """Return a table with the name of each row and its columns, without those that say nothing."""
    table = Table(box=None, pad_edge=False, padding=(0, 2, 0, 0), header_style="bold")
    table.add_column("", overflow="fold", min_width=10)
    shown = []
    for title, cell in columns:
        cells = [cell(figures) for _, figures in rows]
        if any(text not in ("-", "") for text in cells):
            table.add_column(title, justify="right", no_wrap=True, vertical="bottom")
            shown.append(cells)
    for place, (name, _) in enumerate(rows):
        table.add_row(as_text(name), *(cells[place] for cells in shown))
    return table


def as_text(text: str) -> Text:
    """Return a text of someone else's, to be shown as it is."""
    return Text(visible(text))


def _at_k(name: str) -> Callable[[Figures], str]:
    def cell(figures: Figures) -> str:
        found = figures["at_k"].get(name)
        if not found:
            return "-"
        error = "" if found["error"] is None else f" ±{100 * found['error']:.1f}"
        return f"{found['mean']:.1%}{error}"

    return cell


def _tasks(figures: Figures, name: str) -> str:
    found = figures["at_k"].get(name, {"tasks": 0})
    return f"{found['tasks']:,} of {figures['tasks']:,}"


def _length(key: str) -> Callable[[Figures], str]:
    return lambda lengths: _short(lengths[key])


def _rewards(figures: Figures) -> str:
    if figures["reward_variance"] is None:
        return ""
    text = f"variance {figures['reward_variance']:.3f}"
    if figures["reward_variance_within"] is None:
        return text
    return (
        f"{text}, {figures['reward_variance_within']:.3f} within a task; "
        f"{figures['equal_reward_rate']:.1%} of tasks have equal rewards"
    )


def _counted(counts: dict[str, int]) -> str:
    return ", ".join(f"{name or 'nothing'} {count:,}" for name, count in counts.items())


def number(value: float | None, form: str) -> str:
    """Return a number in a form, and a dash for none."""
    return "-" if value is None else form.format(value)


def _short(value: float | None) -> str:
    """Return a number with three digits, and all digits of its whole part; a dash for none.

    Example:
        >>> _short(12345.6), _short(12.345), _short(3.0), _short(0.0012345), _short(None)
        ('12,346', '12.3', '3', '0.00123', '-')
    """
    if value is None:
        return "-"
    return f"{value:,.0f}" if value >= 100 or value == int(value) else f"{value:.3g}"
