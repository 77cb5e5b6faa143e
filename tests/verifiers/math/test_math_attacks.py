"""Mathematics: answers that try to earn a reward without solving the problem."""

from __future__ import annotations

import itertools
import json
import os
import random
import re
import subprocess
import sys
from pathlib import Path
from typing import Any

import gymnasium
import pytest
from math_expressions import GOLDS, expression
from math_translator import translate

from textgym.verifiers.math import verify

CONSTANTS = (
    "\\pi\\sqrt{\\infty}",
    "\\pi|\\log 0|",
    "1.5\\sqrt{\\infty}",
    "\\max(0.0,\\infty)",
    "\\{\\max(0.0,\\infty), 1\\}",
    "(\\pi\\sqrt{\\infty}, 1.5\\sqrt{\\infty})",
    "[\\pi\\sqrt{\\infty}, \\infty)",
    "\\begin{pmatrix} \\pi\\sqrt{\\infty} \\\\ \\pi\\sqrt{\\infty} \\end{pmatrix}",
    "\\infty - \\infty",
    "\\frac{0}{0}",
    "\\infty",
    "x",
    "\\text{undefined}",
    "\\text{True}",
    "x = x",
    "x \\in \\mathbb{R}",
    "-\\infty < x < \\infty",
    "\\pm\\infty",
    "\\emptyset",
)
OPERATORS = {
    "8": "8^{998} \\bmod 11",
    "-2": "\\begin{vmatrix} 1 & 2 \\\\ 3 & 4 \\end{vmatrix}",
    "10": "\\binom{5}{2}",
    "120": "5!",
    "6": "\\gcd(12, 18)",
    "36": "\\operatorname{lcm}(12, 18)",
    "\\frac{1}{2}": "\\int_0^1 x dx",
    "15": "\\sum_{n=1}^{5} n",
    "24": "\\prod_{n=1}^{4} n",
    "2": "\\lim_{x \\to 0} \\frac{\\sin 2x}{x}",
    "2x": "\\frac{d}{dx} x^2",
    "9": "3^2",
    "3": "\\sqrt{9}",
    "7": "16 - 3 - 6",
    "4": "\\log_2 16",
    "5": "|{-5}|",
    "11": "\\lfloor 11.5 \\rfloor",
    "12": "\\max(3, 12)",
    "24.0": "\\Gamma(5)",
    "\\frac{\\pi}{4}": "\\arctan 1",
    "1": "e^0",
    "(4, 5)": "(2^2, 5)",
    "\\{4, 5\\}": "\\{2^2, 5\\}",
}
QUESTIONS = {
    "Simplify $\\sqrt{242}$.": ("11\\sqrt2", "\\sqrt{242}", "1 \\cdot \\sqrt{242}", "242^{1/2}"),
    "What is $\\frac25+\\frac13$?": ("\\frac{11}{15}", "\\frac25+\\frac13", "\\frac13+0.4"),
    "Compute $\\frac{84}{2}$.": ("42", "\\frac{84}{2}", "84/2", "84 \\div 2"),
    "Factor $x^2-1$.": ("(x-1)(x+1)", "x^2-1", "-1+x^2"),
    "Expand $(x+1)^2$.": ("x^2+2x+1", "(x+1)^2", "(x+1)(1+x)"),
    "Simplify $3x + 2 - 5x + 18$.": ("-2x+20", "3x + 2 - 5x + 18", "20 + 3x - 5x"),
    "Suppose $f(-1)=0$. What is $f(3)$?": ("0", "f(-1)=0"),
    "Solve $2x + 1 > 7$.": ("(3, \\infty)", "2x+1>7", "2x > 6"),
    "Solve $2x = 6$.": ("x = 3", "2x=6"),
    "Write $\\frac{3}{20}$ as a decimal.": ("0.15", "\\frac{3}{20}"),
}


def read(path: Path) -> list[dict[str, Any]]:
    return [json.loads(line) for line in path.read_text("utf-8").splitlines()]


