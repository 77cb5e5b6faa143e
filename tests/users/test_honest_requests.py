"""What a user understands of honest requests, and what is none."""

from __future__ import annotations

import pytest
from honest_requests import CONFIRMING, MISUNDERSTOOD, REQUESTS, WAITING
from office_endings import (
    CHECKS,
    CLOSERS,
    DENIALS,
    DOUBTS,
    ENDINGS,
    OTHER_QUESTIONS,
    STATEMENTS,
)
from tables import in_one_test

from textgym.envs.office.requests import KINDS, OFFICE_SLOTS
from textgym.users import Fact, Heard, Kind, Reply, ScriptedUser, understand

OTHERS = [slot for name, slot in OFFICE_SLOTS.items() if name not in ("new_value", "mail")]


def reply_to(kind: str, text: str, missing: tuple[str, ...]) -> Reply:
    """Return the reply of a user whose request of a kind leaves some slots out."""
    facts = [Fact(OFFICE_SLOTS[name], "x") for name in KINDS[kind].slots]
    told = [name for name in KINDS[kind].slots if name not in missing]
    user = ScriptedUser(facts, told=told, others=OTHERS)
    return user.reply(text, user.begin())


def heard_by_all(text: str) -> list[Heard]:
    """Return what a user understands of a message, for each kind of request."""
    return [
        understand(text, [OFFICE_SLOTS[name] for name in kind.slots], OTHERS)
        for kind in KINDS.values()
    ]


def kinds_of(text: str) -> set[Kind]:
    return {heard.kind for heard in heard_by_all(text)}


def test_98_percent_of_honest_requests_are_answered_and_cost_nothing() -> None:
    missed, count = set(), 0
    for kind, requests in REQUESTS.items():
        for slots, text in requests:
            reply = reply_to(kind, text, slots)
            count += 1
            if set(reply.answered) != set(slots) or reply.needless:
                missed.add(text)
    assert missed <= MISUNDERSTOOD
    assert count >= 900
    assert len(MISUNDERSTOOD) <= 0.02 * count


@pytest.mark.parametrize("text", CONFIRMING)
def test_waiting_for_a_confirmation_asks_for_it(text: str) -> None:
    assert kinds_of(text) == {Kind.GO_AHEAD}


@pytest.mark.parametrize("text", WAITING)
def test_who_is_at_work_has_not_ended(text: str) -> None:
    assert kinds_of(text) == {Kind.WAIT}


@pytest.mark.parametrize("text", CLOSERS)
def test_closers_ask_for_nothing(text: str) -> None:
    assert kinds_of(text) <= {Kind.ANYTHING_ELSE, Kind.STATEMENT, Kind.GREETING}
    assert kinds_of(f"I have sent it. {text}") == {Kind.STATEMENT}


@pytest.mark.parametrize(
    "text",
    [
        "Is there anything else I should know?",
        "Is there anything else that you want to tell me?",
        "Any other details?",
        "Is there anything else I need for this?",
        "Do you have any other information for me?",
        "What else should I include?",
        "Is there something else to consider?",
        "Is anything missing?",
        "Anything specific that you would like?",
        "What else can you tell me about it?",
    ],
)
def test_fishing_for_details_is_no_closer(text: str) -> None:
    assert kinds_of(text) == {Kind.DETAILS}


@in_one_test("text", DENIALS)
def test_denials_deny_that_anything_was_done(text: str) -> None:
    for heard in heard_by_all(text):
        assert heard.denies
        assert heard.kind in {Kind.STATEMENT, Kind.CANNOT}


@pytest.mark.parametrize("text", DOUBTS)
def test_doubts_beside_what_was_done_deny_nothing(text: str) -> None:
    assert not any(heard.denies or heard.slots for heard in heard_by_all(text))


@in_one_test("text", ENDINGS)
def test_what_says_that_all_is_done_denies_nothing(text: str) -> None:
    assert {(heard.kind, heard.denies) for heard in heard_by_all(text)} == {(Kind.STATEMENT, False)}


@pytest.mark.parametrize("text", CHECKS)
def test_asking_whether_a_name_is_right_that_was_not_found(text: str) -> None:
    for heard in heard_by_all(text):
        assert (heard.kind, heard.slots, heard.others) == (Kind.CHECK, (), ())
        assert heard.says_cannot


@in_one_test("text", STATEMENTS)
def test_naming_a_detail_is_not_asking_for_it(text: str) -> None:
    assert kinds_of(text) == {Kind.STATEMENT}


@pytest.mark.parametrize("text", OTHER_QUESTIONS)
def test_questions_about_other_things_ask_for_no_detail(text: str) -> None:
    assert not any(heard.slots for heard in heard_by_all(text))
