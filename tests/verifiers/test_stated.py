"""The answer that a text states, which all verifiers read alike."""

from __future__ import annotations

import pytest
from tables import in_one_test

from textgym.verifiers.exact import match
from textgym.verifiers.math import verify
from textgym.verifiers.stated import named_form, read_stated, stated_answer

DENIED = [
    "not {}", "It is not ${}$.", "It isn't {}", "The answer is not \\( {} \\)", "Not: {}",
    "**not** {}", "x \\neq {}", "x ≠ {}", "the answer cannot be {}", "It can't be the answer {}",
    "I don't think the answer is {}", "I do not believe it is {}", "\\text{{not }}{}",
    "\\lnot {}", "\\cancel{{{}}}", "~~{}~~", "{} is wrong.", "**{}** is incorrect",
    "${}$ is clearly wrong", "{} is not the answer", "{} isn't correct", "41 rather than {}",
    "{} – wrong", "{}? No.",
]  # fmt: skip
HONEST = [
    "{}", "- {}", "Answer - {}", "The answer — {}", "**{}**", "so = {}", "1 - 2 = 3, so {}",
    "It is not 41 but {}", "It is not hard to see that it is {}", "not 41, {}", "The answer: {}",
    "{} is the answer", "{} is not hard to find", "{}, not \\boxed{{41}}", "6 \\times {} = x",
    "{} rather than \\boxed{{41}}", "**Answer:** {}", "Answer:\n\n{}", "<answer>{}</answer>",
]  # fmt: skip


@in_one_test("text", DENIED)
def test_a_denied_box_is_no_answer(text: str) -> None:
    assert not verify("42", text.format("\\boxed{42}")).equal
    assert not match("42", text.format("\\boxed{42}"))
    assert not match("Paris", text.format("\\boxed{Paris}"))


@pytest.mark.parametrize("text", HONEST)
def test_a_box_beside_a_denial_or_dash_is_an_answer(text: str) -> None:
    assert verify("42", text.format("\\boxed{42}")).equal
    assert match("42", text.format("\\boxed{42}"))
    assert match("Paris", text.format("\\boxed{Paris}"))


@pytest.mark.parametrize(
    "text",
    [
        "-\\boxed{42}", "$-\\boxed{42}$", "$x = -\\boxed{42}$", "x = - \\boxed{42}",
        "It is -\\boxed{42}.", "-$\\boxed{42}$", "−\\boxed{42}", "(-\\boxed{42})",
        "minus \\boxed{42}", "**-\\boxed{42}**", "Answer: -\\boxed{42}", "\\[ -\\boxed{42} \\]",
    ],
)  # fmt: skip
def test_a_minus_sign_before_a_box_belongs_to_the_answer(text: str) -> None:
    assert stated_answer(text) == "-42"
    assert verify("-42", text).equal
    assert not verify("42", text).equal
    assert match("-42", text)
    assert not match("42", text)


def test_a_minus_sign_before_a_box_with_several_terms_holds_for_all() -> None:
    assert verify("-x-1", "$-\\boxed{x+1}$").equal
    assert not verify("1-x", "$-\\boxed{x+1}$").equal
    assert not verify("42", "-\\boxed{-41}").equal


@pytest.mark.parametrize(
    "text",
    [
        "\\boxed{Rome} or \\boxed{Paris}", "\\boxed{Rome}, \\boxed{Paris}",
        "$\\boxed{Rome}$ and $\\boxed{Paris}$", "\\boxed{Rome} \\text{ or } \\boxed{Paris}",
        "Answer: \\boxed{Rome} or \\boxed{Paris}", "Wrong answer: Paris",
        "Rome. I doubt the answer: Paris", "Answer: Rome\nBackup answer: Paris",
    ],
)  # fmt: skip
def test_joined_boxes_and_denied_labels_state_neither_answer(text: str) -> None:
    assert not match("Paris", text)


@pytest.mark.parametrize(
    ("text", "answer"),
    [
        ("\\boxed{8}\nAnswer: 7", "7"),
        ("Answer: 7\n\\boxed{8}", "8"),
        ("<answer>7</answer> \\boxed{8}", "8"),
        ("\\boxed{8} <answer>7</answer>", "7"),
        ("<answer>\\boxed{8}</answer>", "8"),
        ("Answer: \\boxed{8}", "8"),
        ("First \\boxed{7}.\n\\boxed{8}", "8"),
        ("Answer: 7\nAnswer: 8", "8"),
        ("\\boxed{7}, or rather \\boxed{8}", "8"),
        ("\\boxed{8} \\boxed{7", "8"),
    ],
)
def test_all_verifiers_read_the_form_that_stands_last(text: str, answer: str) -> None:
    other = "7" if answer == "8" else "8"
    assert stated_answer(text) == answer
    assert match(answer, text)
    assert not match(other, text)
    assert verify(answer, text).equal
    assert not verify(other, text).equal


@pytest.mark.parametrize(
    ("prompt", "text", "answer"),
    [
        ("Put it in \\boxed{}.", "\\boxed{8}\nAnswer: 7", "8"),
        ("End with `Answer: `.", "Answer: 7\n\\boxed{8}", "7"),
        ("Use <answer> tags.", "<answer>7</answer> \\boxed{8}", "7"),
        ("Use <answer> tags.", "Answer: 7", "7"),
    ],
)
def test_the_form_that_the_prompt_names_decides(prompt: str, text: str, answer: str) -> None:
    form = named_form(prompt)
    assert match(answer, text, form)
    assert verify(answer, text, stated_in=form).equal
    assert not verify("7" if answer == "8" else "8", text, stated_in=form).equal


@pytest.mark.parametrize(
    ("text", "answer"),
    [
        ("\\boxed{50}\\%", "50\\%"),
        ("$\\boxed{50}$ %", "50\\%"),
        ("\\boxed{\\text{Answer: }42}", "\\text{Answer: }42"),
        ("nothing", "nothing"),
    ],
)
def test_a_stated_answer_is_whole(text: str, answer: str) -> None:
    assert read_stated(text).text == answer
