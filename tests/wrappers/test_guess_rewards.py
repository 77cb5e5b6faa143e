"""The rewards of the reward design example, attacked: what they pay, and what they do not pay."""

from __future__ import annotations

import sys
from typing import Any

import gymnasium
import pytest
from hypothesis import given
from hypothesis import strategies as st
from repository import EXAMPLES

from textgym.errors import UsageError
from textgym.messages import user

sys.path.append(str(EXAMPLES))

from guess_rewards import GuessBonus, ProgressReward, known_share

HIGHEST, TURNS = 9, 6
SAID = st.one_of(
    st.integers(-1, HIGHEST + 1).map(str),
    st.sampled_from(
        ["higher", "lower", "", "<think>5", "<think>5</think>3", "3 <think>5</think>", "1e1", "4.0"]
    ),
    st.text(max_size=20),
)


def play(wrapper: Any, number: int, said: list[str], **kwargs: Any) -> tuple[list[float], Any, Any]:
    """Return the rewards, the last observation and the last info."""
    env = wrapper(gymnasium.make("textgym/GuessNumber-v0", **kwargs))
    row = {"number": number, "highest": HIGHEST, "turns": TURNS}
    observation, info = env.reset(options={"task": row})
    rewards, ended = [], False
    for text in said:
        if not ended:
            observation, reward, terminated, truncated, info = env.step(text)
            rewards.append(reward)
            ended = terminated or truncated
    return rewards, observation, info


@given(st.integers(1, HIGHEST), st.lists(SAID, min_size=TURNS, max_size=TURNS))
def test_progress_pays_what_is_known_at_the_end_and_no_more(number: int, said: list[str]) -> None:
    rewards, observation, info = play(ProgressReward, number, said)
    won = bool(info["is_success"])
    assert all(reward >= -1e-9 for reward in rewards)
    known = 1.0 if won else known_share(observation)
    assert sum(rewards) == pytest.approx(known + won)


@given(st.integers(1, HIGHEST), st.lists(SAID, min_size=TURNS, max_size=TURNS))
def test_progress_without_feedback_pays_for_success_alone(number: int, said: list[str]) -> None:
    rewards, _, info = play(ProgressReward, number, said, feedback=False)
    assert sum(rewards) == pytest.approx(2.0 * info["is_success"])


@pytest.mark.parametrize("said", ["1", "0", "higher", "10"])
def test_repeating_a_message_is_not_progress(said: str) -> None:
    rewards, *_ = play(ProgressReward, 5, [said] * TURNS)
    assert rewards[1:] == pytest.approx([0] * (TURNS - 1))


def test_the_number_is_known_when_one_is_left() -> None:
    rewards, *_ = play(ProgressReward, 5, ["4", "6", "5"])
    assert sum(rewards[:2]) == pytest.approx(1)
    assert rewards[2] == pytest.approx(1)  # the environment's own


def test_the_bonus_is_farmed_by_numbers_out_of_range() -> None:
    """The mistake that the example shows: more than any game that finds the number early."""
    farmed, _, info = play(GuessBonus, 5, ["0"] * TURNS)
    found, *_ = play(GuessBonus, 5, ["5"])
    assert not info["is_success"]
    assert sum(farmed) == TURNS * 0.5 > sum(found) == 1.5


def test_another_conversation_is_refused() -> None:
    with pytest.raises(UsageError, match="not the prompt of a guessing game: 'Hello'"):
        known_share([user("Hello")])
