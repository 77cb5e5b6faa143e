"""Differences between runs, against examples computed by hand."""

from __future__ import annotations

import json
import statistics
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import textgym
from textgym.messages import user
from textgym.metrics.comparison import SharedTask, compare, shared_tasks
from textgym.metrics.episode_table import EpisodeTable
from textgym.metrics.run_metrics import read_episode_table
from textgym.metrics.statistics import student_quantile

ENV = "demo/A-v0"


def episode(reward: float | None, task: int, **more: Any) -> dict[str, Any]:
    """A trajectory with the keys that a comparison reads."""
    failed = reward is None
    return {
        "env_id": ENV, "task_id": f"test-{task}", "task_index": task, "repeat": 0,
        "reward": reward, "is_success": None if failed else reward == 1.0,
        "messages": [], "steps": [], "seconds": 1.0, "truncated": False, "stop_reason": "answer",
        "usage": {}, "info": {}, "failure": {"boundary": "policy"} if failed else None,
    } | more  # fmt: skip


def table(*episodes: dict[str, Any]) -> EpisodeTable:
    made = EpisodeTable()
    for one in episodes:
        made.add(one)
    return made


def run(*rewards: float | None, **more: Any) -> EpisodeTable:
    """A run with one episode of each task."""
    return table(*[episode(reward, task, **more) for task, reward in enumerate(rewards)])


def test_shared_tasks_are_compared_one_by_one() -> None:
    found = compare(run(0.0, 0.5, 1.0, 0.0), run(1.0, 0.5, 1.0, 0.5))
    # differences 1, 0, 0, 1/2
    error = statistics.stdev([1, 0, 0, 0.5]) / 2
    half = student_quantile(0.95, 3) * error
    assert found["overall"] == {
        "paired": True,
        "shared_tasks": 4,
        "tasks": [4, 4],
        "unpaired_tasks": [0, 0],
        "reward": pytest.approx(
            {"difference": 0.375, "error": error, "low": 0.375 - half, "high": 0.375 + half}
        ),
        "success_rate": pytest.approx(
            {"difference": 0.25, "error": 0.25, "low": 0.25 - half_of(3), "high": 0.25 + half_of(3)}
        ),
    }
    assert found["envs"][ENV] == {**found["overall"], "levels": {}, "categories": {}}


def half_of(freedom: int) -> float:
    """Half of an interval whose error is a quarter."""
    return student_quantile(0.95, freedom) / 4


def test_repeats_of_a_task_are_averaged_before_comparing() -> None:
    before = table(*[episode(reward, 0, repeat=n) for n, reward in enumerate((1.0, 0.0, 0.5))])
    after = table(episode(0.75, 0))
    assert compare(before, after)["overall"]["reward"] == {
        "difference": 0.25, "error": None, "low": None, "high": None,
    }  # fmt: skip


def test_only_shared_tasks_are_compared_and_both_are_counted() -> None:
    found = compare(run(0.0, 0.0, 1.0), run(0.5, 1.0))["overall"]
    assert (found["shared_tasks"], found["tasks"]) == (2, [3, 2])
    assert found["reward"]["difference"] == 0.75


def test_a_task_that_failed_in_one_run_is_not_shared() -> None:
    found = compare(run(0.0, 0.0), run(None, 1.0))["overall"]
    assert (found["shared_tasks"], found["tasks"]) == (1, [2, 1])
    assert found["reward"]["difference"] == 1.0


@pytest.mark.parametrize("other", [{"task_id": "elsewhere"}, {"messages": [user("Why?")]}])
def test_tasks_that_differ_in_id_or_prompt_are_not_the_same(other: dict[str, Any]) -> None:
    before, after = run(0.0, 1.0), table(episode(1.0, 0, **other), episode(1.0, 1, **other))
    found = compare(before, after)["overall"]
    assert (found["paired"], found["shared_tasks"]) == (False, 0)
    assert found["unpaired_tasks"] == found["tasks"]
    assert found["reward"]["difference"] == 0.5


def test_rows_of_different_data_sets_with_the_same_ids_are_not_paired(tmp_path: Path) -> None:
    tables = []
    for name in ("one", "two"):
        rows = [{"question": f"{name} {n}?", "options": {"A": "x", "B": "y"}, "answer": "A"}
                for n in range(3)]  # fmt: skip
        rows[2]["question"] = "The same in both?"
        data = tmp_path / f"{name}.jsonl"
        data.write_text("".join(json.dumps(row) + "\n" for row in rows))
        textgym.rollout(
            "textgym/MCQA-v0", "random", env_kwargs={"dataset": str(data)}, out=tmp_path / name
        )
        tables.append(read_episode_table(tmp_path / name))
    found = compare(*tables)["overall"]
    assert (found["shared_tasks"], found["unpaired_tasks"]) == (1, [2, 2])


def test_a_task_at_another_index_is_the_same() -> None:
    found = compare(run(0.0, 1.0), table(episode(1.0, 0, task_index=9)))["overall"]
    assert (found["shared_tasks"], found["unpaired_tasks"]) == (1, [1, 0])
    assert found["reward"]["difference"] == 1.0


def test_rows_that_are_equal_are_one_task() -> None:
    doubled = table(episode(1.0, 0), episode(0.0, 0, task_index=1))
    found = compare(run(0.0), doubled)["overall"]
    assert (found["shared_tasks"], found["tasks"]) == (1, [1, 1])
    assert found["reward"]["difference"] == 0.5


