"""Reward functions for TRL, and what is learned from a group."""

from __future__ import annotations

import asyncio
import functools
import math
import warnings
from types import SimpleNamespace
from typing import Any

import pytest

from textgym.errors import UsageError
from textgym.training.trl.rewards import (
    has_signal,
    reward_functions,
    verifier_reward,
    watch_payments,
)
from textgym.training.trl.samples import Sample
from textgym.trajectories.tokens import TokenRow

torch = pytest.importorskip("torch")

ROW = TokenRow([0], [0], [0], [0.0])


def sample(reward: float | None, **paid: float) -> Sample:
    trajectory: Any = {"steps": [{"components": paid}], "failure": None}
    return Sample(trajectory, ROW, reward)


def trainer_with(functions: Any, weights: list[float], aggregation: str) -> Any:
    return SimpleNamespace(
        reward_funcs=functions,
        reward_weights=torch.tensor(weights),
        multi_objective_aggregation=aggregation,
    )


@pytest.mark.parametrize(
    ("weights", "aggregation", "has"),
    [
        ([1.0, 1.0], "sum_then_normalize", False),
        ([1.0, 1.0], "normalize_then_sum", True),
        ([1.0, 0.5], "sum_then_normalize", True),
        ([0.0, 0.0], "normalize_then_sum", False),
    ],
)
def test_group_has_a_signal_if_its_weighted_rewards_differ(
    weights: list[float], aggregation: str, has: bool
) -> None:
    functions = reward_functions(["a", "b"], [])
    others = [lambda **_: [0.0, 1.0]]  # of the user
    trainer = trainer_with([*others, *functions], [1.0, *weights], aggregation)
    group = [sample(1.0, a=1.0, b=0.0), sample(1.0, a=0.0, b=1.0)]
    assert has_signal(group, functions, trainer) == has


def test_returns_that_differ_are_no_signal_if_the_rewards_are_equal() -> None:
    functions = reward_functions(["a"], [])
    trainer = trainer_with(functions, [1.0], "sum_then_normalize")
    assert not has_signal([sample(1.0, a=1.0), sample(0.0, a=1.0)], functions, trainer)


def test_failed_episodes_are_no_signal() -> None:
    functions = reward_functions("total", [])
    trainer = trainer_with(functions, [1.0], "sum_then_normalize")
    assert not has_signal([sample(1.0), sample(None), sample(1.0)], functions, trainer)
    assert not has_signal([sample(None), sample(None)], functions, trainer)


@pytest.mark.parametrize(
    ("aggregation", "paid"),
    [
        ("sum_then_normalize", [{"a": 1.0}, {}]),
        ("normalize_then_sum", [{"a": 1.0, "b": 1.0}, {"a": 1.0}]),
    ],
)
def test_rewards_that_do_not_exist_are_no_signal(aggregation: str, paid: Any) -> None:
    functions = reward_functions(["a", "b"], [])
    trainer = trainer_with(functions, [1.0, 1.0], aggregation)
    assert not has_signal([sample(1.0, **components) for components in paid], functions, trainer)


def test_signal_needs_reward_functions_of_the_episodes() -> None:
    trainer = trainer_with([lambda **_: [0.0, 1.0]], [1.0], "sum_then_normalize")
    with pytest.raises(UsageError, match="redraw needs reward functions of the episodes"):
        has_signal([sample(1.0), sample(0.0)], reward_functions("total", []), trainer)


PAID_TO_FAILURES = [0.0, 1.0, -1.0, False]
FAILED = [sample(1.0), sample(None), sample(0.0)]


async def pay_later(value: Any, *, episode: Any, **columns: Any) -> list[Any]:
    return [value] * len(episode)


class Pays:
    """A reward function that is an object."""

    def __init__(self, value: Any) -> None:
        self.value = value

    def __call__(self, *, episode: Any, **columns: Any) -> list[Any]:
        return [self.value] * len(episode)


def reward_functions_of_the_user(value: Any) -> list[Any]:
    def reward(*, completions: Any, **columns: Any) -> list[Any]:
        return [value for _ in completions]

    return [reward, Pays(value), functools.partial(pay_later, value)]


def paid_by(function: Any) -> Any:
    """Call a reward function as TRL does, through the list that a trainer has."""
    functions = [function]
    watch_payments(functions, [])
    watch_payments(functions, [])  # of the next batch
    paid = functions[0](episode=FAILED, completions=["a", "b", "c"])
    return asyncio.run(paid) if asyncio.iscoroutine(paid) else paid


@pytest.mark.parametrize("value", PAID_TO_FAILURES, ids=str)
@pytest.mark.parametrize("kind", range(3), ids=["function", "object", "partial of a coroutine"])
def test_reward_function_that_pays_a_failed_episode_warns(value: Any, kind: int) -> None:
    with pytest.warns(RuntimeWarning, match=r"return None where episode\[i\].reward is None"):
        assert paid_by(reward_functions_of_the_user(value)[kind]) == [value] * 3


@pytest.mark.parametrize("value", [None, math.nan], ids=str)
@pytest.mark.parametrize("kind", range(3), ids=["function", "object", "partial of a coroutine"])
def test_reward_function_that_leaves_failed_episodes_out_is_silent(value: Any, kind: int) -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        paid_by(reward_functions_of_the_user(value)[kind])


def test_reward_model_warns_at_once() -> None:
    model = torch.nn.Linear(1, 1)
    functions = [model]
    with pytest.warns(RuntimeWarning, match="Linear pays episodes that failed"):
        watch_payments(functions, [])
    assert functions == [model]


def test_reward_functions_of_episodes_and_verifiers_pay_no_failed_episode() -> None:
    own = reward_functions("total", [])
    functions = [*own, verifier_reward(lambda text, gold: text == gold)]
    watch_payments(functions, own)
    assert functions[0] is own[0]
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        columns = {"episode": FAILED, "completions": ["a", "b", "c"], "answer": ["a", "b", "b"]}
        assert functions[0](**columns) == [1.0, None, 0.0]
        assert functions[1](**columns) == [1.0, None, 0.0]
