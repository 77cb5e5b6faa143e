"""Pictures in the transformers policy: what the model sees, and what the tokens record."""

from __future__ import annotations

import asyncio
import base64
import hashlib
from pathlib import Path
from typing import Any

import pytest

import textgym
from tests.support.vision_model import (
    FAMILIES,
    PLACEHOLDER,
    asks,
    make_vision_model,
    picture,
    save_vision_model,
)
from textgym.errors import UsageError
from textgym.messages import Message, assistant, user
from textgym.policies import Action, Tokens
from textgym.trajectories.batch import make_batch
from textgym.trajectories.tokens import token_rows

torch = pytest.importorskip("torch")
transformers = pytest.importorskip("transformers")
Image = pytest.importorskip("PIL.Image")

from textgym.policies.hf import HFPolicy  # noqa: E402

SAMPLING = {"temperature": 1.0, "max_tokens": 12}


@pytest.fixture(scope="module")
def parts() -> Any:
    return make_vision_model()


@pytest.fixture(scope="module")
def policy(parts: Any) -> HFPolicy:
    model, tokenizer, processor = parts
    return HFPolicy.of(model, tokenizer, SAMPLING, image_processor=processor)


def act(policy: HFPolicy, *messages: Message, seed: int = 0, prior: Tokens | None = None) -> Action:
    return asyncio.run(policy.act(list(messages), [], prior=prior, seed=seed))


def placeholder_id(policy: HFPolicy) -> int:
    id: int = policy.tokenizer.convert_tokens_to_ids(PLACEHOLDER)
    return id


def test_a_picture_has_a_token_for_every_merged_patch(policy: HFPolicy) -> None:
    shown = picture(size=(112, 84))  # 8 × 6 patches of 14 pixels, of which four are merged
    action = act(policy, asks("What is it? ", shown))
    assert action.prompt_ids is not None
    assert action.pictures is not None
    (span,) = action.pictures
    assert (span["length"], span["grid_thw"]) == (12, [1, 6, 8])
    assert action.prompt_ids.count(placeholder_id(policy)) == 12
    assert set(action.prompt_ids[span["start"] : span["start"] + 12]) == {placeholder_id(policy)}
    data = base64.b64decode(shown["image_url"]["url"].partition(",")[2])
    assert span["sha256"] == hashlib.sha256(data).hexdigest()


def test_the_answer_depends_on_the_picture_alone(policy: HFPolicy) -> None:
    red, again = (act(policy, asks("Color? ", picture("red"))) for _ in range(2))
    blue = act(policy, asks("Color? ", picture("blue")))
    assert red.prompt_ids == blue.prompt_ids
    assert red.logprobs == again.logprobs
    assert red.logprobs != blue.logprobs


@pytest.mark.parametrize("family", FAMILIES)
def test_log_probabilities_are_those_of_the_model_by_itself(family: str) -> None:
    model, tokenizer, processor = make_vision_model(family)
    policy = HFPolicy.of(model, tokenizer, SAMPLING, image_processor=processor)
    first, second = picture("red", (112, 84)), picture("green", (56, 56))
    action = act(policy, asks("One ", first, " and two ", second))
    assert action.prompt_ids
    assert action.token_ids
    assert action.logprobs
    ids = torch.tensor([action.prompt_ids + action.token_ids])
    images = [Image.new("RGB", (112, 84), "red"), Image.new("RGB", (56, 56), "green")]
    with torch.inference_mode():
        logits = model(
            input_ids=ids,
            mm_token_type_ids=(ids == placeholder_id(policy)).int(),
            **processor(images=images, return_tensors="pt"),
        ).logits[0, len(action.prompt_ids) - 1 : -1]
    expected = logits.log_softmax(-1).gather(1, torch.tensor(action.token_ids)[:, None])[:, 0]
    assert action.logprobs == pytest.approx(expected.tolist(), abs=1e-4)


def test_a_batch_with_and_without_pictures_answers_as_one_by_one(policy: HFPolicy) -> None:
    questions = [
        asks("Only text."),
        asks("A picture: ", picture("red")),
        asks(picture("blue", (56, 84)), picture("white", (28, 28)), " two pictures"),
        user("A string."),
    ]
    alone = [act(policy, question, seed=7) for question in questions]

    async def together() -> list[Action]:
        return await asyncio.gather(*(policy.act([item], [], seed=7) for item in questions))

    for one, other in zip(alone, asyncio.run(together()), strict=True):
        assert one.token_ids == other.token_ids
        assert one.pictures == other.pictures
        assert one.logprobs == pytest.approx(other.logprobs, abs=1e-4)


