r"""Mathematics: formulas that are disguised so that nothing seems left to be computed.

A disguise is a spelling that a parser evaluates while it reads: a substitution, a percentage, a
factor that cancels, numbers side by side, or a bracket that hides a fraction.
"""

from __future__ import annotations

import re
from typing import Any

import gymnasium
import pytest
from math_translator import translate
from tables import in_one_test

from textgym.verifiers.math import verify
from textgym.verifiers.math.steps import left_in
from textgym.verifiers.math.verdict import FORMS
from textgym.verifiers.math.written import read_written

# Question, gold, and answers that leave the computation to the reader: refused in every form.

LEFT: list[tuple[str, str, list[str]]] = [
    (
        "", "2097152",
        ["y = x^{7}|_{x=8}", "x^7|\\negmedspace_{x=8}", "(x^7)|_{x=8}", "\\left.x^7\\right|_{x=8}"],
    ),
    (
        "What is the remainder of $8^{998}$ divided by 11?", "5",
        ["r = (x^{998} \\mod 11)|_{x=8}", "8^{998} - 11 \\lfloor 8^{998} / 11 \\rfloor"],
    ),
    ("", "120", ["y=5!|_{x=1}", "\\gamma(6)", "\\gamma\\left(6\\right)", "\\Gamma{(6)}",
                 "\\Gamma\\{6\\}", "\\Gamma[6]", "\\Gamma\\negmedspace(6)"]),
    ("", "10", ["y=\\binom{5}{2}|_{x=1}", "\\frac{\\frac{\\gamma(6)}{\\gamma(3)}}{\\gamma(4)}"]),
    ("", "11", ["\\llcorner 11.5 \\lrcorner", "\\ulcorner 10.5 \\urcorner"]),
    ("", "6", ["y=\\gcd(12,18)+0|_{x=1}"]),
    ("", "-2", ["d=\\begin{vmatrix} 1 & 2 \\\\ 3 & 4 \\end{vmatrix}|_{x=1}"]),
    (
        "", "\\begin{pmatrix} 7 & 10 \\\\ 15 & 22 \\end{pmatrix}",
        ["C=\\begin{pmatrix} 1 & 2 \\\\ 3 & 4 \\end{pmatrix}"
         "\\begin{pmatrix} 1 & 2 \\\\ 3 & 4 \\end{pmatrix}|_{x=1}",
         "\\begin{pmatrix} 7 & 15 \\\\ 10 & 22 \\end{pmatrix}^T"],
    ),
    (
        "Start with 34. Add 12.", "46",
        ["34(12)", "34{12}", "{34}{12}", "34\\left(12\\right)", "20(14)(12)",
         "34\\frac{\\pi}{\\pi}+12", "34\\frac{i}{i}+12", "\\frac{34}{1.0}+12", "3400\\%+12",
         "34-12i\\cdot i", "(34)+(12)", "34-(-12)", "34^1+12^1", "--34+12"],
    ),
    ("", "-5", ["(-2)(3)"]),
    ("", "(2,9)", ["(2,8(1))"]),
    ("", "3 + 2i", ["1(2)+2i"]),
    ("", "(3, 4)", ["x=2(1), y=4"]),
    (
        "Solve $|x-3|<5$ in interval notation.", "(-2, 8)",
        ["x>3-5 \\text{ and } x<3+5", "x > \\frac{1-5}{2} \\text{ and } x < 2^3",
         "x>-\\sqrt{4} \\wedge x<\\frac{(3+13)}{2}", "x>-|{-2}| \\text{ and } x<8",
         "(3-5\\frac{\\pi}{\\pi},3+5\\frac{\\pi}{\\pi})"],
    ),
    (
        "", "(-\\infty, -2) \\cup (8, \\infty)",
        ["x<\\frac{3-\\sqrt{49}}{2} \\text{ or } x>\\frac{3+13}{2}"],
    ),
    ("", "408", ["34\\cdot\\frac{12\\pi}{\\pi}", "\\frac{34}{\\frac{1}{12.0}}"]),
    (
        "Start with $\\frac13$. Add $\\frac14$.", "\\frac{7}{12}",
        ["\\frac13+25\\%", "\\frac13+\\frac{1}{4.0}", "\\frac{1\\pi}{3\\pi}+\\frac14"],
    ),
    (
        "What is the side of a square of area 242?", "11\\sqrt{2}",
        ["\\sqrt{242.0}", "\\sqrt{24200\\%}", "\\sqrt{-242 i\\cdot i}", "242^{1/2}",
         "\\sqrt{242\\frac{\\pi}{\\pi}}", "y=\\sqrt{x}|_{x=242}"],
    ),
    ("", "y = 3x - 4", ["y=(2+1\\frac{\\pi}{\\pi})x-4"]),
    (
        "Simplify $3x+2-5x+18$.", "-2x+20",
        ["3x\\frac{\\pi}{\\pi} + 2 - 5x + 18\\frac{\\pi}{\\pi}", "(3x+2-5x+18)^1"],
    ),
    (
        "Factor $32x^3-4x^2+20x$.", "4x(8x^2-x+5)",
        ["(32x^3-4x^2+20x)^1", "-(-(32x^3-4x^2+20x))", "x(32x^2-4x+20)", "x(32x^2-4x+20)+0",
         "\\frac{\\pi}{\\pi}(32x^3-4x^2+20x)", "(1+0)(32x^3-4x^2+20x)",
         "\\frac{32x^3-4x^2+20x}{1.0}"],
    ),
    ("Factor $x^2+2x+1$.", "(x+1)^2", ["x(x+2)+1", "(x^2+2x+1)^1"]),
    ("Simplify $(x+1)(x-2)$.", "x^2-x-2", ["((x+1)(x-2))^1", "-(x+1)(2-x)", "(x-2)(x+1)"]),
    (
        "Simplify $\\frac{x^2+x-2}{x^2-4x+3}$.", "\\frac{x+2}{x-3}",
        ["(\\frac{x^2+x-2}{x^2-4x+3})^1", "\\frac{2x^2+2x-4}{2x^2-8x+6}",
         "\\frac{-x^2-x+2}{-x^2+4x-3}"],
    ),
    (
        "Write the circle $x^2+y^2-6x+8=0$ in standard form.", "(x-3)^2+y^2=1",
        ["2x^2+2y^2-12x+16=0", "x^2+y^2-6x=-8", "-(x^2+y^2-6x+8)=0"],
    ),
]  # fmt: skip

