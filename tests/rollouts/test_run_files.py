"""Runs as TOML files, read as the arguments of `rollout`."""

from __future__ import annotations

import inspect
import re
import tomllib
from pathlib import Path
from typing import Any

import pytest
from repository import ROOT

import textgym
from textgym.errors import UnknownNameError, UsageError
from textgym.rollouts.run_files import _KEYS, read_run_file, rollout_arguments, write_run_file

MCQA, MATH = "textgym/MCQA-v0", "textgym/Math-v0"


@pytest.fixture
def file(tmp_path: Path) -> Path:
    return tmp_path / "run.toml"


def test_a_file_plays_as_its_arguments_do(file: Path, tmp_path: Path) -> None:
    file.write_text(
        f"""
        envs = {{ "{MCQA}" = 2, "{MATH}" = 1 }}
        policy = "random"
        episodes = 9
        repeats = 2
        seed = 3
        wrappers = ["StepPenalty:amount=0.25"]
        out = "{tmp_path / "run"}"
        [env_kwargs]
        level = 2
        [env_kwargs."{MCQA}"]
        shots = 1
        """
    )
    run = textgym.rollout(**textgym.load_config(file))
    same = textgym.rollout(
        {MCQA: 2, MATH: 1},
        "random",
        episodes=9,
        repeats=2,
        seed=3,
        wrappers=["StepPenalty:amount=0.25"],
        env_kwargs={"level": 2, MCQA: {"shots": 1}},
    )
    assert (tmp_path / "run" / "run.json").is_file()
    counted = [(one["env_id"], one["task_id"], one["reward"]) for one in run.trajectories()]
    assert sorted(counted) == sorted(
        (one["env_id"], one["task_id"], one["reward"]) for one in same.trajectories()
    )
    assert len(counted) == 18


@pytest.mark.parametrize(
    ("run", "envs", "episodes"),
    [
        ({"envs": MCQA, "episodes": 4}, MCQA, 4),
        ({"envs": [MCQA], "episodes": 4}, MCQA, 4),
        ({"envs": [MCQA, MATH], "episodes": 4}, {MCQA: 1.0, MATH: 1.0}, 8),
        ({"envs": {MCQA: 3, MATH: 1}, "episodes": 4}, {MCQA: 3, MATH: 1}, 4),
        ({"envs": ["textgym.envs.mcqa:MCQA", MATH]}, {MCQA: 1.0, MATH: 1.0}, None),
    ],
)
def test_episodes_are_for_each_of_a_list_and_in_total_with_weights(
    run: dict[str, Any], envs: Any, episodes: int | None
) -> None:
    arguments = rollout_arguments(run)
    assert arguments["envs"] == envs
    assert arguments.get("episodes") == episodes


def test_keys_that_the_file_lacks_are_left_out(file: Path) -> None:
    file.write_text("repeats = 2")
    assert textgym.load_config(file) == {"repeats": 2}


def test_the_options_of_the_policy_are_passed_on(file: Path) -> None:
    file.write_text(f'envs = "{MCQA}"\npolicy = "oracle"\nepisodes = 1\npolicy_options.retry = 3')
    with pytest.raises(UnknownNameError, match="the policy 'oracle' has no option 'retry'"):
        textgym.rollout(**textgym.load_config(file))


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        ("epsiodes = 3", "there is no key 'epsiodes'; did you mean 'episodes'?"),
        ("resume = true", "there is no key 'resume'"),
        ("episodes = '3'", "episodes must be an integer, not '3'"),
        ("repeats = true", "repeats must be an integer, not True"),
        ("seed = 1.5", "seed must be an integer, not 1.5"),
        ("envs = 3", "envs must be a string or a list or a table, not 3"),
        ("wrappers = 'StepPenalty'", "wrappers must be a list, not 'StepPenalty'"),
        ("sampling.temprature = 1", "no sampling setting 'temprature'; did you mean 'temperature'"),
        ("sampling.top_p = 3", "top_p must be above 0, at most 1, not 3"),
        ("episodes = x", "is not a TOML file: Invalid value (at line 1, column 12)"),
        ("episodes = 1\nepisodes = 2", "is not a TOML file: Cannot overwrite a value"),
    ],
)
def test_a_mistake_in_a_file_is_one_line_that_names_it(file: Path, text: str, problem: str) -> None:
    file.write_text(text)
    with pytest.raises(UsageError) as raised:
        textgym.load_config(file)
    assert str(raised.value).startswith(str(file))
    assert problem in str(raised.value)
    assert "\n" not in str(raised.value)


def test_the_file_and_the_keys_of_the_documentation_are_right(file: Path) -> None:
    page = (ROOT / "docs" / "command.md").read_text()
    (block,) = re.findall(r"```toml\n(.*?)```", page, re.S)
    file.write_text(block)
    assert textgym.load_config(file)["episodes"] == 200
    (listed,) = re.findall(r"that are data: (.*?)\. With", page, re.S)
    assert set(re.findall(r"`(\w+)`", listed)) == set(_KEYS)
    assert set(_KEYS) <= set(inspect.signature(textgym.rollout).parameters)


def test_a_file_that_cannot_be_read_is_one_line(file: Path) -> None:
    with pytest.raises(UsageError, match=r"cannot read '.*run.toml': No such file"):
        textgym.load_config(file)
    with pytest.raises(UsageError, match="cannot read"):
        textgym.load_config(file.parent)
    file.write_bytes(b"\xff")
    with pytest.raises(UsageError, match=r"run.toml is not a TOML file: 'utf-8'"):
        textgym.load_config(file)


def test_what_is_written_is_read_again(file: Path) -> None:
    run = {
        "envs": {MCQA: 0.5, "shop:Shop": 2},
        "policy": 'openai:"quoted"@http://127.0.0.1:1/v1',
        "env_kwargs": {"level": 1, MCQA: {"shots": 1, "deep": {"a": [1, {"b": "ü\n"}]}}},
        "sampling": {"stop": ["\n\n", '"""'], "temperature": 0.5},
        "wrappers": ['FormatReward:pattern="\\\\d+"'],
    }
    write_run_file(file, run)
    assert read_run_file(file) == tomllib.loads(file.read_text()) == run


def test_null_and_places_that_cannot_be_written_are_one_line(file: Path) -> None:
    with pytest.raises(UsageError, match="cannot be written as TOML, which has no null"):
        write_run_file(file, {"env_kwargs": {"level": None}})
    with pytest.raises(UsageError, match=r"cannot write '.*/no/run.toml': No such file"):
        write_run_file(file.parent / "no" / "run.toml", {})
