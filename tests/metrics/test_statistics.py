"""Means, errors, intervals and percentiles, against the standard library and brute force.

Numbers without an explanation come from statsmodels 0.15.0
(`OLS(x, ones).fit(cov_type="cluster")`) and scipy 1.17.1 (`t.ppf`, `ttest_rel`, `ttest_ind`).
"""

from __future__ import annotations

import math
import random
import statistics

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from textgym.metrics.statistics import (
    Estimate,
    clustered_error,
    mean,
    mean_interval,
    paired_difference,
    rate_interval,
    standard_error,
    student_quantile,
    summarize,
    unpaired_difference,
    variance,
)

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


numbers = st.floats(-1e3, 1e3)


@pytest.mark.parametrize(
    ("freedom", "at_90", "at_95", "at_99"),
    [
        (1, 6.313751514675037, 12.706204736174694, 63.656741162871526),
        (2, 2.9199855803537242, 4.302652729749462, 9.924843200918287),
        (4.5, 2.065575888878524, 2.6589123472044034, 4.272823993011293),
        (10, 1.8124611228116752, 2.228138851986274, 3.169272672616950),
        (30, 1.697260886593957, 2.0422724563012378, 2.7499956535672254),
        (499, 1.6479129840597124, 1.9647293909876886, 2.585717683111754),
        (1_000_000, 1.6448551507220404, 1.959966356814107, 2.5758342201053344),
    ],
)
def test_quantiles_of_students_t_are_those_of_scipy(
    freedom: float, at_90: float, at_95: float, at_99: float
) -> None:
    found = [student_quantile(level, freedom) for level in (0.9, 0.95, 0.99)]
    assert found == pytest.approx([at_90, at_95, at_99], rel=1e-8)


def test_a_paired_difference_is_that_of_scipy() -> None:
    found = paired_difference([0.5, 1, 0, 0.25, 1, 0], [1, 1, 0.5, 0, 1, 0.75])
    assert found.difference == 0.25
    assert (found.low, found.high) == pytest.approx(
        (-0.1564446756233671, 0.6564446756233671), rel=1e-9
    )


def test_an_unpaired_difference_is_that_of_welchs_test_in_scipy() -> None:
    before, after = [0.5, 1, 0, 0.25, 1, 0], [1, 1, 0.5, 0]
    found = unpaired_difference(
        *(Estimate(float(np.mean(x)), standard_error(x), len(x)) for x in (before, after))
    )
    assert found.difference == pytest.approx(1 / 6)
    assert (found.low, found.high) == pytest.approx(
        (-0.5667397171271285, 0.9000730504604619), rel=1e-9
    )


def test_one_shared_task_has_a_difference_and_no_interval() -> None:
    assert paired_difference([0.25], [1.0]) == (0.75, None, None, None)


def test_a_mean_without_an_error_gives_a_difference_without_one() -> None:
    found = unpaired_difference(Estimate(0.5, None, 1), Estimate(0.75, 0.1, 9))
    assert found == (0.25, None, None, None)


def test_the_interval_of_two_means_without_error_is_a_point() -> None:
    found = unpaired_difference(Estimate(0.0, 0.0, 5), Estimate(1.0, 0.0, 5))
    assert found == (1.0, 0.0, 1.0, 1.0)


@settings(deadline=None)
@given(st.lists(st.tuples(numbers, numbers), min_size=2, max_size=20))
def test_an_interval_contains_its_difference_and_changes_sign_with_the_order(
    pairs: list[tuple[float, float]],
) -> None:
    before, after = map(list, zip(*pairs, strict=True))
    there, back = paired_difference(before, after), paired_difference(after, before)
    assert there.low is not None
    assert there.high is not None
    assert there.low <= there.difference <= there.high
    assert back.difference == pytest.approx(-there.difference)
    assert back.low == pytest.approx(-there.high)


def test_pairing_removes_the_variance_of_task_difficulty() -> None:
    rng = random.Random(3)
    hard = [rng.random() for _ in range(40)]
    before = [task + rng.gauss(0, 0.01) for task in hard]
    after = [task + rng.gauss(0.05, 0.01) for task in hard]
    paired = paired_difference(before, after)
    apart = unpaired_difference(
        *(Estimate(statistics.fmean(x), standard_error(x), len(x)) for x in (before, after))
    )
    assert paired.difference == pytest.approx(apart.difference)
    assert paired.error is not None
    assert apart.error is not None
    assert paired.error < apart.error / 10


# Of a single mean or rate.


@pytest.mark.parametrize(("successes", "size"), [(1, 20), (24, 50), (300, 1000), (19, 20)])
def test_the_ends_of_wilsons_interval_are_the_rates_that_a_score_test_just_accepts(
    successes: int, size: int
) -> None:
    rate, quantile = successes / size, statistics.NormalDist().inv_cdf(0.975)
    values = [1.0] * successes + [0.0] * (size - successes)
    for end in rate_interval(Estimate(rate, standard_error(values), size)):
        score = (rate - end) / math.sqrt(end * (1 - end) / size)
        assert abs(score) == pytest.approx(quantile)


def test_none_of_20_may_be_a_sixth() -> None:
    low, high = rate_interval(Estimate(0.0, 0.0, 20))
    square = statistics.NormalDist().inv_cdf(0.975) ** 2
    assert (low, high) == (0.0, pytest.approx(square / (20 + square)))
    assert rate_interval(Estimate(1.0, 0.0, 20)) == (pytest.approx(1 - high), 1.0)


def test_repeats_that_are_all_alike_count_as_one_value_a_task() -> None:
    values = [1.0, 1.0, 1.0, 0.0, 0.0, 0.0] * 5
    clusters = [task for task in range(10) for _ in range(3)]
    once = Estimate(0.5, standard_error([1.0, 0.0] * 5), 10)
    repeated = Estimate(0.5, clustered_error(values, clusters), 10)
    assert rate_interval(repeated) == pytest.approx(rate_interval(once))


def test_a_rate_without_an_error_counts_its_tasks() -> None:
    assert rate_interval(Estimate(0.0, None, 1)) == rate_interval(Estimate(0.0, 0.0, 1))


@given(st.floats(0, 1), st.floats(0, 1), st.integers(1, 10**6))
def test_the_interval_of_a_rate_stays_between_0_and_1(rate: float, error: float, n: int) -> None:
    low, high = rate_interval(Estimate(rate, error, n))
    assert 0 <= low <= rate + 1e-9
    assert rate - 1e-9 <= high <= 1


def test_the_interval_of_a_mean_is_that_of_students_t() -> None:
    found = mean_interval(Estimate(0.5, 0.1, 11))
    assert found == pytest.approx((0.5 - 0.2228138851986274, 0.5 + 0.2228138851986274))


def test_a_single_task_has_no_interval_of_its_mean() -> None:
    assert mean_interval(Estimate(0.5, None, 1)) is None


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
