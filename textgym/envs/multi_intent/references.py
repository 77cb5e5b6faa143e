"""References: values of a request that are those of another one, and are told by it alone."""

from __future__ import annotations

from datetime import datetime, timedelta

from textgym.envs.multi_intent.mentions import words_of
from textgym.envs.office_requests import Detail, Request
from textgym.envs.workplace.world import SHUTS

__all__ = ["references"]

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
            said = form.format_map(words_of(source))
            ways += [
                {other: Detail(other, source.details[slot].value, said)}
                for other in _SAME[slot]
                if other in target.details
            ]
    return [*ways, *_after(source, target)]


def _after(source: Request, target: Request) -> list[dict[str, Detail]]:
    """Return the way to book a meeting at the end of another one whose length has changed."""
    row = source.found.row
    if source.kind.name != "resize_meeting" or target.kind.name != "book_meeting" or not row:
        return []
    start = datetime.fromisoformat(row["event_start"])
    end = start + timedelta(minutes=int(source.details["duration"].value))
    if end.hour >= SHUTS - 1:
        return []
    said = source.found.said
    day = Detail("day", f"{end:%Y-%m-%d}", f"the same day as {said}")
    return [{"day": day, "time": Detail("time", f"{end:%H:%M:%S}", f"the new end of {said}")}]
