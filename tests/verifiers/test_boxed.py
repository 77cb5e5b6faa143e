"""What stands around a box: alternatives, denials, larger expressions, and what does not count."""

from __future__ import annotations

import pytest
from tables import in_one_test

from textgym.verifiers.boxed import chosen_boxes, stated_box
from textgym.verifiers.choices import choice
from textgym.verifiers.exact import match
from textgym.verifiers.math import verify

OPTIONS = {"A": "iron", "B": "zinc", "C": "neon"}
NOT_ALONE = [
    # alternatives
    "$x={}$ or $x=\\boxed{{43}}$", "$x=\\boxed{{41}}$ or $x={}$", "43 or {}", "{} or 43",
    "either 43 or ${}$", "${}$ or $43$", "{}, or maybe 43", "It is 43 or perhaps {}", "43 vs {}",
    "43, or {} if rounded", "$x = 43$ or $x = {}$", "43 and/or {}", "**43** or **{}**",
    "43 or about {}", "$\\frac{{1}}{{2}}$ or ${}$", "{} or $\\sqrt{{2}}$", "one of 41, 43 and {}",
    "43 and {}", "between 41 and {}", "\\boxed{{43}}\n{}", "{}\n\\boxed{{43}}",
    "{}{{}}\\boxed{{43}}",
    "${} \\text{{ or }} 43$", "$43 \\text{{ or }} {}$", "{} or 43\\%", "{} or \\$43", "{}+{}",
    "{} / \\boxed{{2}}", "\\boxed{{2}} + {}", "{} or about 50", "{} (or 43)", "{} (or maybe 43)",
    "{} otherwise \\boxed{{43}}", "\\boxed{{43}}, otherwise {}", "{} otherwise 43", "{}; or 43",
    "\\boxed{{43}} vs. {}", "43 otherwise {}", "\\boxed{{43}} or else {}",
    # denials
    "anything but {}", "everything except {}", "all but {}", "unlike {}", "far from {}",
    "other than {}", "different from ${}$", "41, not to be confused with {}", "excluding {}",
    "everything but the {}", "Wrong: {}", "Incorrect: ${}$", "**Wrong:** {}", "{} (wrong)",
    "A common wrong answer is {}", "An incorrect answer would be {}", "I doubt that it is {}",
    "I doubt it's {}", "hardly {}", "It is unlikely {}", "Nobody says it. I doubt {}",
    # bounds and ranges
    "at least {}", "It is at least {}.", "At most ${}$", "The answer is at most {}", "up to {}",
    "**at least** {}", "from 1 to {}", "from $1$ to ${}$", "It ranges from 1 to {}.",
    "anything from 1 to {}", "The answer is from 1 to {}.", "from \\boxed{{1}} to {}",
    "\\boxed{{41}} to {}", "{} or more", "{} or less", "${}$ or fewer", "{}+", "{}+.",
    # parts of formulas
    "$x>{}$", "$x \\le {}$", "$< {}$", "${} < x$", "${}/2$", "$2 \\cdot {}$", "$2{}$", "$2 {}$",
    "$\\sqrt{{{}}}$", "$\\frac{{{}}}{{2}}$", "$\\frac{{2}}{{{}}}$", "${}^2$", "${} + 1$",
    "$1 + {}$",
    "$10 - {}$", "$10 -{}$", "$[0, {}]$", "(43, {})", "({}, 43)", "$\\{{{}, 43\\}}$", "${}!$",
    "${} x$", "${}\\pi$", "${}\\times 10^3$", "$x^{{{}}}$", "$x_{{{}}}$", "$|{}|$", "$-({})$",
    "$\\log {}$", "\\[ x > {} \\]", "\\( {} + 1 \\)", "$x \\neq {}$", "${}i$", "$3({})$",
    "$y = 2 \\cdot {}$", "$x = {} \\cdot 2$", "$x={}^3$",
    # parts of sentences
    "{} million", "{} thousand", "{} dozen", "${}$ billion", "{} \\text{{ million}}", "{}/2", "2{}",
    "2 \\cdot {}", "{}43", "{}.5", "{}\\frac{{1}}{{2}}", "{}:30", "half of {}", "twice {}",
    "{} plus 1", "{} squared", "more than {}", "less than ${}$", "x > {}",
    "the square root of {}", "a multiple of {}", "{}-43", "{} * 2", "{} minus $3$", "{}\\pi",
]  # fmt: skip
ALONE = [
    "{}", "${}$.", "$x={}$", "So there are {} pens.", "{} pens in 2 boxes", "Total: {}", "({})",
    "$2\\cdot 21={}$", "$6 \\times 7 = {}$ or so", "**{}**", "\\[{}\\]", "\\[{}.\\]", "${}$!",
    "$x > 3$, so {}", "$\\implies {}$", "${} \\text{{ pens}}$", "${}\\;\\text{{cm}}$", "\\${}",
    "$\\therefore {}$", "- {}", "A or B? {}", "Options: 41, 43. {}", "It is even or odd: {}.",
    "42 or {}", "$a = 2$ and $b = 3$, so {}", "$a=2$, $b=3$: {}", "${}$ (or 42.0)", "> {}", "=> {}",
    "I got 43 or so; correct: {}", "$\\dfrac{{84}}{{2}}={}$", "$\\approx {}$", "-> {}", "$\\to {}$",
    "$\\displaystyle {}$", "$\\Rightarrow x={}$", "Answer > {}", "{}, or 42 in all",
    "\\boxed{{42}} or {}",
    "$$\n\\begin{{aligned}} x &= {} \\end{{aligned}}$$", "${}^\\circ$",
    "${}$ or $\\frac{{84}}{{2}}$",
    "{} apples each, or 42", "| x | {} |", "$6 \\times {} = y$", "{}\n{}", "{} (mod 50)",
    "$\\textbf{{{}}}$", "$\\color{{red}}{{{}}}$", "$x = 42 \\quad {}$", "It happened {} times.",
    "He has {} more than Bob", "It grew by {}", "a remainder of {}", "with a sum of {}",
    "We need at least {} pens.", "There must be at least {}", "It rose from 1 to {}.",
    "It fell from $50$ to ${}$", "The sum from 1 to 6 is {}", "At least one is even, so {}",
    "He drove from A to B in {} minutes", "The ways from A to B: {}", "No doubt, it is {}",
    "Without a doubt {}", "The number of wrong answers is {}", "43 is wrong, so {}", "{}!", "${}$!",
    "It goes up to {}", "The answer is {}! Yes.", "The one that is not correct is {}",
    "{} or so", "{}. Otherwise it would be 43.", "{} + C is not asked.",
    "$x \\equiv {} (mod 50)$", "$x \\in {}$",
    "none other than {}", "Step 2: {}", "Question 1 - {}", "(a) {}", "1. {}", "Part 2. ${}$",
    "${}\\ \\text{{km}}/\\text{{h}}$", "{} km/h", "\\[\nx = 42\n{}\n\\]",
    "In 2 or 3 steps we get {}",
    "$x_1 + x_2 = {}$", "Check: $2 \\cdot 21 = 42$. {}", "$n \\ge 3$ gives $n = {}$",
    "{} < 50? Yes.",
    "It is {}. Check: $2 \\cdot \\boxed{{42}} = 84$",
]  # fmt: skip


