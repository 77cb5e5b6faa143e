"""Vectors of mixtures in which functions make environments."""

from __future__ import annotations

from typing import Any

import gymnasium
import pytest

import textgym
from textgym.errors import UsageError
from textgym.wrappers import StepPenalty

MCQA, GUESS = "textgym/MCQA-v0", "textgym/GuessNumber-v0"


def costly() -> Any:
    return StepPenalty(gymnasium.make(GUESS, level=1), amount=0.5)


@pytest.mark.parametrize(
    ("mixture", "ids"),
    [
        ({MCQA: 1.0, "costly": costly}, (MCQA, MCQA, "costly", "costly")),
        ({MCQA: 1.0, "costly": (3.0, costly)}, (MCQA, "costly", "costly", "costly")),
        ({MCQA: (1, costly), "b": (1.0, costly)}, (MCQA, MCQA, "b", "b")),
    ],
    ids=["function", "pair", "name of another"],
)
def test_keys_name_the_sub_environments(mixture: Any, ids: Any) -> None:
    vector = textgym.make_vec(mixture, 4)
    assert vector.env_ids == ids
    vector.reset(seed=1)
    rewards = vector.step(["0"] * 4)[1]
    made_by_function = [mixture[id] != 1.0 for id in ids]
    assert [reward == -0.5 for reward in rewards] == made_by_function
    vector.close()


def test_wrappers_of_the_vector_go_around_what_a_function_makes() -> None:
    vector = textgym.make_vec(
        {"a": costly, MCQA: 1.0},
        2,
        env_wrappers=[lambda env: StepPenalty(env, amount=0.25, name="more")],
    )
    vector.reset(seed=1)
    assert vector.step(["0", "0"])[1].tolist() == [-0.75, -0.25]
    vector.close()


def test_a_curriculum_draws_functions_by_name() -> None:
    vector = textgym.make_vec({"a": costly, "b": (2, costly)}, 8, curriculum=True)
    _, infos = vector.reset(seed=1)
    assert set(infos["environment"]) == {"a", "b"}
    vector.close()


@pytest.mark.parametrize(
    ("kwargs", "told"),
    [
        ({"level": 1}, "env_kwargs: 'level' cannot apply to all, because 'costly' is made by"),
        ({"env_kwargs": {"level": 1}}, "env_kwargs: 'level' cannot apply to all"),
        ({"env_kwargs": {"costly": {"level": 1}}}, "'costly' is made by a function"),
    ],
    ids=["argument", "all", "own"],
)
def test_functions_take_no_arguments(kwargs: Any, told: str) -> None:
    with pytest.raises(UsageError, match=told) as raised:
        textgym.make_vec({MCQA: 1.0, "costly": costly}, 2, **kwargs)
    assert "\n" not in str(raised.value)


def test_ids_beside_functions_take_their_own_arguments() -> None:
    vector = textgym.make_vec({MCQA: 1.0, "costly": costly}, 2, env_kwargs={MCQA: {"level": 4}})
    vector.reset(seed=1)
    assert vector.envs[0].unwrapped.task.row["level"] == 4  # type: ignore[attr-defined]
    vector.close()
