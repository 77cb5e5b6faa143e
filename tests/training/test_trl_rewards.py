"""Reward functions for TRL, and what is learned from a group."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import pytest

from textgym.errors import UsageError
from textgym.training.trl.rewards import has_signal, reward_functions
from textgym.training.trl.samples import Sample
from textgym.trajectories.token_rows import TokenRow

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
