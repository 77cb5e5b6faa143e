"""Attacks on wrappers: stacks that lost a grade, raised, or waited on the wrong thread."""

from __future__ import annotations

from typing import Any

import gymnasium as gym
import pytest

import textgym
from textgym.concurrency.calls import reset_may_block, step_may_block
from textgym.core.card import Card
from textgym.core.episode import Grade
from textgym.core.text_env import TextEnv
from textgym.errors import EnvironmentFailure, InvalidActionError, UsageError
from textgym.layers import grade_at_time_limit
from textgym.messages import Message, assistant, assistant_calls, user
from textgym.policies import Action, Policy
from textgym.tasks.task import Task
from textgym.tools import tool
from textgym.wrappers import ExtraTools, Retry, SimulatedUser, TokenBudget, TurnBudget
from textgym.wrappers.specs import make_wrapper

CALL = assistant_calls(("calculator", {"expression": "6 * 7"}))


def make(id: str = "textgym/MCQA-v0", **kwargs: Any) -> Any:
    return gym.make(id, disable_env_checker=True, **kwargs)


def call_and_answer(env: Any) -> Message:
    """Return a message with a call and the right answer beside it."""
    return {**CALL, "content": rf"\boxed{{{env.unwrapped.task.answer}}}"}


# A cut in a later attempt is graded


@pytest.mark.parametrize(
    "limit",
    [
        lambda env: TurnBudget(env, limit=3),
        lambda env: TokenBudget(env, limit=50),
        lambda env: grade_at_time_limit(gym.wrappers.TimeLimit(env, 3)),
    ],
    ids=["turns", "tokens", "time"],
)
def test_a_limit_that_cuts_a_later_attempt_grades_it(limit: Any) -> None:
    env = limit(Retry(ExtraTools(make(), tools=["calculator"]), attempts=2))
    env.reset(seed=1)
    for action in (CALL, "Hm."):
        assert env.step(action)[2:4] == (False, False)
    _, reward, terminated, truncated, info = env.step(call_and_answer(env))
    assert (reward, terminated, truncated, info["is_success"]) == (0.5, False, True, True)


# Calls that an environment drops


class FewCalls(TextEnv[None]):
    """Runs at most two calls of a message."""

    card = Card("demo/FewCalls-v0", "Few calls.")
    max_calls = 2

    def generate(self, rng: Any, level: int) -> dict[str, Any]:
        return {"n": rng.randrange(1000)}

    def read_row(self, row: dict[str, Any]) -> Task:
        return Task(row["id"], (user(f"Say {row['n']}."),), str(row["n"]), row=row)

    @tool
    def look(self) -> str:
        """Look."""
        return "seen"

    def grade(self) -> Grade:
        return Grade(float(self.answer_text == self.task.answer), True)


def test_every_call_is_answered_where_the_environment_runs_fewer() -> None:
    env = ExtraTools(FewCalls(), tools=["calculator"])
    env.reset(seed=1)
    message = assistant_calls(("calculator", {"expression": "1"}), *[("look", {})] * 6)
    observation, *_ = env.step(message)
    asked, results = observation[1]["tool_calls"] or [], observation[2:]
    assert [item["tool_call_id"] for item in results] == [call["id"] for call in asked]
    assert [str(item["content"])[:14] for item in results[:3]] == ["1", "seen", "seen"]
    refusal = "Error: the call was not run"
    assert all(str(item["content"]).startswith(refusal) for item in results[3:])


# Threads


async def wait(seconds: float) -> str:
    """Wait.

    Args:
        seconds: How long.
    """
    return f"waited {seconds}"


@pytest.mark.parametrize(("function", "may_block"), [(wait, True), ("calculator", False)])
def test_steps_with_asynchronous_functions_may_block(function: Any, may_block: bool) -> None:
    env = ExtraTools(make(), tools=[function])
    assert (step_may_block(env), reset_may_block(env)) == (may_block, False)


# Invalid actions


@pytest.mark.parametrize("action", [None, 5, {"role": "assistant", "tool_calls": [{}]}])
def test_a_token_budget_leaves_invalid_actions_to_the_environment(action: Any) -> None:
    env = TokenBudget(make(), limit=5)
    env.reset(seed=1)
    with pytest.raises(InvalidActionError):
        env.step(action)


# Texts


def with_budget(env: Any) -> Any:
    return TurnBudget(env)


def without_result(env: Any) -> None:
    """Forget to return the environment."""


@pytest.mark.parametrize(
    ("spec", "problem"),
    [
        (f"{__name__}:with_budget:limit=5", "with_budget is a function, which takes no arguments"),
        (f"{__name__}:without_result", "without_result must return an environment, not None"),
        (without_result, "without_result must return an environment, not None"),
        ("RepetitionPenalty:ngram=2.0", "ngram must be an integer of 1 or more, not 2.0"),
        ('LengthPenalty:free="10"', "free must be an integer of 0 or more, not '10'"),
        ("LengthPenalty:free=NaN", "free must be an integer of 0 or more, not nan"),
        ("LengthPenalty:tokenizer=5", "a tokenizer is a name or a function, not 5"),
        ("EfficiencyBonus:limit=NaN", "limit must be an integer of 2 or more, not nan"),
        ("SoftOverlongPunishment:max_length=1e999,buffer=1", "both integers"),
        ("PotentialShaping:potential=5", "potential must be a function or module:function, not 5"),
        ("PotentialShaping:potential=os:sep", "potential must be a function or module:function"),
    ],
)
def test_arguments_that_would_fail_at_a_step_are_refused(spec: Any, problem: str) -> None:
    with pytest.raises(UsageError, match=problem):
        make_wrapper(make(), spec)


# Names


def test_two_retries_have_different_names() -> None:
    with pytest.raises(UsageError, match="use the reward component 'retry'"):
        Retry(Retry(make()))


# Simulated users


class Guest(Policy):
    """Says one thing, then ends."""

    name = "guest"

    async def act(self, messages: Any, tools: Any, **kwargs: Any) -> Action:
        return Action(assistant("Please." if len(messages) < 3 else "[END]"))


def test_a_policy_of_ones_own_is_named_by_its_class() -> None:
    env = SimulatedUser(make(), user=f"{__name__}:Guest")
    assert env.reset(seed=1)[0] == [user("Please.")]


def test_a_restored_state_replaces_the_reset_that_the_user_failed() -> None:
    replies = iter(["Please.", "", "Please.", "[END]"])
    env = SimulatedUser(make(), user=lambda messages: next(replies))
    env.reset(options={"index": 0})
    state = textgym.get_state(env)
    with pytest.raises(EnvironmentFailure, match="said nothing"):
        env.reset(options={"index": 5})
    textgym.set_state(env, state)
    _, info = env.reset()
    assert info["task_id"] == env.unwrapped.task.id
    assert env.step("Hm.")[2]


# Notes


def test_a_turn_budget_says_no_more_than_the_environment_allows() -> None:
    env = TurnBudget(make("textgym/GuessNumber-v0", max_turns=3), limit=10)
    assert str(env.reset(seed=1)[0][-1]["content"]).endswith("You have 3 messages left.")
