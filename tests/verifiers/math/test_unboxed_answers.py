"""Whole texts without a box, beyond the tables of the page."""

from __future__ import annotations

import pytest
from tables import in_one_test

from textgym.verifiers.math import verify

HONEST = [
    ("42", "The answer is `42`"),
    ("42", "### Final Answer\n\n42"),
    ("42", "Final answer:\n\\[\n42\n\\]"),
    ("42", "42 books in 3 weeks"),
    ("42", "In total, he bought 42 books in 3 weeks."),
    ("42", "She needs 42 more."),
    ("42", "**Answer:**\n\n> **42**"),
    ("42", "Ans: 42"),
    ("42", "Hence $n=42$. $\\blacksquare$"),
    ("42", '{"answer": 42}'),
    ("42", "x = 42 (check: 42 - 2 = 40)"),
    ("42", "I first thought 8, but the answer is 42."),
    ("42", "| **Total** | **42** |"),
    ("7", "They will meet after 7 hours at 5 pm."),
    ("7", "She can make 7 cakes with 21 eggs."),
    ("7", "7 of the 10 apples remain."),
    ("7", "The remainder when 27 is divided by 20 is 7."),
    ("7", "There are $7$ ways to do it."),
    ("7", "7 cm^3"),
    ("7", "7 (not 8)"),
    ("7", "not 8 but 7"),
    ("3\\sqrt{5}", "The distance is **3√5** (≈ 6.708)."),
    ("\\frac{1}{6}", "It is 1/6 (about 16.67%)."),
    ("144\\pi", "The area is $144\\pi$ square units."),
    ("\\sqrt{2}", "sqrt(2)"),
    ("2^{10}", "2^10"),
    (
        "\\begin{pmatrix} 1 & 2 \\\\ 3 & 4 \\end{pmatrix}",
        "$\\begin{bmatrix} 1 & 2 \\\\ 3 & 4 \\end{bmatrix}$",
    ),
    ("42", "\\begin{align*}\nx &= 6 \\cdot 7 \\\\\n&= 42\n\\end{align*}"),
    ("yes", "Yes, Tom has enough money."),
    ("no", "No. "),
    ("3:45 P.M.", "The train leaves at **3:45 PM**."),
    ("Tuesday", "It falls on a **Tuesday**."),
    ("\\text{(B)}", "The correct option is B."),
    ("C", "Option C"),
    ("C", "Thus, the difference between the maximum and the minimum is \\(C\\)."),
    ("ellipse", "The graph is an ellipse."),
    ("18", "Hence: $$\\text{Total} = 9 \\times \\$2 = \\$18$$"),
    ("18", "**Total: $18/day**"),
    ("\\frac{1}{6}", "1/6 ≈ 0.1667"),
    ("\\frac{1}{6}", "The answer is $\\frac{1}{6}$ or approximately 0.167."),
    ("42", "=> 42"),
    ("10:30 A.M.", "The movie starts at 10:30 A.M."),
    ("no solution", "There is no solution."),
]

HOSTILE = [
    ("42", "I have no idea, page 42"),
    ("42", "Not sure, 42"),
    ("42", "Step 42"),
    ("42", "the negative of 42"),
    ("5", "5 and a half"),
    ("5", "5 to 1"),
    ("10:30 A.M.", "It is not 10:30 A.M."),
    ("10:30 A.M.", "10:30 A.M. or 11:30 A.M."),
    ("no solution", "There is a solution."),
    ("42", "43 or approximately 42"),
    ("42", "I don't think the answer is 42."),
    ("42", "Wrong answer: 42"),
    ("42", "False: 42"),
    ("42", "It is false that the answer is 42."),
    ("42", "anything but 42"),
    ("42", "~~42~~"),
    ("42", "42. Wait, that's wrong."),
    ("42", "42. Just kidding!"),
    ("42", "Answer: 42. Or: 43."),
    ("42", "Answer: 41\nBackup answer: 42"),
    ("42", "42?"),
    ("42", "from 1 to 42"),
    ("42", "6 vs 42"),
    ("42", "41 or\n42"),
    ("42", "1, 2, ..., 42"),
    ("42", "a multiple of 42"),
    ("42", "> 42"),
    ("42", "$x \\neq 42$"),
    ("42", "42/"),
    ("42", "42 + something"),
    ("42", "base 42"),
    ("42", "Suppose the answer is 42."),
    ("42", "2x = 42"),
    ("42", "42 less than x"),
    ("5", "4 feet 5 inches"),
    ("5", "4 remainder 5"),
    ("7", "7⁻¹"),
    ("(3,4)", "3 or 4"),
    ("act", "cat"),
    ("tea", "$eat$"),
    ("Monday", "The wrong answer is Monday."),
    ("odd", "odd (or even)"),
    ("C", "The answer is A or C."),
    ("\\text{(B)}", "The answer is A, B."),
    ("July 4", "July -4"),
    ("Room 12", "Room 1.2"),
    ("yes", "Yes, no"),
]


