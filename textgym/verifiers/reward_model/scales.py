"""Scales: how the score of a reward model, which has no bounds, becomes a reward from 0 to 1.

Invariant: a scale never falls, so a better score is never worth less.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from statistics import NormalDist

from textgym.errors import UsageError

__all__ = ["make_scale"]

_FORMS = "'sigmoid', 'clip:LOW,HIGH' or 'standard:MEAN,DEVIATION'"


def make_scale(scale: str) -> Callable[[float], float]:
    """Return the function from a finite score to a reward from 0 to 1.

    Args:
        scale: One of

            - `sigmoid`: the logistic function, for models that were trained with the Bradley-Terry
              loss. The reward is the probability that the reply is preferred to one with score 0.
            - `clip:LOW,HIGH`: 0 up to LOW, 1 from HIGH, and linear between them.
            - `standard:MEAN,DEVIATION`: the share of a normal distribution below the score. Measure
              the mean and the standard deviation on replies of the policy before training.

    Raises:
        UsageError: The scale has none of these forms.

    Example:
        >>> make_scale("sigmoid")(0.0), make_scale("clip:-4,4")(2.0), make_scale("standard:1,2")(1)
        (0.5, 0.75, 0.5)
    """
    name, _, rest = scale.partition(":") if isinstance(scale, str) else ("", "", "")
    if scale == "sigmoid":
        return _sigmoid
    try:
        first, second = map(float, rest.split(","))
    except ValueError:
        first = second = math.nan
    if name == "clip" and math.isfinite(second - first) and first < second:
        return lambda score: min(max((score - first) / (second - first), 0.0), 1.0)
    if name == "standard" and math.isfinite(first) and 0 < second < math.inf:
        return NormalDist(first, second).cdf
    raise UsageError(f"reward_scale must be {_FORMS}, not {scale!r}")


def _sigmoid(score: float) -> float:
    if score >= 0:
        return 1 / (1 + math.exp(-score))
    small = math.exp(max(score, -700.0))  # beyond it, the result is below 1e-300
    return small / (1 + small)