def rewards(env: Any, answers: list[tuple[int, str]]) -> list[float]:
    """Return the rewards of answers to tasks by their index."""
    found = []
    for index, answer in answers:
        env.reset(options={"index": index})
        found.append(env.step(f"\\boxed{{{answer}}}")[1])
    return found


@pytest.mark.parametrize("tasks", [50, pytest.param(200, marks=pytest.mark.slow)])
@pytest.mark.parametrize("constant", CONSTANTS)
def test_no_constant_is_right_for_generated_problems(constant: str, tasks: int) -> None:
    env = gymnasium.make("textgym/Math-v0", split="test")
    assert sum(rewards(env, [(index, constant) for index in range(tasks)])) == 0


@pytest.mark.parametrize("every", [5, pytest.param(1, marks=pytest.mark.slow)])
@pytest.mark.parametrize("constant", CONSTANTS[:10])
def test_no_constant_is_right_for_real_problems(constant: str, every: int, shared: Path) -> None:
    math = [row["answer"] for row in read(shared / "data" / "math" / "math-500-a.jsonl")]
    lines = [row["answer"] for row in read(shared / "data" / "gsm8k" / "test.jsonl")[:200]]
    gsm8k = [line.rpartition("#### ")[2].replace(",", "") for line in lines]
    golds = [*math, *gsm8k][::every]
    assert [gold for gold in golds if verify(gold, f"\\boxed{{{constant}}}").equal] == []


@pytest.mark.parametrize("gold", ["\\infty", "-\\infty", "(-\\infty, 3]", "(2, \\infty)"])
def test_infinite_golds_equal_themselves(gold: str) -> None:
    assert verify(gold, f"\\boxed{{{gold}}}").equal
    assert not verify(gold, f"\\boxed{{{gold.replace('infty', 'infty^2')}}}").equal


@pytest.mark.parametrize("count", [20, pytest.param(120, marks=pytest.mark.slow)])
def test_no_expression_equals_two_golds(count: int) -> None:
    rng = random.Random(0)
    for _ in range(count):
        text = expression(rng)
        golds = [gold for gold in GOLDS if verify(gold, f"\\boxed{{{text}}}", timeout=2.0).equal]
        assert len(golds) < 2, (text, golds)


def test_golds_of_the_search_differ() -> None:
    assert all(verify(gold, f"\\boxed{{{gold}}}").equal for gold in GOLDS)
    for one, other in itertools.permutations(GOLDS, 2):
        assert not verify(one, f"\\boxed{{{other}}}").equal, (one, other)


@pytest.mark.parametrize(
    "text",
    [
        "\\boxed{3} and then again \\boxed{7}",
        "\\boxed{3}\\boxed{7}",
        "\\boxed{3}\n\n\\boxed{7}",
        "\\boxed{3}. \\boxed{7}.",
        "Either \\boxed{3} or else, perhaps, \\boxed{7}",
        "\\boxed{3 = 7}",
        "\\boxed{x = 3} \\boxed{x = 7}",
        "\\boxed{3, 7}",
        "\\boxed{3} or \\boxed{7}",
        "\\boxed{3} and \\boxed{7}",
        "\\boxed{3}, \\boxed{7}",
        "\\boxed{\\{3, 7\\}}",
        "\\boxed{3 \\text{ or } 7}",
        "\\boxed{3 \\text{ (or 7)}}",
        "\\boxed{3 \\approx 7}",
        "\\boxed{5 \\pm 2}",
        "\\boxed{\\frac{3}{7}}",
        "\\boxed{3} \\boxed{7",
        "$3$ or $7$",
        "$3$, $7$",
        "3 or 7",
        "The final answer is $3$. I hope it is correct. The final answer is $7$.",
    ],
)
def test_two_guesses_are_at_most_one(text: str) -> None:
    assert verify("3", text).equal + verify("7", text).equal <= 1


