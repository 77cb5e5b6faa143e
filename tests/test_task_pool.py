"""`TaskPool`: its bands, its draws, and its form as JSON and as a file."""

from __future__ import annotations

import json
from collections import Counter
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

import textgym
from textgym.errors import UsageError
from textgym.task_pool import TaskPool

A, B = "demo/A-v0", "demo/B-v0"
RESULTS = st.lists(st.tuples(st.sampled_from([A, B]), st.booleans(), st.integers(0, 9)))


def pool_with(results: dict[int, str], **arguments: Any) -> TaskPool:
    """Return a pool in which tasks of one environment have results."""
    of_env = {A: {str(index): text for index, text in results.items()}}
    return TaskPool(results=of_env, **arguments)


def draws(pool: TaskPool, tasks: range, count: int, seed: int = 0) -> list[int]:
    """Return the indices of draws, none of which is taken."""
    drawn = [pool.draw({A: tasks}, seed=seed, number=number) for number in range(count)]
    return [index for _, index in filter(None, drawn)]


@pytest.mark.parametrize(
    ("results", "band"),
    [
        ("", "unseen"),
        ("1", "informative"),  # too few to know
        ("000", "informative"),
        ("0000", "hard"),
        ("1111", "solved"),
        ("0001", "informative"),
        ("0000000001", "informative"),  # exactly the lowest rate
        ("00000000001", "hard"),
        ("0111111111", "informative"),  # exactly the highest rate
        ("0" + "1" * 16, "solved"),  # the oldest result has left the window
    ],
)
def test_the_band_follows_the_last_results(results: str, band: str) -> None:
    pool = pool_with({3: results} if results else {})
    assert pool.band(A, 3) == band
    assert pool.band(B, 3) == "unseen"


def failed(index: int) -> dict[str, Any]:
    return {"env_id": A, "task_index": index, "is_success": None}


def test_tasks_that_fail_do_not_keep_the_others_from_being_drawn(tmp_path: Path) -> None:
    pool = TaskPool()
    assert set(draws(pool, range(3), 9)) == {0}
    pool.add_episode(failed(0))
    assert (pool.band(A, 0), set(draws(pool, range(3), 9))) == ("unseen", {1})
    pool.save(tmp_path / "pool.json")
    assert set(draws(TaskPool.load(tmp_path / "pool.json"), range(3), 9)) == {1}
    for index in (1, 2):
        pool.add_episode(failed(index))
    assert set(draws(pool, range(3), 30)) == {0, 1, 2}


def test_a_task_that_failed_has_the_results_that_follow() -> None:
    pool = TaskPool()
    pool.add_episode(failed(0))
    for _ in range(4):
        pool.add_episode({**failed(0), "is_success": True})
    pool.add_episode(failed(0))
    assert (pool.band(A, 0), pool.counts(A)["solved"]) == ("solved", 1)
    assert pool.as_dict()["results"] == {A: {"0": "1111"}}


def test_a_solved_task_that_is_forgotten_returns() -> None:
    pool = pool_with({0: "1" * 16})
    seen = [pool.band(A, 0)]
    for _ in range(2):
        pool.add(A, False, 0)
        seen.append(pool.band(A, 0))
    assert seen == ["solved", "solved", "informative"]
    assert pool.counts(A) == {"hard": 0, "informative": 1, "solved": 0}


def test_draws_follow_the_shares_of_the_bands() -> None:
    shares = {"unseen": 1, "hard": 2, "informative": 5, "solved": 2}
    pool = pool_with({0: "1111", 1: "0000", 2: "0101", 3: "0111"}, shares=shares)
    counts = Counter(draws(pool, range(5), 4000))
    assert counts[0] / 4000 == pytest.approx(0.2, abs=0.03)
    assert counts[1] / 4000 == pytest.approx(0.2, abs=0.03)
    assert counts[2] / 4000 == pytest.approx(0.25, abs=0.03)
    assert counts[3] / 4000 == pytest.approx(0.25, abs=0.03)
    assert counts[4] / 4000 == pytest.approx(0.1, abs=0.03)


def test_a_band_without_tasks_is_left_out() -> None:
    assert set(draws(pool_with({0: "1111"}), range(1), 20)) == {0}


def test_unseen_tasks_are_drawn_in_order_without_end() -> None:
    pool, taken = pool_with({0: "01", 2: "01"}, shares={"unseen": 1e9}), set[tuple[str, int]]()
    for number in range(4):
        drawn = pool.draw({A: range(2**62)}, taken=taken, seed=0, number=number)
        assert drawn is not None
        taken.add(drawn)
    assert sorted(taken) == [(A, 1), (A, 3), (A, 4), (A, 5)]


