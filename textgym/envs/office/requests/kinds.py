"""The kinds of requests, with their wordings and calls, and how a request is drawn.

Invariants: a wording without the segments of some slots is a sentence that a person would say; the
calls depend only on what the tools return and on the details.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass
from typing import NamedTuple

from textgym.envs.generation import choice
from textgym.envs.office.company import vocabulary
from textgym.envs.office.company.company_draft import CompanyDraft, Row
from textgym.envs.office.requests.details import (
    EXISTING,
    PEOPLE,
    Detail,
    Topic,
    TopicDraw,
    coming_event,
    customer,
    draw_detail,
    mail,
    new_customer,
    new_task,
    nothing,
    received_mail,
    task,
)

__all__ = ["KINDS", "Kind", "Request", "draw_request", "unknown_request"]


Values = Mapping[str, str]
"""The values of the details, as tools take them, by slot."""

Write = Callable[[CompanyDraft, Row, Values], None]
"""Adds the calls of a request to a draft."""

_SEGMENT = re.compile(r"\[([^\[\]]*)\]")
_FIELD = re.compile(r"\{(\w+)\}")


class Kind(NamedTuple):
    """A kind of request.

    Attributes:
        name: The name.
        topic: Draws what the request is about.
        phrasings: The wordings. A segment in brackets belongs to the detail that is named in it,
            and disappears without it.
        write: Adds the calls.
    """

    name: str
    topic: TopicDraw
    phrasings: tuple[str, ...]
    write: Write

    @property
    def slots(self) -> tuple[str, ...]:
        """The names of the details."""
        return tuple(_FIELD.findall(part)[0] for part in _SEGMENT.findall(self.phrasings[0]))

    @property
    def people(self) -> tuple[str, ...]:
        """The names of the details that are colleagues."""
        return tuple(slot for slot in self.slots if slot in PEOPLE)


KINDS: dict[str, Kind] = {}
"""All kinds by name."""


def fill(phrasing: str, words: Mapping[str, str]) -> str:
    """Return a wording with words in place of the fields, without segments that lack their word.

    Example:
        >>> fill("Book a room[ on {day}][ at {time}].", {"day": "4 May"})
        'Book a room on 4 May.'
    """

    def segment(match: re.Match[str]) -> str:
        return match[1] if _FIELD.findall(match[1])[0] in words else ""

    return _SEGMENT.sub(segment, phrasing).format_map(words).strip()


def _kind(topic: TopicDraw, *phrasings: str) -> Callable[[Write], Write]:
    """Register a function as a kind. Its name is the function's without the leading underscore."""

    def add(write: Write) -> Write:
        name = write.__name__.lstrip("_")
        slots = {tuple(sorted(_FIELD.findall(phrasing))) for phrasing in phrasings}
        if len(slots) != 1 or name in KINDS:
            raise ValueError(f"kind {name!r} is defined twice, or its wordings differ in fields")
        KINDS[name] = Kind(name, topic, phrasings, write)
        return write

    return add


@_kind(
    nothing,
    "Please book a meeting[ with {participant}][ on {day}][ at {time}][ for {duration}]."
    "[ Call it {title}.]",
    "I need a new meeting in my calendar[ with {participant}][, on {day}][, at {time}]"
    "[, {duration} long][, under the title {title}].",
    "Could you set up a new meeting[ named {title}][ with {participant}]?"
    "[ It should be on {day}.][ Have it start at {time}.][ Plan {duration} for it.]",
    "Put a new meeting[ called {title}] into the calendar[, on {day}][, at {time}]"
    "[, for {duration}][, together with {participant}].",
)
def _book_meeting(draft: CompanyDraft, row: Row, values: Values) -> None:
    draft.write(
        "calendar_create_event",
        event_name=values["title"],
        participant_email=values["participant"],
        event_start=f"{values['day']} {values['time']}",
        duration=values["duration"],
    )


