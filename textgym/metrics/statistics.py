"""The formulas behind a run's figures: errors, estimators of repeats, differences, spreads.

Every function here knows numbers only: no trajectory, no environment. A mean of nothing, and an
error or an interval that too few values have, is None. Sources are named where they are used.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from functools import cache
from typing import Any, NamedTuple

import numpy as np

__all__ = [
    "Estimate",
    "Interval",
    "clustered_error",
    "majority_successes",
    "mean",
    "paired_difference",
    "pass_at_k",
    "repeat_counts",
    "spread",
    "standard_error",
    "student_quantile",
    "unpaired_difference",
    "variance",
]

Array = np.ndarray[Any, np.dtype[Any]]
Values = Sequence[float] | Array
_CONFIDENCE = 0.95


class Estimate(NamedTuple):
    """A mean, its standard error, and how many clusters the error rests on."""

    mean: float
    error: float | None
    clusters: int


class Interval(NamedTuple):
    """A difference of two means, its standard error, and its 95 % confidence interval."""

    difference: float
    error: float | None
    low: float | None
    high: float | None


def mean(values: Values) -> float | None:
    """Return the mean; None of no values.

    Example:
        >>> mean([1, 2, 6]), mean([])
        (3.0, None)
    """
    return float(np.asarray(values, float).sum()) / len(values) if len(values) else None


def variance(values: Values) -> float | None:
    """Return the sample's variance, with n - 1 below; None of fewer than two values.

    Example:
        >>> variance([0, 1, 2]), variance([1])
        (1.0, None)
    """
    if len(values) < 2:
        return None
    centred = np.asarray(values, float) - mean(values)
    return float(centred @ centred) / (len(values) - 1)


def standard_error(values: Values) -> float | None:
    """Return the standard error of a mean of independent values; None of fewer than two.

    Example:
        >>> standard_error([0, 0, 1, 1, 0.5]), standard_error([1])
        (0.22360679774997896, None)
    """
    found = variance(values)
    return None if found is None else math.sqrt(found / len(values))


def spread(values: Values) -> dict[str, float] | None:
    """Return mean, median, 95th percentile and maximum; None of no values.

    A percentile lies between two values in proportion (type 7 of Hyndman and Fan 1996, the default
    of R and NumPy).

    Example:
        >>> spread([*range(20), 230])
        {'mean': 20.0, 'median': 10.0, 'p95': 19.0, 'max': 230.0}
    """
    if not len(values):
        return None
    ordered = np.sort(np.asarray(values, float))

    def percentile(share: float) -> float:
        below, rest = divmod(share * (len(ordered) - 1), 1)
        place = int(below)
        next_one = ordered[min(place + 1, len(ordered) - 1)]
        return float(ordered[place] + rest * (next_one - ordered[place]))

    return {
        "mean": float(ordered.mean()),
        "median": percentile(0.5),
        "p95": percentile(0.95),
        "max": float(ordered[-1]),
    }


def clustered_error(values: Values, clusters: Sequence[int] | Array) -> float | None:
    """Return the standard error of a mean whose values fall into clusters.

    Repeated episodes of one task are not independent, so tasks are the clusters. With the mean m,
    n values and G clusters, it is `sqrt(G/(G-1) * sum_g (sum_{i in g} (x_i - m))^2) / n`, the
    cluster-robust error with the usual small-sample factor (Liang and Zeger 1986; used for
    evaluations by Miller 2024, arXiv:2411.00640). With one value a cluster it is
    `standard_error`.

    Args:
        values: The values.
        clusters: The number of the cluster of each, 0 or more.

    Returns:
        The error; None with fewer than two clusters.

    Example:
        >>> round(clustered_error([1, 0, 1, 1], [0, 1, 2, 3]), 4)
        0.25
        >>> clustered_error([1, 1, 0, 0], [5, 5, 8, 8])
        0.5
    """
    sizes = np.bincount(clusters)
    count = np.count_nonzero(sizes)
    if count < 2:
        return None
    sums = np.bincount(clusters, np.asarray(values, float) - mean(values))
    return math.sqrt(count / (count - 1) * float(sums @ sums)) / len(values)


def repeat_counts(most: int) -> list[int]:
    """Return for which k the figures of k repeats are given: powers of two, and the most.

    Example:
        >>> repeat_counts(6), repeat_counts(8), repeat_counts(1), repeat_counts(0)
        ([1, 2, 4, 6], [1, 2, 4, 8], [1], [])
    """
    powers = [2**exponent for exponent in range(most.bit_length())]
    return sorted({*powers, most} - {0})


def pass_at_k(n: int, c: int, k: int) -> float:
    """Estimate the chance that at least one of k episodes of a task succeeds.

    Of n episodes c succeeded; the estimate is the share of the sets of k among them that hold a
    success, `1 - C(n-c, k) / C(n, k)`, which is unbiased (Chen et al. 2021, arXiv:2107.03374).

    Args:
        n: How many episodes were graded.
        c: How many of them succeeded.
        k: How many are drawn, n at most.

    Example:
        >>> pass_at_k(4, 1, 1), pass_at_k(4, 1, 2), pass_at_k(4, 1, 4)
        (0.25, 0.5, 1.0)
    """
    if not 0 <= c <= n or not 1 <= k <= n:
        raise ValueError(f"pass@k needs 0 <= c <= n and 1 <= k <= n, not {n=} {c=} {k=}")
    return 1.0 - math.comb(n - c, k) / math.comb(n, k)


def majority_successes(tasks: Values, answers: Values, successes: Values) -> Array:
    """Return how a vote over the answers of each task fares.

    Every episode with an answer has one vote. The answer with the most votes wins; where several
    have the most, one of them is drawn, each with the same chance, and what is expected of the draw
    is returned. An answer's success is the mean success of the episodes that gave it, which differ
    only where a verifier looks at more than the answer. A task without votes has success 0.

    Args:
        tasks: The task of each episode, numbered from 0.
        answers: A number for each answer; NaN for no answer, and so no vote.
        successes: Whether each episode succeeded, 0 or 1.

    Returns:
        The success of each task, in the order of their numbers.

    Example:
        Task 0 votes 7, 7, 9; task 1 is tied between a right and a wrong answer; task 2 is silent.

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


