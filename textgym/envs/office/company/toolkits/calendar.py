"""The calendar: the user's meetings."""

from __future__ import annotations

import re
from datetime import datetime
from typing import Any

from textgym.envs.office.tool_arguments import (
    Text,
    Toolkit,
    check_address,
    not_found,
    one_of,
    page_of,
    require,
)
from textgym.errors import ToolError
from textgym.tools import tool
from textgym.verifiers.state import Row, read_instant

__all__ = ["CalendarTools"]

_ID = re.compile(r"\d{8}")
_READABLE = ("event_id", "event_name", "participant_email", "event_start", "duration")
_WRITABLE = _READABLE[1:]
_SEARCHED = ("event_name", "participant_email")


class CalendarTools(Toolkit):
    """Reads, searches and changes meetings."""

    @tool
    def calendar_get_event_information_by_id(
        self, event_id: Text = "", field: Text = ""
    ) -> dict[str, str | None]:
        """Read one field of an event.

        Args:
            event_id: The event's id, 8 digits.
            field: 'event_id', 'event_name', 'participant_email', 'event_start' or 'duration'.
        """
        require(event_id=event_id, field=field)
        _check_id(event_id)
        one_of("field", field, _READABLE)
        return {field: self._row("calendar_events", "event", event_id)[field]}

    @tool
    def calendar_search_events(
        self,
        query: Text = "",
        time_min: Text = "",
        time_max: Text = "",
        page: int = 1,
        page_size: int = 5,
    ) -> str | dict[str, Any]:
        """Search events, latest first.

        Args:
            query: A part of the event's name or of the participant's address, in upper or lower
                case.
            time_min: The earliest start, as YYYY-MM-DD HH:MM:SS.
            time_max: The latest start, as YYYY-MM-DD HH:MM:SS.
            page: The page of results to return, from 1.
            page_size: The number of events on a page.
        """
        first = _time("time_min", time_min) if time_min else None
        last = _time("time_max", time_max) if time_max else None
        rows = [
            row
            for row in self.table("calendar_events").containing({_SEARCHED: [query]})
            if (first is None or _start(row) >= first) and (last is None or _start(row) <= last)
        ]
        rows.sort(key=_start, reverse=True)
        return page_of("events", rows, page, page_size) if rows else "No event matches."

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
        require(
            event_name=event_name,
            participant_email=participant_email,
            event_start=event_start,
            duration=duration,
        )
        for field in ("participant_email", "event_start", "duration"):
            _check(field, row[field] or "")
        return self.table("calendar_events").add(row)

    @tool
    def calendar_delete_event(self, event_id: Text = "") -> str:
        """Delete an event.

        Args:
            event_id: The event's id, 8 digits.
        """
        require(event_id=event_id)
        _check_id(event_id)
        return self._delete("calendar_events", "event", event_id)

    @tool
    def calendar_update_event(
        self, event_id: Text = "", field: Text = "", new_value: Text = ""
    ) -> str:
        """Change one field of an event.

        Args:
            event_id: The event's id, 8 digits.
            field: 'event_name', 'participant_email', 'event_start' or 'duration'.
            new_value: The new value of the field.
        """
        require(event_id=event_id, field=field, new_value=new_value)
        _check_id(event_id)
        one_of("field", field, _WRITABLE)
        _check(field, new_value)
        value = new_value.lower() if field == "participant_email" else new_value
        if not self.table("calendar_events").update(event_id, field, value):
            raise not_found("event", event_id)
        return "The event was changed."


def _start(row: Row) -> datetime:
    return read_instant(row["event_start"] or "") or datetime.min


def _check_id(id: str) -> None:
    if not _ID.fullmatch(id):
        raise ToolError(f"an event_id has 8 digits, unlike {id[:100]!r}")


def _time(name: str, text: str) -> datetime:
    instant = read_instant(text)
    if instant is None:
        raise ToolError(f"{name} must be a time such as 2023-11-30 09:30:00, not {text[:100]!r}")
    return instant


def _check(field: str, value: str) -> None:
    """Check a value that is to be written to a field."""
    if field == "participant_email":
        check_address(field, value)
    elif field == "event_start":
        _time(field, value)
    elif field == "duration" and _minutes(value) <= 0:
        raise ToolError(f"duration must be a whole number of minutes over 0, not {value[:100]!r}")


def _minutes(text: str) -> int:
    try:
        return int(text)
    except ValueError:
        return 0
