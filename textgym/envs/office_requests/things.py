"""What a request is about: an event, a thread of mails, a task, a customer, or something new.

Invariants: what exists is described so that exactly one row fits; what does not exist is described
in the same words, and no row fits; the look-ups find out which.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

from textgym.envs.workplace import vocabulary as words
from textgym.envs.workplace.templates.draft import Draft, Row

__all__ = [
    "EXISTING",
    "Found",
    "Thing",
    "coming_event",
    "customer",
    "new_customer",
    "new_task",
    "nothing",
    "task",
    "thread",
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


def thread(draft: Draft, exists: bool) -> Found:
    """Draw the latest mail of a thread, by its subject."""
    kind = draft.choice(tuple(words.SUBJECTS))
    things = {"event": words.EVENTS, "product": words.PRODUCTS}
    if exists:
        subject = draft.row("emails")["subject"]
    else:
        draft.need(kind in things)
        subject = draft.choice(words.SUBJECTS[kind]).format(draft.choice(things[kind]))
    found = draft.mails(subject)
    mails = [mail for mail in found if mail["subject"] == subject]
    said = draft.choice(
        (
            f"the latest mail about '{subject}'",
            f"the last mail with the subject '{subject}'",
            f"the newest e-mail in the thread '{subject}'",
        )
    )
    if not exists:
        draft.need(not mails)
        return Found(said, None)
    draft.need(len(found) == len(mails))
    return Found(said, mails[0])


def task(draft: Draft, exists: bool) -> Found:
    """Draw a task, by its name."""
    name = draft.row("project_tasks")["task_name"]
    if not exists:
        board = draft.choice(words.BOARDS)
        forms, things = words.WORK[board]
        work = draft.choice(forms).format(draft.choice(things))
        name = f"{work} of {draft.choice(words.PRODUCTS)}"
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


EXISTING = frozenset({coming_event, thread, task, customer})
"""The things that must be in the databases before a request can be carried out."""
