"""Summaries of a distribution, such as the lengths of episodes: mean, median, p95 and maximum."""

from __future__ import annotations

import numpy as np

from textgym.metrics.standard_errors import Values

__all__ = ["summarize"]


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
    return {
        "mean": float(numbers.mean()),
        "median": float(median),
        "p95": float(p95),
        "max": float(highest),
    }
