"""Confidence intervals; numbers without an explanation come from scipy 1.17.1.

They are those of `t.ppf`, `ttest_rel` and `ttest_ind`.
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
    mean_interval,
    paired_difference,
    rate_interval,
    standard_error,
    student_quantile,
    unpaired_difference,
)

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
