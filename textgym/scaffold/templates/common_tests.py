"""`my_package/MyEnv-v0` is an environment like any other, and its reward is sound."""

from __future__ import annotations

import gymnasium
import pytest
import textgym

from my_package import MyEnv

ID = MyEnv.card.id


def test_gymnasium_makes_it() -> None:
    env = gymnasium.make(f"my_package:{ID}", level=1)
    observation, info = env.reset(seed=1)
    assert observation[-1]["role"] == "user"
    assert info["task_id"]


@pytest.mark.parametrize("level", MyEnv.card.levels)
def test_the_oracle_wins_and_guesses_earn_no_more_than_chance(level: int) -> None:
    oracle = textgym.rollout(ID, "oracle", episodes=30, env_kwargs={"level": level})
    assert oracle.mean_reward == 1
    guesses = textgym.rollout(ID, "random", episodes=500, env_kwargs={"level": level})
    assert guesses.mean_reward <= MyEnv.card.chance


def test_a_quick_audit_finds_no_fault() -> None:
    report = textgym.audit(ID, quick=True)
    assert [str(result) for result in report.results if result.decides] == []
