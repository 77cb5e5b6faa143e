"""Tables of the metrics of runs as texts: the rows, the columns, and the cells.

The command and the report show the same tables, one with rich, the other in HTML.

Invariants: columns without any value are left out; `±` is the distance from a figure to the farther
end of its 95 % confidence interval; names are as they are stored, and the caller escapes them.
"""

from __future__ import annotations

import string
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from textgym.metrics.run_metrics import GROUPS, StoredRun, label_order, splits_of
from textgym.metrics.statistics import Estimate, mean_interval, rate_interval

__all__ = [
    "ERRORS_NOTE", "LENGTHS", "Columns", "Key", "Metrics", "Rows", "all_splits", "difference_cells",
    "explain", "find", "lengths_of", "mean_cell", "metrics_columns", "metrics_rows", "number",
    "rate_cell", "repeats_columns", "row_keys", "row_name", "run_letters", "short", "unpaired_note",
]  # fmt: skip

Metrics = dict[str, Any]  # of a run or a group, or the differences between two runs
Rows = Sequence[tuple[str, Metrics]]  # names with their metrics
Key = tuple[str, str]  # an environment and one of its groups; "" for all
Columns = list[tuple[str, list[str]]]  # titles with a text for each row

_GROUPS = {label: group for group, label in GROUPS.items()}
_MAX_PASS_COLUMNS = 2  # for k greater than 1
LENGTHS = {
    "steps": "steps",
    "completion_tokens": "completion tokens",
    "completion_chars": "completion characters",
    "conversation_chars": "conversation characters",
    "seconds": "seconds",
}
"""The names of lengths in words."""

ERRORS_NOTE = "± is the distance to the farther end of the 95 % confidence interval."
"""What stands below a table with `±`."""


def row_keys(metrics: Sequence[dict[str, Any]], by: str) -> list[Key]:
    """Return the rows of a table: each environment, followed by its groups, and overall.

    Groups are included if there are at least two; `overall`, if there are several environments.

    Args:
        metrics: The metrics of each run.
        by: `env`, `level` or `category`.
    """
    keys: list[Key] = []
    ids = sorted({id for tree in metrics for id in tree["envs"]})
    for id in ids:
        keys.append((id, ""))
        nodes = [tree["envs"][id] for tree in metrics if id in tree["envs"]]
        names = {name for node in nodes for name in node[_GROUPS[by]]} if by != "env" else set()
        if len(names) > 1:
            keys += [(id, name) for name in sorted(names, key=label_order)]
    return [*keys, ("", "")] if len(ids) > 1 else keys


def find(tree: dict[str, Any], by: str, key: Key) -> dict[str, Any] | None:
    """Return the metrics or differences of a row; None if the tree lacks it."""
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


def all_splits(runs: Sequence[StoredRun]) -> dict[str, str]:
    """Return the splits that any of the runs played of each environment."""
    splits: dict[str, dict[str, None]] = {}
    for run in runs:
        for id, split in splits_of(run.config).items():
            splits.setdefault(id, {})[split] = None
    return {id: ", ".join(names) for id, names in splits.items()}


def metrics_rows(metrics: Metrics, by: str, splits: Mapping[str, str]) -> list[tuple[str, Metrics]]:
    """Return the rows of one run: see `row_keys` and `row_name`."""
    nodes = ((key, find(metrics, by, key)) for key in row_keys([metrics], by))
    return [(row_name(by, key, splits), node) for key, node in nodes if node]


def metrics_columns(rows: Rows) -> Columns:
    """Return the columns of the main table.

    Args:
        rows: Names with the metrics of `textgym.metrics.run_metrics.group_metrics`.
    """
    is_shaped = any(m["mean_reward"] != m["mean_task_reward"] for _, m in rows)  # by a wrapper
    return _columns(
        rows,
        [
            ("episodes", lambda metrics: f"{metrics['episodes']:,}"),
            ("reward", mean_cell),
            ("task\nreward", _task_reward if is_shaped else lambda metrics: "-"),
            ("success", rate_cell),
            ("no\nanswer", lambda metrics: number(metrics["no_answer_rate"], "{:.1%}")),
            ("steps", lambda metrics: number(metrics["mean_steps"], "{:.2f}")),
            ("tokens", lambda metrics: short(metrics["mean_completion_tokens"] or None)),
            ("failed", lambda metrics: f"{metrics['failures']:,}"),
        ],
    )


def repeats_columns(rows: Rows) -> Columns:
    """Return the columns of pass@k, pass^k and similar metrics; none if no task has repeats.

    Each metric is shown with its confidence interval. If episodes failed, the last column says how
    many tasks have all their repeats.

    Args:
        rows: Names with the metrics of `textgym.metrics.run_metrics.group_metrics`.
    """
    most = max((metrics["repeats"] for _, metrics in rows), default=0)
    if most < 2:
        return []
    known = {name for _, metrics in rows for name in metrics["at_k"]}
    counts = sorted(int(name[5:]) for name in known if name.startswith("pass^"))
    names = [
        f"pass@1[avg-of-{most}]",
        *(f"pass@{k}" for k in counts[-_MAX_PASS_COLUMNS:]),
        f"pass^{most}",
        f"majority@{most}",
    ]
    columns = [(name.replace("[", "\n["), _at_k(name)) for name in names]

    def complete(metrics: Metrics) -> int:  # tasks with all their repeats
        return int(metrics["at_k"].get(f"pass@{most}", {"tasks": 0})["tasks"])

    if any(complete(metrics) not in (0, metrics["tasks"]) for _, metrics in rows):
        title = f"tasks\nwith {most}"
        columns.append((title, lambda metrics: f"{complete(metrics):,} of {metrics['tasks']:,}"))
    return _columns(rows, columns)


