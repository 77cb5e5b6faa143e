"""How a user speaks of a request that was made before: by its name, or by what it asks to do."""

from __future__ import annotations

from textgym.envs.office_requests import Request

__all__ = ["LABELS", "act_of", "name_of", "words_of"]

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
    row = request.found.row or {}
    thing = f"'{row['task_name']}'" if "task_name" in row else request.found.said
    return {"thing": thing, **{s: d.said for s, d in request.details.items()}}
