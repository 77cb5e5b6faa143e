"""Sentences with several numbers: calculations in words, given numbers, and what qualifies them."""

from __future__ import annotations

import pytest
from tables import in_one_test

from textgym.verifiers.math import verify

PENS = "Ann has 6 boxes with 7 pens in each box. How many pens does Ann have?"
MORE = "Ann has 50 pens and Bob has 8. How many more pens does Ann have than Bob?"
CALCULATIONS = [
    "6 boxes × 7 pens/box = 42 pens", "6 boxes * 7 pens per box = 42 pens.",
    "We add the pens by hand: 20 (red) + 12 (blue) + 10 (green) = 42.",
    "The total is 6 boxes * 7 pens/box = 42 pens, which is enough for all of them.",
    "84 pens / 2 = 42 pens.", "We divide the number of pens by 2: 84 / 2 = 42 pens in all.",
    "(84 red pens / 200 pens) * 100 = 42.", "She has 50 pens - 8 pens = 42 pens left.",
    "She has 20 red pens and 22 blue pens, which is 20 + 22 = 42 pens.",
    "\\[\n  20 + 22 = 42\n\\]", "40 pens, plus 2 pens, makes a total of 40 + 2 = 42 pens.",
]  # fmt: skip
SENTENCES = [
    "Each box holds 7 pens, so 6 boxes hold 42 pens.", "Each box holds 7 pens, so she has 42.",
    "Since there are 7 pens in a box, we multiply by 6: 42 pens.",
    "After 6 boxes, Ann has got a total of 42 pens.", "With 6 boxes, Ann has 42 pens.",
    "Ann has 42 pens in 6 boxes with 7 pens in each box.", "The 6 boxes will last for 42 days.",
    "Ann has 42 pens, which is 2 more than 40.", "Half of 84 is 42, so she has 42 pens.",
    "In total there are 20 red pens and 22 blue ones, which equals 42.",
    "She gives away 8, leaving her with 42 pens.", "There are 42 pens for 6 kids on 3 tables.",
    "She spent 42 dollars on 3 pens.", "Ann must reduce her pens by 42.", "She wins 42 times.",
    "The number of pens that are not sold is 42.", "The number of pens not sold is 42.",
    "The total of pens that Ann did not sell is 42.", "She has 42 pens that she won't sell.",
    "Ann has 42 pens. (6 boxes with 7 pens each)", "Note that 6 boxes hold 42 pens.",
    "Ann has 42 pens. This is because 6 boxes hold 7 pens each.",
    "Answer: 42 pens in total (6 boxes, 7 pens per box)",
]  # fmt: skip
LOOK_ALIKES = [
    "42 pens * 2 = 84 pens", "42 pens + 1 pen = 43 pens", "the number of pens + 2 = 42",
    "x - 3 = 42", "The number is not 42.", "The number of pens is not 42.",
    "The number of pens that Ann has cannot be 42.", "It is not true that the number is 42.",
    "Ann has 42 pens or 7 pens.", "Ann has 7 pens or 42 pens.", "Ann: 41, Bob: 42",
    "If she had 42 pens, she would be happy.", "Ignore 42.", "It used to be 42 pens.",
    "She is in room 42.", "Take bus 42.", "See footnote 42.", "1 2 3 ... 42",
    "42 more than the total", "She had 42 pens, so she has 41 pens.",
    "Ann has 41 pens, which is 1 less than 42.", "A: 8\nB: 42", "divided by 42",
    "42 pens (or 43 pens)", "She has 14 pens, so 3 kids have 43 pens, not 42.",
]  # fmt: skip


@in_one_test("text", CALCULATIONS + SENTENCES)
def test_the_value_stated_last_is_the_answer(text: str) -> None:
    assert verify("42", text, question=PENS).equal


@in_one_test("text", LOOK_ALIKES)
def test_a_number_that_is_not_stated_is_no_answer(text: str) -> None:
    assert not verify("42", text, question=PENS).equal


@in_one_test(
    "text",
    [
        "Ann has 42 more pens than Bob.", "The number of pens of Ann is 42 more than that of Bob.",
        "3 boxes of pens hold 42 pens more than 2 boxes.",
    ],
)  # fmt: skip
def test_a_difference_is_the_answer_if_the_question_asks_for_one(text: str) -> None:
    assert verify("42", text, question=MORE).equal


