"""Values of each task over its repeats: pass@k, averages, majority votes, reward variance.

The values of a task do not depend on other tasks. So they are computed once per run, and the
metrics of a level or a category are means over the values of its tasks.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from textgym.metrics.episode_table import NO_ANSWER, EpisodeView
from textgym.metrics.pass_at_k import majority_successes, pass_at_k, repeat_counts
from textgym.metrics.statistics import Array
from textgym.trajectories.advantages import groups_differ

__all__ = ["TaskValues", "task_values"]


class TaskValues(NamedTuple):
    """Values of each task of a table, indexed by the number of the task; NaN if unknown.

    Attributes:
        rewards: See `reward_values`.
        repeats: See `repeat_values`.
    """

    rewards: dict[str, Array]
    repeats: dict[str, Array]


def task_values(episodes: EpisodeView) -> TaskValues:
    """Return the values of each task.

    Args:
        episodes: All episodes of a table.
    """
    graded = episodes.graded()
    return TaskValues(reward_values(graded), repeat_values(graded))


def repeat_values(graded: EpisodeView) -> dict[str, Array]:
    """Return the values of k repeats of each task, for the k of `repeat_counts`.

    - `pass@k`: the probability that at least one of k episodes succeeds, estimated by `pass_at_k`
      from all graded episodes of the task. `pass@1` is their mean success.
    - `pass@1[avg-of-k]`: the mean success of the first k graded episodes of the task, ordered by
      repeat, for k of 2 and more. The name is that of NeMo-Skills and NeMo Gym.
    - `majority@k`: the success of a majority vote over the answers of the same k episodes, see
      `majority_successes`. Episodes without an answer do not vote, ties are shared evenly, and a
      task without votes has success 0. Only for environments that report an extracted answer.

    A task with fewer than k graded episodes has no values for k.

    Args:
        graded: All episodes of a run that did not fail.

    Returns:
        The values by name, each an array with one number per task; NaN if the task has no value.
    """
    task, success = graded.tasks, graded.column("success")
    counts = np.bincount(task)
    rank = np.arange(len(task)) - np.repeat(np.cumsum(counts) - counts, counts)
    wins = np.bincount(task, success).astype(int)
    answer, reports = graded.column("answer"), _reports_answers(graded)
    answer = np.where(answer == NO_ANSWER, np.nan, answer)
    found = {}
    for k in repeat_counts(int(counts.max(initial=0))):
        enough = counts >= k
        found[f"pass@{k}"] = _fill(enough, _pass_at_k(counts[enough], wins[enough], k))
        if k == 1:
            continue
        first = enough[task] & (rank < k)
        means = success[first].reshape(-1, k).mean(1)
        found[f"pass@1[avg-of-{k}]"] = _fill(enough, means)
        voting = first & reports
        voters = np.bincount(task[voting], minlength=len(counts)) > 0
        number = np.repeat(np.arange(voters.sum()), k)
        votes = majority_successes(number, answer[voting], success[voting])
        found[f"majority@{k}"] = _fill(voters, votes)
    return found


def reward_values(graded: EpisodeView) -> dict[str, Array]:
    """Return how the rewards of the repeats of each task differ.

    - `variance`: the sample variance.
    - `equal`: 1 if all rewards are equal, else 0.

    Args:
        graded: All episodes of a run that did not fail.

    Returns:
        The values by name, each an array with one number per task; NaN for a single episode.
    """
    task, reward = graded.tasks, graded.column("reward")
    counts = np.bincount(task)
    repeated = counts > 1
    centred = reward - (np.bincount(task, reward) / np.maximum(counts, 1))[task]
    variances = np.bincount(task, centred**2)[repeated] / (counts[repeated] - 1)
    equal = ~groups_differ(task, reward)[repeated]
    return {"variance": _fill(repeated, variances), "equal": _fill(repeated, equal)}


def _pass_at_k(counts: Array, wins: Array, k: int) -> Array:
    """Return the estimate of each task, computed once per distinct pair of counts."""
    base = int(counts.max()) + 1
    pairs, which = np.unique(counts * base + wins, return_inverse=True)
    return np.array([pass_at_k(*divmod(int(pair), base), k) for pair in pairs])[which]


def _reports_answers(graded: EpisodeView) -> Array:
    """Return for each episode whether its environment ever reports an extracted answer."""
    env = graded.column("env")
    return np.isin(env, env[~np.isnan(graded.column("answer"))])


def _fill(chosen: Array, values: Array) -> Array:
    """Return an array with the values at the chosen tasks and NaN at the others."""
    filled = np.full(len(chosen), np.nan)
    filled[chosen] = values
    return filled