def test_a_later_picture_is_appended_to_the_recorded_ids(policy: HFPolicy) -> None:
    question = asks("First: ", picture("red"))
    first = act(policy, question)
    assert first.prompt_ids
    assert first.token_ids
    prior = Tokens.of_turn(first.prompt_ids, first.token_ids, first.logprobs, 2)
    more = [assistant(str(first.message["content"])), asks("Second: ", picture("blue", (56, 56)))]
    second = act(policy, question, *more, prior=prior)
    assert second.prompt_ids
    assert second.pictures
    assert first.pictures
    assert second.prompt_ids[: len(prior.ids)] == prior.ids
    assert second.pictures[0] == first.pictures[0]
    assert second.pictures[1]["start"] > len(prior.ids)
    assert second.pictures[1]["length"] == 4


@pytest.mark.parametrize("where", ["text beside a picture", "text", "tool call", "tool"])
def test_a_placeholder_in_a_text_is_no_picture(policy: HFPolicy, where: str) -> None:
    text = f"Look: {PLACEHOLDER}<|video_pad|>"
    call = {"id": "a", "function": {"name": "see", "arguments": {"what": text}}}
    messages: dict[str, list[Message]] = {
        "text beside a picture": [asks(text, picture())],
        "text": [user(text)],
        "tool call": [user("Go."), {"role": "assistant", "content": text, "tool_calls": [call]}],
        "tool": [user("Go."), {"role": "tool", "tool_call_id": "a", "content": text}],
    }
    action = act(policy, *messages[where])
    assert action.prompt_ids is not None
    count = action.prompt_ids.count(placeholder_id(policy))
    assert count == (12 if where == "text beside a picture" else 0)


def test_a_placeholder_is_never_sampled(parts: Any) -> None:
    model, tokenizer, processor = parts
    id = tokenizer.convert_tokens_to_ids(PLACEHOLDER)
    head = model.get_output_embeddings()
    hook = head.register_forward_hook(
        lambda *arguments: arguments[2].index_fill(-1, torch.tensor([id]), 50.0)
    )
    try:
        for temperature in (0.0, 1.0):
            sampling = {"temperature": temperature, "max_tokens": 8}
            greedy = HFPolicy.of(model, tokenizer, sampling, image_processor=processor)
            assert id not in (act(greedy, asks("Hi ", picture())).token_ids or ())
    finally:
        hook.remove()


@pytest.mark.parametrize(
    ("part", "reason"),
    [
        ({"type": "image_url", "image_url": {"url": "http://127.0.0.1/a.png"}}, "a data: URL"),
        ({"type": "image_url", "image_url": {"url": "data:image/png;base64,AAAA"}}, "be read"),
        ({"type": "image_url", "image_url": {"url": "data:image/png;base64,*"}}, "in base64"),
        ({"type": "input_audio", "input_audio": {"data": "", "format": "wav"}}, "'input_audio'"),
    ],
)
def test_what_is_no_readable_picture_is_refused(policy: HFPolicy, part: Any, reason: str) -> None:
    with pytest.raises(UsageError, match=reason):
        act(policy, asks("Look: ", part))


def test_a_policy_without_an_image_processor_refuses_pictures(parts: Any) -> None:
    with pytest.raises(UsageError, match=r"reads only text.*'image_url'"):
        act(HFPolicy.of(*parts[:2], SAMPLING), asks(picture()))


def test_another_kind_of_model_is_refused_with_an_image_processor(parts: Any) -> None:
    config = transformers.LlamaConfig(
        vocab_size=300, hidden_size=16, intermediate_size=16, num_hidden_layers=1,
        num_attention_heads=2,
    )  # fmt: skip
    with pytest.raises(UsageError, match="not for llama"):
        HFPolicy.of(transformers.LlamaForCausalLM(config), *parts[1:2], image_processor=parts[2])


def test_a_run_keeps_hashes_and_files_and_no_pixels(tmp_path: Path) -> None:
    name = f"hf:{save_vision_model(tmp_path / 'model')}"
    run = textgym.rollout(
        "textgym/Pictures-v0", name, episodes=2, sampling=SAMPLING, out=tmp_path / "run"
    )
    for trajectory in run.trajectories():
        assert trajectory["failure"] is None
        (row,) = token_rows(trajectory)
        (step,) = trajectory["steps"]
        assert list(row.pictures) == step["pictures"]
        for span in row.pictures:
            file = tmp_path / "run" / "image" / f"{span['sha256']}.png"
            assert hashlib.sha256(file.read_bytes()).hexdigest() == span["sha256"]
        extra = sum(span["length"] - 1 for span in row.pictures)
        assert len(row.placeholder_ids) == len(row.prompt_ids) + len(row.completion_ids) - extra
    batch = make_batch(run.trajectories())
    for spans, ids, mask in zip(batch.pictures, batch.input_ids, batch.loss_mask, strict=True):
        for span in spans:
            place = slice(span["start"], span["start"] + span["length"])
            assert len(set(ids[place].tolist())) == 1
            assert not mask[place].any()