def lengths_of(metrics: Metrics) -> tuple[list[str], Columns]:
    """Return the names of the lengths that are known, and the columns of their table."""
    known = {title: metrics["lengths"][key] for key, title in LENGTHS.items()}
    rows = [(title, length) for title, length in known.items() if length is not None]
    columns: list[tuple[str, Callable[[Metrics], str]]] = [
        (key, lambda length, key=key: short(length[key]))  # type: ignore[misc]
        for key in ("mean", "median", "p95", "max")
    ]
    return [title for title, _ in rows], _columns(rows, columns)


def _columns(rows: Rows, columns: Sequence[tuple[str, Callable[[Metrics], str]]]) -> Columns:
    """Return the columns that have a value."""
    texts = [(title, [cell(metrics) for _, metrics in rows]) for title, cell in columns]
    return [(title, cells) for title, cells in texts if any(c not in ("-", "") for c in cells)]


def _task_reward(metrics: Metrics) -> str:
    return _mean(metrics["mean_task_reward"], metrics["task_reward_error"], metrics["tasks"])


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
    interval = mean_interval(Estimate(mean, error, tasks))
    return f"{mean:.3f}" + (f" ±{interval[1] - mean:.3f}" if interval else "")


def rate_cell(metrics: Metrics) -> str:
    """Return the success rate with its confidence interval.

    Example:
        >>> rate_cell({"success_rate": 0.0, "success_error": 0.0, "tasks": 20})
        '0.0% ±16.1'
    """
    if metrics["success_rate"] is None:
        return "-"
    return _rate(Estimate(metrics["success_rate"], metrics["success_error"], metrics["tasks"]))


def _rate(rate: Estimate) -> str:
    low, high = rate_interval(rate)
    return f"{rate.mean:.1%} ±{100 * max(rate.mean - low, high - rate.mean):.1f}"


def _at_k(name: str) -> Callable[[Metrics], str]:
    def cell(metrics: Metrics) -> str:
        value = metrics["at_k"].get(name)
        return _rate(Estimate(value["mean"], value["error"], value["tasks"])) if value else "-"

    return cell


def number(value: float | None, form: str) -> str:
    """Return a formatted number; a dash for None."""
    return "-" if value is None else form.format(value)


def short(value: float | None) -> str:
    """Return a number with three significant digits, or all digits of its whole part.

    Example:
        >>> short(12345.6), short(12.345), short(3.0), short(0.0012345), short(None)
        ('12,346', '12.3', '3', '0.00123', '-')
    """
    if value is None:
        return "-"
    return f"{value:,.0f}" if value >= 100 or value == int(value) else f"{value:.3g}"


def explain(differences: Sequence[Metrics]) -> str:
    """Return an explanation of the columns of these differences."""
    nodes = [node for tree in differences for node in (tree["overall"], *tree["envs"].values())]
    text = "Differences are in mean reward, each run minus A."
    if any(node["paired"] for node in nodes):
        text += " They are paired by task, over the tasks that both runs share."
    if any(not node["paired"] and node["reward"] for node in nodes):
        text += " Runs that share no task are compared by their means."
    return text


def unpaired_note(letter: str, other: str, differences: Metrics) -> str:
    """Return a line with the number of tasks that are not paired; "" if all are paired.

    Args:
        letter: The name of the first run.
        other: The name of the second run.
        differences: The result of `compare`.
    """
    first, second = differences["overall"]["unpaired_tasks"]
    if not first + second:
        return ""
    return (
        f"not paired: {first:,} tasks of {letter} and {second:,} of {other}; no graded task of the "
        "other run has their id and prompt"
    )


def difference_cells(node: Metrics | None, name: str = "reward") -> tuple[str, str, str] | None:
    """Return the difference of a row, its 95 % interval and the number of shared tasks.

    Args:
        node: The differences of the row.
        name: `reward` or `success_rate`.
    """
    if node is None or node[name] is None:
        return None
    values, form = node[name], "{:+.3f}" if name == "reward" else "{:+.1%}"
    interval = "-"
    if values["low"] is not None:
        interval = f"{form} to {form}".format(values["low"], values["high"])
    return form.format(values["difference"]), interval, f"{node['shared_tasks']:,}"


def run_letters(count: int) -> list[str]:
    """Return short names of runs: letters, and numbers after Z.

    Example:
        >>> run_letters(3), run_letters(28)[-2:]
        (['A', 'B', 'C'], ['#27', '#28'])
    """
    names = string.ascii_uppercase
    return [*names[:count], *(f"#{place + 1}" for place in range(len(names), count))]
