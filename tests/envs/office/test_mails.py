"""Which mail a request means: its words tell, and its place in a search does not."""

from __future__ import annotations

import random
import re
from collections import Counter
from collections.abc import Iterator
from functools import cache
from math import sqrt
from typing import Any

import pytest
from mail_reader import MAIL, mails_meant

from textgym.envs.generation import Unfit
from textgym.envs.office.ask_first import AskFirst
from textgym.envs.office.company.company_draft import CompanyDraft, Row
from textgym.envs.office.company.database import database_of
from textgym.envs.office.company.mails import NEUTRAL, draw_mail, unknown_mail
from textgym.envs.office.company.reference import CompanyRun
from textgym.envs.office.company.world import Company, company
from textgym.envs.office.multi_intent import MultiIntent
from textgym.envs.office.requests import KINDS, OFFICE_SLOTS
from textgym.envs.office.workplace import WorkplaceAssistant
from textgym.messages import text_of
from textgym.users import understand

TASKS = 300
LEVELS = [
    *((AskFirst, level) for level in AskFirst.card.levels),
    *((MultiIntent, level) for level in MultiIntent.card.levels),
    *((WorkplaceAssistant, level) for level in (2, 4)),  # the others name ids or several mails
]


def listed(row: dict[str, Any]) -> Iterator[tuple[str, list[str]]]:
    """Yield the ids of the mails that a task means, each with the ids that a search lists."""
    run = CompanyRun(database_of(row["world"]), row["now"])
    for part in row.get("turns", [row]):
        calls = part["calls"] if "turns" in row else part["ground_truth"]
        results = [
            [mail["email_id"] for mail in found["emails"]]
            for call in part["look_ups"]
            if call["name"] == "email_search_emails"
            and isinstance(found := run.email_search_emails(**call["arguments"]), dict)
        ]
        meant = [call["arguments"].get("email_id") for call in calls]
        if "template" in row and len(meant) != 1:
            continue
        for id in filter(None, meant):
            yield id, next(ids for ids in results if id in ids)


@pytest.mark.slow
@pytest.mark.parametrize(("cls", "level"), LEVELS)
def test_the_first_listed_mail_is_meant_as_often_as_chance_gives(cls: Any, level: int) -> None:
    env = cls(level=level)
    found = [pair for index in range(TASKS) for pair in listed(env.get_task(index).row)]
    first = sum(ids[0] == id for id, ids in found) / len(found)
    chance = sum(1 / len(ids) for _, ids in found) / len(found)
    assert len(found) >= 20
    assert abs(first - chance) < 3 * sqrt(chance * (1 - chance) / len(found)), (first, chance)


def drafts(seed: int) -> Iterator[tuple[CompanyDraft, Company]]:
    """Yield drafts of tasks in a few companies."""
    rng = random.Random(seed)
    while True:
        world = rng.randrange(6)
        yield CompanyDraft(rng, company(world), CompanyRun.at(world).call), company(world)


@cache
def drawn(n: int, exists: bool, neutral: bool = False) -> tuple[tuple[str, Row, Company], ...]:
    """Draw what users call mails, and the mails."""
    found: list[tuple[str, Row, Company]] = []
    for draft, employer in drafts(n):
        try:
            if exists:
                said, mail = draw_mail(draft, **({"ways": NEUTRAL} if neutral else {}))
            else:
                said, mail = unknown_mail(draft), {}
        except Unfit:
            continue
        found.append((said, mail, employer))
        if len(found) == n:
            break
    return tuple(found)


def meant(said: str, employer: Company) -> list[str]:
    """Return the ids of the mails that a second reader finds by some words."""

    def address_of(name: str) -> str:
        return next(person.email for person in employer.people if person.first == name)

    mails = employer.world["emails"]
    found = mails_meant(said, mails, employer.now.date(), address_of)
    return [mail["email_id"] for mail in found]


@pytest.mark.parametrize("n", [400, pytest.param(2000, marks=pytest.mark.slow)])
def test_the_words_fit_one_mail_alone(n: int) -> None:
    for said, mail, employer in drawn(n, True):
        assert re.fullmatch(MAIL, said), said
        assert meant(said, employer) == [mail["email_id"]], said


def test_the_words_for_a_mail_that_does_not_exist_fit_none() -> None:
    for said, _, employer in drawn(400, False):
        assert re.fullmatch(MAIL, said), said
        assert meant(said, employer) == [], said


