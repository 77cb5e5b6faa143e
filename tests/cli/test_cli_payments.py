"""Payments on the way in `view` and in the tables: each at its turn, and beside the true reward."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from in_process import output_of, run_command

import textgym
from textgym.display.transcript import format_messages
from textgym.trajectories.run_folder import read_trajectories

WRAPPERS = ["StepPenalty:amount=0.25", "ToolErrorPenalty:amount=0.5"]


@pytest.fixture(scope="module")
def run(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A run of two environments, of which one is wrapped."""
    folder = tmp_path_factory.mktemp("runs") / "run"
    kwargs: Any = {"textgym/MultiStep-v0": {"wrappers": WRAPPERS}}
    mixture = {"textgym/MultiStep-v0": 1.0, "textgym/MCQA-v0": 1.0}
    textgym.rollout(mixture, "oracle", episodes=4, out=folder, env_kwargs=kwargs)
    return folder


def show(command: str, run: Path, *options: str) -> str:
    return output_of(run_command(run.parent, command, run.name, *options, COLUMNS="160"))


def test_view_shows_each_payment_at_its_turn(run: Path) -> None:
    shown = show("view", run, "--env", "textgym/MultiStep-v0", "--limit", "1")
    turns = shown.split("[assistant]")[1:]
    assert len(turns) == 3
    paid = "reward -0.25: step_penalty -0.25, tool_error_penalty 0"
    assert [paid in turn for turn in turns] == [True, True, False]
    assert "reward 0.75: accuracy 1, " in turns[2]
    assert "[end]\nreward: 0.25\n" in turns[2]
    assert "reward 0.25, task reward 1, success" in shown
    assert "step_penalty -0.75" in turns[2].partition("[end]")[2]


def test_view_shows_no_payment_where_only_the_end_pays(run: Path) -> None:
    shown = show("view", run, "--env", "textgym/MCQA-v0", "--limit", "1")
    assert "reward 1:" not in shown


def test_tables_show_the_task_reward_beside_a_shaped_one(run: Path) -> None:
    shown = show("metrics", run)
    table = shown.split("\n\n")[1].splitlines()
    assert table[0].split()[0] == "task"
    line = next(line for line in table if line.startswith("textgym/MultiStep-v0"))
    assert ("0.250" in line.split(), "1.000" in line.split()) == (True, True)
    lines = show("metrics", run, "--format", "csv", "--by", "env").splitlines()
    record = dict(zip(lines[0].split(","), lines[2].split(","), strict=True))
    assert (float(record["mean_reward"]), float(record["mean_task_reward"])) == (0.25, 1.0)


def test_tables_have_no_task_reward_without_wrappers(tmp_path: Path) -> None:
    textgym.rollout("textgym/MCQA-v0", "random", episodes=4, out=tmp_path / "run")
    table = show("metrics", tmp_path / "run").split("\n\n")[1].splitlines()
    assert "task" not in table[0].split()


def test_steps_hold_the_task_reward(run: Path) -> None:
    for trajectory in read_trajectories(run):
        wrapped = trajectory["env_id"] == "textgym/MultiStep-v0"
        assert all(("task_reward" in step) is wrapped for step in trajectory["steps"])


def test_rescored_steps_hold_the_new_task_reward(run: Path, tmp_path: Path) -> None:
    changes: Any = {"textgym/MultiStep-v0": {"wrappers": []}}
    result = textgym.rescore(run, env_kwargs=changes, out=tmp_path / "new")
    assert (result.mean_before, result.mean_after) == (0.625, 1.0)
    for trajectory in read_trajectories(tmp_path / "new"):
        assert all("task_reward" not in step for step in trajectory["steps"])


def test_a_note_follows_its_message() -> None:
    said = [{"role": "user", "content": "A"}, {"role": "assistant", "content": "B"}]
    text = "[user]\nA\n\n(first)\n\n[assistant]\nB"
    assert format_messages(said, {0: "(first)"}) == text
