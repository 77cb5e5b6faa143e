r"""Whole texts without a box whose last number is only mentioned, and their honest neighbours."""

from __future__ import annotations

from tables import in_one_test

from textgym.verifiers.math import verify

STATED = {
    "ordinals": [
        "He has 42 apples on the 5th day.", "On the 5th day he has 42.", "The 5th term is 42.",
        "After the 3rd week, she has 42.", "The 21st and the 22nd have 42 each.",
        "42 is what remains on the 1st of May.", "42. This is the 5th term.",
    ],
    "mentions": [
        "So there are 42 apples.", "He needs 42 dollars", "It takes 42 minutes.",
        "She has 42 left.", "As mentioned, there are 42.", "The problem asks for the sum: 42.",
        "The question asks for x, so 42.", "He said 42 words.", "Tom thought of 42 names.",
        "The text contains 42 words.", "You use 42 cups of it.", "You get 42.",
        "The total of all mentioned colors is 42.", "The number that he said most is 42.",
        "She waits from 0 minutes until 42 minutes, which is a total of 42 minutes.",
        "The problem states that 6 * 7 are needed, which is 42.",
    ],
    "reports": [
        "I think it is 42.", "I believe the answer is 42.", "We claim it is 42.",
        "As I said before the answer is 42.", "So I said the answer is 42 and I stand by it.",
    ],
    "doubts": [
        "I was not sure at first, but the answer is 42.", "I think 42.", "Probably 42.",
        "It should be 42.", "It is certainly 42.", "It would be 42.",
    ],
    "conditions": [
        "If x is 3, it is 42.", "If it rains 6 times, we get 42.", "When it is hot, he sells 42.",
    ],
    "conclusions": [
        "41 would be wrong, so 42.", "It can't be 41, so it's 42.", "It isn't 41, hence 42.",
        "It cannot be 41, so it is 42.", "It is not 41, so the answer is 42.",
        "It is not $41$ but $42$.", "The answer is 6 * 7, so 42.", "It is not 41; thus, 42.",
    ],
    "comparisons": [
        "It's 42, smaller than 50.", "It is 42, less than 50.", "42, more than 41",
        "There are 42 between 1 and 100.", "He has 42 more than Amy.", "He has 42 less than Amy.",
        "42 times as many", "He is 42 times as heavy.", "x ≈ 42", "$x \\approx 42$",
        "\\boxed{x \\approx 42}", "100 minus 58 leaves 42.", "20 times 2 plus 2 makes 42.",
    ],
    "hyphens": [
        "a 42-cm rod", "a 42-minute walk", "It is a 42-minute walk.", "She takes a 42-km tour.",
        "He is a 42-year-old man.",
    ],
    "denials": [
        "42, no more and no less.", "3 does not work, so it is 42.", "41 is too small; it is 42.",
        "It adds up to 42.", "These add up to 42.", "A common mistake is to add. It is 42.",
        "Unless it rains, there are always 42 of them.", "It lasts until noon, which is 42.",
    ],
}  # fmt: skip
MENTIONED = {
    "ordinals": [
        "the 42nd term", "The 42nd.", "It is the 42nd term.", "the 42nd of them", "42nd",
        "The answer is the 42nd term.", "Answer: 42nd", "On the 42nd day he rests.",
    ],
    "mentions": [
        "The prompt mentions 42.", "The question mentions 42.", "You mentioned 42.",
        "The question asks about 42.", "You asked about 42.", "The problem gives 42.",
        "The problem states that there are 42.", "The example uses 42.", "For example, 42.",
        "numbers such as 42", "The hint gives 42.", "The text contains 42.",
    ],
    "reports": [
        "Tom says 42.", 'My friend said "42".', "The book says 42.", "He claims 42.",
        "Tom thinks it is 42.", "Someone claims that it is 42.", "Tom said the answer is 42.",
        "Amy believes the answer is 42.", "One might think 42.", "One might think it is 42.",
        "You may guess 42.", "Some guess 42.", "Others say 42.",
    ],
    "doubts": [
        "There are 42 options but I do not know", "There are 42 options, but I don't know.",
        "There are 42 options but I have no idea.", "I am not certain, there are 42.",
        "I am not sure it is 42.", "Perhaps 42.", "Possibly 42.", "Maybe it is 42.",
        "I wonder whether it's 42", "Whether it is 42", "Unless it is 42",
    ],
    "conditions": [
        "if it were 42", "If it were 42, I would know.", "Were it 42, fine.",
        "If the answer were 42, fine.", "If this were 42", "Try 42.", "Prove that x = 42.",
        "Show that it is 42.",
    ],
    "conclusions": [
        "It is not 42, so 41.", "It can't be 42, so it's 41.", "It isn't 41, so it isn't 42.",
        "It is not 41, so not 42.", "The answer is 41, so not 42.", "42; thus, 41",
    ],
    "comparisons": [
        "It's 41, smaller than 42.", "It is 41, less than 42.", "41, fewer than 42",
        "There are 41 between 1 and 42.", "x is between 41 and 42.", "between 1 and 42",
        "42 more than x", "42 less than y", "42 more than 1", "42 times x", "42 times 2",
        "x ≈ 41", "x ≈ y ≈ 42 or 43", "2x ≈ 42", "100 minus 42 leaves 58.", "4 feet 42 inches",
        "43 vs. 42", "e.g. 42", "41, e.g., 42",
    ],
    "hyphens": ["42-x", "42-sin(x)", "42-pi", "42-41", "42-y", "a 41-cm rod", "42-log(2)"],
    "earlier answers": [
        "Previous answer: 42", "My earlier answer was 42.", "Example answer: 42",
        "A potential answer is 42.", "The tentative answer is 42.", "The trap answer is 42.",
        "A naive answer is 42.", "A naive guess gives 42.", "Naively, 42.", "It used to be 42.",
        "At first sight, 42.", "At first glance it is 42.", "No clue, 42",
        "The answer is 42 if x is even, otherwise 43.", "I initially thought it was 42.",
    ],
    "denials": [
        "42 does not work.", "42 fails.", "42 is too small.", "42 is too large.",
        "42 can be ruled out.", "42, no.", "42, but that's wrong.", "42, but it's incorrect.",
        "by no means 42", "in no case 42", "under no circumstances 42", "A common mistake is 42.",
        "A common error gives 42.", "up to 42", "before 42", "until 42", "past 42",
        "the digits of 42", "the number before 42",
    ],
}  # fmt: skip


