"""The differences between two runs: overall, and for each environment, level and category.

Two episodes have the same task if environment, task id and prompt are equal: see
`trajectories/task_identity.py`. If the runs share tasks, differences are paired: they are means
over the shared tasks, and equal the difference of the two means only if all tasks are shared. If
the runs share no task, the two means are compared. Environments, levels and categories that only
one of the runs has are left out.
"""

from __future__ import annotations

from statistics import fmean
from typing import Any, NamedTuple

import numpy as np

from textgym.metrics.episode_table import EpisodeTable, EpisodeView
from textgym.metrics.run_metrics import (
    GROUPS,
    RunLike,
    as_episode_table,
    estimate,
    label_order,
)
from textgym.metrics.statistics import Array, Interval, paired_difference, unpaired_difference

__all__ = ["SharedTask", "compare", "shared_tasks"]

_COLUMNS = {"reward": "reward", "success_rate": "success"}  # metric: column of the table


def compare(before: RunLike, after: RunLike) -> dict[str, Any]:
    """Return the differences between two runs, the second minus the first.

    Args:
        before: The run to compare with: a `Run`, the path of its folder, trajectories, or a table.
        after: The run to compare.

    Raises:
        RunError: A folder contains no run, no episodes, or an episode that cannot be read.

    Returns:
        A dict of the shape of `run_metrics`: `overall`, over the environments of both runs, and
        `envs` by id, with their `levels` and `categories`. Each contains

        - `paired`: whether the runs share tasks; `shared_tasks`: how many; `tasks`: the number of
          tasks of each run; `unpaired_tasks`: how many of them the other run lacks;
        - `reward` and `success_rate`: the `difference`, its standard `error`, and the ends `low`
          and `high` of its 95 % confidence interval, from `paired_difference` or
          `unpaired_difference`. None if one of the runs has no graded episode.

    Example:
        >>> import textgym
        >>> before = textgym.rollout("textgym/MCQA-v0", "random", episodes=50)
        >>> after = textgym.rollout("textgym/MCQA-v0", "oracle", episodes=50)
        >>> overall = textgym.compare(before, after)["overall"]
        >>> overall["shared_tasks"], overall["reward"]["low"] > 0
        (50, True)
    """
    views = as_episode_table(before).view(), as_episode_table(after).view()
    by_env = [episodes.split("env") for episodes in views]
    ids = sorted(by_env[0].keys() & by_env[1].keys())
    overall = _difference(*(_in_environments(episodes, ids) for episodes in views))
    return {
        "overall": overall,
        "envs": {id: _with_groups(*(envs[id] for envs in by_env)) for id in ids},
    }


class SharedTask(NamedTuple):
    """A task that two runs share.

    Attributes:
        env_id: The environment's id.
        episodes: The graded episodes of each run, by their position in the run.
        rewards: The mean reward in each run.
        successes: The mean success in each run.
    """

    env_id: str
    episodes: tuple[list[int], list[int]]
    rewards: tuple[float, float]
    successes: tuple[float, float]


def shared_tasks(before: EpisodeTable, after: EpisodeTable) -> list[SharedTask]:
    """Return the tasks with graded episodes in both runs, in the order of the first run."""
    graded = [table.view().graded() for table in (before, after)]
    rows: list[dict[float, list[int]]] = [{}, {}]
    for places, episodes in zip(rows, graded, strict=True):
        identities = episodes.column("identity").tolist()
        for identity, row in zip(identities, episodes.rows.tolist(), strict=True):
            places.setdefault(identity, []).append(row)
    numbers = {
        name: [table.numbers(name).tolist() for table in (before, after)]
        for name in _COLUMNS.values()
    }

    def means(name: str, old: list[int], new: list[int]) -> tuple[float, float]:
        before_values, after_values = numbers[name]
        return fmean(before_values[row] for row in old), fmean(after_values[row] for row in new)

    envs, tasks = before.texts("env"), []
    for identity, old in rows[0].items():
        if new := rows[1].get(identity):
            values = (means(name, old, new) for name in _COLUMNS.values())
            tasks.append(SharedTask(str(envs[old[0]]), (old, new), *values))
    return tasks


def _in_environments(episodes: EpisodeView, ids: list[str]) -> EpisodeView:
    codes = [code for code, text in enumerate(episodes.texts) if text in ids]
    return episodes.where(np.isin(episodes.column("env"), codes))


def _with_groups(before: EpisodeView, after: EpisodeView) -> dict[str, Any]:
    node = _difference(before, after)
    for group, label in GROUPS.items():
        old, new = before.split(label), after.split(label)
        names = sorted(old.keys() & new.keys(), key=label_order)
        node[group] = {name: _difference(old[name], new[name]) for name in names}
    return node


def _difference(before: EpisodeView, after: EpisodeView) -> dict[str, Any]:
    before, after = before.graded(), after.graded()
    codes: dict[float, int] = {}
    old_tasks, new_tasks = _task_codes(before, codes), _task_codes(after, codes)
    shared = np.intersect1d(old_tasks, new_tasks)
    counts = [len(np.unique(tasks)) for tasks in (old_tasks, new_tasks)]
    node: dict[str, Any] = {
        "paired": bool(len(shared)),
        "shared_tasks": len(shared),
        "tasks": counts,
        "unpaired_tasks": [count - len(shared) for count in counts],
    }
    for name, column in _COLUMNS.items():
        interval: Interval | None
        if len(shared):
            interval = paired_difference(
                _task_means(old_tasks, before.column(column))[shared],
                _task_means(new_tasks, after.column(column))[shared],
            )
        else:
            old, new = estimate(before, column), estimate(after, column)
            interval = unpaired_difference(old, new) if old and new else None
        node[name] = interval._asdict() if interval else None
    return node


def _task_codes(graded: EpisodeView, codes: dict[float, int]) -> Array:
    """Return a code for each episode's task, the same for the same task in both runs.

    Args:
        graded: The episodes.
        codes: The codes by identity, to which new tasks are added.
    """
    identities = graded.column("identity").tolist()
    return np.array([codes.setdefault(identity, len(codes)) for identity in identities], int)


def _task_means(codes: Array, values: Array) -> Array:
    """Return the mean of each task, indexed by its code; NaN for tasks without episodes."""
    sizes = np.bincount(codes)
    means = np.full(len(sizes), np.nan)
    return np.asarray(np.divide(np.bincount(codes, values), sizes, means, where=sizes > 0))