@cache
def student_quantile(confidence: float, freedom: float) -> float:
    """Return the t between whose -t and t Student's variable lies with a confidence.

    With x = sqrt(v) tan(a) the density of v degrees of freedom becomes a multiple of cos(a)^(v-1),
    which is integrated by Gauss and Legendre's rule and inverted by bisection; eight digits and
    more are right.

    Args:
        confidence: Between 0 and 1.
        freedom: The degrees of freedom, 1 or more, which need not be whole.

    Example:
        >>> round(student_quantile(0.95, 1), 3), round(student_quantile(0.95, 10), 3)
        (12.706, 2.228)
    """
    nodes, weights = np.polynomial.legendre.leggauss(64)
    factor = math.exp(math.lgamma((freedom + 1) / 2) - math.lgamma(freedom / 2)) / math.sqrt(
        math.pi
    )

    def inside(t: float) -> float:
        half = math.atan(t / math.sqrt(freedom)) / 2
        return 2 * factor * half * float(weights @ np.cos(half * (nodes + 1)) ** (freedom - 1))

    low, high = 0.0, 1.0
    while inside(high) < confidence:
        low, high = high, 2 * high
    for _ in range(60):
        middle = (low + high) / 2
        low, high = (middle, high) if inside(middle) < confidence else (low, middle)
    return high


def paired_difference(before: Values, after: Values) -> Interval:
    """Return the mean difference over tasks that two runs share.

    With the differences d_t = after_t - before_t of n tasks it is `mean(d) ± t * sd(d) / sqrt(n)`.
    What makes a task hard for both falls out of the differences, so the interval is narrower than
    that of two separate errors (the paired analysis of Miller 2024, arXiv:2411.00640, which takes
    1.96 for t). Here t is Student's for n - 1 degrees of freedom, which is wider for few tasks and
    the same for many.

    Args:
        before: The mean of each task in one run.
        after: The mean of the same tasks, in the same order, in the other.

    Example:
        >>> found = paired_difference([0, 0.5, 1, 0], [1, 0.5, 1, 0.5])
        >>> found.difference, round(found.error, 4), round(found.low, 3), round(found.high, 3)
        (0.375, 0.2394, -0.387, 1.137)
    """
    differences = np.asarray(after, float) - np.asarray(before, float)
    error = standard_error(differences)
    return _interval(float(differences.mean()), error, len(differences) - 1)


def unpaired_difference(before: Estimate, after: Estimate) -> Interval:
    """Return the difference of two means that share no task.

    Its error is `sqrt(a² + b²)` of the two errors, and the degrees of freedom of Student's t are
    those of Welch and Satterthwaite, each mean counting as many values as it has clusters.

    Args:
        before: The mean of one run.
        after: The mean of the other.

    Example:
        >>> found = unpaired_difference(Estimate(0.5, 0.03, 50), Estimate(0.6, 0.04, 50))
        >>> round(found.difference, 4), round(found.error, 4), round(found.high, 3)
        (0.1, 0.05, 0.199)
    """
    difference = after.mean - before.mean
    if before.error is None or after.error is None:
        return _interval(difference, None, 0)
    one, two = before.error**2, after.error**2
    spare = one**2 / (before.clusters - 1) + two**2 / (after.clusters - 1)
    # Two errors of 0 say nothing of freedom, and need none: the interval is a point.
    freedom = (one + two) ** 2 / spare if spare else 1.0
    return _interval(difference, math.sqrt(one + two), freedom)


def _interval(difference: float, error: float | None, freedom: float) -> Interval:
    if error is None:
        return Interval(difference, None, None, None)
    half = student_quantile(_CONFIDENCE, freedom) * error
    return Interval(difference, error, difference - half, difference + half)
