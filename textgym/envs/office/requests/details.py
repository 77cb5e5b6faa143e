"""The subject of a request, and its details: values that only the user knows.

Invariants: what exists is described so that exactly one row fits; what does not exist is described
in the same words, and no row fits. Each detail has at least eight values of equal probability, and
neither the rest of the request nor the databases reveal which one was drawn.
"""

from __future__ import annotations

from collections.abc import Callable
from datetime import datetime
from typing import NamedTuple

from textgym.envs.office.company import vocabulary as words
from textgym.envs.office.company.company_draft import CompanyDraft, Row
from textgym.envs.office.company.mails import draw_mail, draw_task_name, unknown_mail

__all__ = [
    "DATES",
    "DETAILS",
    "EXISTING",
    "MAILS",
    "PEOPLE",
    "Detail",
    "Topic",
    "TopicDraw",
    "coming_event",
    "customer",
    "draw_detail",
    "mail",
    "new_customer",
    "new_task",
    "nothing",
    "received_mail",
    "task",
]


SUBJECTS = (
    "A quick question", "Before I forget", "For your files", "From my side", "In short",
    "News from upstairs", "One more thing", "Please read", "Short notice", "To keep you posted",
    "Two minutes of your time", "What we talked about",
)  # fmt: skip
TEXTS = (
    "I will be in late tomorrow.",
    "Please call me when you have a minute.",
    "The figures are on the shared drive.",
    "Can you bring the old contract along?",
    "We need one more chair in the small room.",
    "The visitors asked for a vegetarian lunch.",
    "I left the keys at the front desk.",
    "Thank you for stepping in last week.",
    "Please send me your holiday dates.",
    "The lift is out of order until Monday.",
    "Your parcel is waiting in the post room.",
    "Let us leave it as it is for now.",
)
TITLES = (
    "Budget questions", "Catch-up", "Handing over", "Introduction round", "Looking at the numbers",
    "Next steps", "Planning the fair", "Problem solving", "Sorting out priorities",
    "Talking through the offer", "Walk and talk", "Year in review",
)  # fmt: skip
LENGTHS = {
    15: "15 minutes", 20: "20 minutes", 25: "25 minutes", 40: "40 minutes", 45: "45 minutes",
    50: "50 minutes", 75: "75 minutes", 80: "80 minutes", 100: "100 minutes", 105: "105 minutes",
}  # fmt: skip
DAYS_AHEAD = 16  # the last day that is drawn, in days from today
LATEST_SLOT = 15  # half hours after 9:00 at which the latest meeting starts


class Detail(NamedTuple):
    """A value that a request needs.

    Attributes:
        slot: What it is, by the name of a slot of `OFFICE_SLOTS`.
        value: The value as tools take it, such as `2026-03-04`.
        wording: The value as the user says it, such as `March 4`.
    """

    slot: str
    value: str
    wording: str


def draw_detail(draft: CompanyDraft, slot: str) -> Detail:
    """Draw a value for a slot."""
    return Detail(slot, *DETAILS[slot](draft))


def _day(draft: CompanyDraft) -> tuple[str, str]:
    day = draft.work_day(most=DAYS_AHEAD)
    return day.isoformat(), draft.day(day)


