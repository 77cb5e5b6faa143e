"""The repeats of each task: pass@k, pass^k, averages, majority votes, and the variance of rewards.

The values of a task do not depend on other tasks. They are computed once per run, and the metrics
of a level or a category are means over the values of its tasks.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import NamedTuple

import numpy as np

from textgym.metrics.episode_table import NO_ANSWER, EpisodeView
from textgym.metrics.statistics import Array, Values
from textgym.trajectories.advantages import groups_differ

__all__ = [
    "TaskValues", "majority_successes", "pass_at_k", "pass_hat_k", "repeat_counts", "task_values",
]  # fmt: skip


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
    - `pass^k`, for k of 2 and more: the probability that all of k episodes succeed, estimated by
      `pass_hat_k` from the same episodes.
    - `pass@1[avg-of-k]`: the mean success of the first k graded episodes of the task, ordered by
      repeat, for k of 2 and more. NeMo-Skills and NeMo Gym use the same name.
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
    env, answer = graded.column("env"), graded.column("answer")
    reports = np.isin(env, env[~np.isnan(answer)])  # whether the environment reports answers
    answer = np.where(answer == NO_ANSWER, np.nan, answer)
    values = {}
    for k in repeat_counts(int(counts.max(initial=0))):
        enough = counts >= k
        tried = counts[enough], wins[enough]
        values[f"pass@{k}"] = _fill(enough, _estimates(pass_at_k, *tried, k))
        if k == 1:
            continue
        values[f"pass^{k}"] = _fill(enough, _estimates(pass_hat_k, *tried, k))
        first = enough[task] & (rank < k)
        means = success[first].reshape(-1, k).mean(1)
        values[f"pass@1[avg-of-{k}]"] = _fill(enough, means)
        voting = first & reports
        voters = np.bincount(task[voting], minlength=len(counts)) > 0
        number = np.repeat(np.arange(voters.sum()), k)
        votes = majority_successes(number, answer[voting], success[voting])
        values[f"majority@{k}"] = _fill(voters, votes)
    return values


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


def _estimates(
    estimate: Callable[[int, int, int], float], counts: Array, wins: Array, k: int
) -> Array:
    """Return the estimate of each task, computed once per distinct pair of counts."""
    base = int(counts.max()) + 1
    pairs, which = np.unique(counts * base + wins, return_inverse=True)
    return np.array([estimate(*divmod(int(pair), base), k) for pair in pairs])[which]


def _fill(chosen: Array, values: Array) -> Array:
    """Return an array with the values at the chosen tasks and NaN at the others."""
    filled = np.full(len(chosen), np.nan)
    filled[chosen] = values
    return filled


def repeat_counts(repeats: int) -> list[int]:
    """Return the k for which metrics are reported: the powers of two, and all repeats.

    Args:
        repeats: The largest number of repeats of any task.

    Example:
        >>> repeat_counts(6), repeat_counts(8), repeat_counts(1), repeat_counts(0)
        ([1, 2, 4, 6], [1, 2, 4, 8], [1], [])
    """
    powers = [2**exponent for exponent in range(repeats.bit_length())]
    return sorted({*powers, repeats} - {0})


def pass_at_k(n: int, c: int, k: int) -> float:
    """Estimate the probability that at least one of k episodes of a task succeeds.

    If c of n episodes succeeded, the estimate is the share of all sets of k episodes that contain a
    success: `1 - C(n-c, k) / C(n, k)`. It is unbiased (Chen et al. 2021, arXiv:2107.03374).

    Args:
        n: The number of graded episodes.
        c: How many of them succeeded.
        k: How many episodes are drawn, at most n.

    Raises:
        ValueError: The counts contradict each other.

    Example:
        >>> pass_at_k(4, 1, 1), pass_at_k(4, 1, 2), pass_at_k(4, 1, 4)
        (0.25, 0.5, 1.0)
    """
    if not 0 <= c <= n or not 1 <= k <= n:
        raise ValueError(f"pass@k needs 0 <= c <= n and 1 <= k <= n, not {n=} {c=} {k=}")
    return 1.0 - math.comb(n - c, k) / math.comb(n, k)


def pass_hat_k(n: int, c: int, k: int) -> float:
    """Estimate the probability that all of k episodes of a task succeed.

    If c of n episodes succeeded, the estimate is the share of all sets of k episodes that contain
    only successes: `C(c, k) / C(n, k)` (pass^k of tau-bench, Yao et al. 2024, arXiv:2406.12045).

    Args:
        n: The number of graded episodes.
        c: How many of them succeeded.
        k: How many episodes are drawn, at most n.

    Raises:
        ValueError: The counts contradict each other.

    Example:
        >>> pass_hat_k(4, 2, 1), round(pass_hat_k(4, 2, 2), 3), pass_hat_k(4, 4, 4)
        (0.5, 0.167, 1.0)
    """
    if not 0 <= c <= n or not 1 <= k <= n:
        raise ValueError(f"pass^k needs 0 <= c <= n and 1 <= k <= n, not {n=} {c=} {k=}")
    return math.comb(c, k) / math.comb(n, k)


def majority_successes(tasks: Values, answers: Values, successes: Values) -> Array:
    """Return the success of a majority vote over the answers of each task.

    Every episode with an answer has one vote, and the answer with the most votes wins. A tie is
    broken at random, so the result is the expected success: the mean over the tied answers. The
    success of an answer is the mean success of the episodes that gave it; these differ only if a
    verifier looks at more than the answer. A task without votes has success 0.

    Args:
        tasks: The task of each episode, a number from 0.
        answers: A number for each distinct answer; NaN for no answer, and so no vote.
        successes: Whether each episode succeeded, 0 or 1.

    Returns:
        The success of each task, in the order of their numbers.

    Example:
        Task 0 votes 7, 7, 9; task 1 is tied between a right and a wrong answer; task 2 has no
        votes.

        >>> majority_successes([0, 0, 0, 1, 1, 1, 2], [7, 7, 9, 5, 6, np.nan, np.nan],
        ...                    [1, 1, 0, 1, 0, 0, 0])
        array([1. , 0.5, 0. ])
    """
    task, answer = np.asarray(tasks, int), np.asarray(answers, float)
    count = int(task.max()) + 1 if len(task) else 0
    voted = np.flatnonzero(~np.isnan(answer))
    voted = voted[np.lexsort((answer[voted], task[voted]))]
    if not len(voted):
        return np.zeros(count)
    task, answer, success = task[voted], answer[voted], np.asarray(successes, float)[voted]
    changes = (np.diff(task) != 0) | (np.diff(answer) != 0)
    starts = np.concatenate(([0], np.flatnonzero(changes) + 1))  # of each answer of each task
    votes = np.diff(np.append(starts, len(voted)))
    value = np.add.reduceat(success, starts) / votes
    owner = task[starts]
    most = np.zeros(count, int)
    np.maximum.at(most, owner, votes)
    wins = votes == most[owner]
    winners = np.bincount(owner[wins], minlength=count)
    return np.bincount(owner[wins], value[wins], count) / np.maximum(winners, 1)
