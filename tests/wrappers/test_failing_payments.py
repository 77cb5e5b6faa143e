"""A wrapper that fails after the step: the step is taken again, and the environment only once."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import gymnasium as gym
import pytest

import textgym
from textgym.errors import EnvironmentFailure, StateError, UsageError
from textgym.messages import assistant_calls
from textgym.wrappers import PotentialShaping, Retry, RewardWrapper, StepPenalty

CALL = assistant_calls(("get_counter_value", {}))


class Flaky(RewardWrapper):
    """Pays 1 a step, like a reward model that is down every other time."""

    calls = 0

    def __init__(self, env: Any, *, name: str = "flaky") -> None:
        super().__init__(env, name=name)

    def payment(self, action: Any, result: Any) -> float:
        self.calls += 1
        if self.calls % 2:
            raise EnvironmentFailure("the reward model is down")
        return 1.0


def make(wrap: Callable[[Any], Any] = Flaky) -> Any:
    return wrap(StepPenalty(gym.make("textgym/SessionState-v0"), amount=0.25))


def test_the_same_action_is_paid_without_another_step() -> None:
    env = make()
    env.reset(seed=1)
    with pytest.raises(EnvironmentFailure, match="is down"):
        env.step(CALL)
    observation, reward, *_ = env.step(CALL)
    assert [message["role"] for message in observation][-3:] == ["user", "assistant", "tool"]
    assert (reward, env.unwrapped.turn) == (0.75, 1)


def test_another_action_and_saving_are_refused_until_then() -> None:
    env = make()
    env.reset(seed=1)
    with pytest.raises(EnvironmentFailure, match="is down"):
        env.step(CALL)
    with pytest.raises(UsageError, match="step the same action again"):
        env.step("Done.")
    with pytest.raises(StateError, match="again before saving the episode"):
        textgym.get_state(env)
    env.reset(seed=2)
    env.step(CALL)
    assert textgym.get_state(env)


def test_an_outer_wrapper_that_fails_pays_the_inner_ones_once() -> None:
    env = make(lambda env: Flaky(Flaky(env), name="again"))
    env.reset(seed=1)
    failures = 0
    while True:
        try:
            reward = env.step(CALL)[1]
            break
        except EnvironmentFailure:
            failures += 1
    assert (reward, failures, env.unwrapped.turn) == (1.75, 2, 1)


@pytest.mark.parametrize("concurrency", [1, 4])
def test_rollouts_play_each_message_once(concurrency: int) -> None:
    run = textgym.rollout(make, "oracle", episodes=6, concurrency=concurrency)
    assert run.metrics["overall"]["failures"] == 0
    for trajectory in run.trajectories():
        roles = [message["role"] for message in trajectory["messages"]]
        assert roles.count("assistant") == len(trajectory["steps"])
        assert trajectory["attempts"] == 1 + len(trajectory["steps"])


def test_vectors_play_each_message_once() -> None:
    envs = textgym.TextVectorEnv([make, make], retries=1)
    envs.reset(seed=1)
    _, rewards, *_ = envs.step([CALL, CALL])
    assert rewards.tolist() == [0.75, 0.75]
    assert [env.unwrapped.turn for env in envs.envs] == [1, 1]
    envs.close()


def test_feedback_that_fails_is_asked_for_again() -> None:
    replies = iter([EnvironmentFailure("no feedback"), "Try again."])

    def feedback(info: Any, task: Any) -> Any:
        reply = next(replies)
        if isinstance(reply, Exception):
            raise reply
        return reply

    env = Retry(gym.make("textgym/MCQA-v0"), feedback=feedback)
    env.reset(seed=1)
    with pytest.raises(EnvironmentFailure, match="no feedback"):
        env.step("Hm.")
    observation, *_ = env.step("Hm.")
    assert [message["content"] for message in observation[-2:]] == ["Hm.", "Try again."]
    assert env.step(env.unwrapped.solve())[1:3] == (0.5, True)


def test_a_limit_that_is_reached_on_purpose_pays_no_potential() -> None:
    env: Any = PotentialShaping(
        gym.make("textgym/GuessNumber-v0", max_turns=3), potential=lambda messages: len(messages)
    )
    observation, _ = env.reset(seed=1)
    rewards = [env.step("0")[1] for _ in range(3)]
    assert sum(rewards) == -len(observation)