def _time(draft: CompanyDraft) -> tuple[str, str]:
    half_hours = draft.randint(0, LATEST_SLOT)
    time = datetime(2000, 1, 1, 9 + half_hours // 2, 30 * (half_hours % 2))
    return f"{time:%H:%M:%S}", draft.clock(time)


def _length(draft: CompanyDraft) -> tuple[str, str]:
    minutes = draft.choice(tuple(LENGTHS))
    return str(minutes), LENGTHS[minutes]


def _colleague(draft: CompanyDraft) -> tuple[str, str]:
    person = draft.colleagues(1)[0]
    return person.email, person.first


def _team_member(draft: CompanyDraft) -> tuple[str, str]:
    person = draft.team(1)[0]
    return person.email, person.first


def _phone(draft: CompanyDraft) -> tuple[str, str]:
    area, office = draft.randint(200, 989), draft.randint(200, 989)
    number = f"{area}-{office}-{draft.randint(1000, 9999)}"
    return number, number


def _text_of(texts: tuple[str, ...]) -> Callable[[CompanyDraft], tuple[str, str]]:
    def draw(draft: CompanyDraft) -> tuple[str, str]:
        text = draft.choice(texts)
        return text, f"'{text}'"

    return draw


DETAILS: dict[str, Callable[[CompanyDraft], tuple[str, str]]] = {
    "title": _text_of(TITLES),
    "participant": _colleague,
    "day": _day,
    "time": _time,
    "duration": _length,
    "recipient": _colleague,
    "subject": _text_of(SUBJECTS),
    "body": _text_of(TEXTS),
    "assignee": _team_member,
    "owner": _colleague,
    "due_date": _day,
    "follow_up": _day,
    "phone": _phone,
}
"""How the value of each slot is drawn: as tools take it, and as the user says it."""

PEOPLE = frozenset({"participant", "recipient", "assignee", "owner"})
"""The slots whose values are colleagues."""

DATES = frozenset({"day", "due_date", "follow_up"})
"""The slots whose values are days."""


class Topic(NamedTuple):
    """What a request is about.

    Attributes:
        name: How the user names it; "" if it has no name.
        row: Its row; for something new, the values that are certain; None if it does not exist.
    """

    name: str
    row: Row | None


TopicDraw = Callable[[CompanyDraft, bool], Topic]
"""Draws what a request is about, given a draft and whether it exists."""


def nothing(draft: CompanyDraft, exists: bool) -> Topic:
    """Draw an empty topic: the details are the whole request."""
    draft.need(exists)
    return Topic("", {})


def coming_event(draft: CompanyDraft, exists: bool) -> Topic:
    """Draw a meeting from today on, by its name and participant."""
    event = draft.row("calendar_events")
    partner = draft.choice(draft.company.people)
    if exists:
        partner = next(p for p in draft.company.people if p.email == event["participant_email"])
    address = draft.address(partner.first)
    named = [
        row for row in draft.events(event["event_name"]) if row["participant_email"] == address
    ]
    coming = [row for row in named if row["event_start"][:10] >= draft.today.isoformat()]
    name = draft.choice(
        (
            f"the {event['event_name']} with {partner.first}",
            f"my {event['event_name']} with {partner.first}",
            f"the meeting '{event['event_name']}' with {partner.first}",
        )
    )
    if not exists:
        draft.need(not named)
        return Topic(name, None)
    draft.need(len(named) == 1)  # an older one would make the request unclear
    return Topic(name, draft.one(coming))


def mail(draft: CompanyDraft, exists: bool) -> Topic:
    """Draw a mail of the mailbox."""
    return Topic(*draw_mail(draft)) if exists else Topic(unknown_mail(draft), None)


def received_mail(draft: CompanyDraft, exists: bool) -> Topic:
    """Draw a mail that the user received."""
    if exists:
        return Topic(*draw_mail(draft, is_received=True))
    return Topic(unknown_mail(draft, is_received=True), None)


def task(draft: CompanyDraft, exists: bool) -> Topic:
    """Draw a task, by its name."""
    name = draft.row("project_tasks")["task_name"] if exists else draw_task_name(draft)
    rows = draft.tasks(task_name=name)
    if not exists:
        draft.need(not rows)
        return Topic(f"'{name}'", None)
    return Topic(f"'{name}'", draft.one(rows))


def customer(draft: CompanyDraft, exists: bool) -> Topic:
    """Draw a customer, by name."""
    name = draft.row("customers")["customer_name"] if exists else draft.new_customer()
    rows = draft.customers(customer_name=name)
    if not exists:
        draft.need(not rows)
        return Topic(name, None)
    return Topic(name, draft.one(rows))


def new_task(draft: CompanyDraft, exists: bool) -> Topic:
    """Draw a task that is to be created, with its board."""
    draft.need(exists)
    name, board = draft.choice(words.NEW_TASKS), draft.choice(words.BOARDS)
    wording = draft.choice((f"'{name}' on the {board} board", f"'{name}' (board: {board})"))
    return Topic(wording, {"task_name": name, "board": board})


def new_customer(draft: CompanyDraft, exists: bool) -> Topic:
    """Draw a customer who is to be added."""
    draft.need(exists)
    name = draft.new_customer()
    return Topic(name, {"customer_name": name})


MAILS = frozenset({mail, received_mail})
"""The topics that are mails."""

EXISTING = MAILS | {coming_event, task, customer}
"""The topics that must be in the databases before a request can be carried out."""
