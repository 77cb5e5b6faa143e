"""The tokens of wrapped episodes with a real small model: sequences, splits, rewards by turn."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import textgym
from textgym.errors import ExtraMissingError
from textgym.policies import make_policy
from textgym.trajectories.batch import make_batch
from textgym.trajectories.tokens import token_sequences

pytest.importorskip("torch")
pytest.importorskip("transformers")

from textgym.policies.models import find_model

pytestmark = pytest.mark.model

GUESS = "textgym/GuessNumber-v0"


@pytest.fixture(scope="module")
def policy() -> Any:
    """The model, with short samples."""
    try:
        find_model("")
    except ExtraMissingError as error:
        pytest.skip(str(error))
    return make_policy("hf", {"max_tokens": 3})


def play(policy: Any, id: str, *wrappers: str, episodes: int = 2, **kwargs: Any) -> list[Any]:
    run = textgym.rollout(
        id, policy, episodes=episodes, wrappers=list(wrappers), env_kwargs=kwargs, concurrency=2
    )
    return list(run.trajectories())


@pytest.mark.parametrize(
    ("id", "wrappers"),
    [
        ("textgym/MCQA-v0", ["Retry:attempts=3", "StepPenalty:amount=0.25"]),
        (GUESS, ["TurnBudget:limit=3", "StepPenalty:amount=0.25"]),
        ("textgym/MCQA-v0", ["FewShot:shots=1", "SystemPrompt:text=Be brief.", "Retry"]),
        ("textgym/MCQA-v0", ['SimulatedUser:script=["Hi.","{task}","Sure?"]']),
    ],
    ids=["retry", "budget", "prompts", "user"],
)
def test_a_conversation_that_only_grows_is_one_sequence(
    policy: Any, id: str, wrappers: list[str]
) -> None:
    for trajectory in play(policy, id, *wrappers, episodes=1):
        assert trajectory["failure"] is None
        (tokens,) = token_sequences(trajectory["steps"])
        sampled = [len(step["token_ids"]) for step in trajectory["steps"]]
        assert trajectory["splits"] == 0
        assert sum(tokens.loss_mask) == sum(sampled)
        assert len(sampled) > 1


def test_each_turn_has_its_reward_at_its_last_token(policy: Any) -> None:
    trajectories = play(policy, GUESS, "TurnBudget:limit=3", "StepPenalty:amount=0.25")
    batch = make_batch(trajectories, advantage="rloo")
    for row, trajectory in zip(batch.token_rewards, trajectories, strict=True):
        ends = [len(s["prompt_ids"]) + len(s["token_ids"]) - 1 for s in trajectory["steps"]]
        assert np.flatnonzero(row).tolist() == ends
        assert row[ends].tolist() == [step["reward"] for step in trajectory["steps"]]


def test_a_window_splits_the_tokens_and_loses_none(policy: Any) -> None:
    game = {"highest": 1000, "turns": 4}
    trajectories = play(policy, GUESS, "ContextWindow:max_messages=3", **game)
    for trajectory in trajectories:
        steps, sequences = trajectory["steps"], token_sequences(trajectory["steps"])
        assert trajectory["splits"] == len(sequences) - 1 == len(steps) - 2 == 2
        sampled = sum(len(step["token_ids"]) for step in steps)
        assert sum(sum(tokens.loss_mask) for tokens in sequences) == sampled
        roles = [message["role"] for message in trajectory["messages"]]
        assert roles == ["user", "assistant"] * 4
    assert len(make_batch(trajectories)) == 6