def cases(table: dict[str, list[str]]) -> list[str]:
    return [text for texts in table.values() for text in texts]


@in_one_test("text", cases(STATED))
def test_a_number_that_a_sentence_states_is_the_answer(text: str) -> None:
    assert verify("42", text).equal
    assert verify("42", f"6 * 7.\n\n{text}").equal


@in_one_test("text", cases(MENTIONED))
def test_a_number_that_a_sentence_only_mentions_is_no_answer(text: str) -> None:
    assert not verify("42", text).equal
    assert not verify("42", f"Let me see.\n\n{text}", question="What is it?").equal


@in_one_test(
    ("question", "text", "equal"),
    [
        ("On what floor is Bill?", "Bill is on the 42nd floor.", True),
        ("What floor is Bill on?", "So it is the 42nd floor.", True),
        ("In which place did Amy finish?", "She finished in 42nd place.", True),
        ("Which term is 100?", "It is the 42nd term.", True),
        ("Which term is 100?", "The answer is the 42nd term.", True),
        ("Which term is 100?", "It is the 41st term.", False),
        ("Which term is 100?", "It is not the 42nd term.", False),
        ("Which term is 100?", "It is before the 42nd row.", False),
        ("What is the value of the 42nd term?", "It is the 42nd term.", False),
        ("How many floors are there?", "Bill is on the 42nd floor.", False),
        ("", "Bill is on the 42nd floor.", False),
    ],
)
def test_an_ordinal_is_the_answer_if_it_is_asked_for(question: str, text: str, equal: bool) -> None:
    assert verify("42", text, question=question).equal is equal
