"""Statistics of numbers: means, standard errors, confidence intervals and percentiles.

Values are independent or in clusters. These functions know nothing of trajectories and
environments. A statistic of too few values is None.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from functools import cache
from typing import Any, NamedTuple

import numpy as np

__all__ = [
    "Array", "Estimate", "Interval", "Values", "clustered_error", "mean", "mean_interval",
    "paired_difference", "rate_interval", "standard_error", "student_quantile", "summarize",
    "unpaired_difference", "variance",
]  # fmt: skip


Array = np.ndarray[Any, np.dtype[Any]]
Values = Sequence[float] | Array


class Estimate(NamedTuple):
    """A mean, its standard error, and the number of clusters that the error is based on."""

    mean: float
    error: float | None
    clusters: int


def mean(values: Values) -> float | None:
    """Return the mean; None for no values.

    Example:
        >>> mean([1, 2, 6]), mean([])
        (3.0, None)
    """
    return float(np.asarray(values, float).sum()) / len(values) if len(values) else None


def variance(values: Values) -> float | None:
    """Return the sample variance, with n - 1 degrees of freedom; None for fewer than two values.

    Example:
        >>> variance([0, 1, 2]), variance([1])
        (1.0, None)
    """
    if len(values) < 2:
        return None
    centred = np.asarray(values, float) - mean(values)
    return float(np.square(centred).sum()) / (len(values) - 1)


def standard_error(values: Values) -> float | None:
    """Return the standard error of a mean of independent values; None for fewer than two.

    Example:
        >>> standard_error([0, 0, 1, 1, 0.5]), standard_error([1])
        (0.22360679774997896, None)
    """
    spread = variance(values)
    return None if spread is None else math.sqrt(spread / len(values))


def clustered_error(values: Values, clusters: Sequence[int] | Array) -> float | None:
    """Return the standard error of a mean of values that fall into clusters.

    Repeated episodes of one task are not independent, so tasks are the clusters. With the mean m,
    n values and G clusters, the error is `sqrt(G/(G-1) * sum_g (sum_{i in g} (x_i - m))^2) / n`:
    the cluster-robust error with the usual small-sample factor (Liang and Zeger 1986; used for
    evaluations by Miller 2024, arXiv:2411.00640). With one value per cluster it equals
    `standard_error`.

    Args:
        values: The values.
        clusters: The cluster of each value, a number from 0.

    Returns:
        The error; None for fewer than two clusters.

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
    return math.sqrt(count / (count - 1) * float(np.square(sums).sum())) / len(values)


_CONFIDENCE = 0.95
_NORMAL_QUANTILE = 1.959963984540054  # of this confidence


class Interval(NamedTuple):
    """A difference of two means, its standard error, and its 95 % confidence interval."""

    difference: float
    error: float | None
    low: float | None
    high: float | None


