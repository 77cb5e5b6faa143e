"""Totals are divided by weight without a rest."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from textgym.errors import UsageError
from textgym.mixtures import check_weights, split_by_weight

WEIGHTS = st.dictionaries(st.text(), st.floats(1e-6, 1e6), min_size=1, max_size=8)


@given(weights=WEIGHTS, total=st.integers(0, 10_000))
def test_shares_add_up_and_are_off_by_less_than_one(weights: dict[str, float], total: int) -> None:
    shares = split_by_weight(weights, total)
    assert list(shares) == list(weights)
    assert sum(shares.values()) == total
    whole = sum(weights.values())
    for id, share in shares.items():
        assert abs(share - total * weights[id] / whole) < 1 + 1e-6


@pytest.mark.parametrize("weight", [0, -1, float("inf"), float("nan")])
def test_invalid_weights_are_refused(weight: float) -> None:
    with pytest.raises(UsageError, match="finite numbers greater than 0"):
        check_weights({"a": 1.0, "b": weight})
