"""Tables of metrics for the terminal.

Invariants: numbers are never wrapped (in a narrow terminal, names are); columns without any value
are left out; text from data sets is escaped before it is printed; `±` is the distance from a figure
to the farther end of its 95 % confidence interval.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from rich.console import RenderableType
from rich.table import Table
from rich.text import Text

from textgym.cli.output.terminal import as_text
from textgym.display.terminal import visible
from textgym.metrics.run_metrics import GROUPS, label_order
from textgym.metrics.statistics import Estimate, mean_interval, rate_interval

__all__ = [
    "details",
    "find",
    "mean_cell",
    "metrics_rows",
    "metrics_table",
    "metrics_tables",
    "number",
    "rate_cell",
    "repeats_table",
    "row_keys",
    "row_name",
    "splits_of",
]

Metrics = dict[str, Any]
Rows = Sequence[tuple[str, Metrics]]
Key = tuple[str, str]  # an environment and one of its groups; "" for all

_GROUPS = {label: group for group, label in GROUPS.items()}
_MAX_PASS_COLUMNS = 3  # for k greater than 1
_LENGTHS = {
    "steps": "steps",
    "completion_tokens": "completion tokens",
    "completion_chars": "completion characters",
    "conversation_chars": "conversation characters",
    "seconds": "seconds",
}


def row_keys(metrics: Sequence[dict[str, Any]], by: str) -> list[Key]:
    """Return the rows of a table: each environment, followed by its groups, and overall.

    Groups are included if there are at least two, and `overall` if there is more than one
    environment.

    Args:
        metrics: The metrics of each run.
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
    """Return the metrics or differences of a row; None if there are none."""
    id, group = key
    node: dict[str, Any] | None = tree["envs"].get(id) if id else tree["overall"]
    return node[_GROUPS[by]].get(group) if node and group else node


def row_name(by: str, key: Key, splits: Mapping[str, str]) -> str:
    """Return the name of a row.

    Args:
        by: `env`, `level` or `category`.
        key: The row.
        splits: The split that was played of each environment, as far as it is known.

    Example:
        >>> row_name("level", ("demo/A-v0", "3"), {}), row_name("level", ("demo/A-v0", "hard"), {})
        ('  level 3', '  hard')
        >>> row_name("env", ("demo/A-v0", ""), {"demo/A-v0": "test"}), row_name("env", ("", ""), {})
        ('demo/A-v0 (test)', 'overall')
    """
    id, group = key
    if not group:
        return f"{id} ({splits[id]})" if id in splits else id or "overall"
    return f"  level {group}" if by == "level" and group.isdigit() else f"  {group}"


def splits_of(config: Mapping[str, Any]) -> dict[str, str]:
    """Return the split that was played of each environment, as far as `run.json` has it."""
    splits = config.get("splits")
    return splits if isinstance(splits, dict) else {}


def metrics_rows(
    metrics: dict[str, Any], by: str, splits: Mapping[str, str]
) -> list[tuple[str, Metrics]]:
    """Return the rows of one run: see `row_keys` and `row_name`."""
    found = ((key, find(metrics, by, key)) for key in row_keys([metrics], by))
    return [(row_name(by, key, splits), mine) for key, mine in found if mine]


def metrics_tables(rows: Rows) -> list[RenderableType]:
    """Return the main table and, if there are repeats, the table of repeats."""
    repeats = repeats_table(rows)
    return [metrics_table(rows), Text(""), repeats] if repeats else [metrics_table(rows)]


def metrics_table(rows: Rows) -> Table:
    """Return a table with one row per name.

    Args:
        rows: Names with the metrics of `textgym.metrics.group_metrics.group_metrics`.
    """
    columns: list[tuple[str, Callable[[Metrics], str]]] = [
        ("episodes", lambda metrics: f"{metrics['episodes']:,}"),
        ("reward", mean_cell),
        ("task\nreward", task_reward_cell if _is_shaped(rows) else lambda metrics: "-"),
        ("success", rate_cell),
        ("no\nanswer", lambda metrics: number(metrics["no_answer_rate"], "{:.1%}")),
        ("steps", lambda metrics: number(metrics["mean_steps"], "{:.2f}")),
        ("tokens", lambda metrics: _short(metrics["mean_completion_tokens"] or None)),
        ("failed", lambda metrics: f"{metrics['failures']:,}"),
    ]
    return _table(rows, columns)


def repeats_table(rows: Rows) -> Table | None:
    """Return a table of pass@k and similar metrics; None if no task has repeats.

    Each metric is shown with its confidence interval. If episodes failed, the last column says how
    many tasks have all their repeats.

    Args:
        rows: Names with the metrics of `textgym.metrics.group_metrics.group_metrics`.
    """
    most = max((metrics["repeats"] for _, metrics in rows), default=0)
    if most < 2:
        return None
    known = {name for _, metrics in rows for name in metrics["at_k"]}
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