@cache
def student_quantile(confidence: float, freedom: float) -> float:
    """Return the two-sided quantile of Student's t: the t with P(-t < T < t) = confidence.

    With x = sqrt(v) tan(a) the density of v degrees of freedom becomes a multiple of cos(a)^(v-1),
    which is integrated by Gauss-Legendre quadrature and inverted by bisection. At least eight
    digits are correct.

    Args:
        confidence: Between 0 and 1.
        freedom: The degrees of freedom, at least 1, not necessarily a whole number.

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


def mean_interval(estimate: Estimate) -> tuple[float, float] | None:
    """Return the 95 % confidence interval of a mean; None if it has no error.

    The interval is `mean ± t * error`, with Student's t of one degree of freedom less than there
    are clusters.

    Example:
        >>> low, high = mean_interval(Estimate(0.5, 0.1, 11))
        >>> round(low, 3), round(high, 3)
        (0.277, 0.723)
    """
    if estimate.error is None:
        return None
    half = student_quantile(_CONFIDENCE, estimate.clusters - 1) * estimate.error
    return estimate.mean - half, estimate.mean + half


def rate_interval(estimate: Estimate) -> tuple[float, float]:
    """Return the 95 % confidence interval of a rate, by Wilson's method (1927).

    Unlike `mean_interval` it stays between 0 and 1, and a rate of 0 or 1 is not taken as certain.
    The method needs a number of independent values. It follows from the error e of the rate p as
    `1 + p(1-p) / e²`: for independent successes and failures this is their number, and less if the
    values of a cluster are alike. Without an error above 0, it is the number of clusters.

    Args:
        estimate: A mean of values from 0 to 1.

    Example:
        >>> low, high = rate_interval(Estimate(0.0, 0.0, 20))
        >>> low, round(high, 3)
        (0.0, 0.161)
        >>> low, high = rate_interval(Estimate(0.5, 0.05, 101))
        >>> round(low, 3), round(high, 3)
        (0.404, 0.596)
    """
    rate, error = estimate.mean, estimate.error
    size = 1 + rate * (1 - rate) / error / error if error else estimate.clusters
    spread = _NORMAL_QUANTILE**2 / size
    middle = (rate + spread / 2) / (1 + spread)
    half = math.sqrt(spread * (rate * (1 - rate) + spread / 4)) / (1 + spread)
    return max(0.0, middle - half), min(1.0, middle + half)


def paired_difference(before: Values, after: Values) -> Interval:
    """Return the mean difference over the tasks that two runs share.

    With the differences d_t = after_t - before_t of n tasks, the interval is
    `mean(d) ± t * sd(d) / sqrt(n)`. The difficulty of a task cancels out of its difference, so the
    interval is narrower than one from two separate errors (the paired analysis of Miller 2024,
    arXiv:2411.00640, with t = 1.96). Here t is Student's with n - 1 degrees of freedom, which gives
    a wider interval for few tasks and the same one for many.

    Args:
        before: The mean of each task in the first run.
        after: The mean of the same tasks, in the same order, in the second run.

    Example:
        >>> paired = paired_difference([0, 0.5, 1, 0], [1, 0.5, 1, 0.5])
        >>> paired.difference, round(paired.error, 4), round(paired.low, 3), round(paired.high, 3)
        (0.375, 0.2394, -0.387, 1.137)
    """
    differences = np.asarray(after, float) - np.asarray(before, float)
    error = standard_error(differences)
    return _interval(float(differences.mean()), error, len(differences) - 1)


def unpaired_difference(before: Estimate, after: Estimate) -> Interval:
    """Return the difference of the means of two runs that share no task.

    The error is `sqrt(a² + b²)` for the errors a and b of the means. Student's t has the degrees of
    freedom of Welch and Satterthwaite; each mean counts as many values as it has clusters.

    Args:
        before: The mean of the first run.
        after: The mean of the second run.

    Example:
        >>> unpaired = unpaired_difference(Estimate(0.5, 0.03, 50), Estimate(0.6, 0.04, 50))
        >>> round(unpaired.difference, 4), round(unpaired.error, 4), round(unpaired.high, 3)
        (0.1, 0.05, 0.199)
    """
    difference = after.mean - before.mean
    if before.error is None or after.error is None:
        return _interval(difference, None, 0)
    old, new = before.error**2, after.error**2
    spare = old**2 / (before.clusters - 1) + new**2 / (after.clusters - 1)
    # If both errors are 0, the interval is a point for any degrees of freedom.
    freedom = (old + new) ** 2 / spare if spare else 1.0
    return _interval(difference, math.sqrt(old + new), freedom)


def _interval(difference: float, error: float | None, freedom: float) -> Interval:
    if error is None:
        return Interval(difference, None, None, None)
    half = student_quantile(_CONFIDENCE, freedom) * error
    return Interval(difference, error, difference - half, difference + half)


def summarize(values: Values) -> dict[str, float] | None:
    """Return the mean, median, 95th percentile and maximum; None for no values.

    Percentiles interpolate linearly between the two nearest values (type 7 of Hyndman and Fan
    1996, the default of R and NumPy).

    Args:
        values: The values, in any order.

    Example:
        >>> summarize([*range(20), 230])
        {'mean': 20.0, 'median': 10.0, 'p95': 19.0, 'max': 230.0}
    """
    if not len(values):
        return None
    numbers = np.asarray(values, float)
    median, p95, highest = np.quantile(numbers, [0.5, 0.95, 1.0])
    values_by_name = {"mean": numbers.mean(), "median": median, "p95": p95, "max": highest}
    return {name: float(value) for name, value in values_by_name.items()}
