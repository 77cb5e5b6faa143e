"""What several episodes of a task are worth, task by task.

A task's values do not depend on which other tasks are looked at, so they are computed once for a
run, and the figures of a level or a category are means over some of them.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from textgym.metrics.episode_table import NO_ANSWER, Array, Episodes
from textgym.metrics.statistics import majority_successes, pass_at_k, repeat_counts

__all__ = ["TaskValues", "task_values"]


class TaskValues(NamedTuple):
    """What is known of each task of a tally, by the number of the task; NaN where it is not.

    Attributes:
        rewards: See `reward_values`.
        repeats: See `repeat_values`.
    """

    rewards: dict[str, Array]
    repeats: dict[str, Array]


def task_values(episodes: Episodes) -> TaskValues:
    """Return what is known of each task.

    Args:
        episodes: All of a tally.
    """
    graded = episodes.graded()
    return TaskValues(reward_values(graded), repeat_values(graded))


def repeat_values(graded: Episodes) -> dict[str, Array]:
    """Return what k repeats of a task are worth, for k = 1, 2, 4, … and the most that any has.

    - `pass@k`: the chance that one of k episodes succeeds, by the unbiased estimator of `pass_at_k`
      with n the graded episodes of the task; `pass@1` is the mean of their success.
    - `pass@1[avg-of-k]`: the mean success of the first k graded episodes of the task, in the order
      of their repeats, for k of 2 and more. The name is that of NeMo-Skills and NeMo Gym.
    - `majority@k`: the success of a vote over the answers of the same k episodes, see
      `majority_successes`. Episodes without an answer do not vote, ties are shared evenly, and a
      task without votes has none. Only for environments that say what answer they found.

    A task with fewer than k graded episodes has no such value.

    Args:
        graded: All episodes of a run that did not fail.

    Returns:
        The values by name, each an array with a number for each task; NaN where it has none.
    """
    task, success = graded.tasks, graded.column("success")
    counts = np.bincount(task)
    rank = np.arange(len(task)) - np.repeat(np.cumsum(counts) - counts, counts)
    wins = np.bincount(task, success).astype(int)
    answer, says = graded.column("answer"), _says_answers(graded)
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
        voting = first & says
        voters = np.bincount(task[voting], minlength=len(counts)) > 0
        number = np.repeat(np.arange(voters.sum()), k)
        votes = majority_successes(number, answer[voting], success[voting])
        found[f"majority@{k}"] = _fill(voters, votes)
    return found


def reward_values(graded: Episodes) -> dict[str, Array]:
    """Return how the rewards of each task's repeats differ.

    - `variance`: the sample's variance.
    - `equal`: whether all are the same.

    Args:
        graded: All episodes of a run that did not fail.

    Returns:
        The values by name, each an array with a number for each task; NaN where it has one episode.
    """
    task, reward = graded.tasks, graded.column("reward")
    counts = np.bincount(task)
    repeated = counts > 1
    centred = reward - (np.bincount(task, reward) / np.maximum(counts, 1))[task]
    variances = np.bincount(task, centred**2)[repeated] / (counts[repeated] - 1)
    highest, lowest = np.full(len(counts), -np.inf), np.full(len(counts), np.inf)
    np.maximum.at(highest, task, reward)
    np.minimum.at(lowest, task, reward)
    equal = (highest == lowest)[repeated]
    return {"variance": _fill(repeated, variances), "equal": _fill(repeated, equal)}


def _pass_at_k(counts: Array, wins: Array, k: int) -> Array:
    """Return the estimate of each task, computed once for all with the same counts."""
    base = int(counts.max()) + 1
    pairs, which = np.unique(counts * base + wins, return_inverse=True)
    return np.array([pass_at_k(*divmod(int(pair), base), k) for pair in pairs])[which]


def _says_answers(graded: Episodes) -> Array:
    """Tell of each episode whether its environment ever says what answer it found."""
    env = graded.column("env")
    return np.isin(env, env[~np.isnan(graded.column("answer"))])


def _fill(chosen: Array, values: Array) -> Array:
    """Return an array with the values where a task is chosen, and NaN elsewhere."""
    filled = np.full(len(chosen), np.nan)
    filled[chosen] = values
    return filled
