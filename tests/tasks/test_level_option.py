"""`reset(options={"level": n})`: the tasks of an environment that was made with the level."""

from __future__ import annotations

import copy
import json
from pathlib import Path
from typing import Any

import gymnasium as gym
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import textgym
from textgym.core.card import Card
from textgym.core.episode import Grade
from textgym.core.text_env import TextEnv
from textgym.errors import DatasetError, UnknownNameError, UsageError
from textgym.messages import user
from textgym.tasks.task import SPLITS, Task

GUESS = "textgym/GuessNumber-v0"
SUITE = [id for id in textgym.ids(guests=False) if id.startswith("textgym/")]
IN_ORDER = ["a", "b", "c", "d", "e"]


class Word(TextEnv[None]):
    """Say a word; its rows may have any level."""

    card = Card("demo/LevelWord-v0", "Say a word.", levels=(1, 2))

    def generate(self, rng: Any, level: int) -> dict[str, Any]:
        return {"word": f"{rng.randrange(10**6)} of {level}"}

    def read_row(self, row: dict[str, Any]) -> Task:
        return Task(row["id"], (user(f"Say {row['word']}."),), row["word"], row=row)

    def grade(self) -> Grade:
        right = self.answer_text == self.task.answer
        return Grade(float(right), right)


class Fixed(Word):
    """An environment whose constructor takes no level."""

    def __init__(self) -> None:
        super().__init__()


def write(path: Path, levels: list[Any]) -> str:
    rows = [
        {"word": word} | ({} if level is None else {"level": level})
        for word, level in zip(IN_ORDER, levels, strict=True)
    ]
    path.write_text("".join(json.dumps(row) + "\n" for row in rows))
    return str(path)


@pytest.fixture
def rows(tmp_path: Path) -> str:
    return write(tmp_path / "rows.jsonl", [2, 1, 2, None, "hard"])


# Generated tasks


@pytest.mark.parametrize("id", SUITE)
def test_level_draws_what_an_environment_of_the_level_draws(id: str) -> None:
    free = gym.make(id, split="test", disable_env_checker=True)
    level = free.unwrapped.levels[:2][-1]  # type: ignore[attr-defined]  # higher ones take longer
    fixed = gym.make(id, split="test", level=level, disable_env_checker=True)
    for options in ({"level": level}, {"level": level, "index": 2}):
        without = {name: value for name, value in options.items() if name != "level"}
        assert free.reset(seed=3, options=options) == fixed.reset(seed=3, options=without)


@settings(max_examples=50)
@given(
    split=st.sampled_from(SPLITS),
    level=st.sampled_from((1, 2)),
    index=st.integers(0, 60),
    seed=st.integers(0, 2**64),
)
def test_level_and_index_reproduce_a_task(split: str, level: int, index: int, seed: int) -> None:
    fixed, free = Word(split=split, level=level), Word(split=split)
    chosen = free.reset(options={"level": level, "index": index})
    assert chosen == fixed.reset(options={"index": index})
    assert free.reset(seed=seed, options={"level": level}) == fixed.reset(seed=seed)
    assert free.task.row["level"] == level


def test_examples_in_the_prompt_are_of_the_level_too() -> None:
    def make(**kwargs: Any) -> Any:
        return gym.make("textgym/MCQA-v0", shots=2, disable_env_checker=True, **kwargs)

    assert make().reset(seed=5, options={"level": 4}) == make(level=4).reset(seed=5)


def test_the_stream_advances_as_for_any_draw() -> None:
    plain, levels = Word(), Word()
    plain.reset(seed=1), levels.reset(seed=1, options={"level": 2})
    assert plain.reset() == levels.reset()
    levels.reset(options={"level": 1, "index": 3})  # which draws nothing
    assert plain.reset() == levels.reset()


def test_a_drawn_level_continues_from_a_saved_state() -> None:
    env, other = Word(), Word()
    env.reset(seed=1, options={"level": 2})
    other.set_state(json.loads(json.dumps(env.get_state())))
    assert other.task == env.task
    assert other.step("x") == env.step("x")
    assert other.reset(options={"level": 1}) == env.reset(options={"level": 1})


def test_copies_have_their_levels() -> None:
    env = Word()
    env.reset(seed=1, options={"level": 2})
    twin = copy.deepcopy(env)
    assert twin.reset(options={"level": 1}) == env.reset(options={"level": 1})


@pytest.mark.parametrize("level", [2, np.int64(2), np.array(2)], ids=["int", "int64", "array"])
def test_integers_of_numpy_are_levels(level: Any) -> None:
    assert Word().reset(seed=1, options={"level": level}) == Word(level=2).reset(seed=1)


# What is refused