def test_a_given_number_is_the_answer_if_it_is_the_only_one() -> None:
    assert verify("7", "She has 7 pens left.", question=PENS).equal
    assert not verify("7", "She has 7 pens in 42 boxes.", question=PENS).equal
    assert verify("7", "She has 7 pens in 6 boxes.", question=PENS.replace("7", "17")).equal


@pytest.mark.parametrize(
    ("text", "is_right"),
    [
        ("12 dollars and 50 cents", True), ("It costs 12 dollars and 50 cents.", True),
        ("She pays 12 dollars, 50 cents.", True), ("12 dollars and 5 cents", False),
        ("12 dollars or 50 cents", False), ("not 12 dollars and 50 cents", False),
    ],
)  # fmt: skip
def test_dollars_and_cents_are_one_amount(text: str, is_right: bool) -> None:
    assert verify("12.50", text, question="How much does she pay?").equal is is_right


def test_dollars_and_cents_are_cents_if_the_question_asks_for_cents() -> None:
    question = "How many cents does she pay?"
    assert verify("1250", "12 dollars and 50 cents", question=question).equal


NAMES = [
    ("Ann", "Who has more pens?", "Ann does.", True),
    ("Ann", "Who has more pens?", "Therefore, Ann does.", True),
    ("Ann", "Who has more pens?", "Ann (42 pens)", True),
    ("Ann", "Who has more pens?", "The answer is Ann (42 pens).", True),
    ("Ann", "Who has more pens?", "Ann has more pens than Bob.", True),
    ("Ann", "Who has more pens?", "Since 42 is more than 41, Ann has more pens.", True),
    ("Ann", "Who has more pens?", "42 > 41, so Ann has more pens.", True),
    ("Ann", "Who has more pens?", "Ann does not.", False),
    ("Ann", "Who has more pens?", "Ann or Bob does.", False),
    ("Ann", "Who has more pens?", "Ann (not)", False),
    ("Ann", "Who has more pens?", "Ann (or Bob)", False),
    ("Ann", "Who has more pens?", "Bob does, not Ann.", False),
    ("Ann", "Who has more pens?", "If Ann does", False),
    ("Paris", "What is the capital of France?", "Paris is the capital of France.", True),
    ("Paris", "What is the capital of France?", "Paris is not the capital of France.", False),
    ("Friday", "On which day did Ann sell the most pens?", "Ann sold the most on Friday.", True),
    (
        "Friday", "On which day did Ann sell the most pens?",
        "Therefore, the day on which Ann sold the most pens is Friday.", True,
    ),
    ("Friday", "On which day did Ann sell the most pens?", "She slept on Friday.", False),
    ("Friday", "On which day did Ann sell the most pens?", "Not the most on Friday.", False),
    (
        "Friday", "On which day did Ann sell the most pens?",
        "Ann sold the most pens on Monday or on Friday.", False,
    ),
    ("Ms. Weston", "Which class is it?", "Therefore, the answer is Ms. Weston.", True),
    ("Ms. Weston", "Which class is it?", "Therefore, the answer is Ms. Smith.", False),
    ("B", "Which is largest? (A) 3 (B) 7", "B is correct.", True),
    ("B", "Which is largest? (A) 3 (B) 7", "(B) is the correct option.", True),
    ("B", "Which is largest? (A) 3 (B) 7", "Either A or B is correct.", False),
    ("B", "Which is largest? (A) 3 (B) 7", "It is not true that B is correct.", False),
    ("3:45 P.M.", "When does it end?", "At 3:45 p.m. the film ends.", True),
    ("9, 10", "Find the roots.", "\\[ 9 \\text{ and } 10 \\]", True),
    ("910", "Find the roots.", "\\[ 9 \\text{ and } 10 \\]", False),
]  # fmt: skip


@in_one_test(("gold", "question", "text", "is_right"), NAMES)
def test_a_name_in_a_sentence_of_the_question(
    gold: str, question: str, text: str, is_right: bool
) -> None:
    assert verify(gold, text, question=question).equal is is_right
