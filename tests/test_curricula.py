"""`SuccessCurriculum`: its weights, its draws, and its form as JSON."""

from __future__ import annotations

import json
import sys
from collections import Counter
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from textgym.curricula import SuccessCurriculum, read_curriculum
from textgym.errors import UsageError

RESULTS = st.dictionaries(st.sampled_from("abc"), st.lists(st.booleans(), max_size=20))


@given(
    results=st.lists(st.booleans(), min_size=1, max_size=30),
    window=st.integers(1, 10),
    floor=st.sampled_from([0.01, 0.5, 1.0]),
)
def test_factor_is_the_learnability_of_the_last_results(
    results: list[bool], window: int, floor: float
) -> None:
    curriculum = SuccessCurriculum(window=window, floor=floor, results={"a": results})
    last = results[-window:]
    rate = last.count(True) / len(last)
    assert curriculum.factor("a") == pytest.approx(max(floor, 4 * rate * (1 - rate)))
    assert floor <= curriculum.factor("a") <= 1


def test_an_environment_without_results_has_its_whole_weight() -> None:
    assert SuccessCurriculum(floor=0.2, results={"a": []}).factor("a") == 1.0


@given(results=RESULTS, seed=st.integers(), number=st.integers(0, 10**6))
def test_a_curriculum_read_from_json_draws_the_same(
    results: dict[str, list[bool]], seed: int, number: int
) -> None:
    curriculum = SuccessCurriculum(window=7, floor=0.3)
    for id, successes in results.items():
        for success in successes:
            curriculum.add(id, success)
    again = read_curriculum(json.loads(json.dumps(curriculum.as_dict())))
    assert again is not None
    weights = {"a": 0.1, "b": 1.0, "c": 5.0}
    assert again.as_dict() == curriculum.as_dict()
    assert again.draw(weights, seed, number) == curriculum.draw(weights, seed, number)


def test_draws_follow_weights_times_factors() -> None:
    results = {"half": [True, False], "solved": [True], "never": [False]}
    curriculum = SuccessCurriculum(floor=0.1, results=results)
    weights = {"half": 1.0, "solved": 1.0, "never": 3.0, "new": 0.6}
    counts = Counter(curriculum.draw(weights, 0, number) for number in range(4000))
    # 1.0, 0.1, 0.3 and 0.6, whose sum is 2
    assert counts["half"] / 4000 == pytest.approx(0.5, abs=0.03)
    assert counts["solved"] / 4000 == pytest.approx(0.05, abs=0.02)
    assert counts["never"] / 4000 == pytest.approx(0.15, abs=0.03)
    assert counts["new"] / 4000 == pytest.approx(0.3, abs=0.03)


def test_draw_is_the_same_for_ever() -> None:
    drawn = [SuccessCurriculum().draw({"a": 1.0, "b": 1.0}, 7, number) for number in range(16)]
    assert "".join(drawn) == "aabbababaaaabaaa"


def test_no_result_is_lost_if_threads_add_them() -> None:
    curriculum = SuccessCurriculum(window=10**6)

    def add() -> None:
        for number in range(2000):
            curriculum.add("a", True)
            if number % 20 == 0:
                curriculum.factor("a")

    before = sys.getswitchinterval()
    sys.setswitchinterval(1e-6)
    try:
        with ThreadPoolExecutor(4) as pool:
            for done in [pool.submit(add) for _ in range(4)]:
                done.result()
    finally:
        sys.setswitchinterval(before)
    assert len(curriculum.as_dict()["results"]["a"]) == 8000


@pytest.mark.parametrize(
    ("given_", "problem"),
    [
        ({"window": 0}, "window must be 1 or more, not 0"),
        ({"window": 2.5}, "window must be 1 or more, not 2.5"),
        ({"floor": 0}, "floor must be over 0 and at most 1, not 0"),
        ({"floor": float("nan")}, "floor must be over 0 and at most 1, not nan"),
        ({"floor": "x"}, "floor must be over 0 and at most 1, not 'x'"),
        ({"windw": 3}, "no argument 'windw'; did you mean 'window'"),
        ({"results": {"a": [1]}}, "results must be a dict of lists of bools"),
        ({"results": [True]}, "results must be a dict of lists of bools"),
        ("success", "curriculum must be True, a dict"),
        (3, "curriculum must be True, a dict"),
    ],
    ids=repr,
)
def test_what_is_no_curriculum_is_refused_in_one_line(given_: Any, problem: str) -> None:
    with pytest.raises(UsageError, match=problem) as raised:
        read_curriculum(given_)
    assert "\n" not in str(raised.value)


def test_what_a_caller_may_give() -> None:
    own = SuccessCurriculum()
    assert read_curriculum(None) is read_curriculum(False) is None
    assert read_curriculum(own) is own
    assert [read_curriculum(each).as_dict() for each in (True, {})] == [own.as_dict()] * 2  # type: ignore[union-attr]
