"""Guests in rollouts: three generators of each category, and Aviary, with 10 episodes each."""

from __future__ import annotations

from collections import defaultdict

import pytest

import textgym
from textgym.integrations.reasoning_gym.generator_env import table

_SLOW = 20.0  # milliseconds of a task


def sample() -> list[str]:
    """Return three generators of each category, without those whose tasks take long."""
    by_category = defaultdict(list)
    for name, row in sorted(table().items()):
        if max(row["milliseconds"]) < _SLOW:
            by_category[row["category"]].append(name)
    return [name for names in by_category.values() for name in names[:3]]


@pytest.mark.slow
@pytest.mark.parametrize("name", sample())
def test_a_rollout_plays_a_generator(name: str) -> None:
    pytest.importorskip("reasoning_gym", reason="reasoning-gym is not installed")
    run = textgym.rollout(f"reasoning-gym/{name}-v0", "random", episodes=10)
    assert [item["failure"] for item in run.trajectories()] == [None] * 10


@pytest.mark.slow
def test_a_rollout_plays_aviary() -> None:
    pytest.importorskip("aviary.env", reason="Aviary is not installed")
    run = textgym.rollout("textgym/Aviary-v0", "oracle", episodes=10, concurrency=4)
    assert [item["reward"] for item in run.trajectories()] == [1.0] * 10
