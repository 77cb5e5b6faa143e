"""Attacks on wrappers: stacks that lost a grade, raised, or waited on the wrong thread."""

from __future__ import annotations

from typing import Any

import gymnasium as gym
import pytest

from textgym.errors import UsageError
from textgym.messages import Message, assistant_calls
from textgym.time_limits import grade_at_time_limit
from textgym.wrappers import ExtraTools, Retry, TokenBudget, TurnBudget

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


# Names


def test_two_retries_have_different_names() -> None:
    with pytest.raises(UsageError, match="two wrappers pay as 'retry'"):
        Retry(Retry(make()))