# Gold, and answers of the right value that are not as far worked out as two of the forms ask.

UNFINISHED = {
    "42": [
        "\\frac{(84)}{2}",
        "\\frac{84}{(2)}",
        "\\frac{{84}}{2}",
        "{84 \\over 2}",
        "\\frac{-84}{-2}",
        "-\\frac{84}{-2}",
        "\\frac{+84}{2}",
        "84 / {2}",
        "(84)/(2)",
        "84/2.0",
        "84 \\div 2.0",
    ],
}
UNSIMPLIFIED = {
    "\\frac{7}{12}": ["\\frac{(14)}{24}", "(14)/(24)", "{14 \\over 24}", "0.583333"],
    "11\\sqrt{2}": ["15.556349", "\\sqrt{242}", "\\frac{22}{\\sqrt{2}}"],
}


@in_one_test(
    ("question", "gold", "answer"),
    [(question, gold, answer) for question, gold, answers in LEFT for answer in answers],
)
def test_a_disguised_computation_is_no_answer(question: str, gold: str, answer: str) -> None:
    for form in FORMS:
        assert not verify(gold, f"\\boxed{{{answer}}}", question=question, form=form).equal, form


@in_one_test(("question", "gold"), [(question, gold) for question, gold, _ in LEFT])
def test_the_gold_of_a_disguised_computation_is_an_answer(question: str, gold: str) -> None:
    for form in FORMS:
        assert verify(gold, f"\\boxed{{{gold} }}", question=question, form=form).equal, form


