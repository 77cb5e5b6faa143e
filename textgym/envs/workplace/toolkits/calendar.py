"""The calendar: the meetings of the user."""

from __future__ import annotations

import re
from datetime import datetime
from typing import Any

from textgym.envs.workplace.toolkits.office import Desk, Text, page_of
from textgym.tools import tool
from textgym.verifiers.state import Row, read_instant

__all__ = ["CalendarTools"]

_ID = re.compile(r"\d{8}")
_NO_ID = "Invalid event ID format. Expected 8-digit ID."
_READABLE = ("event_id", "event_name", "participant_email", "event_start", "duration")
_WRITABLE = _READABLE[1:]
_SEARCHED = ("event_name", "participant_email")


class CalendarTools(Desk):
    """Reading, searching and changing meetings."""

    @tool
    def calendar_get_event_information_by_id(
        self, event_id: Text = "", field: Text = ""
    ) -> str | dict[str, str | None]:
        """Read one field of an event.

        Args:
            event_id: The event's id, 8 digits.
            field: 'event_id', 'event_name', 'participant_email', 'event_start' or 'duration'.
        """
        if not event_id:
            return "Event ID not provided."
        if not field:
            return "Field not provided."
        if not _ID.fullmatch(event_id):
            return _NO_ID
        if field not in _READABLE:
            return f"Invalid field. Available fields are: {', '.join(_READABLE)}"
        row = self.table("calendar_events").get(event_id)
        return "Event not found." if row is None else {field: row[field]}

    @tool
    def calendar_search_events(
        self,
        query: Text = "",
        time_min: Text = "",
        time_max: Text = "",
        page: int = 1,
        page_size: int = 5,
    ) -> str | dict[str, Any]:
        """Search events; the latest are first.

        Args:
            query: Part of the event's name or of the participant's address, in any case.
            time_min: The earliest start, as YYYY-MM-DD HH:MM:SS.
            time_max: The latest start, as YYYY-MM-DD HH:MM:SS.
            page: Which page of the results to return, from 1.
            page_size: How many events a page has.
        """
        first, last = read_instant(time_min), read_instant(time_max)
        for name, text, instant in (("min", time_min, first), ("max", time_max, last)):
            if text and instant is None:
                return f"Invalid time_{name} format. Expected YYYY-MM-DD HH:MM:SS."
        found = [
            row
            for row in self.table("calendar_events").containing({_SEARCHED: [query]})
            if (first is None or _start(row) >= first) and (last is None or _start(row) <= last)
        ]
        found.sort(key=_start, reverse=True)
        return page_of("events", found, page, page_size) if found else "No events found."

    @tool
    def calendar_create_event(
        self,
        event_name: Text = "",
        participant_email: Text = "",
        event_start: Text = "",
        duration: Text = "",
    ) -> str:
        """Create an event, and return its id.

        Args:
            event_name: The event's name.
            participant_email: The address of the participant.
            event_start: When it starts, as YYYY-MM-DD HH:MM:SS.
            duration: How many minutes it lasts.
        """
        row: Row = {
            "event_name": event_name,
            "participant_email": participant_email.lower(),
            "event_start": event_start,
            "duration": duration,
        }
        for value, name in zip(
            row.values(), ("name", "participant", "start", "duration"), strict=True
        ):
            if not value:
                what = "Participant email" if name == "participant" else f"Event {name}"
                return f"{what} not provided."
        problem = _problem("event_start", event_start) or _problem("duration", duration)
        return problem or self.table("calendar_events").add(row)

    @tool
    def calendar_delete_event(self, event_id: Text = "") -> str:
        """Delete an event.

        Args:
            event_id: The event's id, 8 digits.
        """
        if not event_id:
            return "Event ID not provided."
        if not _ID.fullmatch(event_id):
            return _NO_ID
        deleted = self.table("calendar_events").delete(event_id)
        return "Event deleted successfully." if deleted else "Event not found."

    @tool
    def calendar_update_event(
        self, event_id: Text = "", field: Text = "", new_value: Text = ""
    ) -> str:
        """Change one field of an event.

        Args:
            event_id: The event's id, 8 digits.
            field: 'event_name', 'participant_email', 'event_start' or 'duration'.
            new_value: What the field is to hold.
        """
        if not event_id or not field or not new_value:
            return "Event ID, field, or new value not provided."
        if not _ID.fullmatch(event_id):
            return _NO_ID
        if field not in _WRITABLE:
            return f"Invalid field. Available fields are: {', '.join(_WRITABLE)}"
        if problem := _problem(field, new_value):
            return problem
        value = new_value.lower() if field == "participant_email" else new_value
        updated = self.table("calendar_events").update(event_id, field, value)
        return "Event updated successfully." if updated else "Event not found."


def _start(row: Row) -> datetime:
    return read_instant(row["event_start"] or "") or datetime.min


def _problem(field: str, value: str) -> str:
    """Say what is wrong with the value of a field, or return an empty text."""
    if field == "event_start" and read_instant(value) is None:
        return "Invalid event_start format. Expected YYYY-MM-DD HH:MM:SS."
    if field == "duration":
        try:
            minutes = int(value)
        except ValueError:
            return "Invalid duration format. Expected a number of minutes."
        if minutes <= 0:
            return "Duration must be a positive number of minutes."
    return ""
