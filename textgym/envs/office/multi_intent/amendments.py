"""How users refer to earlier requests, take values from them, and correct or cancel them.

Invariants: an amendment in the same message as its request comes before any change; a later one
concerns only what can be undone, which a mail cannot.
"""

from __future__ import annotations

from collections.abc import Mapping
from datetime import datetime, timedelta
from typing import NamedTuple

from textgym.envs.office.company.company_draft import CompanyDraft
from textgym.envs.office.company.world import SHUTS
from textgym.envs.office.requests import Detail, Request, draw_detail

__all__ = [
    "LABELS", "Amendment", "act_of", "can_be_corrected", "cancel", "correct", "make_up", "name_of",
    "references", "stays_open", "words_of",
]  # fmt: skip


LABELS = {
    "title": "title",
    "participant": "participant",
    "day": "day",
    "time": "start",
    "duration": "length",
    "recipient": "recipient",
    "subject": "subject",
    "body": "text",
    "assignee": "assignee",
    "due_date": "due date",
    "follow_up": "date",
    "owner": "colleague in charge",
    "phone": "phone number",
}
"""The details as the user calls them, by slot."""

_NAMES = {
    "book_meeting": "the new meeting {title}",
    "move_meeting": "{thing}",
    "resize_meeting": "{thing}",
    "send_mail": "the mail {subject}",
    "forward_mail": "the copy of {thing}",
    "answer_mail": "the answer to {thing}",
    "add_task": "the new task {thing}",
    "reassign_task": "the task {thing}",
    "reschedule_task": "the task {thing}",
    "add_lead": "the new lead {thing}",
    "change_phone": "the customer {thing}",
    "move_follow_up": "the follow-up with the customer {thing}",
}
_ACTS = {
    "book_meeting": "booking {title}",
    "move_meeting": "moving {thing}",
    "resize_meeting": "changing the length of {thing}",
    "send_mail": "sending the mail {subject}",
    "forward_mail": "forwarding {thing}",
    "answer_mail": "answering {thing}",
    "add_task": "adding the task {thing}",
    "reassign_task": "reassigning the task {thing}",
    "reschedule_task": "changing the due date of the task {thing}",
    "add_lead": "adding the lead {thing}",
    "change_phone": "changing the phone number of the customer {thing}",
    "move_follow_up": "moving the follow-up with the customer {thing}",
}


def name_of(request: Request) -> str:
    """Return the name of a request, such as `the task 'Test the mail queue of Heron'`."""
    return _NAMES[request.kind.name].format_map(words_of(request))


def act_of(request: Request) -> str:
    """Return what a request asks to do, such as `answering the latest mail about 'Parking'`."""
    return _ACTS[request.kind.name].format_map(words_of(request))


def words_of(request: Request) -> dict[str, str]:
    """Return the words of a request: what it is about, and its details by slot."""
    row = request.topic.row or {}
    thing = f"'{row['task_name']}'" if "task_name" in row else request.topic.name
    return {"thing": thing, **{s: d.wording for s, d in request.details.items()}}


_VALUES = {
    ("book_meeting", "participant"): "the person whom you invite to {title}",
    ("book_meeting", "day"): "the day of {title}",
    ("move_meeting", "day"): "the new day of {thing}",
    ("forward_mail", "recipient"): "the person to whom you forward {thing}",
    ("send_mail", "recipient"): "the person who gets the mail {subject}",
    ("add_task", "assignee"): "the person who gets the new task {thing}",
    ("add_task", "due_date"): "the due date of the new task {thing}",
    ("reassign_task", "assignee"): "the person who takes over the task {thing}",
    ("reschedule_task", "due_date"): "the new due date of the task {thing}",
    ("add_lead", "owner"): "the colleague in charge of the new lead {thing}",
    ("move_follow_up", "follow_up"): "the new follow-up date of the customer {thing}",
}
_SAME = {  # the slots that can take the value of a slot
    "participant": ("participant", "recipient", "owner"),
    "recipient": ("participant", "recipient", "owner"),
    "owner": ("participant", "recipient", "owner"),
    "assignee": ("participant", "recipient", "owner", "assignee"),
    "day": ("day", "due_date", "follow_up"),
    "due_date": ("day", "due_date", "follow_up"),
    "follow_up": ("day", "due_date", "follow_up"),
}


