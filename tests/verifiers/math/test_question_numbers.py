r"""Mathematics: answers that only combine the numbers of their question, in another spelling."""

from __future__ import annotations

import pytest
from tables import in_one_test

from textgym.verifiers.math import verify
from textgym.verifiers.math.quantities import numbers_in_words

# Question, gold, and answers that leave the computation to the reader.

UNCOMPUTED: list[tuple[str, str, list[str]]] = [
    (
        "There are six boxes with seven pens each. How many pens are there?", "42",
        ["6\\cdot 7", "6 \\times 7", "7*6", "x = 6 \\cdot 7", "0.6\\cdot 70", "60\\cdot 70\\%",
         "\\frac{60\\cdot7}{10}", "6e0\\cdot7", "6\\cdot10^0\\cdot7"],
    ),
    (
        "What is 15% of 80?", "12",
        ["15\\%\\cdot 80", "0.15\\cdot 80", "\\frac{15}{100}\\cdot 80", "80 \\times 15\\%",
         "\\frac{15\\cdot 80}{100}", "1.5e-1\\cdot 80"],
    ),
    ("What is fifteen percent of eighty?", "12", ["15\\%\\cdot 80", "\\frac{15\\cdot 80}{100}"]),
    (
        "What is 17 times 24?", "408",
        ["\\frac{170\\cdot24}{10}", "\\frac{24\\cdot170}{10}", "\\frac{17\\cdot240}{10}",
         "1.7\\cdot240", "170\\cdot 2.4", "\\frac{34}{2}\\cdot24", "1.7e1\\cdot24"],
    ),
    (
        "Divide 1000 by 8.", "125",
        ["1000:8", "1000 : 8", "1000/8", "10000:80", "10000/80", "x=1000:8", "\\frac{100}{0.8}"],
    ),
    ("Divide one thousand by eight.", "125", ["1000:8", "\\frac{1000}{8}"]),
    (
        "What is $\\frac{2}{5}+\\frac{1}{3}$?", "\\frac{11}{15}",
        ["\\frac{4}{10}+\\frac13", "\\frac{2}{5}+\\frac{2}{6}", "\\frac{6}{15}+\\frac{5}{15}",
         "0.4+\\frac13"],
    ),
    (
        "Simplify $\\sqrt{180}$.", "6\\sqrt{5}",
        ["\\sqrt{36\\cdot5}", "\\sqrt{18\\cdot10}", "\\sqrt{179+1}", "\\sqrt{\\frac{360}{2}}",
         "\\sqrt{36}\\sqrt{5}", "\\sqrt{4\\cdot45}"],
    ),
    ("What is half of 84?", "42", ["84/2", "\\frac{84}{2}", "84\\cdot\\frac12", "0.5\\cdot 84"]),
    ("What is a third of twenty-one?", "7", ["21/3", "\\frac{21}{3}", "\\frac13\\cdot21"]),
    ("What is twice 21?", "42", ["2\\cdot 21", "21+21", "21\\cdot2"]),
    ("How many eggs are in three dozen?", "36", ["3\\cdot 12", "12\\times3"]),
    ("Add two hundred and five and one hundred.", "305", ["205+100", "100 + 205"]),
    (
        "Start with 34. Add 12.", "46",
        ["34\\cdot10^0+12", "3.4\\times10^1+12", "\\frac{340+120}{10}", "3.4e1+12", "34+1.2e1"],
    ),
    # The same step with other numbers takes no computation either.
    ("Start with 40. Take away 2.", "38", ["39-1", "41-3", "37+1", "\\frac{76}{2}", "19\\cdot2"]),
    ("Start with 34. Add 12.", "46", ["35+11", "33+13", "48-2"]),
    (
        "There are six boxes with seven pens each. How many pens are there?", "42",
        ["12\\cdot3.5", "3\\cdot14", "6:\\frac17", "7:\\frac{1}{6}", "6 : (1/7)"],
    ),
    (
        "Divide 84 by 4.", "21",
        ["0.25\\cdot84", "84\\cdot25\\%", "\\frac{168}{8}", "168:8", "42\\cdot\\frac12", "84:4:1"],
    ),
    ("What is 15% of 80?", "12", ["30\\%\\cdot40", "0.3\\cdot40", "0.6\\cdot20"]),
    ("What is $\\frac{2}{5}+\\frac{1}{3}$?", "\\frac{11}{15}", ["\\frac35+\\frac{2}{15}"]),
]  # fmt: skip

COMPUTED: list[tuple[str, str, str]] = [
    ("There are six boxes with seven pens each. How many pens?", "42", "42"),
    ("There are six boxes with seven pens each. How many pens?", "42", "6\\cdot 7=42"),
    ("", "42", "6\\cdot 7"),
    ("Start with 34. Add 12 twice.", "58", "46+12=58"),
    ("What is the ratio of 6 to 2?", "3", "3:1"),
    ("", "42", "\\frac{84}{2}"),
    ("What share is six of eight?", "\\frac{3}{4}", "\\frac{6}{8}"),
    ("", "(\\frac23,\\frac12)", "(\\frac46,\\frac36)"),
    ("", "\\begin{pmatrix}2/3\\\\1/2\\end{pmatrix}", "\\begin{pmatrix}4/6\\\\3/6\\end{pmatrix}"),
    ("", "6\\sqrt{5}", "\\sqrt{180}"),
    ("", "\\frac{\\sqrt3}{2}", "\\sqrt{\\frac34}"),
    ("What is the ratio of 6 to 8?", "3:4", "3:4"),
    ("What is the ratio of boys to girls?", "3:4", "6:8"),
    ("What is the ratio of 6 to 8?", "\\frac34", "3:4"),
    ("What is the ratio of 4 to 2?", "2", "2:1"),
    ("Multiply 15 by 100.", "1500", "1.5\\times10^3"),
]


@in_one_test(
    ("question", "gold", "answer"),
    [(question, gold, answer) for question, gold, answers in UNCOMPUTED for answer in answers],
)
def test_the_questions_numbers_are_no_answer(question: str, gold: str, answer: str) -> None:
    for text in (f"\\boxed{{{answer}}}", f"The answer is ${answer}$."):
        verdict = verify(gold, text, question=question)
        assert not verdict.equal, text
        assert verdict.unevaluated, text


@pytest.mark.parametrize(("question", "gold", "answer"), COMPUTED)
def test_what_is_computed_is_an_answer(question: str, gold: str, answer: str) -> None:
    assert verify(gold, f"\\boxed{{{answer}}}", question=question).equal


@pytest.mark.parametrize(
    ("text", "numbers"),
    [
        ("two hundred and five, and one thousand", {205, 200, 5, 1000}),
        ("six sevens or nineteen", {6, 19}),
        ("Twice a dozen", {2, 0.5, 12, 1 / 12}),
        ("someone often attended", set()),
        ("seven-sixths", {7, 6, 1 / 6}),
    ],
)
def test_numbers_in_words(text: str, numbers: set[float]) -> None:
    assert {*map(float, numbers_in_words(text))} == numbers