@pytest.mark.parametrize(
    ("gold", "answer"), [(gold, answer) for gold in UNFINISHED for answer in UNFINISHED[gold]]
)
def test_a_quotient_is_to_be_divided(gold: str, answer: str) -> None:
    for form in FORMS[1:]:
        assert verify(gold, f"\\boxed{{{answer}}}", form=form).unevaluated


@pytest.mark.parametrize(
    ("gold", "answer"), [(gold, answer) for gold in UNSIMPLIFIED for answer in UNSIMPLIFIED[gold]]
)
def test_simplified_answers_are_exact_and_in_lowest_terms(gold: str, answer: str) -> None:
    assert verify(gold, f"\\boxed{{{answer}}}", form="simplified").unevaluated


DISGUISES = {
    "a substitution": lambda formula: f"y=({_numbers(formula, '({} x)')})|_{{x=1}}",
    "a factor that cancels": lambda formula: _numbers(formula, "\\frac{{{}\\pi}}{{\\pi}}"),
    "percentages": lambda formula: _numbers(formula, "{}00\\%"),
    "brackets": lambda formula: _numbers(formula, "({})"),
    "decimals": lambda formula: _numbers(formula, "{}.0"),
    "powers of ten": lambda formula: _numbers(formula, "{}e0"),
    "scaled numbers": lambda formula: _numbers(formula, "\\frac{{{}0}}{{10}}"),
    "a power of one": lambda formula: f"({formula})^1",
    "two signs": lambda formula: f"-(-({formula}))",
}


def _numbers(formula: str, form: str) -> str:
    """Write each whole number of a formula in another form."""
    return re.sub(r"(?<![\d.])\d+(?![\d.])", lambda found: form.format(found[0]), formula)


@pytest.mark.parametrize("tasks", [15, pytest.param(150, marks=pytest.mark.slow)])
@pytest.mark.parametrize("disguise", DISGUISES)
def test_a_translator_with_a_disguise_earns_nothing(disguise: str, tasks: int) -> None:
    env: Any = gymnasium.make("textgym/Math-v0", split="test")
    earned, tried = [], 0
    for index in range(tasks):
        formula = translate(env.unwrapped.get_task(index).row["question"])
        if not formula:
            continue
        tried += 1
        env.reset(options={"index": index})
        answer = DISGUISES[disguise](formula)
        if env.step(f"\\boxed{{{answer}}}")[1]:
            earned.append((env.unwrapped.task.answer, answer))
    assert tried > 0.13 * tasks
    assert earned == []


@pytest.mark.parametrize(
    ("latex", "steps"),
    [
        ("7", 0), ("-\\frac{2}{3}", 0), ("7\\frac{1}{2}", 0), ("3\\sqrt{2}", 0),
        ("2.5\\times10^6", 0),
        ("\\frac{-1+\\sqrt{5}}{2}", 0), ("12i", 0), ("3-4i", 0), ("2\\pi", 0), ("3x^2-2x+1", 0),
        ("(x+1)(x-2)", 0), ("34+12", 1), ("3\\cdot\\frac12", 1), ("2x+3x", 1), ("x\\cdot x", 1),
        ("1+2+3", 2), ("\\sqrt2\\sqrt3", 1), ("2^{3+4}", 1),
    ],
)  # fmt: skip
def test_steps_are_counted_as_they_are_written(latex: str, steps: int) -> None:
    node = read_written(latex)
    assert node is not None
    assert len(left_in(node).steps) == steps


@pytest.mark.parametrize(
    "latex",
    ["x|_{x=1}", "\\int x dx", "5 \\bmod 3", "\\foo", "(1", "1)", "2 3",
     "\\begin{vmatrix}1\\end{vmatrix}", "(" * 100, "\\frac", "^", "x^", "\ud800", "f''(x)^{"],
)  # fmt: skip
def test_what_no_finished_answer_holds_is_not_read(latex: str) -> None:
    assert read_written(latex) is None
