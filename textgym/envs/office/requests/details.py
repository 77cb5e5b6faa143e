"""The subject of a request, its details, and what a model may ask about them.

Details are values that only the user knows, such as the day of a meeting.

Invariants: what exists is described so that exactly one row fits; what does not exist is described
in the same words, and no row fits. Each detail has at least eight values of equal probability, and
neither the rest of the request nor the databases reveal which one was drawn. Only quotations of the
user are removed from a question, so a question about a value that the model made up stays as it is;
any text is read, in linear time, from its last characters.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import replace
from datetime import datetime
from typing import NamedTuple

from textgym.envs.office.company import vocabulary as words
from textgym.envs.office.company.company_draft import CompanyDraft, Row
from textgym.envs.office.company.mails import draw_mail, draw_task_name, unknown_mail
from textgym.users import SLOTS, Slot
from textgym.users.understanding import MAX_READ
from textgym.verifiers.extract import after_reasoning

__all__ = [
    "DATES", "DETAILS", "EXISTING", "MAILS", "OFFICE_SLOTS", "PEOPLE", "Detail", "Topic",
    "TopicDraw", "coming_event", "customer", "draw_detail", "mail", "new_customer", "new_task",
    "nothing", "received_mail", "task", "without_quotes",
]  # fmt: skip

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


_OWNER = replace(
    SLOTS["assignee"],
    name="owner",
    label="the colleague in charge",
    nouns=(
        *SLOTS["assignee"].nouns, "account managers?", "colleague in charge", "contact person",
        "representatives?", "sales ?persons?",
    ),
    questions=(
        *SLOTS["assignee"].questions,
        "(?:who|whom)(?: [\\w']+){0,5} (?:look|looks|after|manage|manages)",
    ),
)  # fmt: skip
_FOLLOW_UP = replace(
    SLOTS["due_date"],
    name="follow_up",
    label="the follow-up date",
    nouns=(*SLOTS["due_date"].nouns, "follow[- ]?up(?: dates?| days?)?"),
)
_PHONE = Slot(
    "phone",
    "the phone number",
    nouns=("(?:tele)?phones?", "tel", "(?:phone|telephone|contact|mobile) ?numbers?", "numbers?"),
    questions=("how(?: [\\w']+){0,5} (?:call|reach|phone|ring)",),
    vague=("call", "reach", "contact"),
)

_BODY = replace(
    SLOTS["body"],
    questions=(
        *SLOTS["body"].questions,
        "(?:what|how)(?: [\\w']+){0,5} (?:answer|reply|respond)",
        "what(?: [\\w']+){0,3} (?:answer|reply|response) (?:be|read)",
        "what(?: [\\w']+){0,3} in (?:the|my|your) (?:answer|reply|response|message|mail|email)",
        "(?:your |the )?(?:answer|reply|response)(?: is| should be| would be)?(?=[ .]{0,4}\\?)",
        "what(?: is| would be| should be)? your (?:answer|reply|response)",
    ),
)
_ONE = "(?:e?mails?|one|of (?:the|these|those|them)|thread)"
_MAIL = Slot(
    "mail",
    "the mail",
    nouns=(),
    questions=(
        f"(?:which|what)(?: exact| specific| particular)? {_ONE}",
        "which messages? (?:do you|did you|is|are|in|from|to|should i (?:forward|answer|reply to))",
        "(?:which|what) (?:do|did) you (?:mean|refer to|have in mind)",
        "(?:do|did|would) you (?:mean|refer to) (?:the|this|that|your|my)"
        f" (?:[\\w'-]+ ){{0,2}}(?:{_ONE}|message)",
        f"(?:is|was) it the (?:[\\w'-]+ ){{0,2}}(?:{_ONE}|message)",
    ),
)
_CHANGED = ("day", "time", "duration", "assignee", "due_date")
_NEW_ONE = ("change it", "new one", "is it now")

OFFICE_SLOTS: dict[str, Slot] = {
    **SLOTS,
    **{
        slot.name: replace(slot, vague=(*slot.vague, *_NEW_ONE))
        for slot in (*map(SLOTS.__getitem__, _CHANGED), _FOLLOW_UP, _PHONE)
    },
    **{slot.name: slot for slot in (_OWNER, _BODY, _MAIL)},
}
"""The slots by their names."""


_QUOTE = re.compile(
    r"(?<!\w)'([^'\n]{1,200})'(?!\w)|\"([^\"\n]{1,200})\""
    r"|\u201c([^\u201d\n]{1,200})\u201d|\u2018([^\u2019\n]{1,200})\u2019"
)


def without_quotes(text: str, user_text: str) -> str:
    """Return the end of a message, without reasoning and quotations of the user.

    Args:
        text: The message.
        user_text: What the user said, or knows.

    Example:
        >>> without_quotes("I wrote 'At noon?' to Kim.", "Write to Kim: 'At noon?'")
        'I wrote _ to Kim.'
    """
    user_text = user_text.lower()

    def mark(quote: re.Match[str]) -> str:
        return (
            "_" if str(quote[quote.lastindex or 0]).lower().rstrip(".,") in user_text else quote[0]
        )

    return _QUOTE.sub(mark, after_reasoning(text)[-MAX_READ:])
