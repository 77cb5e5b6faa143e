"""What vLLM is given of a picture, which a stand-in for its engine shows without vLLM."""

from __future__ import annotations

import asyncio
from types import SimpleNamespace
from typing import Any

import pytest

from tests.support.vision_model import asks, make_vision_model, picture, save_vision_model
from textgym.errors import PolicyFailure
from textgym.messages import Message, user
from textgym.policies import Action, make_policy
from textgym.policies.vllm import VLLMPolicy

pytest.importorskip("torch")
pytest.importorskip("transformers")
pytest.importorskip("PIL.Image")


class Engine:
    """Expands the placeholders of a prompt, and answers with one token.

    Attributes:
        lengths: How many tokens each picture has.
        asked: The prompts.
    """

    def __init__(self, folder: str) -> None:
        model, self.tokenizer, _ = make_vision_model()
        self.model_config = SimpleNamespace(
            model=folder,
            hf_config=model.config,
            max_model_len=512,
            try_get_generation_config=dict,
        )
        self.lengths = [12, 4]
        self.asked: list[dict[str, Any]] = []
        self._ids: list[str] = []

    def get_tokenizer(self) -> Any:
        return self.tokenizer

    def get_num_unfinished_requests(self) -> int:
        return len(self._ids)

    def add_request(self, id: str, prompt: Any, params: Any, *, lora_request: Any) -> None:
        self.asked.append(prompt)
        self._ids.append(id)

    def step(self) -> list[Any]:
        lengths, expanded = iter(self.lengths), list[int]()
        for token in self.asked[-1]["prompt_token_ids"]:
            is_picture = token == self.model_config.hf_config.image_token_id
            expanded += [token] * (next(lengths) if is_picture else 1)
        answer = SimpleNamespace(
            finish_reason="length",
            text="a",
            token_ids=[64],
            logprobs=[{64: SimpleNamespace(logprob=-0.5)}],
        )
        return [
            SimpleNamespace(request_id=self._ids.pop(), prompt_token_ids=expanded, outputs=[answer])
        ]


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> str:
    return save_vision_model(tmp_path_factory.mktemp("vision"))


@pytest.fixture
def engine(folder: str, monkeypatch: pytest.MonkeyPatch) -> Engine:
    monkeypatch.setattr(VLLMPolicy, "sampling_params", lambda *_: None)
    return Engine(folder)


def act(policy: Any, *messages: Message) -> Action:
    return asyncio.run(policy.act(list(messages), []))


def test_the_engine_gets_one_placeholder_a_picture_and_the_pictures(
    engine: Engine, folder: str
) -> None:
    question = asks("Two: ", picture("red", (112, 84)), picture("blue", (56, 56)))
    action = act(VLLMPolicy.of(engine), question)
    (asked,) = engine.asked
    id = engine.model_config.hf_config.image_token_id
    assert asked["prompt_token_ids"].count(id) == 2
    images = asked["multi_modal_data"]["image"]
    assert [(image.size, image.getpixel((0, 0))) for image in images] == [
        ((112, 84), (255, 0, 0)),
        ((56, 56), (0, 0, 255)),
    ]
    same = act(make_policy(f"hf:{folder}", {"max_tokens": 1}), question)
    assert (action.prompt_ids, action.pictures) == (same.prompt_ids, same.pictures)
    assert (action.prompt_ids or []).count(id) == 16


def test_a_text_is_given_as_ids_alone(engine: Engine) -> None:
    action = act(VLLMPolicy.of(engine), user("Hi."))
    assert engine.asked == [{"prompt_token_ids": action.prompt_ids}]
    assert action.pictures is None


def test_an_engine_that_resizes_pictures_differently_is_a_failure(engine: Engine) -> None:
    engine.lengths = [9]
    with pytest.raises(PolicyFailure, match=r"read \d+ tokens where the model's image processor"):
        act(VLLMPolicy.of(engine), asks("One: ", picture()))
