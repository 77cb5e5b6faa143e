"""Calendars: a day's events as JSON in a model's text, checked against each event's constraints.

Invariants: a calendar is read as strict JSON. An entry that cannot be read is a wrong event, not an
exception. Reading takes linear time.
"""

from __future__ import annotations

import json
import re
from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

from textgym.verifiers.json_reader import last_json

__all__ = [
    "CalendarVerdict", "Event", "EventConstraints", "check_calendar", "event_constraints",
    "events_of", "last_calendar", "read_minutes", "read_time",
]  # fmt: skip

_DAY = 24 * 60
_TIME = re.compile(
    r"(?P<hour>\d{1,2})(?:\s*[:：]\s*(?P<minute>\d{1,2})(?:\s*[:：]\s*00(?:\.0+)?)?)?"
    r"\s*(?:(?P<half>[ap])\.?\s?m\b\.?)?",
    re.IGNORECASE,
)
_MINUTES = re.compile(r"(\d{1,6}(?:\.\d{1,6})?)\s*(?:min(?:ute)?s?\b\.?)?", re.IGNORECASE)
_CONSTRAINT = re.compile(r"(at|before|by|after|between)\s+(.+?)", re.IGNORECASE)
_AND = re.compile(r"(?<!\s)\s+and\s+", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class EventConstraints:
    """The constraints of one event. Times are in minutes after midnight.

    Attributes:
        duration: The event's length in minutes.
        min_time: The start of the window in which the event must lie.
        max_time: The end of the window.
        start_from: The earliest start.
        start_by: The latest start.
        end_by: The latest end.
    """

    duration: float
    min_time: int
    max_time: int
    start_from: int = 0
    start_by: int = _DAY
    end_by: int = _DAY


@dataclass(frozen=True, slots=True)
class Event:
    """An entry of a calendar.

    Attributes:
        id: The event's id as text; "" if it has none.
        start: The start in minutes after midnight; None if it cannot be read.
        duration: The length in minutes; None if it cannot be read.
    """

    id: str
    start: int | None
    duration: float | None


@dataclass(frozen=True, slots=True)
class CalendarVerdict:
    """How well a calendar satisfies the constraints.

    `duration`, `window`, `constraint` and `no_overlap` are shares of the required events. `ids` and
    `events` are shares of all events that are required or in the calendar.

    Attributes:
        correct: Whether every event is right, and no event is missing or superfluous.
        answered: Whether there is a calendar or, if no event is required, any text.
        ids: The share of events that are required and in the calendar exactly once.
        duration: The share of events with the right duration.
        window: The share of events within their window.
        constraint: The share of events that satisfy their constraint.
        no_overlap: The share of events that do not overlap another event.
        events: The share of events that satisfy all of these.
    """

    correct: bool = False
    answered: bool = False
    ids: float = 0.0
    duration: float = 0.0
    window: float = 0.0
    constraint: float = 0.0
    no_overlap: float = 0.0
    events: float = 0.0


def read_time(text: Any) -> int | None:
    """Return a time of day in minutes after midnight; None if the value is not a time.

    A time has hours and minutes on the 24-hour clock, or hours and `am`, `pm`, `a.m.` or `p.m.`.
    Seconds must be zero.

    Example:
        >>> read_time("13:30"), read_time(" 1:30 p.m."), read_time("10am"), read_time("10:00:00")
        (810, 810, 600, 600)
        >>> read_time("10"), read_time("noon"), read_time("10:75"), read_time("13pm")
        (None, None, None, None)
    """
    match = _TIME.fullmatch(text.strip()) if isinstance(text, str) else None
    if match is None or not (match["minute"] or match["half"]):
        return None
    hour, minute = int(match["hour"]), int(match["minute"] or 0)
    if minute > 59:
        return None
    if match["half"]:
        is_pm = match["half"].lower() == "p"
        if hour > 12 or (is_pm and hour == 0):
            return None
        hour = hour % 12 + 12 * is_pm
    time = 60 * hour + minute
    return time if time <= _DAY else None


def read_minutes(value: Any) -> float | None:
    """Return a duration in minutes; None if the value is not a duration.

    A duration is a number, or a text with a number and optionally `min` or `minutes`. Durations in
    hours are not accepted.

    Example:
        >>> read_minutes(60), read_minutes("60"), read_minutes("60 minutes"), read_minutes("1 hour")
        (60, 60.0, 60.0, None)
    """
    if isinstance(value, str):
        match = _MINUTES.fullmatch(value.strip())
        return float(match[1]) if match else None
    return value if type(value) in (int, float) else None


@lru_cache(maxsize=4096)
def event_constraints(
    duration: float, min_time: int, max_time: int, constraint: str | None = None
) -> EventConstraints | None:
    """Return the constraints of an event; None if the constraint in words cannot be read.

    Args:
        duration: The event's length in minutes.
        min_time: The start of the window, in minutes after midnight.
        max_time: The end of the window.
        constraint: `at 2pm` (the event starts then), `before 2pm` or `by 2pm` (it ends then or
            earlier), `after 2pm` (it starts then or later), `between 2pm and 4pm` (it starts and
            ends between the two), or None.

    Example:
        >>> between = event_constraints(60, 600, 960, "between 2pm and 15:30")
        >>> between.start_from, between.start_by, between.end_by
        (840, 1440, 930)
        >>> event_constraints(60, 600, 960, "soon") is None
        True
    """
    if constraint is None or not constraint.strip():
        return EventConstraints(duration, min_time, max_time)
    match = _CONSTRAINT.fullmatch(constraint.strip())
    word, rest = (match[1].lower(), match[2]) if match else ("", "")
    times = [read_time(time) for time in (_AND.split(rest) if word == "between" else [rest])]
    if len(times) != 1 + (word == "between") or None in times:
        return None
    first: Any = times[0]
    last: Any = times[-1]
    return EventConstraints(
        duration,
        min_time,
        max_time,
        start_from=first if word in ("at", "after", "between") else 0,
        start_by=first if word == "at" else _DAY,
        end_by=last if word in ("before", "by", "between") else _DAY,
    )


def last_calendar(text: str) -> list[dict[str, Any]] | None:
    """Return the last JSON list of objects with event ids in a text; None if there is none.

    Example:
        >>> last_calendar('Was: [{"event_id": 0}]. Now: {"events": [{"event_id": 1}], "n": [1]}')
        [{'event_id': 1}]
    """
    calendar: list[dict[str, Any]] | None = last_json(text, _is_calendar)
    return calendar


def _is_calendar(value: Any) -> bool:
    return (
        isinstance(value, list)
        and all(isinstance(entry, dict) for entry in value)
        and any("event_id" in entry for entry in value)
    )


def events_of(calendar: list[dict[str, Any]]) -> list[Event]:
    """Return the entries of a calendar as events. Identical entries are one event.

    Example:
        >>> events_of([{"event_id": 0, "start_time": "2pm", "duration": 30}, {"event_id": "a"}])
        [Event(id='0', start=840, duration=30), Event(id='a', start=None, duration=None)]
    """
    entries = {json.dumps(entry, sort_keys=True): entry for entry in calendar}
    return [
        Event(
            _event_id(entry),
            read_time(entry.get("start_time")),
            read_minutes(entry.get("duration")),
        )
        for entry in entries.values()
    ]


def check_calendar(constraints: Mapping[str, EventConstraints], text: str) -> CalendarVerdict:
    """Compare the last calendar in a text with the constraints of its events.

    Names and order do not matter, and identical entries count once. An event may begin when another
    ends. An event of length zero overlaps an event that contains it. If no event is required, any
    text without events is right.

    Args:
        constraints: The constraints of each required event, by the event's id as text.
        text: The model's text, without its reasoning.

    Example:
        >>> text = '[{"event_id": 0, "start_time": "10am", "duration": 60}]'
        >>> check_calendar({"0": EventConstraints(60, 600, 960)}, text).correct
        True
        >>> late = check_calendar({"0": EventConstraints(60, 600, 960, start_from=840)}, text)
        >>> late.correct, late.duration, late.constraint
        (False, 1.0, 0.0)
    """
    calendar = last_calendar(text)
    if calendar is None and (constraints or not text.strip()):
        return CalendarVerdict()
    events = events_of(calendar or [])
    count = Counter(event.id for event in events)
    unique = {event.id: event for event in events if count[event.id] == 1}
    checks = [
        _check(unique[key], required, events)
        for key, required in constraints.items()
        if key in unique
    ]
    duration, window, constraint, no_overlap = (sum(check[i] for check in checks) for i in range(4))
    right = sum(map(all, checks))
    required = len(constraints)
    all_events = required + len(events) - len(checks)
    return CalendarVerdict(
        correct=right == all_events,
        answered=True,
        ids=_share(len(checks), all_events),
        duration=_share(duration, required),
        window=_share(window, required),
        constraint=_share(constraint, required),
        no_overlap=_share(no_overlap, required),
        events=_share(right, all_events),
    )


def _share(part: int, whole: int) -> float:
    return part / whole if whole else 1.0


def _event_id(entry: dict[str, Any]) -> str:
    value = entry.get("event_id")
    return str(value) if type(value) in (str, int, float) else ""


def _check(
    event: Event, constraints: EventConstraints, events: list[Event]
) -> tuple[bool, bool, bool, bool]:
    """Return whether an event satisfies its duration, window and constraint, and overlaps none."""
    if event.start is None or event.duration is None:
        return event.duration == constraints.duration, False, False, False
    start, end = event.start, event.start + event.duration
    return (
        event.duration == constraints.duration,
        constraints.min_time <= start and end <= constraints.max_time,
        constraints.start_from <= start <= constraints.start_by and end <= constraints.end_by,
        not any(_overlap(event, other) for other in events if other is not event),
    )


def _overlap(a: Event, b: Event) -> bool:
    if a.start is None or a.duration is None or b.start is None or b.duration is None:
        return False
    return a.start < b.start + b.duration and b.start < a.start + a.duration
