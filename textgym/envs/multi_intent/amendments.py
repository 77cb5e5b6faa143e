"""Amendments: what the user corrects or cancels, and the calls that make up for it.

Invariants: an amendment in the same message as its request comes before any change; a later one
concerns only what can be undone, so no mail.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import NamedTuple

from textgym.envs.multi_intent.mentions import LABELS, act_of, name_of
from textgym.envs.office_requests import Detail, Request, draw_detail
from textgym.envs.workplace.templates.draft import Draft

__all__ = ["Amendment", "can_be_corrected", "cancel", "correct", "make_up", "stays_open"]

_CORRECTIONS = (
    "Wait, I was wrong about {name}: the {label} should be {new}.",
    "One correction: the {label} of {name} is {new}, not {old}.",
    "Sorry, please make it {new} instead of {old} for {name} (the {label}).",
    "On second thoughts, {new} is better as the {label} of {name}.",
    "I mixed something up. For {name}, the right {label} is {new}.",
)
_CANCELLATIONS = (
    "Actually, {act} is no longer needed.",
    "I have changed my mind: no {act}, please.",
    "Forget about {act}.",
    "Please leave out {act} after all.",
    "Scratch the bit about {act}; I don't want it any more.",
)
_UNDO = (
    "If it is done already, undo it.",
    "Please make sure that everything about it is as it was before.",
    "Put it back as it was.",
)
_FIELDS = {  # the columns of what was created that hold a detail
    "participant": "participant_email",
    "day": "event_start",
    "time": "event_start",
    "duration": "duration",
    "assignee": "assigned_to_email",
    "due_date": "due_date",
    "owner": "assigned_to_email",
    "phone": "customer_phone",
}
_CHANGED = {  # the column of an existing row that a request changes
    "move_meeting": "event_start",
    "resize_meeting": "duration",
    "reassign_task": "assigned_to_email",
    "reschedule_task": "due_date",
    "change_phone": "customer_phone",
    "move_follow_up": "follow_up_by",
}
_TABLES = {  # the toolkit and the word for a row of what a request creates or changes
    "book_meeting": ("calendar", "event"),
    "move_meeting": ("calendar", "event"),
    "resize_meeting": ("calendar", "event"),
    "add_task": ("project_management", "task"),
    "reassign_task": ("project_management", "task"),
    "reschedule_task": ("project_management", "task"),
    "add_lead": ("customer_relationship_manager", "customer"),
    "change_phone": ("customer_relationship_manager", "customer"),
    "move_follow_up": ("customer_relationship_manager", "customer"),
}
_NAMING = {"book_meeting": ("title",), "send_mail": ("subject",)}


class Amendment(NamedTuple):
    """A correction or a cancellation.

    Attributes:
        text: What the user says.
        details: The details that hold from now on; None if the request is cancelled.
        slot: The corrected slot; "" if the request is cancelled.
    """

    text: str
    details: Mapping[str, Detail] | None
    slot: str = ""


def stays_open(request: Request) -> bool:
    """Return whether a request can be corrected or cancelled after it was carried out.

    Mails are sent. A value that was empty before cannot be restored with the tools.
    """
    name, row = request.kind.name, request.found.row or {}
    return name in _TABLES and (name not in _CHANGED or bool(row[_CHANGED[name]]))


def can_be_corrected(request: Request) -> bool:
    """Return whether a request has a detail that can be corrected."""
    return bool(_correctable(request))


def _correctable(request: Request) -> list[str]:
    """Return the slots of the details, without a text and without the request's name."""
    kept = (*_NAMING.get(request.kind.name, ()), "body")
    return [slot for slot in request.details if slot not in kept]


def correct(draft: Draft, request: Request) -> Amendment:
    """Draw a correction of one detail of a request that `can_be_corrected`."""
    slot = draft.choice(_correctable(request))
    old = new = request.details[slot]
    while new.value == old.value:
        new = draw_detail(draft, slot)
    if slot in request.kind.people:
        draft.address(new.said)
    words = {"name": name_of(request), "label": LABELS[slot], "old": old.said, "new": new.said}
    text = draft.choice(_CORRECTIONS).format_map(words)
    return Amendment(text[:1].upper() + text[1:], {**request.details, slot: new}, slot)


def cancel(draft: Draft, request: Request, is_done: bool) -> Amendment:
    """Draw a cancellation.

    Args:
        draft: The draft.
        request: The request.
        is_done: Whether it has been carried out.
    """
    text = draft.choice(_CANCELLATIONS).format(act=act_of(request))
    return Amendment(f"{text} {draft.choice(_UNDO)}" if is_done else text, None)


def make_up(draft: Draft, request: Request, amendment: Amendment, id: str) -> None:
    """Add the call that makes up for a request which was carried out.

    Args:
        draft: The draft.
        request: The request, which `stays_open`.
        amendment: What the user corrected or cancelled.
        id: The id of the row that was created or changed.
    """
    toolkit, row = _TABLES[request.kind.name]
    column = _CHANGED.get(request.kind.name)
    if amendment.details is None and column is None:
        draft.write(f"{toolkit}_delete_{row}", **{f"{row}_id": id})
        return
    if amendment.details is None:
        value = (request.found.row or {})[str(column)]
    else:
        column = column or _FIELDS[amendment.slot]
        values = {slot: detail.value for slot, detail in amendment.details.items()}
        moved = column == "event_start"
        value = f"{values['day']} {values['time']}" if moved else values[amendment.slot]
    update = f"{toolkit}_update_{row}"
    draft.write(update, **{f"{row}_id": id, "field": str(column), "new_value": value})
