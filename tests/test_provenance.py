"""What `run.json` records about environments, and the id of a class."""

from __future__ import annotations

import dataclasses
import json
from pathlib import Path
from typing import Any

import gymnasium as gym
import pytest

import textgym
from textgym.envs.guess_number import GuessNumber
from textgym.provenance import env_name, provenance
from textgym.sandbox import default_kind

MCQA = "textgym/MCQA-v0"
ID = "demo/Recorded-v0"


class Recorded(GuessNumber):
    """A class of this module."""

    card = dataclasses.replace(GuessNumber.card, id=ID)


class Variant(Recorded):
    """A class with the id of another one."""


@pytest.fixture(autouse=True)
def clean_registry() -> Any:
    yield
    gym.registry.pop(ID, None)


def recorded(folder: Path) -> Any:
    return json.loads((folder / "run.json").read_text())


def test_environments_of_textgym_record_their_split_only(tmp_path: Path) -> None:
    textgym.rollout(MCQA, "oracle", episodes=1, out=tmp_path)
    asked = recorded(tmp_path)
    assert asked["splits"] == {MCQA: "test"}
    assert "imports" not in asked


def test_the_kind_of_sandbox_is_recorded(tmp_path: Path) -> None:
    program = "textgym/Program-v0"
    textgym.rollout(program, "oracle", episodes=1, out=tmp_path)
    assert recorded(tmp_path)["sandboxes"] == {program: default_kind()}


def test_the_rows_of_a_file_have_no_split(tmp_path: Path) -> None:
    row = {"question": "Which is a metal?", "options": {"A": "neon", "B": "zinc"}, "answer": "B"}
    (tmp_path / "rows.jsonl").write_text(json.dumps(row))
    env = gym.make(MCQA, dataset=str(tmp_path / "rows.jsonl"))
    assert provenance({MCQA: env}) == {}


@pytest.mark.parametrize("given", ["class", "name", "function", "weights"])
def test_however_a_class_is_given_its_run_can_be_rescored(tmp_path: Path, given: str) -> None:
    name = f"{__name__}:Recorded"
    envs: Any = {
        "class": Recorded,
        "name": name,
        "function": lambda: Recorded(level=1),
        "weights": {name: 1.0},
    }[given]
    textgym.rollout(envs, "oracle", episodes=3, out=tmp_path)
    assert recorded(tmp_path)["imports"] == {ID: name}
    gym.registry.pop(ID, None)
    assert textgym.rescore(tmp_path).counts["same"] == 3


def test_arguments_by_module_and_class_reach_the_environment() -> None:
    name = f"{__name__}:Recorded"
    run = textgym.rollout(name, "oracle", episodes=2, env_kwargs={name: {"level": 2}})
    assert [t["env_kwargs"] for t in run.trajectories()] == [{"split": "test", "level": 2}] * 2
    changed = textgym.rescore(run, env_kwargs={name: {"level": 1}})
    assert changed.counts["not_comparable"] == 2


def test_a_class_has_the_id_of_its_card_unless_another_class_has_it() -> None:
    assert env_name(Recorded()) == ID
    textgym.register(Recorded)
    assert env_name(Recorded()) == ID
    assert env_name(Variant()) == "Variant"
    run = textgym.rollout(Variant, "oracle", episodes=1)
    assert next(run.trajectories())["env_id"] == "Variant"


def test_a_used_folder_is_refused_before_the_policy_is_made(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    textgym.rollout(MCQA, "oracle", episodes=1, out=tmp_path)
    monkeypatch.setattr("textgym.rollouts.engine.make_policy", None)
    with pytest.raises(textgym.RunError, match="holds a run already"):
        textgym.rollout(MCQA, "oracle", episodes=1, out=tmp_path)
