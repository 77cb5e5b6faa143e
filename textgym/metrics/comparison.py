"""How one run's rewards differ from another's: for each environment, level and category, overall.

Two episodes are of the same task where environment, task index and task id are the same. Where two
runs share tasks, the difference is taken task by task over those that they share, and is not the
difference of the two runs' means unless they share all; where they share none, it is that.
Environments, levels and categories that only one of the runs has are left out.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from textgym.metrics.episode_table import Array, Episodes
from textgym.metrics.figures import estimate
from textgym.metrics.run_metrics import GROUPS, RunTally, by_label
from textgym.metrics.statistics import Interval, paired_difference, unpaired_difference

__all__ = ["compare"]

_COLUMNS = {"reward": "reward", "success_rate": "success"}  # the figures' names, the columns'


def compare(before: RunTally, after: RunTally) -> dict[str, Any]:
    """Return the differences between two runs, the second less the first.

    The shape is that of `RunTally.metrics`: `overall` (of the environments that both have), and
    `envs` by id with their `levels` and `categories`. Each holds

    - `paired`: whether the two share tasks; `shared_tasks`: how many; `tasks`: of how many each;
    - `reward` and `success_rate`: `difference`, its standard `error`, and `low` and `high`, the
      ends of its 95 % interval, by `paired_difference` or `unpaired_difference`. None where one
      of the two has no graded episode.

    Args:
        before: The run that is compared with.
        after: The run that is compared.
    """
    one, two = before.table(), after.table()
    ours, theirs = one.split("env"), two.split("env")
    ids = sorted(ours.keys() & theirs.keys())
    common = [_among(episodes, ids) for episodes in (one, two)]
    envs = {id: _with_groups(ours[id], theirs[id]) for id in ids}
    return {"overall": _difference(*common), "envs": envs}


def _among(episodes: Episodes, ids: list[str]) -> Episodes:
    numbers = [number for number, text in enumerate(episodes.texts) if text in ids]
    return episodes.where(np.isin(episodes.column("env"), numbers))


def _with_groups(before: Episodes, after: Episodes) -> dict[str, Any]:
    found = _difference(before, after)
    for group, label in GROUPS.items():
        ours, theirs = before.split(label), after.split(label)
        names = sorted(ours.keys() & theirs.keys(), key=by_label)
        found[group] = {name: _difference(ours[name], theirs[name]) for name in names}
    return found


def _difference(before: Episodes, after: Episodes) -> dict[str, Any]:
    before, after = before.graded(), after.graded()
    ours, theirs = _places(before), _places(after)
    shared = [(ours[key], theirs[key]) for key in ours.keys() & theirs.keys()]
    found: dict[str, Any] = {
        "paired": bool(shared),
        "shared_tasks": len(shared),
        "tasks": [len(ours), len(theirs)],
    }
    for name, column in _COLUMNS.items():
        interval: Interval | None
        if shared:
            left, right = (np.array(places) for places in zip(*sorted(shared), strict=True))
            interval = paired_difference(
                _task_means(before, column)[left], _task_means(after, column)[right]
            )
        else:
            one, two = estimate(before, column), estimate(after, column)
            interval = unpaired_difference(one, two) if one and two else None
        found[name] = interval._asdict() if interval else None
    return found


def _places(graded: Episodes) -> dict[tuple[str | None, float, float], int]:
    """Return the number of each task by its environment, index and (the hash of its) id."""
    numbers, sizes = graded.distinct_tasks()
    firsts = np.cumsum(sizes) - sizes
    columns = [graded.column(name)[firsts].tolist() for name in ("env", "index", "task_id")]
    keys = ((graded.texts[int(env)], index, id) for env, index, id in zip(*columns, strict=True))
    return dict(zip(keys, numbers.tolist(), strict=True))


def _task_means(graded: Episodes, column: str) -> Array:
    """Return the mean of each task by its number; NaN where it has no episode here."""
    sizes = np.bincount(graded.tasks)
    means = np.full(len(sizes), np.nan)
    sums = np.bincount(graded.tasks, graded.column(column))
    return np.asarray(np.divide(sums, sizes, means, where=sizes > 0))
