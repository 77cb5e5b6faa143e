"""Saved episodes include the counters and running statistics of wrappers."""

from __future__ import annotations

import json
import random
from dataclasses import dataclass
from typing import Any

import gymnasium as gym
import numpy as np
import pytest
from gymnasium.wrappers import NormalizeReward, RecordEpisodeStatistics, TimeLimit

import textgym
from textgym.core.card import Card
from textgym.core.episode import Grade
from textgym.core.saved_episode import pack_state, unpack_state
from textgym.core.text_env import TextEnv
from textgym.errors import StateError
from textgym.messages import Message, user
from textgym.tasks.task import Task


class Chat(TextEnv[None]):
    """Runs for `max_turns`; the reward is a tenth of the last message's length."""

    card = Card("tests/Chat-v0", "Chat.", ("multi-turn",), (), (), "chat", ())

    def generate(self, rng: random.Random, level: int) -> dict[str, Any]:
        return {"n": rng.randrange(10**6)}

    def read_row(self, row: dict[str, Any]) -> Task:
        return Task(row["id"], (user(str(row["n"])),), None, row=row)

    def respond(self, message: Message) -> list[Message] | None:
        return [user(f"Go on, {self.np_random.integers(100)}.")] if self.answer_text else None

    def grade(self) -> Grade:
        return Grade(min(len(self.answer_text), 10) / 10, False)


def limited(steps: int = 5) -> Any:
    """Wrap with a limit of steps."""
    return TimeLimit(Chat(max_turns=50), max_episode_steps=steps)


def counted() -> Any:
    """Wrap with statistics of episodes."""
    return RecordEpisodeStatistics(Chat(max_turns=4))


def normalized() -> Any:
    """Wrap with normalised rewards."""
    return NormalizeReward(Chat(max_turns=2))


def stacked() -> Any:
    """Wrap with all of them."""
    env: Any = TimeLimit(Chat(max_turns=50), max_episode_steps=6)
    return NormalizeReward(RecordEpisodeStatistics(env))


def saved_from(env: Any) -> Any:
    """Save through JSON."""
    return json.loads(json.dumps(textgym.get_state(env), allow_nan=False))


def timeless(result: Any) -> Any:
    """Return a step's result without times."""
    *rest, info = result
    if "episode" in info:
        info = {**info, "episode": {key: info["episode"][key] for key in ("r", "l")}}
    return *rest, info


def plays(env: Any, count: int) -> list[Any]:
    """Step, reset after each end, and return all results."""
    seen: list[Any] = []
    for step in range(count):
        result = timeless(env.step("x" * (1 + step % 7)))
        seen.append(result)
        if result[2] or result[3]:
            seen.append(env.reset())
    return seen


@pytest.mark.parametrize("make", [limited, counted, normalized, stacked])
@pytest.mark.parametrize("before", [0, 1, 3, 7])
def test_a_restored_episode_continues_through_wrappers(make: Any, before: int) -> None:
    env, fork = make(), make()
    env.reset(seed=4)
    plays(env, before)
    textgym.set_state(fork, saved_from(env))
    assert plays(fork, 12) == plays(env, 12)


def test_a_restored_limit_counts_earlier_steps() -> None:
    env, fork = limited(3), limited(3)
    env.reset(seed=1)
    env.step("x")
    env.step("x")
    textgym.set_state(fork, saved_from(env))
    assert fork.step("x")[3] is True


def test_restoring_an_earlier_state_restores_the_counter() -> None:
    env = limited(3)
    env.reset(seed=1)
    saved = saved_from(env)
    for _ in range(4):
        textgym.set_state(env, saved)
        assert [env.step("x")[3] for _ in range(3)] == [False, False, True]


def test_episode_statistics_are_saved() -> None:
    env, fork = counted(), counted()
    env.reset(seed=1)
    plays(env, 9)
    textgym.set_state(fork, saved_from(env))
    assert fork.episode_count == 2
    assert list(fork.return_queue) == list(env.return_queue)
    assert list(fork.length_queue) == [4, 4]
    assert fork.return_queue.maxlen == env.return_queue.maxlen == 100
    assert fork.episode_lengths == 1


