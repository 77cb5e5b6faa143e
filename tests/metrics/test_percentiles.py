"""Summaries of distributions, against the standard library."""

from __future__ import annotations

import statistics

import pytest
from hypothesis import given
from hypothesis import strategies as st

from textgym.metrics.statistics import summarize


@given(st.lists(st.floats(-1e3, 1e3), min_size=2, max_size=30))
def test_percentiles_are_those_of_the_standard_library(values: list[float]) -> None:
    found = summarize(values)
    assert found is not None
    cuts = statistics.quantiles(values, n=100, method="inclusive")
    assert found["median"] == pytest.approx(statistics.median(values), abs=1e-9)
    assert found["p95"] == pytest.approx(cuts[94], abs=1e-9)
    assert found["max"] == max(values)
    assert found["median"] <= found["p95"] <= found["max"]


def test_the_summary_of_one_value_is_that_value() -> None:
    assert summarize([7]) == {"mean": 7.0, "median": 7.0, "p95": 7.0, "max": 7.0}


def test_no_values_have_no_summary() -> None:
    assert summarize([]) is None
