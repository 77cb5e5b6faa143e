"""A peft model around a vision-language model reads pictures as the model inside does."""

from __future__ import annotations

import asyncio
import base64
import io
from typing import Any

import pytest
from vision_model import make_vision_model

pytestmark = pytest.mark.trainers

peft = pytest.importorskip("peft")
pytest.importorskip("transformers")
Image = pytest.importorskip("PIL.Image")

from textgym.policies.hf import HFPolicy  # noqa: E402


def test_an_adapter_that_changes_nothing_gives_the_same_answer() -> None:
    model, tokenizer, processor = make_vision_model()
    file = io.BytesIO()
    Image.new("RGB", (112, 84), "red").save(file, "PNG")
    url = f"data:image/png;base64,{base64.b64encode(file.getvalue()).decode()}"
    question: Any = {"role": "user", "content": [{"type": "image_url", "image_url": {"url": url}}]}

    def act(answering: Any) -> Any:
        sampling = {"temperature": 0, "max_tokens": 12}
        policy = HFPolicy.of(answering, tokenizer, sampling, image_processor=processor)
        return asyncio.run(policy.act([question], []))

    plain = act(model)
    adapted = act(peft.get_peft_model(model, peft.LoraConfig(target_modules=["q_proj"])).eval())
    assert adapted.token_ids == plain.token_ids
    assert adapted.logprobs == pytest.approx(plain.logprobs, abs=1e-5)
