"""Runs are loaded from a folder, shown in one line, and turned into tables."""

from __future__ import annotations

from pathlib import Path

import pytest

import textgym
from textgym.errors import RunError

ENV = "textgym/MCQA-v0"


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path: Path = tmp_path_factory.mktemp("runs") / "random"
    textgym.rollout(ENV, "random", episodes=6, repeats=2, out=path)
    return path


def test_a_run_is_loaded_from_its_folder(folder: Path) -> None:
    run = textgym.Run.load(folder)
    assert run.metrics["overall"]["episodes"] == len(list(run.trajectories())) == 12
    assert run.out == folder


def test_a_folder_without_a_run_is_refused(tmp_path: Path) -> None:
    with pytest.raises(RunError, match="holds no run"):
        textgym.Run.load(tmp_path)


def test_a_run_that_has_not_finished_is_refused(folder: Path, tmp_path: Path) -> None:
    (tmp_path / "trajectories.jsonl").write_bytes((folder / "trajectories.jsonl").read_bytes())
    with pytest.raises(RunError, match=r"without metrics\.json"):
        textgym.Run.load(tmp_path)


def test_a_run_is_shown_in_one_line() -> None:
    run = textgym.rollout(ENV, "oracle", episodes=50)
    assert repr(run) == "<Run of 50 episodes in memory: mean reward 1.000, 0 failures>"


def test_a_run_is_a_table_of_pandas(folder: Path) -> None:
    pytest.importorskip("pandas")
    table = textgym.Run.load(folder).to_pandas()
    assert len(table) == 12
    assert sorted(set(table["repeat"])) == [0, 1]
    assert (table["component.correct"] == table["reward"]).all()
    assert table["failure"].isna().all()


def test_metrics_and_comparisons_take_runs_folders_and_trajectories(folder: Path) -> None:
    run = textgym.Run.load(folder)
    in_memory = textgym.rollout(ENV, "random", episodes=6, repeats=2)
    expected = textgym.compute_metrics(run.trajectories())["overall"]["mean_reward"]
    for form in (run, folder, str(folder), in_memory, tuple(in_memory.trajectories())):
        assert textgym.compute_metrics(form)["overall"]["mean_reward"] == expected
        assert textgym.compare(form, run)["overall"]["reward"]["difference"] == 0
