"""Words that deny an answer: every verifier reads them alike."""

from __future__ import annotations

import pytest

from textgym.envs.weather_answers import is_right
from textgym.verifiers.choices import choice
from textgym.verifiers.math import verify

OPTIONS = {"A": "iron", "B": "zinc", "C": "tin"}
DENIED = [
    "not {}", "never {}", "neither {}", "I doubt {}", "I doubt that it is {}", "hardly {}",
    "It is hardly {}", "unlikely {}", "anything but {}", "far from {}", "unlike {}", "not: {}",
    "rather than {}", "instead of {}", "Wrong: {}", "Incorrect: {}", "wrong answer: {}",
    "A common wrong answer is {}", "It isn't {}", "It is not {}",
]  # fmt: skip
AFFIRMED = [
    "no doubt {}", "No doubt, it is {}", "without a doubt {}", "Without doubt {}",
    "beyond any doubt {}", "It is {}", "There is no doubt that it is {}", "It is beyond a doubt {}",
    "surely {}", "I have no doubt: {}",
]  # fmt: skip


def taken(text: str) -> list[bool]:
    """Return whether each verifier takes what stands in a text for the answer."""
    box = "\\boxed{%s}"
    return [
        choice(text.format(box % "B"), OPTIONS) == "B",
        choice("Answer: " + text.format("B"), OPTIONS, "lenient_answer_colon_md") == "B",
        choice(box % text.format("zinc"), OPTIONS, "lenient_boxed") == "B",
        verify("42", text.format(box % "42")).equal,
        verify("42", text.format("42")).equal,
        is_right(text.format("42"), "42"),
        is_right(text.format("sunny"), "sunny"),
    ]


@pytest.mark.parametrize("text", DENIED)
def test_no_verifier_takes_what_is_denied(text: str) -> None:
    assert not any(taken(text))


@pytest.mark.parametrize("text", AFFIRMED)
def test_every_verifier_takes_what_is_affirmed(text: str) -> None:
    assert all(taken(text))


@pytest.mark.parametrize(
    "text",
    [
        "No doubt, the answer is 42.", "There is no doubt that the answer is 42.",
        "Without a doubt the answer is 42.", "Beyond any doubt, the answer is 42.",
        "Answer: no doubt 42",
    ],
)  # fmt: skip
def test_a_label_without_a_doubt_states_the_answer(text: str) -> None:
    assert verify("42", text).equal


@pytest.mark.parametrize(
    "text",
    [
        "It is unlikely that the answer is 42.", "I doubt the answer is 42.",
        "Incorrect answer: 42",
        "The answer is hardly 42.", "Neither is the answer: 42", "The answer is everything but 42",
    ],
)  # fmt: skip
def test_a_denied_label_states_nothing(text: str) -> None:
    assert not verify("42", text).equal
