"""Data digests: runs are not resumed on changed data, and rescoring reports the change."""

from __future__ import annotations

import gc
import json
import os
from collections.abc import Callable
from pathlib import Path
from typing import Any

import gymnasium
import pytest
from in_process import output_of, run_command
from workplace_data import request, write_database

import textgym
from textgym.errors import DatasetError, RunError
from textgym.rescoring.engine import rescore
from textgym.trajectories.task_identity import changed_data, digests_of, with_unchanged_data

MATH, MCQA = "textgym/Math-v0", "textgym/MCQA-v0"


def write(path: Path, *answers: str) -> str:
    """Write a data set with one question for each answer."""
    rows = [{"question": f"Task {n}?", "expected_answer": text} for n, text in enumerate(answers)]
    path.write_text("".join(json.dumps(row) + "\n" for row in rows))
    return str(path)


def play(data: str, out: Path | None, envs: Any = MATH, **options: Any) -> textgym.Run:
    kwargs = {"env_kwargs": {"dataset": data}, **options}
    return textgym.rollout(envs, "oracle", out=out, **kwargs)


def stored(folder: Path) -> dict[str, bytes]:
    return {path.name: path.read_bytes() for path in folder.iterdir()}


def test_run_file_holds_a_hash_of_the_content(tmp_path: Path) -> None:
    data = write(tmp_path / "rows.jsonl", "1", "2")
    play(data, tmp_path / "run")
    held = json.loads((tmp_path / "run" / "run.json").read_text())["data"]
    assert list(held) == [MATH]
    assert list(held[MATH]) == [data]
    assert len(held[MATH][data]) == 32


def test_run_of_generated_tasks_has_no_data(tmp_path: Path) -> None:
    textgym.rollout(MATH, "oracle", episodes=1, out=tmp_path)
    assert "data" not in json.loads((tmp_path / "run.json").read_text())


def same_size_and_time(path: Path) -> None:
    before = path.stat()
    path.write_text(path.read_text().replace('"2"', '"7"'))
    os.utime(path, ns=(before.st_atime_ns, before.st_mtime_ns))
    assert path.stat().st_size == before.st_size


@pytest.mark.parametrize(
    "change",
    [
        pytest.param(lambda path: write(path, "1", "7"), id="another answer"),
        pytest.param(lambda path: write(path, "1", "2", "3"), id="one row more"),
        pytest.param(lambda path: path.write_text(path.read_text() + "\n"), id="a blank line"),
        pytest.param(same_size_and_time, id="the same size and time"),
    ],
)
def test_a_run_on_changed_data_cannot_be_resumed(
    tmp_path: Path, change: Callable[[Path], Any]
) -> None:
    path, run = tmp_path / "rows.jsonl", tmp_path / "run"
    play(write(path, "1", "2"), run, episodes=2)
    before = stored(run)
    change(path)
    with pytest.raises(RunError, match=r"another content of .*rows\.jsonl.* restore it") as caught:
        play(str(path), run, episodes=2, resume=True)
    assert "\n" not in str(caught.value)
    assert stored(run) == before


@pytest.mark.parametrize("rewrite", [False, True], ids=["touched", "written anew"])
def test_a_new_modification_time_does_not_prevent_a_resume(tmp_path: Path, rewrite: bool) -> None:
    path, run = tmp_path / "rows.jsonl", tmp_path / "run"
    data = write(path, "1", "2")
    play(data, run)
    if rewrite:
        path.unlink()
        write(path, "1", "2")
    os.utime(path, ns=(1, 1))
    assert play(data, run, resume=True).metrics["overall"]["episodes"] == 2


def test_a_run_can_be_resumed_after_its_data_are_restored(tmp_path: Path) -> None:
    path, run = tmp_path / "rows.jsonl", tmp_path / "run"
    play(write(path, "1"), run)
    write(path, "2")
    with pytest.raises(RunError):
        play(str(path), run, resume=True)
    play(write(path, "1"), run, resume=True)


def test_the_same_content_at_another_path_is_another_run(tmp_path: Path) -> None:
    run = tmp_path / "run"
    play(write(tmp_path / "rows.jsonl", "1"), run)
    with pytest.raises(RunError, match="its env_kwargs is"):
        play(write(tmp_path / "moved.jsonl", "1"), run, resume=True)


