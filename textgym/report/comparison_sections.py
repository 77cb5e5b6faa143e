"""The comparison of runs as HTML: paired differences, and where two runs disagree."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

import numpy as np

from textgym.metrics.comparison import SharedTask, compare
from textgym.metrics.run_metrics import StoredRun
from textgym.metrics.tables import (
    Metrics,
    all_splits,
    difference_cells,
    explain,
    find,
    mean_cell,
    rate_cell,
    repeats_columns,
    row_keys,
    row_name,
    run_letters,
    unpaired_note,
)
from textgym.report.charts import counts_table, histogram
from textgym.report.elements import MAX_ROWS, element, escaped, folded, table
from textgym.trajectories.task_identity import changed_data

__all__ = ["comparison", "differs"]

_ROUNDING = 1e-9
_BY = {"env": "Environments", "level": "Levels", "category": "Categories"}


def differs(task: SharedTask) -> bool:
    """Return whether two runs disagree on a task."""
    pairs = (task.rewards, task.successes)
    return any(abs(after - before) > _ROUNDING for before, after in pairs)


def comparison(runs: Sequence[StoredRun], tasks: Sequence[SharedTask]) -> str:
    """Return the comparison of runs with the first one.

    Args:
        runs: The runs.
        tasks: The tasks that the first and the last run share.
    """
    letters = run_letters(len(runs))
    differences = [compare(runs[0].table, run.table) for run in runs[1:]]
    parts = [
        element("p", escaped(line), class_="note")
        for letter, run in zip(letters, runs, strict=True)
        for line in run.headlines(f"{letter}  ")
    ]
    parts.append(element("p", escaped(explain(differences)), class_="note"))
    for letter, run, difference in zip(letters[1:], runs[1:], differences, strict=True):
        notes = [unpaired_note("A", letter, difference)]
        for name in changed_data(runs[0].config.get("data"), run.config.get("data")):
            notes.append(f"warning: A and {letter} were played on different {name}")
        parts += [element("p", escaped(note), class_="warning") for note in notes if note]
    shown: list[list[tuple[str, str]]] = []
    for by, title in _BY.items():
        keys = row_keys([run.metrics for run in runs], by)
        if keys not in shown:
            shown.append(keys)
            content = _differences(runs, differences, by)
            parts.append(folded(title, content, len(keys) * len(runs) <= MAX_ROWS))
    parts += [_repeats(runs), _disagreements(letters, tasks)]
    return "\n".join(parts)


def _differences(runs: Sequence[StoredRun], differences: Sequence[Metrics], by: str) -> str:
    """Return a table with a block for each row, and a line for each run in it."""
    splits, letters = all_splits(runs), run_letters(len(runs))
    names: list[str] = []
    cells: list[list[str]] = []
    for key in row_keys([run.metrics for run in runs], by):
        name = row_name(by, key, splits)
        for place, (letter, run) in enumerate(zip(letters, runs, strict=True)):
            node = find(run.metrics, by, key)
            if node is None:
                continue
            difference = find(differences[place - 1], by, key) if place else None
            reward, interval, count = difference_cells(difference) or ("", "", "")
            success = difference_cells(difference, "success_rate") or ("", "", "")
            names.append(name)
            cells.append(
                [letter, mean_cell(node), reward, interval, rate_cell(node), *success[:2], count]
            )
            name = "  " if key[1] else ""
    titles = (
        "run", "reward", "minus A", "95 % interval", "success", "minus A", "95 % interval",
        "shared tasks",
    )  # fmt: skip
    columns = [(name, [texts[place] for texts in cells]) for place, name in enumerate(titles)]
    return table("", names, columns)


def _repeats(runs: Sequence[StoredRun]) -> str:
    """Return the table of repeats of each environment, a row for each run."""
    rows = [
        (f"{id} {letter}", run.metrics["envs"][id])
        for id in sorted({id for run in runs for id in run.metrics["envs"]})
        for letter, run in zip(run_letters(len(runs)), runs, strict=True)
        if id in run.metrics["envs"]
    ]
    columns = repeats_columns(rows)
    return table("Repeats of a task", [name for name, _ in rows], columns) if columns else ""


def _disagreements(letters: Sequence[str], tasks: Sequence[SharedTask]) -> str:
    """Return how two runs differ by task; the page's script adds the list of tasks."""
    if not tasks:
        return ""
    first, last = letters[0], letters[-1]
    words = {-1: f"{first} better", 0: "equal", 1: f"{last} better"}
    figures = tables = ""
    for name, pairs in (
        ("Reward", [task.rewards for task in tasks]),
        ("Success", [task.successes for task in tasks]),
    ):
        changes = np.array([after - before for before, after in pairs])
        changes[np.abs(changes) <= _ROUNDING] = 0
        figures += histogram(f"{name} of a task, {last} minus {first}", changes, "tasks")
        signs = Counter(words[int(sign)] for sign in np.sign(changes).tolist())
        counts = {word: signs[word] for word in words.values()}
        tables += counts_table(f"{name}: which run is better on a task", counts)
    title = element("h3", escaped(f"Where {first} and {last} disagree"))
    count = sum(map(differs, tasks))
    note = f"They disagree on {count:,} of {len(tasks):,} shared tasks."
    if count:
        note += " Choose a task to see its episodes side by side."
    return (
        title
        + element("p", escaped(note), class_="note")
        + element("div", figures + tables, class_="figures")
        + element("div", "", id="pairs")
    )
