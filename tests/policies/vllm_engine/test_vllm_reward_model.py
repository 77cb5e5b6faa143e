"""`vllm-rm:` against a real server: its scores are those that `hf-rm:` computes."""

from __future__ import annotations

import importlib.util
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from byte_tokenizer import make_byte_tokenizer
from vllm_server import vllm_server

import textgym
from textgym.errors import RewardModelFailure
from textgym.messages import assistant, user
from textgym.verifiers.reward_model import RewardModel, make_reward_model

pytestmark = [
    pytest.mark.vllm,
    pytest.mark.skipif(
        importlib.util.find_spec("vllm") is None, reason="vLLM is not installed: make test-vllm"
    ),
]

TEXTS = "Good.", "It was bad, and too long.", "<think>Hm.</think>Gut, merci, 好."
CONTEXT = 512  # tokens
FLAGS = [
    *("--runner", "pooling", "--max-model-len", str(CONTEXT)),
    *("--dtype", "float32", "--enforce-eager"),
]


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A reward model with random weights."""
    import torch
    from transformers import Qwen2Config, Qwen2ForSequenceClassification

    torch.manual_seed(0)
    tokenizer = make_byte_tokenizer()
    config = Qwen2Config(
        vocab_size=len(tokenizer), hidden_size=64, intermediate_size=64, num_hidden_layers=2,
        num_attention_heads=2, num_key_value_heads=2, max_position_embeddings=CONTEXT,
        num_labels=1, pad_token_id=tokenizer.pad_token_id, initializer_range=0.5,
    )  # fmt: skip
    folder = tmp_path_factory.mktemp("reward-model")
    Qwen2ForSequenceClassification(config).save_pretrained(folder)
    tokenizer.save_pretrained(folder)
    return folder


@pytest.fixture(scope="module")
def served(folder: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """The spec of the model behind a server."""
    log = tmp_path_factory.mktemp("vllm") / "server.log"
    with vllm_server(folder, "tiny", FLAGS, log) as url:
        yield f"vllm-rm:tiny@{url}"


def said(text: str) -> list[textgym.Message]:
    return [user("How was it?"), assistant(text)]


def both(folder: Path, served: str) -> tuple[RewardModel, RewardModel]:
    return make_reward_model(f"hf-rm:{folder}", "sigmoid"), make_reward_model(served, "sigmoid")


def test_scores_are_those_of_transformers(folder: Path, served: str) -> None:
    here, there = both(folder, served)
    scores = [(here.score(said(text)).score, there.score(said(text)).score) for text in TEXTS]
    assert len({round(score, 3) for score, _ in scores if score is not None}) == len(TEXTS)
    for expected, score in scores:
        assert score == pytest.approx(expected, abs=1e-3)


def test_a_reply_that_exceeds_the_context_gets_nothing(folder: Path, served: str) -> None:
    assert [model.score(said("x" * 1000)).reason for model in both(folder, served)] == ["cut"] * 2


def test_a_prompt_that_exceeds_the_context_is_a_failure(served: str) -> None:
    with pytest.raises(RewardModelFailure, match="cannot hold the prompt"):
        make_reward_model(served, "sigmoid").score([user("x" * 1000), assistant("Good.")])


def test_an_unknown_model_is_a_failure(served: str) -> None:
    with pytest.raises(RewardModelFailure, match="HTTP 404"):
        make_reward_model(served.replace("tiny", "other"), "sigmoid").score(said("Good."))


class Replies(textgym.Policy):
    """Gives one reply after the other."""

    name = "replies"

    def __init__(self) -> None:
        self._texts = iter(TEXTS)

    async def act(self, messages: Any, tools: Any, **_: Any) -> textgym.Action:
        return textgym.Action(assistant(next(self._texts)))


def test_episodes_of_a_task_are_compared_by_the_scores_of_the_server(
    folder: Path, served: str
) -> None:
    def play(spec: str) -> list[float]:
        run = textgym.rollout(
            "textgym/GuessNumber-v0", Replies(), episodes=1, repeats=len(TEXTS), concurrency=1,
            group_reward=spec, env_kwargs={"level": 1, "max_turns": 1},
        )  # fmt: skip
        return [trajectory["reward"] or 0.0 for trajectory in run.trajectories()]

    rewards = play(served)
    assert sorted(rewards) == [0.0, 0.5, 1.0]
    assert rewards == play(f"hf-rm:{folder}")