@_kind(
    coming_event,
    "Please give {thing} a new day and a new time.[ The day is {day}.][ It starts at {time}.]",
    "I have to move {thing}, both the day and the time.[ The new day is {day}.]"
    "[ It begins at {time}.]",
    "I can't make {thing} as planned. Could you change the day and the hour?"
    "[ Let it be on {day}.][ The start is at {time}.]",
    "Can you find {thing} in my calendar and put it on another day, at another time?"
    "[ {day} is the day.][ {time} is when we start.]",
)
def _move_meeting(draft: CompanyDraft, row: Row, values: Values) -> None:
    draft.change_event(row, "event_start", f"{values['day']} {values['time']}")


@_kind(
    coming_event,
    "Please change the length of {thing}[ to {duration}].",
    "The calendar has the wrong length for {thing}. Please correct it[ to {duration}].",
    "We need a different amount of time for {thing}. Can you change that?[ It takes {duration}.]",
    "Can you give {thing} another length in my calendar?[ Make it {duration}.]",
)
def _resize_meeting(draft: CompanyDraft, row: Row, values: Values) -> None:
    draft.change_event(row, "duration", values["duration"])


@_kind(
    nothing,
    "Please write a mail[ to {recipient}][ with the subject {subject}].[ The text is {body}]",
    "Could you send an e-mail for me?[ It goes to {recipient}.][ The subject is {subject}.]"
    "[ Just write: {body}]",
    "I'd like you to send a new mail.[ The recipient is {recipient}.][ Subject: {subject}.]"
    "[ Text: {body}]",
    "Send a new mail for me, please.[ Address it to {recipient}.]"
    "[ Put {subject} in the subject line.][ All it says is {body}]",
)
def _send_mail(draft: CompanyDraft, row: Row, values: Values) -> None:
    draft.send(values["recipient"], values["subject"], values["body"])


@_kind(
    mail,
    "Please forward {thing}[ to {recipient}].",
    "Somebody else should see {thing}. Forward it[ to {recipient}], please.",
    "Can you pass on {thing}[ to {recipient}]?",
    "I want you to forward {thing}.[ It should go to {recipient}.]",
)
def _forward_mail(draft: CompanyDraft, row: Row, values: Values) -> None:
    draft.need(row["sender/recipient"] != values["recipient"])
    draft.forward(row, values["recipient"])


@_kind(
    received_mail,
    "Please answer {thing}.[ Write {body}]",
    "I owe somebody a reply to {thing}. Please send it.[ Text: {body}]",
    "Reply to {thing} for me, please.[ Say {body}]",
    "Could you write back on {thing}?[ My answer is {body}]",
)
def _answer_mail(draft: CompanyDraft, row: Row, values: Values) -> None:
    draft.reply(row, values["body"])


@_kind(
    new_task,
    "Please add the task {thing} to the backlog[, for {assignee}][, due on {due_date}].",
    "We need a new task in the backlog: {thing}.[ Assign it to {assignee}.]"
    "[ It is due on {due_date}.]",
    "Could you put {thing} into the backlog?[ {assignee} will do it.]"
    "[ The due date is {due_date}.]",
    "Create a task {thing} in the backlog, please.[ Give it to {assignee}.]"
    "[ It has to be finished by {due_date}.]",
)
def _add_task(draft: CompanyDraft, row: Row, values: Values) -> None:
    draft.write(
        "project_management_create_task",
        task_name=row["task_name"],
        assigned_to_email=values["assignee"],
        list_name="Backlog",
        due_date=values["due_date"],
        board=row["board"],
    )


@_kind(
    task,
    "Please reassign the task {thing}[ to {assignee}].",
    "The task {thing} needs somebody else. Hand it over[ to {assignee}], please.",
    "Could you assign the task {thing} to another person?[ {assignee} takes it.]",
    "I want to give the task {thing} to a new assignee.[ It goes to {assignee}.]",
)
def _reassign_task(draft: CompanyDraft, row: Row, values: Values) -> None:
    draft.change_task(row, "assigned_to_email", values["assignee"])


@_kind(
    task,
    "Please change the due date of the task {thing}[ to {due_date}].",
    "We can't keep the due date of the task {thing}. Set a new one[, {due_date}], please.",
    "Could you give the task {thing} another due date?[ It is {due_date}.]",
    "The task {thing} has the wrong due date. Correct it[ to {due_date}], please.",
)
def _reschedule_task(draft: CompanyDraft, row: Row, values: Values) -> None:
    draft.change_task(row, "due_date", values["due_date"])


