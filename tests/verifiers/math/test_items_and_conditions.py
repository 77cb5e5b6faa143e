r"""Whole texts without a box: marks of items, names of numbers, confirmed values and conditions."""

from __future__ import annotations

import pytest
from tables import in_one_test

from textgym.verifiers.math import verify

RIGHT = {
    "16:30": [
        "16:30:00", "It is 16:30:00.", "The train leaves at 16:30:00.", "4:30:00 pm", "16:30",
        "16:30:00 Uhr", "**16:30:00**", "at 16:30:00", "The time is 16:30:00", "Answer: 16:30:00",
    ],
    "42": [
        # marks of items
        "(b) 42", "(a) 42", "(c) $42$", "(b) \\(42\\)", "(b) 42 apples", "(b) The answer is 42.",
        "6 * 7.\n(b) 42", "(d) 42.", "(a) 6 * 7 = 42", "**(a)** 42",
        "Q1: 42", "Q1. 42", "Q 1: 42", "**Q1:** 42", "Question 1: 42", "Problem 2: 42", "Q3) 42",
        "Part 1: 42", "Exercise 4: 42", "6 * 7.\nQ2: 42", "Q12: The answer is 42.",
        # one value is right, another one wrong
        "42 is right, 41 is wrong.", "41 is wrong, 42 is right.", "42 is correct; 41 is not.",
        "42 is correct and 41 is incorrect.", "So 42 is right, and 41 is wrong.",
        "41 is incorrect but 42 is correct.", "42 is the answer, 41 is wrong.",
        "$42$ is right, $41$ is wrong.", "41 is not the answer, 42 is the answer.",
        "I checked.\n42 is right, 41 is not right!",
        # a value is confirmed
        "Is it 42? Yes.", "Is the answer 42? Yes.", "Is it 42? Yes!", "Is it 42 apples? Yes.",
        "Is x 42? Correct.", "Is it $42$? Yes.", "6 * 7. Is that 42? Yes", "Is this 42? Yes.",
        "Is it 41? No. Is it 42? Yes.", "Is it equal to 42? Yes.",
        # words that may name a number, or introduce one that is given
        "She arrives after 42 minutes.", "After 6 days he has 42.", "After that, there are 42.",
        "42 is what remains after 3.", "At the table 42 people sit.", "The hint is useful: 42",
        "Given that x = 6, we get 42.", "Given 6 and 7, the answer is 42.", "He has 42 later.",
        "In the example we get 42.", "The table has 42 rows.", "The assumption holds, so 42.",
        # conditions
        "42 when x = 3", "42 when x = 3 and y = 14.", "42 for 6 boxes and 7 pens each",
        "It is 42 if all come and nobody leaves.", "42 for 3 adults and 2 children",
        "The value is 42 when x > 0 and y < 3.", "It is 42 for x = 6 and for x = 7.",
        "42 when the 6 boxes have 7 each, for all of them.", "42, if x > 0", "42 if n is even.",
    ],
    "9, 10": [
        "A. 9\nB. 10", "(a) 9\n(b) 10", "a) 9\nb) 10", "The answers are:\nA. 9\nB. 10",
        "1. 9\n2. 10", "6 * 7.\n(a) 9\n(b) 10\n", "(a) $9$\n(b) $10$", "**(a)** 9\n**(b)** 10",
        "Answers:\n(a) 9\n(b) 10", "(a) x = 9\n(b) x = 10",
    ],
}  # fmt: skip
WRONG = {
    "16:30": [
        "16:30:01", "16:30:30", "16:31:00", "4:30:00", "16:03:00", "16:30:00 or 17:30:00",
        "not 16:30:00", "1:16:30", "16:30:00:00", "after 16:30:00",
    ],
    "42": [
        "(b) 41", "(b) 42 or 43", "(b) not 42", "(a) 42\n(b) 43", "(a) 41 (b) 42", "b(42)",
        "(b) half of 42", "(i) 41\n(b) 42/2", "(b)(42)", "a + (b) 42",
        "Q42: 41", "Q42", "Question 42", "Q1: 42 or 41", "Q1: not 42", "Q1: 41\nQ2: 42 or 43",
        "Problem 42", "Part 42", "Q1: half of 42", "Exercise 42:",
        "A. 41\nB. 42", "A. 42\nB. 41", "(a) 41\n(b) 42", "A) 41\nB) 42", "1. 41\n2. 42",
        "A. 42\nB. 43\nC. 44", "Options:\nA. 41\nB. 42", "a. $41$\nb. $42$",
        "42 is wrong, 41 is right.", "41 is right, 42 is wrong.", "42 is wrong, 41 is wrong.",
        "If 42 is right, 41 is wrong.", "Tom says 42 is right, 41 is wrong.",
        "Either 42 is right, or 41 is wrong.", "42 is right or 41 is wrong.",
        "42 is right, 41 is right.", "42 is right, 41 is wrong?", "Is 42 right? 41 is wrong.",
        "42 is right, 41 is wrong. Wait, it is 41.", "Suppose 42 is right, 41 is wrong.",
        "Is it 42? No.", "Is it 42 or 41? Yes.", "Is it more than 42? Yes.", "Is 42 even? Yes.",
        "Is it 42? Yes. No.", "Is it 42? Maybe.", "Is it not 42? Yes.", "Is it 42? Yes or no.",
        "Is it 42? Yes, or 41.", "Is it half of 42? Yes.", "Is it close to 42? Yes.",
        "Is it 42 times x? Yes.", "Does it divide 42? Yes.", "Is it 42? Yes. Is it 41? Yes.",
        "Table 42", "See Table 42.", "Figure 42", "Equation 42", "Lemma 42", "Appendix 42",
        "Example 42", "from Table 42", "Given: 42", "Given: x = 42", "Hint: 42", "Example: 42",
        "The hint is 42.", "The hint was 42.", "Assumption: 42", "The assumption is 42.",
        "After 42", "It comes after 42.", "the number after 42",
        "42 when x > 0 and 43 when x < 0", "43 when x > 0 and 42 when x < 0",
        "42 if n is even, 43 if n is odd", "42 if n is even and 43 otherwise",
        "42 for n = 1, 43 for n = 2", "$42$ if $x>0$, and $43$ if $x<0$",
        "Answer: 42 if x > 0, 43 if x < 0", "It is 42 when it rains but 43 when it snows.",
        "42 when sunny, otherwise it is 43 when wet", "42 for boys and 43 for girls",
    ],
}  # fmt: skip
ASKED = [
    ("After how many days does it end?", "After 42 days.", True),
    ("After how many days does it end?", "After 42", True),
    ("After which number does it stop?", "It stops after 42.", True),
    ("Before which number does it stop?", "Before 42", True),
    ("Which number comes after 41?", "After 42", False),
    ("Which table has it?", "Table 42", True),
    ("On which page is it?", "It is on page 42.", True),
    ("Which question is hard?", "Question 42", True),
    ("In which chapter is it?", "In chapter 42.", True),
    ("Which page has it?", "Table 42", False),
    ("Which table has it?", "not Table 42", False),
    ("Which table has it?", "Table 42 or 43", False),
    ("How many tables are there?", "Table 42", False),
]
HOURS = "How many hours does it take?"
IN_ASKED_UNIT = [
    ("1.5 hours", HOURS, "1h30m", True),
    ("1.5 hours", HOURS, "1 hour 30 minutes", True),
    ("1.5 hours", HOURS, "It takes 1 hour and 30 minutes.", True),
    ("1.5 hours", HOURS, "\\boxed{\\text{1 h 30 min}}", True),
    ("1.5", HOURS, "1h30m", True),
    ("2.25", "How many hours is she away?", "2 h 15 min", True),
    ("5.5", "How many feet is it?", "5 feet 6 inches", True),
    ("1.5", "How long is it, in minutes?", "1 minute 30 seconds", True),
    ("90", "How many minutes does it take?", "1h30m", True),
    ("90 minutes", HOURS, "1h30m", True),
    ("1.5 hours", "How many hours are 1 hour 30 minutes?", "1 hour 30 minutes", False),
    ("1.5", HOURS, "1h50m", False),
    ("1.5", HOURS, "1:30", False),
    ("1.5", HOURS, "90 minutes", False),
    ("1.5", HOURS, "1h30m or 2h", False),
    ("1.5", HOURS, "not 1h30m", False),
    ("1.3", HOURS, "1h30m", False),
    ("90", HOURS, "1h30m", False),
    ("1.5", "How many days does it take?", "1h30m", False),
    ("5.6", "How many feet is it?", "5 feet 6 inches", False),
]


def cases(table: dict[str, list[str]]) -> list[tuple[str, str]]:
    return [(gold, text) for gold, texts in table.items() for text in texts]


@pytest.mark.parametrize("question", ["", "What is it?"])
@in_one_test(("gold", "text"), cases(RIGHT))
def test_a_spelling_is_right(gold: str, text: str, question: str) -> None:
    assert verify(gold, text, question=question).equal


@pytest.mark.parametrize("question", ["", "What is it?"])
@in_one_test(("gold", "text"), cases(WRONG))
def test_a_look_alike_is_not(gold: str, text: str, question: str) -> None:
    assert not verify(gold, text, question=question).equal


@in_one_test(("question", "text", "equal"), ASKED)
def test_a_name_before_a_number_counts_if_it_is_asked_for(
    question: str, text: str, equal: bool
) -> None:
    assert verify("42", text, question=question).equal is equal


@in_one_test(("gold", "question", "text", "equal"), IN_ASKED_UNIT)
def test_a_quantity_in_two_units_has_the_unit_that_is_asked_for(
    gold: str, question: str, text: str, equal: bool
) -> None:
    assert verify(gold, text, question=question).equal is equal