@in_one_test(("gold", "text"), HONEST)
def test_an_honest_answer_is_taken(gold: str, text: str) -> None:
    assert verify(gold, text).equal


@pytest.mark.parametrize(
    ("golds", "text"),
    [
        (("Amy", "Bob"), "**Amy** is Bob"),
        (("Amy", "Bob"), "The answer is Bob. **Amy**"),
        (("Amy", "Bob"), "Answer: Amy\n**Bob**"),
        (("Amy", "Bob"), "The answer is Bob, not **Amy**"),
        (("Amy", "Bob"), "**Amy** is the Bob"),
        (("Amy", "Bob"), "**Amy** or Bob"),
        (("A", "B"), "not **A** but B"),
        (("March 5", "March 6"), "It is March 6. **March 5**"),
        (("4:10 P.M.", "6:00 P.M."), "It leaves at 4:10 PM and arrives at 6:00 PM."),
    ],
)
def test_one_of_two_texts_is_the_answer(golds: tuple[str, str], text: str) -> None:
    assert sum(verify(gold, text).equal for gold in golds) <= 1


@pytest.mark.parametrize(
    ("gold", "text"),
    [
        ("Amy", "Bob. Not **Amy**."),
        ("Amy", "Anyone but **Amy**."),
        ("March 5", "It is the day after **March 5**."),
        ("Tuesday", "It is not a **Tuesday**."),
        ("4:10 P.M.", "It arrives after 4:10 PM."),
        ("4:10 P.M.", "not 4:10 PM"),
        ("4:10 P.M.", "two hours past 4:10 pm"),
        ("4:10 P.M.", "The 4:10 pm train arrives at 6."),
    ],
)
def test_a_text_that_is_denied_or_only_mentioned_is_wrong(gold: str, text: str) -> None:
    assert not verify(gold, text).equal


MARKS = [
    "**x**", "*x*", "__x__", "_x_", "`x`", "'x'", '"x"', "“x”", "‘x’", "«x»", "[x]", "(x)", "{x}",
    "<answer>x</answer>", "<b>x</b>", "<strong>x</strong>", "<i>x</i>", "<em>x</em>", "<u>x</u>",
    "<code>x</code>", "***x***", "**`x`**", "***`x`***", "`**x**`", "**$x$**", "==x==", "```x```",
    "$x$", "\\(x\\)", "\\[x\\]", "$$x$$",
]  # fmt: skip


@pytest.mark.parametrize("form", ["The final answer is %s.", "%s", "So we get %s", "Answer: %s"])
@in_one_test("mark", MARKS)
def test_marks_around_an_answer_do_not_count(mark: str, form: str) -> None:
    assert verify("61", form % mark.replace("x", "61")).equal
    assert not verify("61", form % mark.replace("x", "16")).equal


@in_one_test(("gold", "text"), HOSTILE)
def test_a_hedge_a_denial_or_a_part_is_not_taken(gold: str, text: str) -> None:
    assert not verify(gold, text, question="What is it?").equal


def test_an_equation_of_a_term_is_not_taken_because_the_question_has_its_value() -> None:
    question = "If $2x = 42$, what is $x + 21$? And what is $12x$?"
    assert not verify("42", "$3x = 42$", question=question).equal
    assert not verify("42", "$x - 3 = 42$", question=question).equal


def test_an_equation_of_a_term_is_taken_if_the_question_asks_for_the_term() -> None:
    assert verify("25", "$x^2 + y^2 = 25$", question="Find $x^2+y^2$.").equal


@pytest.mark.parametrize("gold", ["act", "bee", "gas"])
def test_a_short_word_is_a_word_unless_its_letters_are_variables(gold: str) -> None:
    assert verify(gold, f"It is {gold}.", question="Which word rhymes?").equal


def test_letters_that_the_question_uses_as_variables_are_a_product() -> None:
    assert verify("xyz", "\\boxed{zyx}", question="Multiply $x$, $y$ and $z$.").equal


PAIRS = [
    ("x=3, y=4", True), ("y=4, x=3", True), ("\\boxed{x=3, y=4}", True), ("m=3, b=4", True),
    ("x = 3 and y = 4", True), ("(3, 4)", True), ("$(x, y) = (3, 4)$", True),
    ("y=3, x=4", False), ("\\boxed{y=3, x=4}", False), ("x=4, y=3", False), ("x=3, x=4", False),
    ("{3,4}", False), ("\\boxed{\\{3,4\\}}", False), ("$\\{3, 4\\}$", False), ("4, 3", False),
    ("3<x<4", False), ("\\boxed{3 < x < 4}", False), ("x > 3 and x < 4", False),
]  # fmt: skip


