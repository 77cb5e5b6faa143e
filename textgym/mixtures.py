"""Mixtures: episodes or sub-environments divided among several environments by weight."""

from __future__ import annotations

import math
from collections.abc import Mapping

from textgym.errors import UsageError

__all__ = ["check_weights", "split_by_weight"]


def check_weights(weights: Mapping[str, float]) -> None:
    """Check that weights are finite numbers greater than 0.

    Raises:
        UsageError: One of them is not.
    """
    if not all(0 < weight < math.inf for weight in weights.values()):
        raise UsageError("the weights of environments must be finite numbers greater than 0")


def split_by_weight(weights: Mapping[str, float], total: int) -> dict[str, int]:
    """Divide a total in proportion to weights; the rounding rest goes to the largest remainders.

    Example:
        >>> split_by_weight({"a": 0.6, "b": 0.4}, 256)
        {'a': 154, 'b': 102}
    """
    sum_of_weights = sum(weights.values())
    exact = {id: total * weight / sum_of_weights for id, weight in weights.items()}
    shares = {id: int(share) for id, share in exact.items()}
    by_remainder = sorted(exact, key=lambda id: shares[id] - exact[id])
    for id in by_remainder[: total - sum(shares.values())]:
        shares[id] += 1
    return shares
