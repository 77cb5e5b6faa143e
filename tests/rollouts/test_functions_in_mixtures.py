"""Rollouts of mixtures in which functions make environments, and grading such runs again."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import gymnasium
import pytest

import textgym
from textgym.errors import RunError, UnknownNameError, UsageError
from textgym.trajectories.run_folder import read_config
from textgym.wrappers import StepPenalty

MCQA, GUESS = "textgym/MCQA-v0", "textgym/GuessNumber-v0"


def costly() -> Any:
    return StepPenalty(gymnasium.make(MCQA, level=3), amount=0.25)


def dear() -> Any:
    return StepPenalty(gymnasium.make(MCQA, level=3), amount=0.5)


def plain() -> Any:
    return textgym.envs.mcqa.MCQA(level=2)


MIXTURE: Any = {MCQA: 1.0, "costly": (2.0, costly), "plain": plain}


def play(**kwargs: Any) -> Any:
    return textgym.rollout(MIXTURE, "oracle", **{"episodes": 8, **kwargs})


def rewards_of(run: Any) -> dict[str, set[float]]:
    found: dict[str, set[float]] = {}
    for trajectory in run.trajectories():
        found.setdefault(trajectory["env_id"], set()).add(trajectory["reward"])
    return found


def test_keys_name_the_results_and_weights_divide_the_episodes() -> None:
    run = play()
    assert {id: node["episodes"] for id, node in run.metrics["envs"].items()} == {
        MCQA: 2,
        "costly": 4,
        "plain": 2,
    }
    assert rewards_of(run) == {MCQA: {1.0}, "costly": {0.75}, "plain": {1.0}}


def test_trajectories_hold_the_arguments_that_a_function_gave() -> None:
    kwargs = {t["env_id"]: t["env_kwargs"] for t in play().trajectories()}
    assert kwargs.pop("costly").pop("wrappers")[0].startswith("StepPenalty:")
    assert kwargs == {MCQA: {"split": "test"}, "plain": {"level": 2}}


def test_run_records_weights_and_names_of_functions(tmp_path: Path) -> None:
    play(out=tmp_path / "run")
    config = read_config(tmp_path / "run")
    assert config["envs"] == {
        MCQA: 1.0,
        "costly": {"weight": 2.0, "function": f"{__name__}:costly"},
        "plain": {"weight": 1.0, "function": f"{__name__}:plain"},
    }
    assert config["tasks"] == {MCQA: 2, "costly": 4, "plain": 2}
    assert "imports" not in config


def test_run_is_resumed_with_the_same_functions_only(tmp_path: Path) -> None:
    play(out=tmp_path / "run")
    left: list[int] = []
    play(out=tmp_path / "run", resume=True, on_start=left.append)
    assert left == [0]
    other = {**MIXTURE, "costly": (2.0, dear)}
    with pytest.raises(RunError, match="holds another run: its envs is"):
        textgym.rollout(other, "oracle", episodes=8, out=tmp_path / "run", resume=True)


def test_tasks_and_limits_are_given_by_name() -> None:
    tasks = {MCQA: [3], "costly": [4, 5], "plain": [6]}
    run = play(tasks=tasks, episodes=None, env_concurrency={"costly": 1})
    assert {(t["env_id"], t["task_index"]) for t in run.trajectories()} == {
        (id, index) for id, indices in tasks.items() for index in indices
    }


def test_a_curriculum_draws_functions() -> None:
    run = play(episodes=40, curriculum=True)
    assert set(rewards_of(run)) == set(MIXTURE)


# Grading again


@pytest.mark.parametrize("stored", [True, False], ids=["stored", "in memory"])
def test_a_run_is_graded_again_with_its_functions(tmp_path: Path, stored: bool) -> None:
    run = play(out=tmp_path / "run" if stored else None)
    given: Any = tmp_path / "run" if stored else run
    result = textgym.rescore(given, envs={"costly": costly, "plain": plain})
    assert (result.counts["same"], sum(result.counts.values())) == (8, 8)


def test_another_function_gives_other_rewards(tmp_path: Path) -> None:
    play(out=tmp_path / "run")
    new = tmp_path / "new"
    result = textgym.rescore(tmp_path / "run", envs={"costly": dear, "plain": plain}, out=new)
    assert result.counts["same"] == 4
    config = read_config(new)
    assert config["envs"] == read_config(tmp_path / "run")["envs"]


def test_a_run_without_its_functions_is_not_graded(tmp_path: Path) -> None:
    run = play()
    with pytest.raises(UnknownNameError, match=r"there is no environment '(costly|plain)'"):
        textgym.rescore(run, concurrency=1, envs={})


@pytest.mark.parametrize(
    ("kwargs", "told"),
    [
        ({"envs": {"costly": costly, "plane": plain}}, "envs: 'plane' is not played"),
        ({"envs": {"costly": costly}, "env_kwargs": {"level": 1}}, "'level' cannot apply to all"),
        (
            {"envs": {"costly": costly}, "env_kwargs": {"costly": {"level": 1}}},
            "'costly' is made by a function",
        ),
    ],
    ids=["name", "all", "own"],
)
def test_what_does_not_fit_the_run_is_refused(kwargs: Any, told: str) -> None:
    with pytest.raises(UsageError, match=told):
        textgym.rescore(play(), **kwargs)


# What is refused


@pytest.mark.parametrize(
    ("kwargs", "told"),
    [
        ({"env_kwargs": {"level": 1}}, "'level' cannot apply to all, because 'costly' is made by"),
        ({"env_kwargs": {"plain": {"level": 1}}}, "'plain' is made by a function"),
        ({"env_kwargs": {"wrappers": ["StepPenalty"]}}, "'wrappers' cannot apply to all"),
        ({"env_kwargs": {"other/A-v0": {}}}, "'other/A-v0' is not played"),
        ({"episodes": None}, "weights divide the tasks among environments: pass episodes"),
    ],
    ids=["all", "own", "wrappers", "unknown", "episodes"],
)
def test_arguments_for_functions_are_refused_in_one_line(kwargs: Any, told: str) -> None:
    with pytest.raises(UsageError, match=told) as raised:
        play(**kwargs)
    assert "\n" not in str(raised.value)


@pytest.mark.parametrize("source", [None, "1", True, (1.0, 2.0), (costly, 1.0)])
def test_an_entry_that_is_neither_is_refused(source: Any) -> None:
    with pytest.raises(UsageError, match="'b' must have a weight, a function that makes"):
        textgym.rollout({MCQA: 1.0, "b": source}, "oracle", episodes=4)


def test_arguments_of_ids_beside_functions_are_taken() -> None:
    run = play(env_kwargs={MCQA: {"level": 5, "wrappers": ["StepPenalty:amount=0.5"]}})
    assert rewards_of(run) == {MCQA: {0.5}, "costly": {0.75}, "plain": {1.0}}