@pytest.mark.parametrize(("gold", "answer"), OPERATORS.items())
def test_what_is_left_to_compute_is_no_answer(gold: str, answer: str) -> None:
    verdict = verify(gold, f"\\boxed{{{answer}}}")
    assert (verdict.equal, verdict.unevaluated) == (False, True)
    if gold[0] not in "(\\":
        assert verify(gold, f"\\boxed{{{answer} = {gold}}}").equal
    assert verify(answer, f"\\boxed{{{answer}}}").equal


@pytest.mark.parametrize(
    ("question", "answer"),
    [(question, answer) for question, (_, *answers) in QUESTIONS.items() for answer in answers],
)
def test_a_formula_of_the_question_is_no_answer(question: str, answer: str) -> None:
    gold = QUESTIONS[question][0]
    verdict = verify(gold, f"\\boxed{{{answer}}}", question=question)
    assert (verdict.equal, verdict.unevaluated) == (False, True)
    assert verify(gold, f"\\boxed{{{gold}}}", question=question).equal


def test_a_number_that_the_question_holds_may_be_the_answer() -> None:
    for gold, answer in (("6", "6"), ("\\frac12", "0.5"), ("(1, 2)", "(1,2)"), ("x+1", "1+x")):
        question = f"Which of ${answer}$, ${gold}$ and $9$ is it?"
        assert verify(gold, f"\\boxed{{{answer}}}", question=question).equal


@pytest.mark.parametrize("tasks", [100, pytest.param(400, marks=pytest.mark.slow)])
def test_a_translator_that_computes_nothing_earns_nothing(tasks: int) -> None:
    env: Any = gymnasium.make("textgym/Math-v0", split="test")
    questions = [env.unwrapped.get_task(index).row["question"] for index in range(tasks)]
    answers = [(index, translate(question)) for index, question in enumerate(questions)]
    translated = [(index, answer) for index, answer in answers if answer]
    assert len(translated) > 0.17 * tasks
    assert sum(rewards(env, translated)) == 0


@pytest.mark.parametrize("every", [10, pytest.param(1, marks=pytest.mark.slow)])
def test_no_formula_of_a_real_question_is_its_answer(shared: Path, every: int) -> None:
    rows = read(shared / "data" / "math" / "math-500-a.jsonl")[::every]
    earned = [
        (formula, row["answer"])
        for row in rows
        for formula in re.findall(r"\$([^$]+)\$", row["question"])
        if verify(row["answer"], f"\\boxed{{{formula}}}", question=row["question"]).equal
    ]
    assert all(formula == answer for formula, answer in earned), earned
    assert len(earned) <= 2  # problems whose answer is a number that they mention


@pytest.mark.parametrize("gold", ["15\\%", "15", "0.15"])
def test_a_percentage_is_its_value(gold: str) -> None:
    rate = "What percentage is it?"
    taken = {
        answer for answer in ("15\\%", "15", "0.15") if verify(gold, f"\\boxed{{{answer}}}").equal
    }
    assert taken == ({"15"} if gold == "15" else {"15\\%", "0.15"})
    if gold != "0.15":
        assert verify(gold, "\\boxed{15}", question=rate).equal
        assert verify(gold, "\\boxed{15\\%}", question=rate).equal


@pytest.mark.parametrize(
    ("golds", "text"),
    [
        (("x^2", "x^3", "x^4"), "x^2 \\approx x^3 \\approx x^4"),
        (("42", "42.4", "42.8", "43"), "42≈42.4≈42.8≈43"),
        (("100", "101", "102"), "100≈101≈102"),
        (("100", "101"), "100 \\approx \\frac{202}{2}"),
        (("0", "1", "7"), "n=0≈n=1≈n=7"),
        (("0", "1", "3"), "\\{0\\}≈\\{1\\}≈\\{3\\}"),
        (("0.1", "0.2", "0.3"), "0.1≈0.2≈0.3"),
        (("50", "46"), "5\\times10^1≈46"),
        (("(0,1)", "(1,2)"), "(0,1)≈(1,2)"),
        (("x<3", "x>3"), "x<3 ≈ x>3"),
        (("\\sqrt{2}", "1.5"), "\\sqrt{2} \\approx 1.5"),
    ],
)
def test_approximations_are_no_list_of_guesses(golds: tuple[str, ...], text: str) -> None:
    assert sum(verify(gold, f"\\boxed{{{text}}}").equal for gold in golds) <= 1