def test_a_run_without_digests_cannot_be_resumed(tmp_path: Path) -> None:
    data, run = write(tmp_path / "rows.jsonl", "1"), tmp_path / "run"
    play(data, run)
    held = json.loads((run / "run.json").read_text())
    for odd in ({}, None, 5, {MATH: None}, {MATH: {}}, {MATH: 5}):
        (run / "run.json").write_text(json.dumps({**held, "data": odd}))
        with pytest.raises(RunError, match="has no digests of the run's data sets"):
            play(data, run, resume=True)


def test_changed_data_of_a_second_environment_are_detected(tmp_path: Path) -> None:
    first, second = write(tmp_path / "a.jsonl", "1"), tmp_path / "b.jsonl"
    question = {"question": "Q?", "options": {"A": "x", "B": "y"}, "answer": "A"}
    second.write_text(json.dumps(question))
    options: dict[str, Any] = {
        "envs": {MATH: 1, MCQA: 1},
        "episodes": 2,
        "env_kwargs": {MATH: {"dataset": first}, MCQA: {"dataset": str(second)}},
    }
    play("", tmp_path / "run", **options)
    second.write_text(json.dumps({**question, "answer": "B"}))
    with pytest.raises(RunError, match=r"another content of '.*b\.jsonl'"):
        play("", tmp_path / "run", resume=True, **options)


def test_changed_data_of_a_functions_environment_are_detected(tmp_path: Path) -> None:
    path = tmp_path / "rows.jsonl"
    options: dict[str, Any] = {
        "envs": lambda: gymnasium.make(MATH, dataset=str(path)),
        "env_kwargs": None,
    }
    write(path, "1")
    play("", tmp_path / "run", **options)
    write(path, "2")
    with pytest.raises(RunError, match="another content"):
        play("", tmp_path / "run", resume=True, **options)


def test_a_changed_parquet_file_is_detected(tmp_path: Path) -> None:
    arrow = pytest.importorskip("pyarrow")
    tables = pytest.importorskip("pyarrow.parquet")
    path = tmp_path / "rows.parquet"
    for answer in ("1", "2"):
        rows = [{"question": "Task?", "expected_answer": answer}]
        tables.write_table(arrow.Table.from_pylist(rows), path)
        if answer == "1":
            play(str(path), tmp_path / "run")
    with pytest.raises(RunError, match=r"another content of '.*rows\.parquet'"):
        play(str(path), tmp_path / "run", resume=True)