def boxed(text: str, answer: str) -> str:
    return text.format(*2 * [f"\\boxed{{{answer}}}"])


@in_one_test("text", NOT_ALONE)
def test_a_box_beside_other_values_is_no_answer_by_itself(text: str) -> None:
    assert not verify("42", boxed(text, "42"), stated_in="box").equal
    assert not match("42", boxed(text, "42"), "box")


@in_one_test("text", ALONE)
def test_a_box_among_words_is_the_answer(text: str) -> None:
    assert verify("42", boxed(text, "42"), stated_in="box").equal


@pytest.mark.parametrize(
    ("gold", "text"),
    [
        ("2,3", "$x=\\boxed{2}$ or $x=\\boxed{3}$"), ("2,3", "$x=\\boxed{2}$, $x=\\boxed{3}$"),
        ("2,3", "\\boxed{2}\n\\boxed{3}"), ("\\{2,3\\}", "$\\boxed{2}$\n\n$\\boxed{3}$"),
        ("3, 2", "\\[\n\\boxed{2}\n\\]\n\\[\n\\boxed{3}\n\\]"), ("2", "\\boxed{2}\n\\boxed{2}"),
        ("0.5", "\\boxed{\\frac{1}{2}} or 0.5"), ("0.5", "\\boxed{\\frac{1}{2}} or 50\\%"),
        ("\\frac{50}{3}", "\\boxed{\\frac{50}{3}} or about 16.67"),
        ("16.67", "$\\frac{50}{3}$ or about \\boxed{16.67}"), ("5", "\\boxed{5} or \\$5"),
        ("\\frac{1}{2}", "$0.5$ or $\\boxed{\\frac{1}{2}}$"),
    ],
)  # fmt: skip
def test_boxes_side_by_side_are_one_answer(gold: str, text: str) -> None:
    assert verify(gold, text, stated_in="box").equal


