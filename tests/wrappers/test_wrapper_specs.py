"""Wrappers given as text: in `make`, rollouts, rescoring and the command."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import gymnasium as gym
import pytest
from gymnasium.wrappers import TransformReward

import textgym
from textgym.errors import UnknownNameError, UsageError
from textgym.registry import make
from textgym.wrappers import StepPenalty
from textgym.wrappers.specs import WRAPPERS, apply_wrappers

GUESS = "textgym/GuessNumber-v0"
COMMAND = [sys.executable, "-c", "from textgym.cli import main; main()"]


class Doubled(StepPenalty):
    """A wrapper of one's own."""


def stack(env: Any) -> list[str]:
    names = []
    while isinstance(env, gym.Wrapper):
        names.append(type(env).__name__)
        env = env.env
    return names


def test_first_wrapper_is_innermost() -> None:
    env = make(GUESS, wrappers=["StepPenalty:amount=0.5", "ClipReturn:low=-0.75"])
    assert stack(env)[:2] == ["ClipReturn", "StepPenalty"]
    env.reset(seed=1)
    assert [env.step("0")[1] for _ in range(2)] == [-0.5, -0.25]


def test_values_are_json_and_may_hold_commas() -> None:
    spec = 'WeightedComponents:weights={"correct": 2, "guesses": 0.5},name=both'
    env: Any = apply_wrappers(make(GUESS), [spec])
    assert env.name == "both"
    assert env._weights == {"correct": 2.0, "guesses": 0.5}


def test_wrapper_of_ones_own_is_found_by_module_and_class() -> None:
    env: Any = apply_wrappers(make(GUESS), [f"{__name__}:Doubled:amount=0.25"])
    env.reset(seed=1)
    assert (stack(env)[0], env.step("0")[1]) == ("Doubled", -0.25)


def test_wrapper_of_gymnasium_is_found_by_module_and_class() -> None:
    env = make(GUESS, wrappers=["gymnasium.wrappers:TimeLimit:max_episode_steps=2"])
    assert stack(env)[0] == "TimeLimit"


@pytest.mark.parametrize(
    ("specs", "problem"),
    [
        ("StepPenalty", "wrappers must be a list"),
        ([7], "a wrapper is a text"),
        (["StepPenlty"], "did you mean 'StepPenalty'"),
        (["StepPenalty:amont=1"], "did you mean 'amount'"),
        (["StepPenalty:amount"], "write arguments as Name:argument=value, not 'amount'"),
        (["StepPenalty:amount=much"], "StepPenalty"),
        (["EfficiencyBonus"], "needs the argument 'limit'"),
        (["nomodule:Class"], "there is no module 'nomodule'"),
        (["textgym.wrappers:StepPenlty"], "did you mean 'StepPenalty'"),
    ],
)
def test_wrong_specs_are_one_line(specs: Any, problem: str) -> None:
    with pytest.raises((UsageError, UnknownNameError), match=problem) as raised:
        make(GUESS, wrappers=specs)
    assert "\n" not in str(raised.value)


def test_run_records_its_wrappers_and_rescoring_applies_them(tmp_path: Path) -> None:
    wrappers = ["StepPenalty:amount=0.5"]
    run = textgym.rollout(GUESS, "random", episodes=4, wrappers=wrappers, out=tmp_path / "run")
    config = json.loads((tmp_path / "run" / "run.json").read_text())
    assert config["env_kwargs"]["wrappers"] == wrappers
    for trajectory in run.trajectories():
        assert all(step["components"]["step_penalty"] == -0.5 for step in trajectory["steps"])
    assert textgym.rescore(tmp_path / "run").counts["same"] == 4


def test_a_wrapped_run_is_resumed_only_with_its_wrappers(tmp_path: Path) -> None:
    options: dict[str, Any] = {"episodes": 2, "out": tmp_path / "run"}
    textgym.rollout(GUESS, "random", wrappers=["StepPenalty"], **options)
    with pytest.raises(textgym.RunError, match="env_kwargs"):
        textgym.rollout(GUESS, "random", resume=True, **options)
    textgym.rollout(GUESS, "random", wrappers=["StepPenalty"], resume=True, **options)


