"""A real small model as the user: well-formed conversations, its tokens, graded rewards."""

from __future__ import annotations

from typing import Any

import gymnasium
import pytest

import textgym
from textgym.errors import ExtraMissingError
from textgym.messages import message_problem
from textgym.policies import make_policy
from textgym.policies.models import find_model
from textgym.wrappers import SimulatedUser

pytestmark = pytest.mark.model


@pytest.fixture(scope="module")
def person() -> Any:
    """The model, with short samples."""
    pytest.importorskip("transformers")
    try:
        find_model("")
    except ExtraMissingError as error:
        pytest.skip(str(error))
    return make_policy("hf", {"temperature": 0, "max_tokens": 8})


@pytest.mark.parametrize("id", ["textgym/MCQA-v0", "textgym/SingleToolCall-v0"])
def test_a_small_model_plays_the_user(person: Any, id: str) -> None:
    def with_person(env: gymnasium.Env[Any, Any]) -> Any:
        return SimulatedUser(env, user=person, max_turns=3)

    run = textgym.rollout(id, "oracle", episodes=1, wrappers=[with_person])
    trajectories = list(run.trajectories())
    assert len(trajectories) == 1
    for trajectory in trajectories:
        assert trajectory["failure"] is None
        assert trajectory["reward"] in {0.0, 1.0}
        roles = [
            message["role"] for message in trajectory["messages"] if message["role"] != "system"
        ]
        assert roles[0] == "user"
        assert not any(map(message_problem, trajectory["messages"]))
        said = [m["content"] for m in trajectory["messages"] if m["role"] == "user"]
        assert all(isinstance(text, str) and text.strip() for text in said)
        counts = trajectory["info"]["user_usage"]
        assert counts["prompt_tokens"] > 50
        assert 1 <= counts["completion_tokens"] <= 8 * 3
        assert trajectory["usage"].get("completion_tokens", 0) == 0  # the oracle has none
