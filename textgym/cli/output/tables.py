"""Tables of the metrics of a run, and of several runs, for the terminal.

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
    "comparison_table",
    "details",
    "explain",
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
    "unpaired_note",
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


def splits_of(config: Mapping[str, Any]) -> dict[str, str]:
    """Return the split that was played of each environment, as far as `run.json` states it."""
    splits = config.get("splits")
    return splits if isinstance(splits, dict) else {}


def metrics_rows(
    metrics: dict[str, Any], by: str, splits: Mapping[str, str]
) -> list[tuple[str, Metrics]]:
    """Return the rows of one run: see `row_keys` and `row_name`."""
    nodes = ((key, find(metrics, by, key)) for key in row_keys([metrics], by))
    return [(row_name(by, key, splits), node) for key, node in nodes if node]


def metrics_tables(rows: Rows) -> list[RenderableType]:
    """Return the main table and, if there are repeats, the table of repeats."""
    repeats = repeats_table(rows)
    return [metrics_table(rows), Text(""), repeats] if repeats else [metrics_table(rows)]


def metrics_table(rows: Rows) -> Table:
    """Return a table with one row per name.

    Args:
        rows: Names with the metrics of `textgym.metrics.run_metrics.group_metrics`.
    """
    is_shaped = any(m["mean_reward"] != m["mean_task_reward"] for _, m in rows)  # by a wrapper
    columns: list[tuple[str, Callable[[Metrics], str]]] = [
        ("episodes", lambda metrics: f"{metrics['episodes']:,}"),
        ("reward", mean_cell),
        ("task\nreward", _task_reward if is_shaped else lambda metrics: "-"),
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
        rows: Names with the metrics of `textgym.metrics.run_metrics.group_metrics`.
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

    def complete(metrics: Metrics) -> int:  # tasks with all their repeats
        return int(metrics["at_k"].get(f"pass@{most}", {"tasks": 0})["tasks"])

    if any(complete(metrics) not in (0, metrics["tasks"]) for _, metrics in rows):
        title = f"tasks\nwith {most}"
        columns.append((title, lambda metrics: f"{complete(metrics):,} of {metrics['tasks']:,}"))
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
    columns: list[tuple[str, Callable[[Metrics], str]]] = [
        (key, lambda length, key=key: _short(length[key]))  # type: ignore[misc]
        for key in ("mean", "median", "p95", "max")
    ]
    shown: list[RenderableType] = [Text(visible(name), "bold"), parts]
    return [*shown, Text(""), _table(lengths, columns)] if lengths else shown


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
        value = metrics["at_k"].get(name)
        return _rate(Estimate(value["mean"], value["error"], value["tasks"])) if value else "-"

    return cell


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
            node = find(metrics[place], by, key)
            if node is None:
                continue
            difference = find(differences[place - 1], by, key) if place else None
            cells = mean_cell(node), rate_cell(node), *_difference_cells(difference)
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


def _difference_cells(node: MetricsTree | None) -> tuple[str, ...]:
    """Return the difference, its interval and the number of shared tasks; nothing for None."""
    if node is None or node["reward"] is None:
        return ()
    reward = node["reward"]
    interval = "-" if reward["low"] is None else f"{reward['low']:+.3f} to {reward['high']:+.3f}"
    return f"{reward['difference']:+.3f}", interval, f"{node['shared_tasks']:,}"
