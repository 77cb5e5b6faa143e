"""Dividing a whole by weights: episodes or sub-environments among several environments."""

from __future__ import annotations

import math
from collections.abc import Mapping

from textgym.errors import UsageError

__all__ = ["check_weights", "share_out"]


def check_weights(weights: Mapping[str, float]) -> None:
    """Refuse weights that are no finite numbers greater than 0.

    Raises:
        UsageError: One of them is not.
    """
    if not all(0 < weight < math.inf for weight in weights.values()):
        raise UsageError("the weights of environments are finite numbers greater than 0")


def share_out(weights: Mapping[str, float], total: int) -> dict[str, int]:
    """Divide a whole number by weight; what rounding leaves goes to the largest remainders.

    Example:
        >>> share_out({"a": 0.6, "b": 0.4}, 256)
        {'a': 154, 'b': 102}
    """
    whole = sum(weights.values())
    exact = {id: total * weight / whole for id, weight in weights.items()}
    shares = {id: int(share) for id, share in exact.items()}
    by_remainder = sorted(exact, key=lambda id: shares[id] - exact[id])
    for id in by_remainder[: total - sum(shares.values())]:
        shares[id] += 1
    return shares