@pytest.mark.parametrize(
    "text",
    [
        "\\boxed{2}\n\\boxed{4}", "\\boxed{2}\n\\boxed{3}\n\\boxed{4}", "\\boxed{2}\n\\boxed{2}",
        "\\boxed{2}\n3", "\\boxed{2}\nnot \\boxed{3}", "$x=\\boxed{2}$ or $x=\\boxed{4}$",
    ],
)  # fmt: skip
def test_other_boxes_are_another_answer(text: str) -> None:
    assert not verify("2,3", text, stated_in="box").equal


@pytest.mark.parametrize(
    "text",
    [
        "Rome or \\boxed{Paris}", "\\boxed{Paris} or Rome", "either Rome or \\boxed{Paris}",
        "**Rome** or **\\boxed{Paris}**", "\\boxed{Paris}, or perhaps Rome",
        "anyone but \\boxed{Paris}",
        "$\\boxed{\\text{Paris}}$ or Rome", "Rome vs. \\boxed{Paris}",
    ],
)  # fmt: skip
def test_a_name_beside_a_box_is_an_alternative(text: str) -> None:
    assert not match("Paris", text)
    assert not verify("Paris", text, stated_in="box").equal


@pytest.mark.parametrize(
    "text",
    [
        "\\boxed{Paris} or so", "It is red or blue in \\boxed{Paris}",
        "\\boxed{Paris}, or the capital",
        "Rome or Oslo? \\boxed{Paris}", "Rome, or rather \\boxed{Paris}",
    ],
)  # fmt: skip
def test_other_words_beside_a_box_are_none(text: str) -> None:
    assert match("Paris", text)
    assert verify("Paris", text, stated_in="box").equal


def test_boxes_of_two_names_are_two_answers_and_the_last_counts() -> None:
    assert verify("3", "$x=\\boxed{2}$, $y=\\boxed{3}$", stated_in="box").equal


@pytest.mark.parametrize(
    "text", ["\\boxed{42} or ", "43 or \\boxed{", "$x > ", "(", "$$ \\boxed{1}"]
)
def test_any_text_is_read_in_linear_time(text: str) -> None:
    stated_box(20_000 * text + "\\boxed{42}")


def test_the_last_hundred_of_thousands_of_boxes_are_joined() -> None:
    many = r"\boxed{1}, \boxed{2}, " * 5_000
    answer = stated_box(many)
    assert answer is not None
    assert answer.text.split(" , ") == ["1", "2"] * 50
    assert chosen_boxes(many) == ["1", "2"] * 50


@pytest.mark.parametrize(
    "text",
    [
        r"The only one which is not: \boxed{B}", r"The only one that is not: \boxed{B}",
        r"The one that isn't: \boxed{B}", r"The option that does not: **\boxed{B}**",
        r"The statement which doesn’t: $\boxed{B}$",
    ],
)  # fmt: skip
def test_the_option_that_is_not_something_is_an_answer(text: str) -> None:
    assert choice(text, OPTIONS) == "B"


@pytest.mark.parametrize(
    "text",
    [
        r"It is not: \boxed{B}", r"The answer that is not \boxed{B}",
        r"We know that is not: \boxed{B}", r"That which is not the answer: \boxed{B}",
        r"One thing is certain, it isn't: \boxed{B}",
    ],
)  # fmt: skip
def test_what_is_not_the_answer_is_denied(text: str) -> None:
    assert choice(text, OPTIONS) == ""