def test_tasks_before_the_first_are_not_drawn() -> None:
    pool = pool_with({0: "0101", 5: "0101"})
    assert set(draws(pool, range(5, 7), 100)) == {5, 6}


def test_every_task_is_drawn_once_if_none_is_drawn_again() -> None:
    pool, taken = pool_with({0: "1111", 1: "0000", 2: "0101"}), set[tuple[str, int]]()
    tasks = {A: range(5), B: range(2)}
    while drawn := pool.draw(tasks, taken=taken, seed=3, number=len(taken)):
        assert drawn not in taken
        taken.add(drawn)
    assert taken == {(id, index) for id, indices in tasks.items() for index in indices}


def test_the_weights_of_environments_count() -> None:
    tasks, weights = {A: range(10), B: range(10)}, {A: 3.0, B: 1.0}
    drawn = [TaskPool().draw(tasks, weights, seed=0, number=number) for number in range(2000)]
    assert Counter(id for id, _ in filter(None, drawn))[A] / 2000 == pytest.approx(0.75, abs=0.04)


def test_draws_are_the_same_for_ever() -> None:
    pool = pool_with({0: "1111", 1: "0000", 2: "0101", 3: "0111"})
    assert draws(pool, range(6), 16, seed=7) == [0, 1, 3, 3, 2, 3, 3, 2, 4, 2, 3, 2, 3, 4, 4, 2]


@given(results=RESULTS, more=RESULTS, seed=st.integers(), number=st.integers(0, 10**6))
def test_a_pool_read_from_json_continues_as_the_first(
    results: list[Any], more: list[Any], seed: int, number: int
) -> None:
    pool = TaskPool(window=7, low=0.2, high=0.8, min_results=2, shares={"hard": 0.4})
    pool.bind(A, split="train", level=None, data={})
    for result in results:
        pool.add(*result)
    again = TaskPool(**json.loads(json.dumps(pool.as_dict())))
    for one in (pool, again):
        for result in more:
            one.add(*result)
    assert again.as_dict() == pool.as_dict()
    tasks = {A: range(12), B: range(12)}
    drawn = [one.draw(tasks, seed=seed, number=number) for one in (pool, again)]
    assert drawn[0] == drawn[1]


@given(results=RESULTS)
def test_the_bands_have_exactly_the_tasks_with_results(results: list[Any]) -> None:
    pool = TaskPool(window=5, min_results=2)
    for result in results:
        pool.add(*result)
    for id in (A, B):
        bands = Counter(pool.band(id, index) for index in range(10))
        assert pool.counts(id) == {band: bands[band] for band in ("hard", "informative", "solved")}


def test_no_result_is_lost_if_threads_add_them() -> None:
    pool = TaskPool(window=10**6)

    def add() -> None:
        for number in range(2000):
            pool.add(A, True, number % 3)

    with ThreadPoolExecutor(4) as threads:
        for done in [threads.submit(add) for _ in range(4)]:
            done.result()
    assert sum(map(len, pool.as_dict()["results"][A].values())) == 8000


def test_a_draw_changes_nothing() -> None:
    pool = TaskPool()
    assert draws(pool, range(3), 2) == [0, 0]
    assert pool.as_dict() == TaskPool().as_dict()


# Files


def test_a_saved_pool_is_loaded(tmp_path: Path) -> None:
    pool = pool_with({0: "1111", 7: "01"}, window=9, shares={"solved": 0.2})
    pool.save(tmp_path / "pool.json")
    assert TaskPool.load(tmp_path / "pool.json").as_dict() == pool.as_dict()


def test_restoring_replaces_the_results_and_keeps_the_settings(tmp_path: Path) -> None:
    pool_with({0: "1111"}).save(tmp_path / "pool.json")
    pool = pool_with({5: "0000"}, high=0.5)
    pool.restore(tmp_path / "pool.json")
    assert pool.as_dict()["results"] == {A: {"0": "1111"}}
    assert pool.as_dict()["high"] == 0.5
    assert pool.counts(A) == {"hard": 0, "informative": 0, "solved": 1}


def test_a_pool_that_cannot_be_saved_leaves_the_file_as_it_was(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match=r"cannot be written"):
        TaskPool().save(tmp_path / "missing" / "pool.json")


