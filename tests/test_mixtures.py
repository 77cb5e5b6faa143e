"""Totals are divided by weight without a rest."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from textgym.errors import UsageError
from textgym.mixtures import functions_of, split_by_weight, weights_of

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
        weights_of({"a": 1.0, "b": weight})


@pytest.mark.parametrize(
    "source",
    [
        True,
        None,
        "1",
        (1.0,),
        (1.0, 2.0),
        (dict, 1.0),
        ("1", dict),
        (1.0, dict, 2),
        (),
        [None, dict],
    ],
    ids=repr,
)
def test_what_is_neither_a_weight_nor_a_function_is_refused(source: Any) -> None:
    with pytest.raises(UsageError, match="'b' must have a weight, a function that makes") as error:
        weights_of({"a": 1.0, "b": source})
    assert "\n" not in str(error.value)


def test_weights_and_functions_of_a_mixture() -> None:
    mixture = {"a": 2, "b": dict, "c": (0.5, list), "d": np.float32(0.25)}
    assert weights_of(mixture) == {"a": 2, "b": 1.0, "c": 0.5, "d": 0.25}  # type: ignore[arg-type]
    assert functions_of(mixture) == {"b": dict, "c": list}
