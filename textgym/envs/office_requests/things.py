"""What a request is about: an event, a mail, a task, a customer, or something new.

Invariants: what exists is described so that exactly one row fits; what does not exist is described
in the same words, and no row fits; the look-ups find out which.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

from textgym.envs.workplace import vocabulary as words
from textgym.envs.workplace.templates.draft import Draft, Row
from textgym.envs.workplace.templates.mails import draw_mail, draw_task_name, unknown_mail

__all__ = [
    "EXISTING",
    "MAILS",
    "Found",
    "Thing",
    "coming_event",
    "customer",
    "mail",
    "new_customer",
    "new_task",
    "nothing",
    "received_mail",
    "task",
]


class Found(NamedTuple):
    """What a request is about.

    Attributes:
        said: How the user names it; "" if the request is about nothing that has a name.
        row: Its row; for something new, the values that are certain; None if it does not exist.
    """

    said: str
    row: Row | None


Thing = Callable[[Draft, bool], Found]
"""Draws what a request is about, given a draft and whether it exists."""


def nothing(draft: Draft, exists: bool) -> Found:
    """Draw nothing: the details say all."""
    draft.need(exists)
    return Found("", {})


def coming_event(draft: Draft, exists: bool) -> Found:
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
    said = draft.choice(
        (
            f"the {event['event_name']} with {partner.first}",
            f"my {event['event_name']} with {partner.first}",
            f"the meeting '{event['event_name']}' with {partner.first}",
        )
    )
    if not exists:
        draft.need(not named)
        return Found(said, None)
    draft.need(len(named) == 1)  # an older one would make the request unclear
    return Found(said, draft.one(coming))


def mail(draft: Draft, exists: bool) -> Found:
    """Draw a mail of the mailbox."""
    return Found(*draw_mail(draft)) if exists else Found(unknown_mail(draft), None)


def received_mail(draft: Draft, exists: bool) -> Found:
    """Draw a mail that the user received."""
    if exists:
        return Found(*draw_mail(draft, is_received=True))
    return Found(unknown_mail(draft, is_received=True), None)


def task(draft: Draft, exists: bool) -> Found:
    """Draw a task, by its name."""
    name = draft.row("project_tasks")["task_name"] if exists else draw_task_name(draft)
    found = draft.tasks(task_name=name)
    if not exists:
        draft.need(not found)
        return Found(f"'{name}'", None)
    return Found(f"'{name}'", draft.one(found))


def customer(draft: Draft, exists: bool) -> Found:
    """Draw a customer, by name."""
    name = draft.row("customers")["customer_name"] if exists else draft.new_customer()
    found = draft.customers(customer_name=name)
    if not exists:
        draft.need(not found)
        return Found(name, None)
    return Found(name, draft.one(found))


def new_task(draft: Draft, exists: bool) -> Found:
    """Draw a task that is to be created, with its board."""
    draft.need(exists)
    name, board = draft.choice(words.NEW_TASKS), draft.choice(words.BOARDS)
    said = draft.choice((f"'{name}' on the {board} board", f"'{name}' (board: {board})"))
    return Found(said, {"task_name": name, "board": board})


def new_customer(draft: Draft, exists: bool) -> Found:
    """Draw a customer who is to be added."""
    draft.need(exists)
    name = draft.new_customer()
    return Found(name, {"customer_name": name})


MAILS = frozenset({mail, received_mail})
"""The things that are mails."""

EXISTING = MAILS | {coming_event, task, customer}
"""The things that must be in the databases before a request can be carried out."""
