"""`SimulatedUser` with facts and with models whose tokens are counted."""

from __future__ import annotations

import json
from typing import Any

import gymnasium
import pytest

import textgym
from textgym.errors import StateError, UsageError, UserFailure
from textgym.messages import assistant, text_of
from textgym.policies import Action, Policy
from textgym.wrappers import SimulatedUser

FACTS = {"day": "Thursday", "seat_number": "17 C"}


def make(id: str = "textgym/MCQA-v0") -> Any:
    return gymnasium.make(id)


def test_a_user_with_facts_brings_the_task_and_answers() -> None:
    env = SimulatedUser(make(), facts=FACTS)
    task, _ = make().reset(seed=1)
    observation, _ = env.reset(seed=1)
    assert not env.blocking
    assert text_of(observation[-1]) == text_of(task[-1])
    assert "Thursday" in env.step("For which day?")[0][-1]["content"]
    assert "17 C" in env.step("And which seat number?")[0][-1]["content"]
    said = env.step("Anything else I should know?")[0][-1]["content"]
    assert not any(value in said for value in FACTS.values())
    observation, reward, terminated, _, info = env.step(env.unwrapped.solve())
    assert (reward, terminated) == (1.0, True)
    assert "user_usage" not in info


def test_a_user_with_facts_ends_when_its_patience_does() -> None:
    env = SimulatedUser(make(), facts=FACTS)
    env.reset(seed=1)
    ends = [env.step("Anything else I should know?")[2] for _ in range(4)]
    assert ends == [False, False, False, True]


def test_the_oracle_plays_with_a_user_with_facts() -> None:
    spec = f"SimulatedUser:facts={json.dumps(FACTS)}"
    run = textgym.rollout("textgym/MCQA-v0", "oracle", episodes=10, wrappers=[spec])
    assert run.mean_reward == 1.0
    assert textgym.rescore(run).counts["same"] == 10


def test_facts_are_part_of_the_spec() -> None:
    env = SimulatedUser(make(), facts=FACTS)
    again = gymnasium.make(gymnasium.envs.registration.EnvSpec.from_json(env.spec.to_json()))
    for one in (env, again):
        one.reset(seed=1)
    assert env.step("Which day?")[0] == again.step("Which day?")[0]


def test_the_memory_is_saved_at_every_step() -> None:
    texts = ["Which day?", "Which day was it?", "Hm, what?", "Which seat number?", "A"]
    env, other = (SimulatedUser(make(), facts=FACTS) for _ in range(2))
    env.reset(seed=1)
    other.reset(seed=5)
    for text in texts:
        textgym.set_state(other, json.loads(json.dumps(textgym.get_state(env))))
        assert env.step(text)[:4] == other.step(text)[:4]


@pytest.mark.parametrize("memory", [{}, {"told": []}, 5])
def test_a_memory_that_is_not_valid_is_refused(memory: Any) -> None:
    env = SimulatedUser(make(), facts=FACTS)
    env.reset(seed=1)
    state = textgym.get_state(env)
    tampered = json.loads(json.dumps(state))
    tampered["wrappers"][0][1]["memory"] = memory
    with pytest.raises(StateError, match="memory"):
        textgym.set_state(env, tampered)
    assert textgym.get_state(env) == state


@pytest.mark.parametrize("facts", [{}, ["day"], {"day": 5}, {"day": " "}, {5: "x"}, "day"])
def test_facts_must_be_texts(facts: Any) -> None:
    with pytest.raises(UsageError, match="facts must be a dict of texts"):
        SimulatedUser(make(), facts=facts)


@pytest.mark.parametrize("more", [{"script": ["{task}"]}, {"user": str}])
def test_facts_stand_alone(more: dict[str, Any]) -> None:
    with pytest.raises(UsageError, match="only one of them"):
        SimulatedUser(make(), facts=FACTS, **more)


# Models


class Guest(Policy):
    """Says a text for each turn; each costs tokens. An exception among them is raised once."""

    name = "guest"

    def __init__(self, *says: Any) -> None:
        self.says = list(says)

    async def act(self, messages: Any, tools: Any, **kwargs: Any) -> Action:
        text = self.says.pop(0)
        if isinstance(text, Exception):
            raise text
        return Action(assistant(text), usage={"prompt_tokens": 10, "completion_tokens": 2})


def test_tokens_of_the_user_are_counted_until_the_end() -> None:
    env = SimulatedUser(make(), user=Guest("Please.", "Sure?", "[END]"))
    env.reset(seed=1)
    assert "user_usage" not in env.step("A")[4]
    *_, terminated, _, info = env.step("A")
    assert terminated
    assert info["user_usage"] == {"prompt_tokens": 30, "completion_tokens": 6}


def test_tokens_of_a_function_are_none() -> None:
    env = SimulatedUser(make(), user=lambda messages: "[END]" if len(messages) > 3 else "Please.")
    env.reset(seed=1)
    info = env.step("A")[4]
    assert info["user_usage"] == {"prompt_tokens": 0, "completion_tokens": 0}


def test_tokens_of_the_user_are_saved() -> None:
    env = SimulatedUser(make(), user=Guest("Please.", "Sure?", "[END]"))
    env.reset(seed=1)
    env.step("A")
    other = SimulatedUser(make(), user=Guest("[END]"))
    textgym.set_state(other, json.loads(json.dumps(textgym.get_state(env))))
    assert other.step("A")[4]["user_usage"] == {"prompt_tokens": 30, "completion_tokens": 6}


def test_a_failure_of_the_user_is_no_reward_and_counts_no_tokens() -> None:
    env = SimulatedUser(make(), user=Guest("Please.", RuntimeError("down"), "[END]"))
    env.reset(seed=1)
    with pytest.raises(UserFailure, match="RuntimeError: down"):
        env.step("A")
    assert env.step("A")[4]["user_usage"] == {"prompt_tokens": 20, "completion_tokens": 4}


def test_a_rollout_records_failures_of_the_user_without_a_reward() -> None:
    def with_guest(env: Any) -> Any:
        return SimulatedUser(env, user=Guest("Please.", *[RuntimeError("down")] * 50))

    run = textgym.rollout("textgym/MCQA-v0", "oracle", episodes=2, retries=0, wrappers=[with_guest])
    [first, second] = run.trajectories()
    for trajectory in (first, second):
        assert trajectory["reward"] is None
        assert trajectory["failure"]["boundary"] == "user"
    assert run.metrics["overall"]["failures_by_boundary"] == {"user": 2}


def test_usage_in_a_trajectory_is_the_policys_own() -> None:
    def with_guest(env: Any) -> Any:
        return SimulatedUser(env, user=Guest(*["Please.", "[END]"] * 5))

    run = textgym.rollout("textgym/MCQA-v0", Guest(*["A"] * 5), episodes=1, wrappers=[with_guest])
    [trajectory] = run.trajectories()
    assert trajectory["usage"] == {"prompt_tokens": 10, "completion_tokens": 2}
    assert trajectory["info"]["user_usage"] == {"prompt_tokens": 20, "completion_tokens": 4}