@pytest.mark.parametrize(
    ("options", "told"),
    [
        ({"level": 3}, "demo/LevelWord-v0 has no level 3; its levels are 1, 2$"),
        ({"level": "2"}, "has no level '2'; its levels are 1, 2$"),
        ({"level": None}, r"options\['level'\] must be an integer, not a NoneType: None$"),
        ({"level": 1.0}, r"options\['level'\] must be an integer, not a float: 1.0$"),
        ({"level": [1]}, r"options\['level'\] must be an integer, not a list"),
        ({"level": 1, "task": {"word": "a"}}, "pass one of them$"),
        ({"levels": 1}, "no option 'levels'; did you mean 'level'"),
    ],
    ids=["unknown", "text", "none", "float", "list", "with a row", "mistyped"],
)
def test_what_does_not_exist_is_refused_and_changes_nothing(options: Any, told: str) -> None:
    env, untouched = Word(), Word()
    env.reset(seed=1), untouched.reset(seed=1)
    with pytest.raises(UsageError, match=told) as caught:
        env.reset(seed=9, options=options)
    assert "\n" not in str(caught.value)
    assert env.step("x") == untouched.step("x")
    assert env.reset() == untouched.reset()


def test_another_level_than_that_of_the_environment_is_refused() -> None:
    env = Word(level=1)
    told = r"this demo/LevelWord-v0 was made with level=1, so options\['level'\] cannot be 2"
    with pytest.raises(UsageError, match=told):
        env.reset(options={"level": 2})
    assert env.reset(seed=4, options={"level": 1}) == Word(level=1).reset(seed=4)


def test_an_index_beyond_the_tasks_of_the_level_is_refused() -> None:
    with pytest.raises(UsageError, match="has no task 500; indices are 0 to 499"):
        Word(split="test").reset(options={"level": 1, "index": 500})


def test_an_environment_that_takes_no_level_says_so() -> None:
    with pytest.raises(UsageError, match="demo/LevelWord-v0 cannot be made with level="):
        Fixed().reset(options={"level": 1})


# Data sets


def test_levels_are_those_of_the_card_or_of_the_rows(rows: str) -> None:
    made = Word(), Word(level=2), Word(dataset=rows), Word(dataset=rows, level=2)
    assert [env.levels for env in made] == [(1, 2), (2,), (1, 2, "hard"), (2,)]


def test_rows_of_a_level_are_drawn_and_selected(rows: str) -> None:
    env, fixed = Word(dataset=rows), Word(dataset=rows, level=2)
    drawn = [env.reset(seed=seed, options={"level": 2}) for seed in range(12)]
    assert drawn == [fixed.reset(seed=seed) for seed in range(12)]
    assert {observation[0]["content"] for observation, _ in drawn} == {"Say a.", "Say c."}
    assert env.reset(options={"level": "hard", "index": 0})[1]["task_id"] == "row-4"
    with pytest.raises(UsageError, match="has no task 2; indices are 0 to 1"):
        env.reset(options={"level": 2, "index": 2})


def test_a_level_that_no_row_has_is_refused(rows: str) -> None:
    with pytest.raises(UnknownNameError, match="has no level 3; its levels are 1, 2, hard"):
        Word(dataset=rows).reset(options={"level": 3})


def test_rows_without_levels_have_none(tmp_path: Path) -> None:
    env = Word(dataset=write(tmp_path / "rows.jsonl", [None, None, [1], {}, 0.5]))
    assert env.levels == ()
    with pytest.raises(UnknownNameError, match="no level 1; the rows of its data set have none"):
        env.reset(options={"level": 1})


def test_rows_that_changed_since_are_not_drawn(tmp_path: Path) -> None:
    file = write(tmp_path / "rows.jsonl", [1, 1, 1, 2, 2])
    env = Word(dataset=file)
    env.reset(seed=1)
    write(tmp_path / "rows.jsonl", [1, 1, 1, 1, 2])
    with pytest.raises(DatasetError, match="has changed since the environment was made"):
        env.reset(options={"level": 2})


# Vectors


def test_vectors_take_one_level_for_all_or_one_for_each() -> None:
    vector = textgym.make_vec(GUESS, 2)
    vector.reset(seed=1, options={"level": 3})
    assert [env.unwrapped.task.row["level"] for env in vector.envs] == [3, 3]  # type: ignore[attr-defined]
    vector.reset(options={"level": np.array([1, 5]), "index": 4})
    assert [env.unwrapped.task.id for env in vector.envs] == ["train-1-4", "train-5-4"]  # type: ignore[attr-defined]
    with pytest.raises(UsageError, match=r"options\['level'\] must be one value for all"):
        vector.reset(options={"level": [1, 2, 3]})
