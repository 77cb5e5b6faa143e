"""Tokens that end a model's turn, at the end of an answer."""

from __future__ import annotations

from typing import Any

import gymnasium
import pytest

import textgym  # noqa: F401
from textgym.verifiers.extract import after_reasoning

TOKENS = [
    "<|eot_id|>", "<|im_end|>", "</s>", "<|endoftext|>", "<|end|>", "<end_of_turn>", "<eos>",
    " <|im_end|>\n", "\n</s>", "<|im_end|><|im_end|>", "<｜end▁of▁sentence｜>",
]  # fmt: skip
OTHERS = [
    "<b>B</b>", "<s>B</s>", "B<|im_end|> A", "B <eos> or A", "x > 3", "<|im_start|>", "B</answer>",
    "B<im_end>",
]  # fmt: skip
ROWS: dict[str, tuple[dict[str, Any], str]] = {
    "Math": ({"question": "How many?", "expected_answer": "42"}, "The answer is 42"),
    "EquivalenceJudge": ({"question": "Where?", "expected_answer": "Paris"}, "Paris"),
    "MCQA": (
        {
            "question": "Which?", "options": {"A": "iron", "B": "zinc"}, "answer": "B",
            "grading_mode": "lenient_answer_colon",
        },
        "Answer: zinc",
    ),
}  # fmt: skip


@pytest.mark.parametrize("token", TOKENS)
@pytest.mark.parametrize("name", ROWS)
def test_an_end_token_is_no_part_of_an_answer(name: str, token: str) -> None:
    row, answer = ROWS[name]
    env = gymnasium.make(f"textgym/{name}-v0")
    env.reset(options={"task": row})
    assert env.step(answer + token)[1] == 1
    env.reset(options={"task": row})
    assert env.step(token)[1] == 0


@pytest.mark.parametrize("text", OTHERS)
def test_other_tags_stay(text: str) -> None:
    assert after_reasoning(text) == text


def test_many_end_tokens_are_removed_in_linear_time() -> None:
    assert after_reasoning("B" + 100_000 * "<eos>\n") == "B"
