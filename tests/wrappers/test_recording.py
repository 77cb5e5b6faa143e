"""`RecordTrajectories`: what a plain loop leaves is what a rollout leaves."""

from __future__ import annotations

import asyncio
import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import gymnasium as gym
import pytest

import textgym
from textgym.errors import RunError
from textgym.trajectories.run_folder import read_config, read_trajectories
from textgym.wrappers import ContextWindow, RecordTrajectories, Retry, StepPenalty

TIMES = ("started_at", "seconds", "policy", "usage")
ID = "textgym/SessionState-v0"


def recorded(folder: Path, env: Any = None, **kwargs: Any) -> Any:
    env = gym.make(ID, disable_env_checker=True) if env is None else env
    return RecordTrajectories(env, folder=folder, **kwargs)


def play(env: Any, solve: bool = True, **reset: Any) -> None:
    env.reset(**reset)
    ended = False
    while not ended:
        action = env.unwrapped.solve() if solve else "Hm."
        _, _, terminated, truncated, _ = env.step(action)
        ended = terminated or truncated


def without_times(trajectory: Any) -> Any:
    kept = {name: value for name, value in trajectory.items() if name not in TIMES}
    kept["steps"] = [{**step, "seconds": 0, "finish_reason": ""} for step in trajectory["steps"]]
    return kept


def test_a_loop_leaves_what_a_rollout_leaves(tmp_path: Path) -> None:
    env = recorded(tmp_path / "loop")
    for index in range(4):
        play(env, options={"index": index})
    env.close()
    textgym.rollout(
        lambda: gym.make(ID), "oracle", episodes=4, concurrency=1, out=tmp_path / "rollout"
    )
    loop, rollout = (list(read_trajectories(tmp_path / name)) for name in ("loop", "rollout"))
    assert [*map(without_times, loop)] == [*map(without_times, rollout)]
    files = ["metrics.json", "run.json", "trajectories.jsonl"]
    assert sorted(path.name for path in (tmp_path / "loop").iterdir()) == files
    assert read_config(tmp_path / "loop").keys() == read_config(tmp_path / "rollout").keys()


def test_drawn_tasks_rows_and_levels_can_be_rescored(tmp_path: Path) -> None:
    env = recorded(tmp_path / "run")
    row = {"id": "mine", **env.unwrapped.get_task(3).row}
    play(env, seed=1)
    play(env)
    play(env, options={"task": row})
    play(env, options={"task": row}, solve=False)
    play(env, options={"level": 2})
    env.close()
    assert textgym.rescore(tmp_path / "run").counts["same"] == 5
    stored = list(read_trajectories(tmp_path / "run"))
    assert [trajectory["repeat"] for trajectory in stored] == [0, 0, 0, 1, 0]
    assert ["row" in trajectory for trajectory in stored] == [False, False, True, True, True]


def test_wrappers_inside_are_recorded_and_applied_again(tmp_path: Path) -> None:
    inner: Any = StepPenalty(Retry(gym.make("textgym/MCQA-v0"), feedback="a=b, c=d"), amount=0.25)
    env = recorded(tmp_path / "run", ContextWindow(inner, max_messages=3))
    for index in range(3):
        play(env, options={"index": index}, solve=index == 1)
    env.close()
    result = textgym.rescore(tmp_path / "run")
    assert result.counts["same"] == 3
    kwargs = read_config(tmp_path / "run")["env_kwargs"]
    assert [spec.partition(":")[0] for spec in kwargs["wrappers"]] == [
        "Retry",
        "StepPenalty",
        "ContextWindow",
    ]
    trajectory = next(read_trajectories(tmp_path / "run"))
    assert [step["task_reward"] for step in trajectory["steps"]] == [0.0, 0.0]
    assert len(trajectory["messages"]) == 4


def test_the_commands_read_the_folder(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    env = recorded(tmp_path / "run", policy="by hand")
    play(env, options={"task": env.unwrapped.get_task(3).row})
    env.close()
    code = "from textgym.cli import main; main()"
    for command, *options in (["metrics"], ["view", "--answers"]):
        ran = subprocess.run(
            [sys.executable, "-c", code, command, str(tmp_path / "run"), *options],
            capture_output=True,
            text=True,
        )
        assert ran.returncode == 0, ran.stderr
    assert "right answer: " in ran.stdout
    assert "not known" not in ran.stdout


def test_an_episode_that_is_given_up_is_not_recorded(tmp_path: Path) -> None:
    env = recorded(tmp_path / "run")
    env.reset(seed=1)
    env.step(env.unwrapped.solve())
    play(env, seed=2)
    env.reset(seed=3)
    env.close()
    assert len(list(read_trajectories(tmp_path / "run"))) == 1


def test_an_episode_that_continues_a_saved_state_is_not_recorded(tmp_path: Path) -> None:
    env = recorded(tmp_path / "run")
    env.reset(seed=1)
    textgym.set_state(env, json.loads(json.dumps(textgym.get_state(env))))
    env.step("Hm.")
    play(env, seed=2)
    env.close()
    assert len(list(read_trajectories(tmp_path / "run"))) == 1


def test_what_a_caller_changes_is_not_recorded(tmp_path: Path) -> None:
    env = recorded(tmp_path / "run", gym.make("textgym/GuessNumber-v0"))
    observation, info = env.reset(options={"index": 0})
    observation.clear()
    info["tools"] = "?"
    for action in ("0", str(env.unwrapped.task.answer)):
        observation, *_, info = env.step(action)
        for message in observation:
            message["content"] = "changed"
        info.clear()
    env.close()
    assert textgym.rescore(tmp_path / "run").counts["same"] == 1


def test_a_step_that_raises_is_recorded_once_it_succeeds(tmp_path: Path) -> None:
    env = recorded(tmp_path / "run")
    env.reset(seed=1)
    with pytest.raises(textgym.InvalidActionError):
        env.step(7)
    env.step("Hm.")
    env.close()
    assert len(next(read_trajectories(tmp_path / "run"))["steps"]) == 1


def test_a_used_folder_is_refused_at_once(tmp_path: Path) -> None:
    textgym.rollout(ID, "random", episodes=1, out=tmp_path / "run")
    with pytest.raises(RunError, match="holds a run already"):
        recorded(tmp_path / "run")


def test_nothing_is_written_before_the_first_reset(tmp_path: Path) -> None:
    env = recorded(tmp_path / "run")
    env.close()
    assert not (tmp_path / "run").exists()


def test_two_environments_cannot_share_a_folder(tmp_path: Path) -> None:
    first, second = recorded(tmp_path / "run"), recorded(tmp_path / "run")
    first.reset(seed=1)
    with pytest.raises(RunError, match="another run is writing"):
        second.reset(seed=1)
    first.close()


def test_an_environment_in_a_rollout_may_record_too(tmp_path: Path) -> None:
    env = recorded(tmp_path / "run")
    trajectory = asyncio.run(textgym.play_episode(env, "oracle", index=2))
    env.close()
    assert next(read_trajectories(tmp_path / "run"))["messages"] == trajectory["messages"]
