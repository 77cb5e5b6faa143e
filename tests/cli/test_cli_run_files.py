"""`textgym eval --config` and `--save-config`: runs from files, and as files."""

from __future__ import annotations

import json
import tomllib
from pathlib import Path
from typing import Any

import pytest
from in_process import output_of, run_command

import textgym

MCQA, MATH = "textgym/MCQA-v0", "textgym/Math-v0"
FILE = f"""
envs = ["{MCQA}", "{MATH}"]
policy = "oracle"
episodes = 3
repeats = 2
out = "stored"
wrappers = ["StepPenalty:amount=0.25"]

[env_kwargs]
level = 2

[env_kwargs."{MCQA}"]
shots = 1
level = 3

[sampling]
temperature = 0.5
"""


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "run.toml").write_text(FILE)
    return tmp_path


def played(folder: Path, *options: str, out: str = "stored") -> Any:
    output_of(run_command(folder, "eval", "--config", "run.toml", *options))
    return json.loads((folder / out / "run.json").read_text())


def test_a_file_is_played(folder: Path) -> None:
    run = played(folder)
    assert run["tasks"] == {MCQA: 3, MATH: 3}
    assert (run["policy"], run["repeats"]) == ("oracle", 2)
    assert run["env_kwargs"][MCQA] == {"shots": 1, "level": 3}
    lines = (folder / "stored" / "trajectories.jsonl").read_text().splitlines()
    assert {json.loads(line)["reward"] for line in lines} == {0.75}


@pytest.mark.parametrize(
    ("options", "changed"),
    [
        (("--repeats", "1"), {"repeats": 1}),
        (("--seed", "0", "--episodes", "2"), {"seed": 0, "tasks": {MCQA: 2, MATH: 2}}),
        (("--policy", "random"), {"policy": "random"}),
        ((MATH, MCQA), {"tasks": {MATH: 3, MCQA: 3}}),
        ((f"{MATH}=2", f"{MCQA}=1"), {"envs": {MATH: 2.0, MCQA: 1.0}, "episodes": 3}),
        (
            ("--wrap", "StepPenalty:amount=0.5", "--level", "1"),
            {
                "env_kwargs": {
                    "level": 1,
                    "split": "test",
                    MCQA: {"shots": 1},
                    "wrappers": ["StepPenalty:amount=0.5"],
                }
            },
        ),
    ],
)
def test_options_on_the_command_line_override_the_file(
    folder: Path, options: tuple[str, ...], changed: dict[str, Any]
) -> None:
    run = played(folder, *options)
    assert {name: run[name] for name in changed} == changed


def test_the_saved_file_plays_the_same_run_again_here_and_in_rollout(folder: Path) -> None:
    first = played(folder, "--set", f"{MCQA}:shots=0", "--save-config", "saved.toml")
    saved = tomllib.loads((folder / "saved.toml").read_text())
    assert saved["sampling"] == {
        "temperature": 0.5, "top_p": 1.0, "top_k": 0, "max_tokens": 512, "stop": [],
    }  # fmt: skip
    assert saved["env_kwargs"] == {"level": 2, MCQA: {"shots": 0, "level": 3}}
    output_of(run_command(folder, "eval", "--config", "saved.toml", "--out", "again"))
    assert json.loads((folder / "again" / "run.json").read_text()) == first
    config = textgym.load_config(folder / "saved.toml")
    run = textgym.rollout(**config | {"out": folder / "rollout"})
    assert json.loads((folder / "rollout" / "run.json").read_text()) == first
    assert run.mean_reward == 0.75


def test_a_run_without_a_file_is_saved_with_the_names_that_were_given(folder: Path) -> None:
    options = ("--policy", "oracle", "--episodes", "1", "--save-config", "saved.toml")
    output_of(run_command(folder, "eval", "textgym.envs.mcqa:MCQA", *options))
    saved = tomllib.loads((folder / "saved.toml").read_text())
    assert saved.pop("sampling")["max_tokens"] == 512
    assert saved == {"policy": "oracle", "envs": ["textgym.envs.mcqa:MCQA"], "episodes": 1}


LENGTHS = """
def shortest(group):
    lengths = [len(it["messages"][-1]["content"]) for it in group]
    return [float(length == min(lengths)) for length in lengths]
"""


def test_a_group_reward_is_played_saved_and_played_again(folder: Path) -> None:
    (folder / "my_rewards.py").write_text(LENGTHS)
    options = ("--episodes", "1", "--group-reward", "my_rewards:shortest", "--level", "1")
    first = played(folder, *options, "--save-config", "saved.toml")
    assert first["group_reward"] == "my_rewards:shortest"
    saved = tomllib.loads((folder / "saved.toml").read_text())
    assert saved["group_reward"] == "my_rewards:shortest"
    output_of(run_command(folder, "eval", "--config", "saved.toml", "--out", "again"))
    assert json.loads((folder / "again" / "run.json").read_text()) == first
    (line, *_) = (folder / "again" / "trajectories.jsonl").read_text().splitlines()
    assert json.loads(line)["steps"][-1]["components"]["group_reward"] == 1.0


def test_a_run_of_a_file_can_be_resumed(folder: Path) -> None:
    played(folder)
    played(folder, "--resume")
    done = run_command(folder, "eval", "--config", "run.toml")
    assert (done.returncode, done.stderr) == (
        2, "textgym: 'stored' holds a run already: name another folder or resume\n"
    )  # fmt: skip


def test_a_dry_run_shows_the_prompt_of_the_file(folder: Path) -> None:
    shown = output_of(run_command(folder, "eval", "--config", "run.toml", "--dry-run"))
    assert shown.count("(oracle has no chat template: these are the messages)") == 2
    assert not (folder / "stored").exists()


def test_arguments_of_one_environment_must_be_a_table(folder: Path) -> None:
    (folder / "run.toml").write_text(f'envs = "{MCQA}"\n[env_kwargs]\n"{MCQA}" = 3')
    done = run_command(folder, "eval", "--config", "run.toml", "--level", "1")
    problem = f"textgym: env_kwargs['{MCQA}'] must be a dict of keyword arguments, not 3\n"
    assert (done.returncode, done.stderr) == (2, problem)


@pytest.mark.parametrize(
    ("arguments", "problem"),
    [
        ("eval --policy oracle", "name an environment, such as textgym/MCQA-v0, or a file with"),
        ("eval --config none.toml", "cannot read 'none.toml': No such file or directory"),
        ("eval --config run.toml --set textgym/Haystack-v0:x=1", "'textgym/Haystack-v0' is not pl"),
        ("eval textgym/Math-v0 --config run.toml", "env_kwargs: 'textgym/MCQA-v0' is not played"),
        ("eval --config run.toml --save-config no/x.toml", "cannot write 'no/x.toml'"),
        ("eval --config run.toml --group-reward hf:M", "did you mean 'tournament:hf:M'?"),
        ("eval --config run.toml --group-reward nope:f", "no group reward 'nope:f': there is no m"),
        ("eval --config run.toml --group-reward x:y --repeats 1", "group_reward compares episodes"),
    ],
)
def test_a_mistake_is_one_line(folder: Path, arguments: str, problem: str) -> None:
    done = run_command(folder, *arguments.split())
    assert done.returncode == 2
    assert done.stderr.startswith(f"textgym: {problem}") or problem in done.stderr
    assert done.stderr.count("\n") == 1
    assert not (folder / "stored").exists()