def test_the_running_mean_is_saved() -> None:
    env, fork = normalized(), normalized()
    env.reset(seed=1)
    plays(env, 9)
    textgym.set_state(fork, saved_from(env))
    assert fork.return_rms.mean == env.return_rms.mean != 0
    assert fork.return_rms.var == env.return_rms.var != 1
    assert fork.return_rms.count == env.return_rms.count
    assert isinstance(fork.discounted_reward, np.ndarray)


def test_saved_statistics_are_a_copy() -> None:
    env = stacked()
    env.reset(seed=1)
    plays(env, 7)
    saved = textgym.get_state(env)
    before = json.dumps(saved)
    plays(env, 7)
    assert json.dumps(saved) == before


def test_an_environment_wrapped_by_make_can_be_saved() -> None:
    env, fork = (gym.make("textgym/MCQA-v0", max_episode_steps=5) for _ in range(2))
    env.reset(seed=1)
    textgym.set_state(fork, saved_from(env))
    assert fork.step("\\boxed{A}") == env.step("\\boxed{A}")


def test_a_bare_environment_can_be_saved() -> None:
    env = Chat()
    env.reset(seed=1)
    assert textgym.get_state(env) == {"env": env.get_state(), "wrappers": []}


def test_another_number_of_wrappers_is_refused() -> None:
    env = limited()
    env.reset(seed=1)
    with pytest.raises(StateError, match="wrappers that differ"):
        textgym.set_state(Chat(), textgym.get_state(env))


def test_another_kind_of_wrapper_is_refused() -> None:
    env = counted()
    env.reset(seed=1)
    with pytest.raises(StateError):
        textgym.set_state(normalized(), textgym.get_state(env))


@pytest.mark.parametrize(
    "saved", [None, 5, {}, {"wrappers": []}, {"wrappers": 5}, {"env": None, "wrappers": []}],
    ids=repr,
)  # fmt: skip
def test_something_other_than_a_saved_state_is_refused(saved: Any) -> None:
    with pytest.raises(StateError):
        textgym.set_state(Chat(), saved)


def test_a_refused_state_does_not_change_the_wrappers() -> None:
    env, other = limited(3), limited(3)
    env.reset(seed=1)
    other.reset(seed=1)
    env.step("x")
    with pytest.raises(StateError):
        textgym.set_state(other, {**saved_from(env), "env": {}})
    assert [other.step("x")[3] for _ in range(3)] == [False, False, True]


def test_the_state_of_another_environment_is_refused() -> None:
    env = Chat()
    env.reset(seed=1)
    with pytest.raises(StateError, match="not a state of textgym/MCQA-v0"):
        textgym.set_state(gym.make("textgym/MCQA-v0").unwrapped, textgym.get_state(env))


def test_an_environment_without_get_state_is_refused() -> None:
    class Other(gym.Env[int, int]):
        pass

    with pytest.raises(StateError, match="Other cannot be saved"):
        textgym.get_state(Other())


def test_an_environment_without_an_episode_is_refused() -> None:
    with pytest.raises(StateError, match="call reset first"):
        textgym.get_state(limited())


@dataclass
class Score:
    """A state."""

    points: int
    names: list[str]


def test_a_dataclass_is_restored_as_one() -> None:
    packed = json.loads(json.dumps(pack_state(Score(3, ["a"]), Score)))
    assert unpack_state(Score(0, []), packed) == Score(3, ["a"])


def test_packed_state_shares_nothing() -> None:
    state = {"names": ["a"]}
    packed = pack_state(state, Score)
    state["names"].append("b")
    assert packed == {"names": ["a"]}
    unpacked = unpack_state({}, packed)
    unpacked["names"].clear()
    assert packed == {"names": ["a"]}


@pytest.mark.parametrize("state", [{"x": {1}}, {"x": object()}, {(1, 2): 3}, {"x": b"1"}],
                         ids=["set", "object", "tuple as key", "bytes"])  # fmt: skip
def test_a_state_that_json_cannot_represent_is_refused(state: Any) -> None:
    with pytest.raises(StateError, match="cannot be represented in JSON"):
        pack_state(state, Score)


def test_a_cyclic_state_is_refused() -> None:
    state: dict[str, Any] = {}
    state["self"] = state
    with pytest.raises(StateError):
        pack_state(state, Score)