def test_a_changed_data_set_of_a_hub_is_detected(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    library = pytest.importorskip("datasets")
    rows = [{"question": "Task?", "expected_answer": "1"}]
    monkeypatch.setattr(library, "load_dataset", lambda name, split: rows)
    play("org/name", tmp_path / "run")
    play("org/name", tmp_path / "run", resume=True)
    rows[0]["expected_answer"] = "2"
    gc.collect()  # what was read is shared while an environment lives
    with pytest.raises(RunError, match="another content of 'org/name'"):
        play("org/name", tmp_path / "run", resume=True)


def test_a_changed_folder_of_databases_is_detected(tmp_path: Path) -> None:
    folder, rows = tmp_path / "databases", tmp_path / "rows.jsonl"
    write_database(folder)
    rows.write_text(json.dumps(request()))
    options = {
        "envs": "textgym/WorkplaceAssistant-v0",
        "env_kwargs": {"dataset": str(rows), "database": str(folder)},
    }
    play("", tmp_path / "run", **options)
    emails = folder / "emails.csv"
    emails.write_text(emails.read_text().replace("Budget", "Budgets"))
    with pytest.raises(RunError, match=r"another content of '.*databases'"):
        play("", tmp_path / "run", resume=True, **options)


def test_no_environment_is_made_after_its_data_changed_in_a_run(tmp_path: Path) -> None:
    path = tmp_path / "rows.jsonl"
    makers = {MATH: lambda: gymnasium.make(MATH, dataset=str(path))}
    write(path, "1")
    with makers[MATH]() as sample:
        same = with_unchanged_data(makers, digests_of({MATH: sample}))
        same[MATH]().close()
        write(path, "2")
        with pytest.raises(DatasetError, match=r"rows\.jsonl' has changed since the run began"):
            same[MATH]()


def test_episode_of_changed_data_fails_and_has_no_reward(tmp_path: Path) -> None:
    path, made = tmp_path / "rows.jsonl", 0

    def make() -> Any:
        nonlocal made
        made += 1
        write(path, *"123" if made == 1 else "456")  # the first plays the first episode
        return gymnasium.make(MATH, dataset=str(path))

    run = textgym.rollout(make, "oracle", episodes=3, concurrency=3)
    failures = [trajectory["failure"] for trajectory in run.trajectories()]
    assert sum(failure is None for failure in failures) >= 1
    assert {failure["type"] for failure in failures if failure} == {"DatasetError"}
    rewards = [it["reward"] for it in run.trajectories() if it["failure"]]
    assert set(rewards) == {None}


def test_rescoring_reports_changed_data(tmp_path: Path) -> None:
    data = write(tmp_path / "rows.jsonl", "1", "2")
    run = play(data, tmp_path / "run")
    assert rescore(run).changed_data == rescore(tmp_path / "run").changed_data == ()
    write(tmp_path / "rows.jsonl", "1", "7")
    for given in (run, tmp_path / "run"):
        found = rescore(given)
        assert found.changed_data == (data,)
        assert (found.mean_before, found.mean_after) == (1.0, 0.5)
    assert found.as_dict()["changed_data"] == [data]


def test_rescoring_a_run_in_memory_reports_changed_data(tmp_path: Path) -> None:
    data = write(tmp_path / "rows.jsonl", "1")
    run = play(data, None)
    write(tmp_path / "rows.jsonl", "2")
    assert rescore(run).changed_data == (data,)


def test_rescoring_on_another_data_set_reports_no_change(tmp_path: Path) -> None:
    run = play(write(tmp_path / "rows.jsonl", "1"), tmp_path / "run")
    other = write(tmp_path / "corrected.jsonl", "2")
    found = rescore(run, env_kwargs={"dataset": other})
    assert (found.changed_data, found.mean_after) == ((), 0.0)


def test_the_rescore_command_reports_changed_data(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    play(write(Path("rows.jsonl"), "1"), Path("run"))
    write(Path("rows.jsonl"), "2")
    told = output_of(run_command(tmp_path, "rescore", "run"))
    assert "warning: rows.jsonl has changed since the run was played" in told


def test_the_metrics_command_reports_different_data_of_two_runs(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    for run, answer in (("a", "1"), ("b", "1"), ("c", "2")):
        play(write(Path("rows.jsonl"), answer), Path(run))
    told = output_of(run_command(tmp_path, "metrics", "a", "b", "c"))
    assert "warning: A and C were played on different rows.jsonl" in told
    assert "A and B were" not in told


def first_line_changed(folder: Path, **change: Any) -> None:
    file = folder / "trajectories.jsonl"
    first, *others = file.read_text().splitlines(keepends=True)
    file.write_text("".join([json.dumps({**json.loads(first), **change}) + "\n", *others]))


@pytest.mark.parametrize(
    ("change", "told"),
    [
        ({"task_index": 2}, "task 2, repeat 0 of textgym/Math-v0, which is not part of this run"),
        ({"task_index": -1}, "which is not part of this run"),
        ({"task_index": "0"}, "which is not part of this run"),
        ({"repeat": 1}, "repeat 1 of textgym/Math-v0, which is not part of this run"),
        ({"seed": 5}, "which is not part of this run"),
        ({"env_id": MCQA}, f"repeat 0 of {MCQA}, which is not part of this run"),
        ({"task_index": 1}, "task 1, repeat 0 of textgym/Math-v0, twice"),
    ],
    ids=str,
)
def test_a_stored_episode_that_is_not_part_of_the_run_is_refused(
    tmp_path: Path, change: dict[str, Any], told: str
) -> None:
    run = tmp_path / "run"
    options: dict[str, Any] = {"episodes": 2, "env_kwargs": {}, "concurrency": 1}
    play("", run, **options)
    first_line_changed(run, **change)
    before = stored(run)
    with pytest.raises(RunError, match=told):
        play("", run, resume=True, **options)
    assert stored(run) == before


def test_changed_data_names_each_once() -> None:
    was, now = {"a": {"x": "1", "y": "1"}, "b": {"x": "1"}}, {"a": {"x": "2", "y": "1"}}
    assert changed_data(was, {**now, "b": {"x": "2", "z": "1"}}) == ["x"]
