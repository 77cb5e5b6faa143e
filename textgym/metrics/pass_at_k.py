"""Estimators for k repeats of a task: pass@k and majority@k.

These functions know numbers only; `repeats.py` applies them to the episodes of a run.
"""

from __future__ import annotations

import math

import numpy as np

from textgym.metrics.statistics import Array, Values

__all__ = ["majority_successes", "pass_at_k", "repeat_counts"]


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

    The estimate is the share of all sets of k episodes, out of n of which c succeeded, that
    contain a success: `1 - C(n-c, k) / C(n, k)`. It is unbiased (Chen et al. 2021,
    arXiv:2107.03374).

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
