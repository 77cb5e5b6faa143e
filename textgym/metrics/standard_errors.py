"""Means, variances and standard errors, of independent values and of values in clusters.

These functions know numbers only: no trajectory, no environment. A statistic that needs more
values than it is given is None. Sums of squares are no dot products, for which BLAS keeps
the other cores busy.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np

__all__ = ["Array", "Estimate", "Values", "clustered_error", "mean", "standard_error", "variance"]

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
    found = variance(values)
    return None if found is None else math.sqrt(found / len(values))


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
