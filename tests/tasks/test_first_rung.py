"""Level 0, the first rung: it is drawn where it is selected, and nowhere else."""

from __future__ import annotations

import dataclasses
import random
from typing import Any

import pytest

from textgym import Card, Grade, TextEnv, UnknownNameError
from textgym.messages import user
from textgym.tasks.task import Task


class Words(TextEnv[None]):
    """Repeats as many words as the level says, and one at level 0."""

    card = Card("demo/Words-v0", "Repeat words.", levels=(1, 2), first_rung=True)

    def generate(self, rng: random.Random, level: int) -> dict[str, Any]:
        return {"words": [rng.randint(0, 10**9) for _ in range(level + 1)], "drawn_at": level}

    def read_row(self, row: dict[str, Any]) -> Task:
        return Task(row["id"], (user(f"Repeat {row['words']}."),), row["words"], row=row)

    def grade(self) -> Grade:
        return Grade(0.0, False)


def levels_of(env: TextEnv[Any], count: int = 60) -> set[int]:
    return {env.get_task(index).row["drawn_at"] for index in range(count)}


def test_without_a_level_the_first_rung_is_not_drawn() -> None:
    assert levels_of(Words()) == {1, 2}
    assert levels_of(Words(split="test")) == {1, 2}
    assert Words().levels == (1, 2)


def test_level_0_draws_only_the_first_rung() -> None:
    env = Words(level=0, split="test")
    assert levels_of(env) == {0}
    assert env.levels == (0,)
    assert env.get_task(3).row["level"] == 0


def test_reset_selects_the_first_rung() -> None:
    env = Words()
    env.reset(seed=1, options={"level": 0})
    assert env.task.row["drawn_at"] == 0
    env.reset()
    assert env.task.row["drawn_at"] in (1, 2)


def test_other_environments_have_no_level_0() -> None:
    class Plain(Words):
        card = dataclasses.replace(Words.card, id="demo/Plain-v0", first_rung=False)

    with pytest.raises(UnknownNameError, match=r"no level 0; its levels are 1, 2"):
        Plain(level=0)
    with pytest.raises(UnknownNameError, match=r"no level 0; its levels are 1, 2"):
        Plain().reset(options={"level": 0})


def test_an_unknown_level_names_the_first_rung_too() -> None:
    with pytest.raises(UnknownNameError, match=r"no level 3; its levels are 0, 1, 2"):
        Words(level=3)


def test_a_data_set_has_the_levels_of_its_rows() -> None:
    rows = [{"words": [1], "drawn_at": 7, "level": 7}]
    with pytest.raises(UnknownNameError, match=r"no level 0; its levels are 7"):
        Words(dataset=rows).reset(options={"level": 0})