@pytest.mark.parametrize(
    ("content", "problem"),
    [
        ("", "is not a JSON file"),
        ("[1]", "holds no task pool"),
        ('{"windw": 3}', "holds no task pool"),
        ('{"window": 0}', "window must be 1 or more, not 0"),
        ('{"results": {"a": {"x": "1"}}}', "results must be texts of 0 and 1"),
        ('{"sources": {"a": 1}}', "sources must be a dict of dicts"),
    ],
)
def test_a_file_without_a_pool_is_refused_in_one_line(
    tmp_path: Path, content: str, problem: str
) -> None:
    (tmp_path / "pool.json").write_text(content)
    with pytest.raises(UsageError, match=problem) as raised:
        TaskPool.load(tmp_path / "pool.json")
    assert "\n" not in str(raised.value)


def test_a_missing_file_is_refused(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match=r"cannot read .*pool\.json"):
        TaskPool.load(tmp_path / "pool.json")


# From runs


def test_runs_give_the_results_of_their_tasks() -> None:
    runs = [
        textgym.rollout("textgym/GuessNumber-v0", policy, episodes=3, repeats=4)
        for policy in ("oracle", "random")
    ]
    results = TaskPool.from_runs(runs, window=8).as_dict()["results"]["textgym/GuessNumber-v0"]
    assert sorted(results) == ["0", "1", "2"]
    assert {(len(text), text[:4]) for text in results.values()} == {(8, "1111")}


def test_a_folder_is_not_a_run() -> None:
    with pytest.raises(UsageError, match=r"textgym\.Run\.load\('runs/a'\)"):
        TaskPool.from_runs(["runs/a"])  # type: ignore[list-item]


@pytest.mark.parametrize(
    ("env_kwargs", "problem"),
    [
        ({"split": "train"}, "with level None, split 'test', but these tasks have level None"),
        ({"level": 2}, "with level None, split 'test', but these tasks have level 2, split 'test'"),
    ],
)
def test_a_pool_is_refused_for_other_tasks(env_kwargs: dict[str, Any], problem: str) -> None:
    pool = TaskPool.from_runs([textgym.rollout("textgym/MCQA-v0", "oracle", episodes=2)])
    with pytest.raises(UsageError, match=problem) as raised:
        textgym.rollout(
            "textgym/MCQA-v0", "oracle", episodes=2, curriculum=pool, env_kwargs=env_kwargs
        )
    assert "\n" not in str(raised.value)


def test_a_pool_is_refused_after_the_data_have_changed(tmp_path: Path) -> None:
    rows = [
        {"question": f"Which is {n}?", "options": {"A": "1", "B": "2"}, "answer": "A"}
        for n in range(3)
    ]
    file, pool = tmp_path / "rows.jsonl", TaskPool()

    def play() -> None:
        file.write_text("".join(json.dumps(row) + "\n" for row in rows))
        textgym.rollout(
            "textgym/MCQA-v0", "oracle", episodes=2, curriculum=pool,
            env_kwargs={"dataset": str(file)},
        )  # fmt: skip

    play()
    play()
    rows[0]["question"] = "Which is it?"
    with pytest.raises(UsageError, match=r"the pool's results of textgym/MCQA-v0 are for tasks"):
        play()


@pytest.mark.parametrize(
    ("arguments", "problem"),
    [
        ({"window": 0}, "window must be 1 or more, not 0"),
        ({"window": True}, "window must be 1 or more, not True"),
        ({"min_results": 17}, "min_results must be at most its window, not 17"),
        ({"low": 0.9, "high": 0.1}, "low and high must be rates"),
        ({"high": float("nan")}, "low and high must be rates"),
        ({"low": "x"}, "low and high must be rates"),
        ({"shares": {"solvd": 1}}, "no band 'solvd'; did you mean 'solved'"),
        ({"shares": {"solved": 0}}, "share of solved must be a number over 0, not 0"),
        ({"shares": [1]}, "shares must be a dict"),
        ({"results": {A: {"1": "012"}}}, "results must be texts of 0 and 1"),
        ({"results": {A: {"-1": "01"}}}, "results must be texts of 0 and 1"),
        ({"results": {A: ["01"]}}, "results must be texts of 0 and 1"),
        ({"results": ["01"]}, "results must be texts of 0 and 1"),
    ],
    ids=repr,
)
def test_wrong_arguments_are_refused_in_one_line(arguments: Any, problem: str) -> None:
    with pytest.raises(UsageError, match=problem) as raised:
        TaskPool(**arguments)
    assert "\n" not in str(raised.value)