def test_tasks_without_an_id_are_paired_by_index() -> None:
    found = compare(run(0.0, 0.0, task_id=None), run(1.0, 0.0, task_id=None))["overall"]
    assert found["shared_tasks"] == 2


def test_without_shared_tasks_the_squares_of_the_errors_are_added() -> None:
    before = run(0.0, 1.0, 0.0, 1.0)
    after = table(*[episode(float(task > 4), task) for task in range(4, 12)])
    found = compare(before, after)["overall"]["reward"]
    one, two = (statistics.stdev(x) / len(x) ** 0.5 for x in ([0, 1, 0, 1], [0, *[1] * 7]))
    assert found["difference"] == pytest.approx(7 / 8 - 1 / 2)
    assert found["error"] == pytest.approx((one**2 + two**2) ** 0.5)
    assert found["low"] < found["difference"] < found["high"]


def test_a_run_without_graded_episodes_has_no_difference() -> None:
    found = compare(run(1.0), run(None))["overall"]
    assert found == {
        "paired": False, "shared_tasks": 0, "tasks": [1, 0], "unpaired_tasks": [1, 0],
        "reward": None, "success_rate": None,
    }  # fmt: skip


def test_only_environments_of_both_runs_are_compared() -> None:
    before = table(*[episode(0.0, task, env_id=env) for env in "ab" for task in range(2)])
    after = table(*[episode(1.0, task, env_id=env) for env in "cb" for task in range(3)])
    found = compare(before, after)
    assert list(found["envs"]) == ["b"]
    assert (found["overall"]["shared_tasks"], found["overall"]["tasks"]) == (2, [2, 3])


def test_runs_of_different_environments_have_no_difference() -> None:
    found = compare(run(1.0, env_id="a"), run(1.0, env_id="b"))
    assert (found["envs"], found["overall"]["reward"]) == ({}, None)


def test_the_overall_difference_weighs_tasks_and_not_environments() -> None:
    before = table(episode(0.0, 0, env_id="a"), *[episode(0.0, n, env_id="b") for n in range(3)])
    after = table(episode(1.0, 0, env_id="a"), *[episode(0.0, n, env_id="b") for n in range(3)])
    found = compare(before, after)
    assert found["overall"]["reward"]["difference"] == 0.25
    assert [found["envs"][env]["reward"]["difference"] for env in "ab"] == [1.0, 0.0]


def test_each_level_and_category_is_compared() -> None:
    def labelled(*rewards: float) -> EpisodeTable:
        labels = [{"level": "2", "category": "x"}, {"level": "10", "category": "x"}, {}]
        return table(*[episode(r, n, info=labels[n]) for n, r in enumerate(rewards)])

    found = compare(labelled(0.0, 0.0, 0.0), labelled(1.0, 0.5, 0.0))["envs"][ENV]
    assert {name: d["reward"]["difference"] for name, d in found["levels"].items()} == {
        "2": 1.0, "10": 0.5,
    }  # fmt: skip
    assert list(found["levels"]) == ["2", "10"]
    assert found["categories"]["x"]["reward"]["difference"] == 0.75


rewards = st.lists(st.none() | st.sampled_from([0.0, 0.5, 1.0]), max_size=6)


@settings(deadline=None)
@given(rewards, rewards)
def test_swapping_the_runs_changes_the_sign_and_a_run_does_not_differ_from_itself(
    one: list[float | None], two: list[float | None]
) -> None:
    there, back = compare(run(*one), run(*two)), compare(run(*two), run(*one))
    json.dumps(there, allow_nan=False)
    for name in ("reward", "success_rate"):
        ours, theirs = there["overall"][name], back["overall"][name]
        assert (ours is None) == (theirs is None)
        if ours:
            assert ours["difference"] == pytest.approx(-theirs["difference"])
        if ours and ours["low"] is not None:
            assert ours["low"] == pytest.approx(-theirs["high"])
    same = compare(run(*one), run(*one))["overall"]["reward"]
    assert same is None or same["difference"] == 0.0


# The tasks that two runs share.


def test_shared_tasks_have_their_episodes_and_means() -> None:
    before = table(
        episode(0.5, 1, repeat=1), episode(0.0, 0), episode(1.0, 1), episode(None, 2),
        episode(1.0, 3),
    )  # fmt: skip
    after = table(episode(1.0, 2), episode(1.0, 1), episode(0.25, 0), episode(1.0, 4))
    assert shared_tasks(before, after) == [
        SharedTask(ENV, ([1], [2]), (0.0, 0.25), (0.0, 0.0)),
        SharedTask(ENV, ([2, 0], [1]), (0.75, 1.0), (0.5, 1.0)),
    ]
    assert shared_tasks(before, run()) == []


@given(st.lists(st.tuples(st.integers(0, 3), st.booleans(), st.booleans()), min_size=1))
def test_the_means_of_shared_tasks_give_the_difference(drawn: list[tuple[int, bool, bool]]) -> None:
    runs = [
        table(*(episode(float(one[place]), one[0], repeat=n) for n, one in enumerate(drawn)))
        for place in (1, 2)
    ]
    tasks = shared_tasks(*runs)
    found = compare(*runs)["overall"]
    assert len(tasks) == found["shared_tasks"]
    change = statistics.fmean(task.rewards[1] - task.rewards[0] for task in tasks)
    assert found["reward"]["difference"] == pytest.approx(change, abs=1e-12)
