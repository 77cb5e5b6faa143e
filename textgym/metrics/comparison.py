"""The differences between two runs: overall, and for each environment, level and category.

Two episodes have the same task if environment, task id and prompt are equal: see
`trajectories/task_identity.py`. If the runs share tasks, differences are paired: they are taken
task by task over the shared tasks, so they equal the difference of the two means only if all tasks
are shared. If the runs share no task, the two means are compared. Environments, levels and
categories of only one of the runs are left out.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from textgym.metrics.episode_table import EpisodeTable, EpisodeView
from textgym.metrics.group_metrics import estimate
from textgym.metrics.run_metrics import GROUPS, label_order
from textgym.metrics.statistics import (
    Array,
    Interval,
    paired_difference,
    unpaired_difference,
)

__all__ = ["compare"]

_COLUMNS = {"reward": "reward", "success_rate": "success"}  # metric: column of the table


def compare(before: EpisodeTable, after: EpisodeTable) -> dict[str, Any]:
    """Return the differences between two runs, the second minus the first.

    Args:
        before: The run to compare with.
        after: The run to compare.

    Returns:
        A dict of the shape of `run_metrics`: `overall`, over the environments of both runs, and
        `envs` by id, with their `levels` and `categories`. Each contains

        - `paired`: whether the runs share tasks; `shared_tasks`: how many; `tasks`: the number of
          tasks of each run; `unpaired_tasks`: the number of those that the other run lacks;
        - `reward` and `success_rate`: the `difference`, its standard `error`, and the ends `low`
          and `high` of its 95 % confidence interval, from `paired_difference` or
          `unpaired_difference`. None if one of the runs has no graded episode.
    """
    one, two = before.view(), after.view()
    ours, theirs = one.split("env"), two.split("env")
    ids = sorted(ours.keys() & theirs.keys())
    common = [_of_environments(episodes, ids) for episodes in (one, two)]
    envs = {id: _with_groups(ours[id], theirs[id]) for id in ids}
    return {"overall": _difference(*common), "envs": envs}


def _of_environments(episodes: EpisodeView, ids: list[str]) -> EpisodeView:
    codes = [code for code, text in enumerate(episodes.texts) if text in ids]
    return episodes.where(np.isin(episodes.column("env"), codes))


def _with_groups(before: EpisodeView, after: EpisodeView) -> dict[str, Any]:
    found = _difference(before, after)
    for group, label in GROUPS.items():
        ours, theirs = before.split(label), after.split(label)
        names = sorted(ours.keys() & theirs.keys(), key=label_order)
        found[group] = {name: _difference(ours[name], theirs[name]) for name in names}
    return found


def _difference(before: EpisodeView, after: EpisodeView) -> dict[str, Any]:
    before, after = before.graded(), after.graded()
    codes: dict[float, int] = {}
    ours, theirs = _task_codes(before, codes), _task_codes(after, codes)
    shared = np.intersect1d(ours, theirs)
    counts = [len(np.unique(mine)) for mine in (ours, theirs)]
    found: dict[str, Any] = {
        "paired": bool(len(shared)),
        "shared_tasks": len(shared),
        "tasks": counts,
        "unpaired_tasks": [count - len(shared) for count in counts],
    }
    for name, column in _COLUMNS.items():
        interval: Interval | None
        if len(shared):
            interval = paired_difference(
                _task_means(ours, before.column(column))[shared],
                _task_means(theirs, after.column(column))[shared],
            )
        else:
            one, two = estimate(before, column), estimate(after, column)
            interval = unpaired_difference(one, two) if one and two else None
        found[name] = interval._asdict() if interval else None
    return found


def _task_codes(graded: EpisodeView, codes: dict[float, int]) -> Array:
    """Return a code for each episode's task, the same for the same task in both runs.

    Args:
        graded: The episodes.
        codes: The codes by identity; those of new tasks are added.
    """
    identities = graded.column("identity").tolist()
    return np.array([codes.setdefault(one, len(codes)) for one in identities], int)


def _task_means(codes: Array, values: Array) -> Array:
    """Return the mean of each task, indexed by its code; NaN for tasks without episodes."""
    sizes = np.bincount(codes)
    means = np.full(len(sizes), np.nan)
    return np.asarray(np.divide(np.bincount(codes, values), sizes, means, where=sizes > 0))
