"""Profiles of tasks from runs: what is joined, what is counted, and which rows are written."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from stored_episodes import MCQA, episode, stored

import textgym
from textgym.data.profiled_rows import FIELD, profiled_rows, write_profiled_rows
from textgym.data.profiling import (
    ORDERS,
    TaskProfile,
    profile_runs,
    read_band,
    summarize_profile,
)
from textgym.errors import DatasetError, RunError, UnknownNameError, UsageError

GUESS = "textgym/GuessNumber-v0"
FAILED: dict[str, Any] = {"messages": [], "steps": [], "task_id": None, "info": {}}


def profiled(*successes: bool, **changes: Any) -> TaskProfile:
    """A task with these results."""
    task = TaskProfile("demo/A-v0", {}, "a", 0, None, Path("runs/a"), 0, list(successes))
    for name, value in changes.items():
        setattr(task, name, value)
    return task


# Joining


def test_repeats_and_runs_are_joined(tmp_path: Path) -> None:
    first = stored(tmp_path / "first", episode(0), episode(1), episode(0, 0.0, repeat=1))
    second = stored(tmp_path / "second", episode(1, 0.0), episode(2), episode(0, 0.5))
    tasks = profile_runs([first, second])
    assert [(task.task_index, task.successes) for task in tasks] == [
        (0, [True, False, False]),
        (1, [True, False]),
        (2, [True]),
    ]
    assert tasks[0].rewards == [1.0, 0.0, 0.5]
    assert [task.run for task in tasks] == [first, first, second]


def test_failures_stay_with_their_task_when_rows_were_removed_between_runs(tmp_path: Path) -> None:
    asked = {"messages": [{"role": "user", "content": "Removed later"}], "task_id": "removed"}
    failed = episode(1, None, **asked)
    first = stored(tmp_path / "first", episode(0), failed)
    second = stored(
        tmp_path / "second", episode(0), episode(1), episode(1, None, repeat=1, **FAILED)
    )
    assert [
        (task.task_id, task.successes, task.failures) for task in profile_runs([first, second])
    ] == [
        (episode(0)["task_id"], [True, True], 0),
        (episode(1)["task_id"], [True], 1),
        ("removed", [], 1),
    ]


@pytest.mark.parametrize(
    "change",
    [
        {"env_id": "textgym/Math-v0"},
        {"env_kwargs": {"max_turns": 3}},
        {"task_id": "another"},
        {"messages": [{"role": "user", "content": "Another question"}]},
    ],
    ids=lambda change: next(iter(change)),
)
def test_tasks_that_differ_are_not_joined(tmp_path: Path, change: dict[str, Any]) -> None:
    runs = [stored(tmp_path / "a", episode(0)), stored(tmp_path / "b", episode(0, **change))]
    assert [task.successes for task in profile_runs(runs)] == [[True], [True]]


def test_a_task_with_another_index_in_another_run_is_joined(tmp_path: Path) -> None:
    moved = episode(0, 0.0, task_index=7)
    runs = [stored(tmp_path / "a", episode(0)), stored(tmp_path / "b", moved)]
    assert [task.successes for task in profile_runs(runs)] == [[True, False]]


@pytest.mark.parametrize("order", [1, -1])
def test_episodes_that_failed_before_their_prompt_are_of_the_task_with_their_index(
    tmp_path: Path, order: int
) -> None:
    runs = [
        stored(tmp_path / "a", episode(0, None, **FAILED), episode(4, None, **FAILED)),
        stored(tmp_path / "b", episode(0), episode(0, None, repeat=1)),
    ]
    tasks = profile_runs(runs[::order])
    assert [(task.task_index, task.successes, task.failures) for task in tasks] == [
        (0, [True], 2),
        (4, [], 1),
    ]
    assert tasks[1].pass_rate is None
    assert tasks[1].as_dict()["mean_reward"] is None


def test_only_tasks_of_an_environment_are_profiled(tmp_path: Path) -> None:
    run = stored(tmp_path / "a", episode(0), episode(0, env_id="textgym/Math-v0"))
    for name in ("Math-v0", "textgym/Math-v0"):
        assert [task.env_id for task in profile_runs([run], name)] == ["textgym/Math-v0"]
    with pytest.raises(UnknownNameError, match=r"no episode of 'Mat'; did you mean 'textgym/Math"):
        profile_runs([run], "Mat")


def test_a_run_that_is_named_twice_is_refused(tmp_path: Path) -> None:
    run = stored(tmp_path / "a", episode(0))
    with pytest.raises(UsageError, match=r"is named twice"):
        profile_runs([run, tmp_path / "." / "a"])


@pytest.mark.parametrize(
    ("lines", "problem"),
    [
        ([], "contains no episodes"),
        ([episode(0, seed="x")], "has episodes that textgym did not write"),
    ],
)
def test_folders_without_usable_episodes_are_refused(
    tmp_path: Path, lines: list[dict[str, Any]], problem: str
) -> None:
    with pytest.raises(RunError, match=problem):
        profile_runs([stored(tmp_path / "a", *lines)])


# Numbers


def test_the_interval_is_wilsons() -> None:
    assert profiled(*[True] * 3, *[False] * 9).interval == pytest.approx((0.0889, 0.5323), abs=1e-4)
    assert profiled(*[False] * 20).interval == pytest.approx((0.0, 0.161), abs=1e-3)
    assert profiled(True).interval == pytest.approx((0.2065, 1.0), abs=1e-4)
    assert profiled().interval is None


@given(counts=st.lists(st.tuples(st.integers(0, 12), st.integers(0, 12)), max_size=8))
def test_every_graded_task_is_in_one_band(counts: list[tuple[int, int]]) -> None:
    tasks = [profiled(*[True] * solved, *[False] * missed) for solved, missed in counts]
    summary = summarize_profile(tasks)
    assert sum(summary["bands"].values()) + summary["ungraded"] == summary["tasks"] == len(tasks)
    graded = [(solved, missed) for solved, missed in counts if solved + missed]
    mixed = sum(solved > 0 and missed > 0 for solved, missed in graded)
    assert summary["informative"] == (mixed / len(graded) if graded else None)


@pytest.mark.parametrize(
    ("solved", "of", "band"),
    [
        (0, 9, "never solved"),
        (1, 11, "below 0.1"),
        (1, 10, "0.1 to 0.5"),
        (1, 2, "0.5 to 0.9"),
        (9, 10, "0.5 to 0.9"),
        (10, 11, "above 0.9"),
        (3, 3, "always solved"),
    ],
)
def test_the_ends_of_bands(solved: int, of: int, band: str) -> None:
    task = profiled(*[True] * solved, *[False] * (of - solved))
    bands = summarize_profile([task])["bands"]
    assert [name for name, count in bands.items() if count] == [band]


@pytest.mark.parametrize("order", ORDERS)
def test_tasks_without_a_rate_come_last_or_in_order(order: str) -> None:
    tasks = [
        profiled(task_index=0),
        profiled(True, rewards=[1.0], task_index=1),
        profiled(False, rewards=[0.0], task_index=2),
        profiled(task_index=3),
    ]
    indices = [task.task_index for task in sorted(tasks, key=ORDERS[order])]
    assert indices == ([0, 1, 2, 3] if order == "task" else [2, 1, 0, 3])


@pytest.mark.parametrize(
    "text", ["", "0.1", "0.1-0.9", "..0.9", "0.9..0.1", "-1..1", "0..2", "nan..1", "a..b"]
)
def test_what_is_not_a_band_is_refused(text: str) -> None:
    with pytest.raises(UsageError, match=r"a band of pass rates is LOW\.\.HIGH") as raised:
        read_band(text)
    assert "\n" not in str(raised.value)


# Rows


def test_rows_are_a_data_set_of_the_same_tasks(tmp_path: Path) -> None:
    textgym.rollout(GUESS, "random", episodes=12, repeats=4, out=tmp_path / "run")
    tasks = [task for task in profile_runs([tmp_path / "run"]) if 0 < (task.pass_rate or 0) < 1]
    assert write_profiled_rows(tmp_path / "rows.jsonl", tasks) == len(tasks) > 0
    rows = [json.loads(line) for line in (tmp_path / "rows.jsonl").read_text().splitlines()]
    assert [row[FIELD] for row in rows] == [
        {"pass_rate": task.pass_rate, "episodes": 4} for task in tasks
    ]
    textgym.rollout(
        GUESS,
        "random",
        out=tmp_path / "again",
        env_kwargs={"dataset": str(tmp_path / "rows.jsonl")},
    )
    of_run = {task.task_id: task for task in profile_runs([tmp_path / "run"])}
    again = profile_runs([tmp_path / "again"])
    assert [task.task_id for task in again] == [row["id"] for row in rows]
    joined = textgym.compare(tmp_path / "run", tmp_path / "again")["overall"]
    assert joined["shared_tasks"] == len(again)
    assert set(of_run) >= {task.task_id for task in again}


def test_rows_that_were_given_as_tasks_are_written_again(tmp_path: Path) -> None:
    given_rows = [
        {"question": f"{n} is?", "options": {"A": "1", "B": "2"}, "answer": "A"} for n in (0, 1)
    ]
    textgym.rollout(MCQA, "oracle", tasks=given_rows, out=tmp_path / "run")
    rows = list(profiled_rows(profile_runs([tmp_path / "run"])))
    assert sorted(row["question"] for row in rows) == ["0 is?", "1 is?"]
    assert len({row["id"] for row in rows}) == 2


def test_a_second_profile_replaces_the_first(tmp_path: Path) -> None:
    textgym.rollout(GUESS, "oracle", episodes=2, repeats=2, out=tmp_path / "a")
    write_profiled_rows(tmp_path / "rows.jsonl", profile_runs([tmp_path / "a"]))
    kwargs = {"dataset": str(tmp_path / "rows.jsonl")}
    textgym.rollout(GUESS, "oracle", out=tmp_path / "b", env_kwargs=kwargs)
    rows = list(profiled_rows(profile_runs([tmp_path / "b"])))
    assert [row[FIELD] for row in rows] == [{"pass_rate": 1.0, "episodes": 1}] * 2


@pytest.fixture
def played(tmp_path: Path) -> tuple[Path, Path]:
    """A file of rows, and a run that played it."""
    rows = [
        {"question": f"{n} is?", "options": {"A": "1", "B": "2"}, "answer": "A"} for n in (0, 1)
    ]
    file = tmp_path / "rows.jsonl"
    file.write_text("".join(json.dumps(row) + "\n" for row in rows))
    textgym.rollout(MCQA, "oracle", env_kwargs={"dataset": str(file)}, out=tmp_path / "run")
    return file, tmp_path / "run"


def lines_of(file: Path) -> list[str]:
    return file.read_text().splitlines(keepends=True)


@pytest.mark.parametrize(
    ("change", "problem"),
    [
        (lambda lines: [lines[0].replace("0 is?", "9 is?"), lines[1]], "the task has changed"),
        (lambda lines: lines[::-1], "the task has changed"),
        (lambda lines: lines[:1], "no task 1"),
        (lambda lines: ["{}\n"] * 2, "is missing"),
        (lambda lines: [], "is empty"),
    ],
    ids=["question", "order", "fewer", "rows", "empty"],
)
def test_a_data_set_that_has_changed_is_one_line(
    played: tuple[Path, Path], change: Any, problem: str
) -> None:
    file, run = played
    file.write_text("".join(change(lines_of(file))))
    tasks = profile_runs([run])
    with pytest.raises(DatasetError, match=rf"cannot be read again: .*{problem}") as raised:
        write_profiled_rows(run.parent / "out.jsonl", tasks)
    assert "\n" not in str(raised.value)
    assert not (run.parent / "out.jsonl").exists()


def test_a_data_set_that_is_gone_is_one_line(played: tuple[Path, Path]) -> None:
    file, run = played
    file.unlink()
    with pytest.raises(DatasetError, match=r"cannot be read again: .*is missing"):
        list(profiled_rows(profile_runs([run])))


def test_rows_of_several_environments_are_refused(tmp_path: Path) -> None:
    run = stored(tmp_path / "a", episode(0), episode(0, env_id="textgym/Math-v0"))
    with pytest.raises(UsageError, match=r"rows of one environment, and the runs have textgym/MC"):
        list(profiled_rows(profile_runs([run])))


def test_a_task_with_two_rates_is_refused(tmp_path: Path) -> None:
    for name, turns in (("a", 3), ("b", 4)):
        kwargs = {"turns": turns, "highest": 9, "max_turns": 3}
        textgym.rollout(GUESS, "oracle", episodes=1, out=tmp_path / name, env_kwargs=kwargs)
    with pytest.raises(UsageError, match=r"played with different arguments, .* and .*one by one"):
        list(profiled_rows(profile_runs([tmp_path / "a", tmp_path / "b"])))


def test_levels_of_two_runs_are_one_data_set(tmp_path: Path) -> None:
    for level in (1, 2):
        kwargs = {"level": level}
        textgym.rollout(MCQA, "oracle", episodes=2, out=tmp_path / str(level), env_kwargs=kwargs)
    rows = list(profiled_rows(profile_runs([tmp_path / "1", tmp_path / "2"])))
    assert [row["level"] for row in rows] == [1, 1, 2, 2]
