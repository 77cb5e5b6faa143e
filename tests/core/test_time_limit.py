"""A `TimeLimit` around an environment: its cut is graded, and termination at the limit counts."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import gymnasium
import pytest
from gymnasium.wrappers import TimeLimit
from library import Library, borrow

import textgym
from textgym.layers import grade_at_time_limit
from textgym.registry import make

ID = "tests/Limited-v0"


class Limited(Library):
    card = textgym.Card(ID, "Borrow a book.")


@pytest.fixture(autouse=True)
def limited() -> Iterator[None]:
    """Register the environment, and remove it for other tests, which visit all ids."""
    textgym.register(Limited)
    yield
    del gymnasium.registry[ID]


class Borrows(textgym.Policy):
    """Borrows the right book in the first message, and talks in each later one."""

    name = "borrows"

    async def act(self, messages: Any, tools: Any, **more: Any) -> Any:
        if len(messages) > 1:
            return textgym.Action({"role": "assistant", "content": "Done."})
        return textgym.Action(borrow(int(messages[0]["content"][7:-1])))


def rolled_out(limit: int) -> Any:
    return textgym.rollout(
        ID, Borrows(), episodes=1, env_kwargs={"max_episode_steps": limit}
    ).trajectories()


def from_a_function(limit: int) -> Any:
    return textgym.rollout(
        lambda: TimeLimit(Limited(), limit), Borrows(), episodes=1
    ).trajectories()


@pytest.mark.parametrize("play", [rolled_out, from_a_function])
def test_the_cut_of_a_rollout_is_graded(play: Callable[[int], Any]) -> None:
    (trajectory,) = play(1)
    assert (trajectory["reward"], trajectory["is_success"]) == (1.0, True)
    assert (trajectory["terminated"], trajectory["truncated"]) == (False, True)
    assert trajectory["stop_reason"] == "max_turns"


@pytest.mark.parametrize("play", [rolled_out, from_a_function])
def test_termination_at_the_limit_is_not_truncation(play: Callable[[int], Any]) -> None:
    (trajectory,) = play(2)
    assert (trajectory["terminated"], trajectory["truncated"]) == (True, False)
    assert (trajectory["reward"], trajectory["stop_reason"]) == (1.0, "answer")


@pytest.mark.parametrize(
    "vector",
    [
        lambda: textgym.make_vec(ID, 1, max_episode_steps=1),
        lambda: textgym.TextVectorEnv([lambda: TimeLimit(Limited(), 1)]),
    ],
    ids=["make_vec", "functions"],
)
def test_the_cut_of_a_vector_is_graded(vector: Callable[[], Any]) -> None:
    envs = vector()
    observations, _ = envs.reset(seed=1)
    book = int(observations[0][0]["content"][7:-1])
    _, rewards, _, truncated, infos = envs.step([borrow(book)])
    assert (rewards.tolist(), truncated.tolist()) == ([1.0], [True])
    assert infos["final_info"]["stop_reason"].tolist() == ["max_turns"]
    envs.close()


def test_the_cut_of_a_plain_loop_is_graded() -> None:
    env = grade_at_time_limit(gymnasium.make(ID, max_episode_steps=1))
    observation, _ = env.reset(seed=1)
    _, reward, terminated, truncated, info = env.step(borrow(int(observation[0]["content"][7:-1])))
    assert (reward, terminated, truncated) == (1.0, False, True)
    assert (info["stop_reason"], info["is_success"]) == ("max_turns", True)


def test_a_limit_above_max_turns_changes_nothing() -> None:
    env: Any = make(ID, max_episode_steps=50, max_turns=3)
    assert env.unwrapped.max_turns == 3


def test_no_limit_changes_nothing() -> None:
    env: Any = make(ID, max_episode_steps=-1)
    assert env.unwrapped.max_turns == 20


def test_an_environment_without_max_turns_is_left_alone() -> None:
    env = gymnasium.make("CartPole-v1")
    assert grade_at_time_limit(env) is env
    assert not hasattr(env.unwrapped, "max_turns")


class Talks(textgym.Policy):
    """Says that it is done."""

    name = "talks"

    async def act(self, messages: Any, tools: Any, **more: Any) -> Any:
        return textgym.Action({"role": "assistant", "content": "Done."})


class Endless(gymnasium.Env[list[Any], Any]):
    """Goes on for ever, and grades nothing."""

    observation_space = textgym.spaces.ConversationSpace()
    action_space = textgym.spaces.ActionSpace()

    def reset(self, **options: Any) -> Any:
        self.messages = [{"role": "user", "content": "Go on."}]
        return list(self.messages), {"task_id": "1"}

    def step(self, action: Any) -> Any:
        self.messages += [action, {"role": "user", "content": "Go on."}]
        return list(self.messages), 0.25, False, False, {"task_id": "1"}


def test_episodes_that_are_cut_ungraded_are_counted_and_named(
    caplog: pytest.LogCaptureFixture,
) -> None:
    run = textgym.rollout(lambda: TimeLimit(Endless(), 3), Talks(), episodes=1)
    assert run.metrics["overall"]["stop_reasons"] == {"time": 1}
    assert "Endless: a time limit cut 1 of the episodes before they were graded" in caplog.text


def test_a_graded_cut_is_not_named(caplog: pytest.LogCaptureFixture) -> None:
    rolled_out(1)
    assert caplog.text == ""
