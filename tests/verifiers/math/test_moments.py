r"""Mathematics: golds that are times of day, dates, or words with a number."""

from __future__ import annotations

import pytest
from tables import in_one_test

from textgym.verifiers.math import verify

# Golds, their spellings, and look-alikes. Each is tried in a box, alone and in a sentence.

CLOCK = "3:30"
HALF_PAST_THREE = ["3:30", "03:30", "3{:}30", "\\text{3:30}", "3:30 PM", "3\\!:\\!30", "3 : 30"]
OTHER_TIMES = [
    "0.1", "10\\%", "2:20", "7:70", "\\frac{3}{30}", "3/30", "1:10", "6:60", "15:30", "3:03",
    "30:3", "3.30", "330", "3:30:30", "3:30 or 4:30", "3:31",
]  # fmt: skip
TABLE: list[tuple[str, list[str], list[str]]] = [
    (
        "4:10 P.M.",
        ["04:10 PM", "4:10 pm", "4{:}10\\text{ p.m.}", "16:10", "4:10PM", "4:10 p. m."],
        ["04:10 AM", "4:10", "4:01 pm", "14:10", "16:10 am", "410 pm", "16:10 or 4:10", "4.10"],
    ),
    ("16:10", ["4:10 pm", "16:10", "04:10 P.M."], ["4:10", "4:10 am", "16:01", "1610", "16/10"]),
    (
        "16:30",
        ["16h30", "16 h 30", "16.30 Uhr", "16:30 Uhr", "16 Uhr 30", "4:30 PM", "16:30 h", "16H30"],
        ["16.30", "16h03", "16h60", "61h30", "4h30", "16h30 or 17h30", "16h30m", "16 h 30 min"],
    ),
    ("4:30 P.M.", ["16h30", "16.30 Uhr"], ["4h30", "4.30 Uhr", "16h30 am", "16h", "16 Uhr"]),
    ("12:05 A.M.", ["0:05", "00:05", "12:05 am"], ["12:05", "12:05 pm", "0:50", "5", "1:05 am"]),
    ("9 A.M.", ["9:00 am", "09:00 AM", "9am"], ["9", "9 pm", "9:00 pm", "21:00", "9 m"]),
    (
        "May 5",
        ["May 5", "\\text{May }5", "\\text{May 5}", "5 May", "May 5th", "may 05", "the 5th of May"],
        ["5 a M y", "yaM 5", "5", "May", "May 6", "5 June", "Mar 5", "May 55", "May 5, 2020"],
    ),
    ("5 May", ["May 5", "5 May", "5th of May"], ["5", "5 a M y", "5 June", "May 15", "5aMy"]),
    ("Lot 7", ["Lot 7", "\\text{lot 7}", "\\text{Lot } 7"], ["7 t o L", "7", "Lot 17", "Lot"]),
    ("day 12", ["Day 12", "\\text{day }12"], ["12", "12 y a d", "day 2", "day 1 2 3", "12 days"]),
    (
        "June 5, 2020",
        ["5 June 2020", "Jun. 5, 2020", "\\text{June 5th, 2020}", "June 5 2020"],
        ["June 5", "June 5, 2021", "June 2020", "5, 2020", "July 5, 2020"],
    ),
]  # fmt: skip


@pytest.mark.parametrize("question", ["When does the train arrive?", "What time is it?", ""])
def test_a_clock_is_no_ratio(question: str) -> None:
    for answer in HALF_PAST_THREE:
        assert verify(CLOCK, f"\\boxed{{{answer}}}", question=question).equal, answer
    for answer in OTHER_TIMES:
        assert not verify(CLOCK, f"\\boxed{{{answer}}}", question=question).equal, answer


@pytest.mark.parametrize(
    ("gold", "answer", "question", "equal"),
    [
        ("3:10", "\\frac{3}{10}", "What is the ratio of boys to girls?", True),
        ("3:30", "1:10", "What is the ratio of boys to girls, when the bell rings?", True),
        ("3:10", "6:20", "", True),
        ("3:10", "6:20", "Find $a:b$ when $10a=3b$.", True),
        ("3:10", "6:20", "When does it ring?", False),
        ("3:40", "3/40", "What time is it?", False),
        ("3:05", "3/5", "", False),
        ("25:12", "50:24", "", True),
        (
            "3:30",
            "0.1",
            "Question: When does it arrive? Q: A train goes at a rate of 9 mph.",
            False,
        ),
        ("3:40", "3/40", "Answer: in hours and minutes. When does the second train leave?", False),
        ("3:40", "3/40", "The ratio of its speeds is 3:40. What time is it?", False),
        ("3:40", "3/40", "Find $AB:BC$.", True),
    ],
)
def test_the_question_says_whether_it_is_a_ratio(
    gold: str, answer: str, question: str, equal: bool
) -> None:
    assert verify(gold, f"\\boxed{{{answer}}}", question=question).equal is equal


@in_one_test(
    ("gold", "answer", "equal"),
    [
        *((gold, answer, True) for gold, answers, _ in TABLE for answer in answers),
        *((gold, answer, False) for gold, _, answers in TABLE for answer in answers),
    ],
)
def test_times_and_dates_have_several_spellings(gold: str, answer: str, equal: bool) -> None:
    assert verify(gold, f"\\boxed{{{answer}}}", question="When is it?").equal is equal
    assert verify(gold, f"\\boxed{{{answer}}}").equal is equal


@pytest.mark.parametrize(
    ("gold", "text", "equal"),
    [
        ("3:30", "The train arrives at 3:30.", True),
        ("3:30", "The answer is 3:30.", True),
        ("3:30", "**3:30**", True),
        ("3:30", "The train arrives at 3:30 or 4:30.", False),
        ("3:30", "It is not 3:30.", False),
        ("16:30", "The train arrives at 16h30.", True),
        ("16:30", "Le train arrive à 16h30.", True),
        ("16:30", "Der Zug kommt um 16.30 Uhr an.", True),
        ("16:30", "Le train arrive à 16h30 ou 17h30.", False),
        ("16:30", "It does not arrive at 16h30.", False),
        ("16:30", "It arrives after 16 h 30.", False),
        ("3:30", "It arrives before 3:30.", False),
        ("4:10 P.M.", "The train leaves at 04:10 PM.", True),
        ("May 5", "May 5", True),
        ("May 5", "The answer is May 5.", True),
        ("May 5", "He arrives on May 5.", True),
        ("May 5", "He arrives on the 5th of May.", True),
        ("May 5", "He arrives on May 6.", False),
        ("May 5", "He arrives before May 5.", False),
        ("May 5", "It is not May 5.", False),
        ("May 5", "May 5 or May 6", False),
        ("May 5", "He arrives on May 5, and leaves on May 6.", False),
    ],
)
def test_times_and_dates_in_sentences(gold: str, text: str, equal: bool) -> None:
    assert verify(gold, text, question="When does the train arrive?").equal is equal