@pytest.mark.parametrize(("text", "is_right"), PAIRS)
def test_a_pair_is_in_the_order_of_its_names(text: str, is_right: bool) -> None:
    assert verify("(3,4)", text, question="Find the ordered pair.").equal == is_right


@pytest.mark.parametrize("text", ["3<x<4", "\\boxed{3<x<4}", "(3, 4)", "x \\in (3, 4)"])
def test_an_interval_may_be_an_inequality(text: str) -> None:
    assert verify("(3,4)", text, question="Solve $(x-3)(x-4) < 0$.").equal


@pytest.mark.parametrize(
    "text", ["No.\nYes.", "Yes.\nNo.", "No. Yes.", "Yes. No.", "yes\nno", "No!\n\nYes!"]
)
@pytest.mark.parametrize("gold", ["yes", "no"])
def test_yes_and_no_are_no_answer(text: str, gold: str) -> None:
    assert not verify(gold, text).equal


@pytest.mark.parametrize(
    ("gold", "text"),
    [
        ("yes", "No, wait. Yes."), ("yes", "Is it odd? No. So the answer is yes."),
        ("yes", "No number divides it. Yes."), ("no", "No.\nNo."), ("no", "No. Yes is wrong. No."),
    ],
)  # fmt: skip
def test_a_no_on_the_way_does_not_hide_the_answer(gold: str, text: str) -> None:
    assert verify(gold, text).equal


@pytest.mark.parametrize(
    "text", ["I doubt it is listen.", "If it is listen", "I do not know if it is listen"]
)
def test_a_word_in_doubt_is_not_taken(text: str) -> None:
    assert not verify("listen", text).equal


WHO = "Amy is 150 cm tall, and Bob is 140 cm tall. Who is the tallest? Which child has more hats?"


@pytest.mark.parametrize(
    "text",
    [
        "Amy is the tallest.", "So Amy is the tallest.", "150 > 140. Amy is the tallest!",
        "Amy is the tallest because 150 is more than 140.", "**Amy** is the tallest.",
        "Amy has more hats.", "Therefore, Amy has more hats.", "Amy is the tallest, not Bob.",
    ],
)  # fmt: skip
def test_a_name_may_stand_for_the_question_word(text: str) -> None:
    assert verify("Amy", text, question=WHO).equal
    assert not verify("Bob", text, question=WHO).equal


@pytest.mark.parametrize(
    "text",
    [
        "Amy is not the tallest.", "Amy isn't the tallest.", "Amy is the tallest or Bob is.",
        "Amy or Bob is the tallest.", "Amy is the shortest.", "Amy has fewer hats.",
        "Amy has hats.", "Is Amy the tallest?", "Amy is 150 cm tall.", "Amy wins.",
        "I doubt Amy is the tallest.",
        "If Amy is the tallest", "Bob is the tallest. Amy lost.", "Not Amy is the tallest.",
        "Amy is the tallest? No.", "Amy is the tallest. Wait, Bob is the tallest.", "Amy and Bob",
        "Maybe Amy is the tallest.", "Bob, not Amy, is the tallest.",
        "Amy is the tallest is wrong.",
    ],
)  # fmt: skip
def test_a_name_in_another_sentence_is_no_answer(text: str) -> None:
    assert not verify("Amy", text, question=WHO).equal


LISTS = [
    "The answers are:\n- 9\n- 10",
    "The answers are\n\n9\n10",
    "The values are\n9,\n10",
    "Answers:\n1. 9\n2. 10",
    "**The answers are:**\n\n- **9**\n- **10**",
    "The solutions are:\n\n$$x = 9$$\n$$x = 10$$",
    "Therefore, the solutions to the equation are:\n- x = 9\n- x = 10",
    "The two roots are\n\n\\[ 9 \\]\n\\[ 10 \\]",
    "The answers are:\n* $9$\n* $10$\n\nI checked both.",
]


@pytest.mark.parametrize("text", LISTS)
def test_values_one_a_line_are_one_answer(text: str) -> None:
    assert verify("9, 10", text).equal
    assert not verify("9", text).equal
    assert not verify("10", text).equal


@pytest.mark.parametrize(
    "text",
    [
        "The answers are not:\n- 9\n- 10",
        "The wrong answers are:\n- 9\n- 10",
        "The candidate values are:\n- 9\n- 10",
        "The answers are:\n- 9\n- 10\n- 11",
    ],
)
def test_values_one_a_line_may_be_denied_or_too_many(text: str) -> None:
    assert not verify("9, 10", text).equal


@pytest.mark.parametrize("text", ["The answer is:\n\n42", "Final answer:\n- 42\n", "Answer:\n$42$"])
def test_one_value_below_its_label_is_the_answer(text: str) -> None:
    assert verify("42", text).equal