@pytest.mark.parametrize(
    ("gold", "text"),
    [
        ("\\frac13", "x=\\frac{1}{3}\\approx 0.333"),
        ("0.67", "\\frac23 \\approx 0.67"),
        ("-\\frac23", "-\\frac23 \\approx -0.66"),
        ("3.14", "\\frac{22}{7}≈3.142≈3.14"),
        ("299792458", "299792458 \\approx 3 \\times 10^8"),
        ("\\pi r^2", "\\pi r^2 \\approx 3.14 r^2"),
        ("37.5\\%", "37.5\\% \\approx 38\\%"),
        ("42.5", "42.5 \\approx 43"),
        ("1{,}234.5", "1{,}234.5 \\approx 1{,}235"),
        ("(0.5,\\sqrt2)", "(0.5,\\sqrt2) \\approx (0.5, 1.41)"),
    ],
)
def test_a_value_may_stand_beside_its_rounding(gold: str, text: str) -> None:
    assert verify(gold, f"\\boxed{{{text}}}").equal


@pytest.mark.parametrize(
    "words",
    [
        "at least", "at most", "squared", "cubed", "halves", "half", "incorrect", "maybe",
        "perhaps forty three", "divided by two", "plus one", "twice",
    ],
)  # fmt: skip
def test_words_that_change_a_number_are_no_unit(words: str) -> None:
    assert not verify("42", f"\\boxed{{42\\text{{ {words}}}}}").equal


@pytest.mark.parametrize("unit", ["pens", "more", "square meters", "meters squared", "m^2"])
def test_a_unit_does_not_change_a_number(unit: str) -> None:
    assert verify("42", f"\\boxed{{42\\text{{ {unit}}}}}").equal


PAIRS = [
    ("\\sqrt{2}", "x^{\\sqrt{2}}"), ("x^2+y^2=9", "y^2+x^2=9"), ("\\{1,2,3\\}", "3,1,2"),
    ("|x|", "\\sqrt{x^2}"), ("\\frac{n(n+1)}{2}", "\\frac{n^2+n}{2}"), ("xy=2", "y=\\frac{2}{x}"),
    ("(-\\infty,2)\\cup(14,\\infty)", "x>14 \\text{ or } x<2"), ("5", "\\pi\\sqrt{\\infty}"),
    ("x^2+xy+y^2=7", "x^4+xy=1"), ("|x-y|", "|y-x|"), ("\\max(x,y)", "\\frac{x+y+|x-y|}{2}"),
    ("\\{a,b,c\\}", "\\{c,a,b\\}"), ("|x+y+z|", "|z+y+x|"), ("a=1, b=2", "b=2, a=1"),
]  # fmt: skip
VERDICTS = """
import json, sys
from textgym.verifiers.math import verify
print([verify(gold, f"\\\\boxed{{{answer}}}").equal for gold, answer in json.loads(sys.argv[1])])
"""


@pytest.mark.slow
def test_verdicts_are_the_same_in_every_process() -> None:
    pairs = json.dumps([*PAIRS, *itertools.product(GOLDS[::4], GOLDS[::4])])
    printed = set()
    for seed in ("0", "1", "2"):
        environment = {**os.environ, "PYTHONHASHSEED": seed}
        command = [sys.executable, "-c", VERDICTS, pairs]
        done = subprocess.run(
            command, env=environment, capture_output=True, text=True, timeout=120, check=True
        )
        printed.add(done.stdout)
    assert len(printed) == 1
