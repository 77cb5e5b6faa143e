"""Pictures in the policy `vllm:MODEL`: what a real vLLM reads, and what the tokens record.

vLLM's models that read pictures import torchvision, whose builds on the package index need a GPU's
torch. So these tests run where torchvision is there beside vLLM, on a GPU or with a CPU build.
"""

from __future__ import annotations

import asyncio
import importlib.util
import os
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from vision_model import PLACEHOLDER, asks, picture, save_vision_model

import textgym
from textgym.messages import Message, assistant, user
from textgym.policies import Action, Tokens, make_policy
from textgym.trajectories.batch import make_batch
from textgym.trajectories.tokens import token_rows

pytestmark = [
    pytest.mark.vllm,
    pytest.mark.skipif(
        importlib.util.find_spec("vllm") is None, reason="vLLM is not installed: make test-vllm"
    ),
    pytest.mark.skipif(
        importlib.util.find_spec("torchvision") is None,
        reason="vLLM's models that read pictures need torchvision, which is not installed",
    ),
    pytest.mark.filterwarnings("default"),  # vLLM's own
]

SETTINGS = {"max_tokens": 4, "temperature": 0}
ENGINE = {"max_model_len": 2048, "limit_mm_per_prompt": {"image": 2}}


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> str:
    return save_vision_model(tmp_path_factory.mktemp("vision"))


@pytest.fixture(scope="module")
def policy(folder: str) -> Iterator[Any]:
    os.environ.setdefault("VLLM_CPU_KVCACHE_SPACE", "1")
    policy = make_policy(f"vllm:{folder}", SETTINGS, {"engine": ENGINE})
    yield policy
    asyncio.run(policy.close())


@pytest.fixture(scope="module")
def hf(folder: str) -> Any:
    return make_policy(f"hf:{folder}", SETTINGS)


def ask(policy: Any, *conversations: list[Message], prior: Tokens | None = None) -> list[Action]:
    async def together() -> list[Action]:
        asked = [policy.act(messages, [], prior=prior) for messages in conversations]
        return await asyncio.gather(*asked)

    return asyncio.run(together())


def test_both_engines_read_the_same_tokens_and_give_the_same_answer(policy: Any, hf: Any) -> None:
    questions = [
        [asks("Which colour? ", picture("red"))],
        [asks(picture("blue", (56, 84)), " and ", picture("white", (28, 28)), PLACEHOLDER)],
        [user("Only a text.")],
    ]
    for one, other in zip(ask(policy, *questions), ask(hf, *questions), strict=True):
        assert one.prompt_ids == other.prompt_ids
        assert one.pictures == other.pictures
        assert one.token_ids == other.token_ids
        assert one.logprobs == pytest.approx(other.logprobs, abs=1e-3)
        assert one.usage["prompt_tokens"] == len(one.prompt_ids or ())


def test_the_answer_depends_on_the_picture(policy: Any) -> None:
    questions = [[asks("Which colour? ", picture(color))] for color in ("red", "blue", "red")]
    red, blue, again = ask(policy, *questions)
    assert red.prompt_ids == blue.prompt_ids
    assert red.logprobs == pytest.approx(again.logprobs, abs=1e-5)
    assert red.logprobs != pytest.approx(blue.logprobs, abs=1e-5)


def test_a_later_picture_is_appended_to_the_recorded_ids(policy: Any, hf: Any) -> None:
    question = asks("First: ", picture("red"))
    (first,) = ask(policy, [question])
    prior = Tokens.of_turn(first.prompt_ids or [], first.token_ids or [], first.logprobs, 2)
    more = assistant(str(first.message["content"])), asks("Next: ", picture("blue", (56, 56)))
    (second,) = ask(policy, [question, *more], prior=prior)
    (same,) = ask(hf, [question, *more], prior=prior)
    assert (second.prompt_ids or [])[: len(prior.ids)] == prior.ids
    assert (second.prompt_ids, second.pictures) == (same.prompt_ids, same.pictures)
    assert second.logprobs == pytest.approx(same.logprobs, abs=1e-3)


def test_a_placeholder_is_never_sampled(policy: Any) -> None:
    bias = policy.sampling_params(8, None).logit_bias
    assert bias == dict.fromkeys(policy.codec.pictures.placeholder_ids, -100.0)


def test_a_run_records_both_forms_and_masks(policy: Any, tmp_path: Path) -> None:
    run = textgym.rollout("textgym/Pictures-v0", policy, episodes=2, out=tmp_path)
    for trajectory in run.trajectories():
        assert trajectory["failure"] is None
        (row,) = token_rows(trajectory)
        extra = sum(span["length"] - 1 for span in row.pictures)
        assert extra > 0
        assert len(row.placeholder_ids) == len(row.prompt_ids) + len(row.completion_ids) - extra
        assert row.placeholder_ids.count(policy.codec.pictures.token_id) == len(row.pictures)
    batch = make_batch(run.trajectories())
    for spans, ids, mask in zip(batch.pictures, batch.input_ids, batch.loss_mask, strict=True):
        for span in spans:
            place = slice(span["start"], span["start"] + span["length"])
            assert set(ids[place].tolist()) == {policy.codec.pictures.token_id}
            assert not mask[place].any()
