"""Means, variances and errors, against the standard library, statsmodels and brute force.

The number without an explanation comes from statsmodels 0.15.0
(`OLS(x, ones).fit(cov_type="cluster")`).
"""

from __future__ import annotations

import math
import random
import statistics

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from textgym.metrics.statistics import clustered_error, mean, standard_error, variance

some_numbers = st.lists(st.floats(-1e3, 1e3), min_size=2, max_size=30)


@given(some_numbers)
def test_means_and_variances_are_those_of_the_standard_library(values: list[float]) -> None:
    assert mean(values) == pytest.approx(statistics.fmean(values), abs=1e-9)
    assert variance(values) == pytest.approx(statistics.variance(values), rel=1e-6, abs=1e-6)
    root = math.sqrt(len(values))
    expected = statistics.stdev(values) / root
    assert standard_error(values) == pytest.approx(expected, rel=1e-6, abs=1e-6)


@pytest.mark.parametrize("values", [[], [3.0]])
def test_fewer_than_two_values_have_no_variance(values: list[float]) -> None:
    assert variance(values) is None
    assert standard_error(values) is None


def test_the_mean_of_no_values_is_none() -> None:
    assert mean([]) is None


# The error of a mean of values in clusters.


def reference_error(values: list[float], clusters: list[int]) -> float:
    """The cluster-robust error of a mean as a regression on a constant gives it (CR1)."""
    x, labels = np.asarray(values, float), np.asarray(clusters)
    names = np.unique(labels)
    residuals = x - x.mean()
    meat = sum(residuals[labels == name].sum() ** 2 for name in names)
    return math.sqrt(len(names) / (len(names) - 1) * meat / len(x) ** 2)


def test_the_clustered_error_is_that_of_statsmodels() -> None:
    values = [1, 0, 1, 1, 0, 0, 1, 0.5, 0.25, 1]
    clusters = [0, 0, 0, 1, 1, 2, 2, 2, 3, 3]
    assert clustered_error(values, clusters) == pytest.approx(0.04600724580614086, rel=1e-12)


def test_equal_values_within_two_clusters_by_hand() -> None:
    # residuals 1/2, 1/2, -1/2, -1/2; sums 1 and -1; sqrt(2/1 * 2) / 4
    assert clustered_error([1, 1, 0, 0], [0, 0, 1, 1]) == 0.5


def test_with_one_value_per_cluster_it_is_the_standard_error() -> None:
    values = [random.Random(1).gauss(0, 1) for _ in range(50)]
    expected = statistics.stdev(values) / math.sqrt(50)
    assert clustered_error(values, range(50)) == pytest.approx(expected, rel=1e-12)
    assert standard_error(values) == pytest.approx(expected, rel=1e-12)


def test_repeats_with_equal_values_add_no_information() -> None:
    means = [0.0, 1.0, 0.25, 0.5]
    repeated = [value for value in means for _ in range(5)]
    clusters = [task for task in range(4) for _ in range(5)]
    assert clustered_error(repeated, clusters) == pytest.approx(standard_error(means), rel=1e-12)


@pytest.mark.parametrize(("values", "clusters"), [([], []), ([1.0], [7]), ([0, 1], [7, 7])])
def test_fewer_than_two_clusters_have_no_error(values: list[float], clusters: list[int]) -> None:
    assert clustered_error(values, clusters) is None


def test_values_and_clusters_of_different_lengths_are_refused() -> None:
    with pytest.raises(ValueError, match="length"):
        clustered_error([1.0, 2.0, 3.0], [0, 1])


clustered = st.lists(
    st.tuples(st.floats(-10, 10), st.integers(0, 5)), min_size=2, max_size=40
).filter(lambda pairs: len({cluster for _, cluster in pairs}) > 1)


@settings(deadline=None)
@given(clustered)
def test_the_clustered_error_is_that_of_brute_force(pairs: list[tuple[float, int]]) -> None:
    values, clusters = map(list, zip(*pairs, strict=True))
    expected = reference_error(values, clusters)
    assert clustered_error(values, clusters) == pytest.approx(expected, rel=1e-9, abs=1e-9)