def test_environments_of_a_mixture_have_wrappers_of_their_own() -> None:
    mixture = {GUESS: 0.5, "textgym/MCQA-v0": 0.5}
    run = textgym.rollout(
        mixture, "random", episodes=8, env_kwargs={GUESS: {"wrappers": ["StepPenalty"]}}
    )
    for trajectory in run.trajectories():
        is_wrapped = "step_penalty" in trajectory["steps"][0]["components"]
        assert is_wrapped is (trajectory["env_id"] == GUESS)


def test_success_of_a_wrapped_run_is_that_of_the_environment() -> None:
    plain = textgym.rollout(GUESS, "oracle", episodes=5)
    wrapped = textgym.rollout(GUESS, "oracle", episodes=5, wrappers=["StepPenalty:amount=5"])
    assert wrapped.mean_reward < 0 < plain.mean_reward
    names = ("success_rate", "mean_steps")
    assert [wrapped.metrics["overall"][n] for n in names] == [
        plain.metrics["overall"][n] for n in names
    ]


def test_vectors_take_wrappers_as_text() -> None:
    vector = textgym.make_vec(GUESS, 2, env_kwargs={"wrappers": ["StepPenalty:amount=0.5"]})
    vector.reset(seed=1)
    assert vector.step(["0", "0"])[1].tolist() == [-0.5, -0.5]
    vector.close()


def command(*arguments: str, folder: Path) -> str:
    done = subprocess.run(
        [*COMMAND, *arguments], cwd=folder, capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr
    return done.stdout


def test_command_lists_all_wrappers(tmp_path: Path) -> None:
    shown = command("wrappers", folder=tmp_path)
    assert all(name in shown for name in WRAPPERS)


def test_command_wraps_the_environments(tmp_path: Path) -> None:
    given = f"eval {GUESS} --policy random --episodes 2 --out run --wrap StepPenalty:amount=0.5"
    command(*given.split(), folder=tmp_path)
    lines = (tmp_path / "run" / "trajectories.jsonl").read_text().splitlines()
    steps = [json.loads(line)["steps"][0] for line in lines]
    assert [step["components"]["step_penalty"] for step in steps] == [-0.5, -0.5]


def test_wrappers_of_a_rollout_go_around_what_functions_make(tmp_path: Path) -> None:
    for name, envs in (("one", make_guess), ("mixture", {"mine": make_guess, GUESS: 1.0})):
        run = textgym.rollout(
            envs, "random", episodes=4, wrappers=["StepPenalty:amount=0.5"], out=tmp_path / name
        )
        for trajectory in run.trajectories():
            assert all(step["components"]["step_penalty"] == -0.5 for step in trajectory["steps"])
            assert trajectory["env_kwargs"]["wrappers"][0].startswith("StepPenalty:")
    assert textgym.rescore(tmp_path / "one").counts["same"] == 4
    result = textgym.rescore(tmp_path / "mixture", envs={"mine": make_guess})
    assert result.counts["same"] == 4


def test_a_wrapper_of_a_rollout_that_is_no_list_is_refused() -> None:
    with pytest.raises(UsageError, match="wrappers must be a list such as"):
        textgym.rollout(GUESS, "random", episodes=1, wrappers="StepPenalty")


def make_guess() -> Any:
    return gym.make(GUESS, disable_env_checker=True)


def halve(env: Any) -> Any:
    return TransformReward(env, lambda reward: float(reward) / 2)


def test_a_function_wraps_and_is_recorded_by_its_name(tmp_path: Path) -> None:
    run = textgym.rollout(
        "textgym/MCQA-v0", "oracle", episodes=3, wrappers=[halve], out=tmp_path / "run"
    )
    assert run.mean_reward == 0.5
    config = json.loads((tmp_path / "run" / "run.json").read_text())
    assert config["env_kwargs"] == {"split": "test", "wrappers": [f"{__name__}:halve"]}
    assert textgym.rescore(tmp_path / "run").counts["same"] == 3
    again = textgym.rollout(
        "textgym/MCQA-v0",
        "oracle",
        episodes=3,
        wrappers=[halve],
        out=tmp_path / "run",
        resume=True,
    )
    assert again.metrics["overall"]["episodes"] == 3


def test_wrappers_of_a_vector_are_texts_or_functions() -> None:
    envs = textgym.make_vec(
        "textgym/MCQA-v0", 2, wrappers=["StepPenalty:amount=0.5"], env_wrappers=[halve]
    )
    envs.reset(seed=1)
    assert envs.step(["", ""])[1].tolist() == [-0.25, -0.25]
    envs.close()