def references(source: Request, target: Request) -> list[dict[str, Detail]]:
    """Return the ways in which a request can refer to another one.

    Args:
        source: The request with the value.
        target: The request that refers to it.

    Returns:
        For each way, the details of the target that it replaces.
    """
    ways = []
    for (kind, slot), form in _VALUES.items():
        if kind == source.kind.name:
            wording = form.format_map(words_of(source))
            ways += [
                {target_slot: Detail(target_slot, source.details[slot].value, wording)}
                for target_slot in _SAME[slot]
                if target_slot in target.details
            ]
    return [*ways, *_after(source, target)]


def _after(source: Request, target: Request) -> list[dict[str, Detail]]:
    """Return the way to book a meeting at the end of another one whose length has changed."""
    row = source.topic.row
    if source.kind.name != "resize_meeting" or target.kind.name != "book_meeting" or not row:
        return []
    start = datetime.fromisoformat(row["event_start"])
    end = start + timedelta(minutes=int(source.details["duration"].value))
    if end.hour >= SHUTS - 1:
        return []
    name = source.topic.name
    day = Detail("day", f"{end:%Y-%m-%d}", f"the same day as {name}")
    return [{"day": day, "time": Detail("time", f"{end:%H:%M:%S}", f"the new end of {name}")}]


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
    name, row = request.kind.name, request.topic.row or {}
    return name in _TABLES and (name not in _CHANGED or bool(row[_CHANGED[name]]))


def can_be_corrected(request: Request) -> bool:
    """Return whether a request has a detail that can be corrected."""
    return bool(_correctable(request))


def _correctable(request: Request) -> list[str]:
    """Return the slots of the details, without texts and details that name the request."""
    fixed = (*_NAMING.get(request.kind.name, ()), "body")
    return [slot for slot in request.details if slot not in fixed]


def correct(draft: CompanyDraft, request: Request) -> Amendment:
    """Draw a correction of one detail of a request that `can_be_corrected`."""
    slot = draft.choice(_correctable(request))
    old = new = request.details[slot]
    while new.value == old.value:
        new = draw_detail(draft, slot)
    if slot in request.kind.people:
        draft.address(new.wording)
    words = {
        "name": name_of(request),
        "label": LABELS[slot],
        "old": old.wording,
        "new": new.wording,
    }
    text = draft.choice(_CORRECTIONS).format_map(words)
    return Amendment(text[:1].upper() + text[1:], {**request.details, slot: new}, slot)


def cancel(draft: CompanyDraft, request: Request, is_done: bool) -> Amendment:
    """Draw a cancellation.

    Args:
        draft: The draft.
        request: The request.
        is_done: Whether it has been carried out.
    """
    text = draft.choice(_CANCELLATIONS).format(act=act_of(request))
    return Amendment(f"{text} {draft.choice(_UNDO)}" if is_done else text, None)


def make_up(draft: CompanyDraft, request: Request, amendment: Amendment, id: str) -> None:
    """Add the call that corrects or undoes a request which was carried out.

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
        value = (request.topic.row or {})[str(column)]
    else:
        column = column or _FIELDS[amendment.slot]
        values = {slot: detail.value for slot, detail in amendment.details.items()}
        moved = column == "event_start"
        value = f"{values['day']} {values['time']}" if moved else values[amendment.slot]
    update = f"{toolkit}_update_{row}"
    draft.write(update, **{f"{row}_id": id, "field": str(column), "new_value": value})
