"""AskFirst: questions, closings and refusals as people word them.

The questions were written apart from the code that understands them, and measure it.
"""

from __future__ import annotations

import pytest
from office_questions import CLOSINGS, QUESTIONS, REFUSALS

from textgym.envs.office.requests import KINDS, OFFICE_SLOTS, without_quotes
from textgym.users import Kind, understand


def heard_slots(kind: str, question: str) -> tuple[str, ...]:
    return understand(question, [OFFICE_SLOTS[slot] for slot in KINDS[kind].slots]).slots


@pytest.mark.parametrize(
    ("kind", "slot", "questions"),
    QUESTIONS,
    ids=[f"{kind}-{slot}-{number}" for number, (kind, slot, _) in enumerate(QUESTIONS)],
)
def test_most_questions_about_a_detail_are_understood(
    kind: str, slot: str, questions: tuple[str, ...]
) -> None:
    missed = [question for question in questions if heard_slots(kind, question) != (slot,)]
    assert len(missed) <= 0.17 * len(questions), missed


def test_95_percent_of_all_questions_about_a_detail_are_understood() -> None:
    results = [
        heard_slots(kind, question) == (slot,)
        for kind, slot, questions in QUESTIONS
        for question in questions
    ]
    assert sum(results) >= 0.95 * len(results)


@pytest.mark.parametrize("text", CLOSINGS)
def test_what_says_that_all_is_done_asks_nothing_and_refuses_nothing(text: str) -> None:
    for kind in KINDS.values():
        heard = understand(text, [OFFICE_SLOTS[slot] for slot in kind.slots])
        assert (heard.kind, heard.says_cannot) == (Kind.STATEMENT, False)


@pytest.mark.parametrize("text", REFUSALS)
def test_what_says_that_it_cannot_be_done_is_understood(text: str) -> None:
    for kind in KINDS.values():
        heard = understand(text, [OFFICE_SLOTS[slot] for slot in kind.slots])
        assert (heard.kind, heard.says_cannot) == (Kind.CANNOT, True)


@pytest.mark.parametrize("marks", ["''", '""', "\u201c\u201d", "\u2018\u2019"])
def test_a_quotation_of_the_user_is_removed_in_any_marks(marks: str) -> None:
    text = f"I wrote {marks[0]}At noon?{marks[1]} to Kim."
    assert without_quotes(text, "Write to Kim: 'At noon?'") == "I wrote _ to Kim."


def test_a_quotation_of_somebody_else_stays() -> None:
    assert without_quotes("Is it 'Dinner'?", "Call it 'Lunch'.") == "Is it 'Dinner'?"


def test_an_apostrophe_is_no_quotation_mark() -> None:
    text = "It isn't at noon, and Kim's there."
    assert without_quotes(text, "t at noon, and Kim") == text


def test_quotations_in_the_reasoning_are_not_read() -> None:
    assert without_quotes("<think>'a'</think>'b'", "ab") == "_"


@pytest.mark.parametrize("part", ["'", "' ", "'a", '"', "'a' ", "\u201c"])
def test_quotations_in_a_megabyte_are_read(part: str) -> None:
    assert len(without_quotes(part * (10**6 // len(part)), "a" * 10_000)) <= 10_000