def details(name: str, metrics: Metrics) -> list[RenderableType]:
    """Return the metrics of an environment that the tables leave out, such as lengths.

    Args:
        name: The id of the environment.
        metrics: Its metrics.
    """
    parts = Table(box=None, pad_edge=False, show_header=False, padding=(0, 2, 0, 0))
    parts.add_column(min_width=len("stop reasons"))
    for title, text in (
        ("rewards", _rewards(metrics)),
        ("components", ", ".join(f"{k} {v:.3f}" for k, v in metrics["components"].items())),
        ("stop reasons", _counted(metrics["stop_reasons"])),
        ("failures", _counted(metrics["failures_by_boundary"])),
    ):
        if text:
            parts.add_row(title, as_text(text))
    lengths = [
        (title, metrics["lengths"][key])
        for key, title in _LENGTHS.items()
        if metrics["lengths"][key] is not None
    ]
    columns = [(key, _length(key)) for key in ("mean", "median", "p95", "max")]
    shown: list[RenderableType] = [Text(visible(name), "bold"), parts]
    return [*shown, Text(""), _table(lengths, columns)] if lengths else shown


def _is_shaped(rows: Rows) -> bool:
    """Return whether a wrapper changed the reward of any row."""
    return any(metrics["mean_reward"] != metrics["mean_task_reward"] for _, metrics in rows)


def task_reward_cell(metrics: Metrics) -> str:
    """Return the mean of the environment's own reward with its confidence interval."""
    names = ("mean_task_reward", "task_reward_error", "tasks")
    return _mean(*(metrics[name] for name in names))


def mean_cell(metrics: Metrics) -> str:
    """Return the mean reward with its confidence interval.

    Example:
        >>> mean_cell({"mean_reward": 0.25, "reward_error": 0.03, "tasks": 50})
        '0.250 ±0.060'
    """
    return _mean(metrics["mean_reward"], metrics["reward_error"], metrics["tasks"])


def _mean(mean: float | None, error: float | None, tasks: int) -> str:
    if mean is None:
        return "-"
    found = Estimate(mean, error, tasks)
    interval = mean_interval(found)
    return f"{found.mean:.3f}" + (f" ±{interval[1] - found.mean:.3f}" if interval else "")


def rate_cell(metrics: Metrics) -> str:
    """Return the success rate with its confidence interval.

    Example:
        >>> rate_cell({"success_rate": 0.0, "success_error": 0.0, "tasks": 20})
        '0.0% ±16.1'
    """
    if metrics["success_rate"] is None:
        return "-"
    return _rate(Estimate(metrics["success_rate"], metrics["success_error"], metrics["tasks"]))


def _rate(found: Estimate) -> str:
    low, high = rate_interval(found)
    return f"{found.mean:.1%} ±{100 * max(found.mean - low, high - found.mean):.1f}"


def _table(rows: Rows, columns: Sequence[tuple[str, Callable[[Metrics], str]]]) -> Table:
    """Return a table with the name of each row and the columns that have a value."""
    table = Table(box=None, pad_edge=False, padding=(0, 2, 0, 0), header_style="bold")
    table.add_column("", overflow="fold", min_width=8)
    shown = []
    for title, cell in columns:
        cells = [cell(metrics) for _, metrics in rows]
        if any(text not in ("-", "") for text in cells):
            table.add_column(title, justify="right", no_wrap=True, vertical="bottom")
            shown.append(cells)
    for place, (name, _) in enumerate(rows):
        table.add_row(as_text(name), *(cells[place] for cells in shown))
    return table


def _at_k(name: str) -> Callable[[Metrics], str]:
    def cell(metrics: Metrics) -> str:
        found = metrics["at_k"].get(name)
        return _rate(Estimate(found["mean"], found["error"], found["tasks"])) if found else "-"

    return cell


def _tasks(metrics: Metrics, name: str) -> str:
    found = metrics["at_k"].get(name, {"tasks": 0})
    return f"{found['tasks']:,} of {metrics['tasks']:,}"


def _length(key: str) -> Callable[[Metrics], str]:
    return lambda lengths: _short(lengths[key])


def _rewards(metrics: Metrics) -> str:
    if metrics["reward_variance"] is None:
        return ""
    text = f"variance {metrics['reward_variance']:.3f}"
    if metrics["reward_variance_within"] is None:
        return text
    return (
        f"{text}, {metrics['reward_variance_within']:.3f} within a task; "
        f"{metrics['equal_reward_rate']:.1%} of tasks have equal rewards"
    )


def _counted(counts: dict[str, int]) -> str:
    return ", ".join(f"{name or 'nothing'} {count:,}" for name, count in counts.items())


def number(value: float | None, form: str) -> str:
    """Return a formatted number; a dash for None."""
    return "-" if value is None else form.format(value)


def _short(value: float | None) -> str:
    """Return a number with three significant digits, or all digits of its whole part.

    Example:
        >>> _short(12345.6), _short(12.345), _short(3.0), _short(0.0012345), _short(None)
        ('12,346', '12.3', '3', '0.00123', '-')
    """
    if value is None:
        return "-"
    return f"{value:,.0f}" if value >= 100 or value == int(value) else f"{value:.3g}"