@_kind(
    new_customer,
    "Please add {thing} as a new lead.[ {owner} is in charge.][ The phone number is {phone}.]",
    "We have a new lead: {thing}. Please enter it[, with {owner} in charge]"
    "[, phone number {phone}].",
    "Could you enter {thing} as a lead?[ {owner} looks after it.][ The number is {phone}.]",
    "There is a new lead for the customer list: {thing}.[ Phone: {phone}.]"
    "[ {owner} will take care of it.]",
)
def _add_lead(draft: CompanyDraft, row: Row, values: Values) -> None:
    draft.write(
        "customer_relationship_manager_add_customer",
        customer_name=row["customer_name"],
        assigned_to_email=values["owner"],
        status="Lead",
        customer_phone=values["phone"],
    )


@_kind(
    customer,
    "Please change the phone number of the customer {thing}[ to {phone}].",
    "The customer {thing} has a new phone number. Please enter it.[ It is {phone}.]",
    "Could you correct the phone number of the customer {thing}?[ It should be {phone}.]",
    "Our phone number for the customer {thing} is out of date. Update it[ to {phone}], please.",
)
def _change_phone(draft: CompanyDraft, row: Row, values: Values) -> None:
    draft.change_customer(row, "customer_phone", values["phone"])


@_kind(
    customer,
    "Please move the follow-up date of the customer {thing}[ to {follow_up}].",
    "Set a new date for the follow-up with the customer {thing}[, {follow_up}], please.",
    "Could you change when we follow up with the customer {thing}?[ It should be by {follow_up}.]",
    "The follow-up with the customer {thing} needs another date.[ Make it {follow_up}.]",
)
def _move_follow_up(draft: CompanyDraft, row: Row, values: Values) -> None:
    draft.change_customer(row, "follow_up_by", values["follow_up"])


_FIRST_LETTER = re.compile(r"^[a-z]|(?<=[.?!:] )[a-z]")


@dataclass(frozen=True, slots=True)
class Request:
    """A request.

    Attributes:
        kind: The kind.
        phrasing: One of the kind's wordings.
        topic: What it is about.
        details: Its details by slot.
    """

    kind: Kind
    phrasing: str
    topic: Topic
    details: Mapping[str, Detail]

    def text(self, without: Collection[str] = ()) -> str:
        """Return the request in words.

        Args:
            without: The slots whose details are left out.
        """
        words = {slot: d.wording for slot, d in self.details.items() if slot not in without}
        text = fill(self.phrasing, {"thing": self.topic.name, **words})
        return _FIRST_LETTER.sub(lambda letter: letter[0].upper(), text)

    def write(self, draft: CompanyDraft, details: Mapping[str, Detail] | None = None) -> None:
        """Add the calls that carry the request out to a draft.

        Args:
            draft: The draft.
            details: The details; None for the request's own.
        """
        draft.need(self.topic.row is not None)
        values = {slot: detail.value for slot, detail in (details or self.details).items()}
        self.kind.write(draft, self.topic.row or {}, values)


def draw_request(draft: CompanyDraft, kind: Kind) -> Request:
    """Draw a request that can be carried out.

    Raises:
        Unfit: The drawn values do not make an unambiguous request.
    """
    topic = kind.topic(draft, True)
    details = {slot: draw_detail(draft, slot) for slot in kind.slots}
    for slot in kind.people:
        draft.address(details[slot].wording)
    return Request(kind, choice(draft.rng, kind.phrasings), topic, details)


def unknown_request(draft: CompanyDraft, kind: Kind) -> Request:
    """Draw a request about something, or with somebody, that does not exist.

    Raises:
        Unfit: The drawn values do not make such a request.
    """
    topic = kind.topic(draft, kind.topic not in EXISTING)
    details = {slot: draw_detail(draft, slot) for slot in kind.slots}
    if topic.row is not None:
        slot = choice(draft.rng, kind.people)
        name = draft.choice(vocabulary.FIRST_NAMES)
        draft.need(not draft.look("company_directory_find_email_address", name=name))
        details[slot] = Detail(slot, "", name)
    return Request(kind, choice(draft.rng, kind.phrasings), topic, details)