def shape(said: str) -> str:
    """Return what is told of a mail, without the values."""
    said = re.sub("'[^']+'", "S", said)
    if " that " in said:
        return "person and subject" if said.endswith(" S") else "person and day"
    if " of " in said:
        return "day"
    return "latest" if re.search("latest|last|newest", said) else "place"


@pytest.mark.slow
def test_mails_are_described_in_many_ways_which_do_not_tell_whether_they_exist() -> None:
    exist, do_not = (
        Counter(shape(said) for said, *_ in drawn(1200, exists)) for exists in (True, False)
    )
    assert len(exist) == len(do_not) == 5
    assert min(exist.values()) > 80
    assert all(abs(exist[name] - do_not[name]) < 90 for name in exist), (exist, do_not)


def test_neutral_words_do_not_tell_who_wrote_a_mail() -> None:
    found = drawn(300, True, neutral=True)
    assert not any(shape(said).startswith("person") for said, *_ in found)
    sent = sum(mail["inbox/outbox"] == "outbox" for _, mail, _ in found)
    assert 80 < sent < 220


def test_every_mail_is_as_likely_as_any_other() -> None:
    """The share of newest mails among those that are meant is theirs in the mailbox."""
    found = drawn(400, True)
    newest = 0
    for _, mail, employer in found:
        thread = [m for m in employer.world["emails"] if m["subject"] == mail["subject"]]
        newest += thread[-1]["email_id"] == mail["email_id"]
    companies = {employer.me.email: employer for *_, employer in found}.values()
    mails = sum(len(one.world["emails"]) for one in companies)
    threads = sum(len({m["subject"] for m in one.world["emails"]}) for one in companies)
    assert abs(newest / len(found) - threads / mails) < 4 * (0.25 / len(found)) ** 0.5


WHICH = (
    "Which mail do you mean?",
    "Which e-mail should I forward?",
    "Which one of them did you have in mind?",
    "I found four. Which one is it?",
    "There are several e-mails in that thread. Which of them should it be?",
    "Do you mean the mail of March 4 or the later one?",
    "Could you tell me which email you are talking about?",
    "Which of these messages? Which do you mean?",
    "Is it the first mail that you mean?",
    "Please specify which message in the thread is the right one.",
    "Did you mean the one from Kim?",
    "What mail are you referring to?",
)
NOT_WHICH = (
    "Who should get the mail?",
    "What should the answer say?",
    "What message should I write?",
    "To whom should I forward this mail?",
    "Please tell me the text of the e-mail.",
    "I found the mail. What would you like to reply?",
    "Which colleague should receive the e-mail?",
    "Who is the recipient of the forwarded message?",
)


@pytest.mark.parametrize("kind", ["forward_mail", "answer_mail"])
@pytest.mark.parametrize("text", WHICH)
def test_a_question_about_which_mail_is_meant_is_understood(text: str, kind: str) -> None:
    slots = [OFFICE_SLOTS[name] for name in (*KINDS[kind].slots, "mail")]
    assert understand(text, slots).slots == ("mail",)


@pytest.mark.parametrize("kind", ["forward_mail", "answer_mail"])
@pytest.mark.parametrize("text", NOT_WHICH)
def test_a_question_about_something_else_of_a_mail_is_not(text: str, kind: str) -> None:
    slots = [OFFICE_SLOTS[name] for name in (*KINDS[kind].slots, "mail")]
    assert "mail" not in understand(text, slots).slots


def test_the_user_of_ask_first_says_again_which_mail_is_meant() -> None:
    env = AskFirst(level=3)
    asked = 0
    for index in range(60):
        row = env.get_task(index).row
        if "mail" not in row["facts"]:
            continue
        assert row["facts"]["mail"] in row["query"]
        env.reset(options={"index": index})
        conversation, *_ = env.step("Which mail do you mean?")
        assert row["facts"]["mail"].lower() in text_of(conversation[-1]).lower()
        assert env.state.user.needless == 1
        asked += 1
    assert asked > 10


def test_requests_of_a_conversation_are_about_mails_of_different_threads() -> None:
    """A reply becomes the newest mail of its thread, which another request might mean."""
    env, pairs = MultiIntent(level=5), 0
    for index in range(150):
        row = env.get_task(index).row
        subjects = {m["email_id"]: m["subject"] for m in company(row["world"]).world["emails"]}
        calls = [call for turn in row["turns"] for call in turn["calls"]]
        ids = [call["arguments"].get("email_id") for call in calls]
        found = [subjects[id] for id in ids if id]
        assert len(found) == len(set(found))
        pairs += len(found) == 2
    assert pairs
