"""A day's calendar in a model's text, compared with what is wanted of each event.

What always holds: a calendar is read strictly, as JSON; what cannot be read in it is a wrong event
and no exception; the time taken grows with the text's length alone.
"""

from __future__ import annotations

import json
import re
from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

from textgym.verifiers.extract import last_json

__all__ = [
    "Event", "Verdict", "Wanted", "events_of", "last_calendar", "read_minutes", "read_time",
    "verify", "wanted_event",
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
class Wanted:
    """What is wanted of one event; times are minutes after midnight.

    Attributes:
        duration: How many minutes it takes.
        min_time: When the window begins.
        max_time: When it ends.
        start_from: The constraint's earliest start.
        start_by: Its latest start.
        end_by: Its latest end.
    """

    duration: float
    min_time: int
    max_time: int
    start_from: int = 0
    start_by: int = _DAY
    end_by: int = _DAY


@dataclass(frozen=True, slots=True)
class Event:
    """One entry of a calendar.

    Attributes:
        id: Its id as text; "" where it has none.
        start: Its start in minutes after midnight; None where there is none to be read.
        duration: Its minutes; None where there are none to be read.
    """

    id: str
    start: int | None
    duration: float | None


@dataclass(frozen=True, slots=True)
class Verdict:
    """How far a calendar is what is wanted; the shares are of the wanted events.

    Attributes:
        correct: Whether all of it is.
        answered: Whether there is a calendar; where no event is wanted, whether there is any text.
        ids: How many ids stand there once, of those that are wanted or stand there.
        duration: The share with the right duration.
        window: The share that lies within the window.
        constraint: The share that keeps its constraint.
        no_overlap: The share that overlaps no other event.
        events: How many events are right in all of these, of those that are wanted or stand there.
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
    """Return a time of day in minutes after midnight; None for what is none.

    It is written on the 24-hour clock, with hours and minutes, or with am or pm, also as `a.m.`;
    seconds may follow where they are zero.

    Example:
        >>> read_time("13:30"), read_time(" 1:30 p.m."), read_time("10am"), read_time("10:00:00")
        (810, 810, 600, 600)
        >>> read_time("10"), read_time("noon"), read_time("10:75"), read_time("13pm")
        (None, None, None, None)
    """
    found = _TIME.fullmatch(text.strip()) if isinstance(text, str) else None
    if found is None or not (found["minute"] or found["half"]):
        return None
    hour, minute = int(found["hour"]), int(found["minute"] or 0)
    if minute > 59:
        return None
    if found["half"]:
        is_pm = found["half"].lower() == "p"
        if hour > 12 or (is_pm and hour == 0):
            return None
        hour = hour % 12 + 12 * is_pm
    time = 60 * hour + minute
    return time if time <= _DAY else None


def read_minutes(value: Any) -> float | None:
    """Return a duration in minutes; None for what is none.

    That is a number, or a text with a number and perhaps `min` or `minutes`. Hours are not read.

    Example:
        >>> read_minutes(60), read_minutes("60"), read_minutes("60 minutes"), read_minutes("1 hour")
        (60, 60.0, 60.0, None)
    """
    if isinstance(value, str):
        found = _MINUTES.fullmatch(value.strip())
        return float(found[1]) if found else None
    return value if type(value) in (int, float) else None


@lru_cache(maxsize=4096)
def wanted_event(
    duration: float, min_time: int, max_time: int, constraint: str | None = None
) -> Wanted | None:
    """Return what is wanted of an event; None where the constraint cannot be read.

    Args:
        duration: How many minutes it takes.
        min_time: When the window begins, in minutes after midnight.
        max_time: When it ends.
        constraint: `at 2pm` (it starts then), `before 2pm` or `by 2pm` (it ends then or earlier),
            `after 2pm` (it starts then or later), `between 2pm and 4pm`, or none.

    Example:
        >>> wanted_event(60, 600, 960, "between 2pm and 15:30")
        Wanted(duration=60, min_time=600, max_time=960, start_from=840, start_by=1440, end_by=930)
        >>> wanted_event(60, 600, 960, "soon")
    """
    if constraint is None or not constraint.strip():
        return Wanted(duration, min_time, max_time)
    found = _CONSTRAINT.fullmatch(constraint.strip())
    word, given = (found[1].lower(), found[2]) if found else ("", "")
    times = [read_time(time) for time in (_AND.split(given) if word == "between" else [given])]
    if len(times) != 1 + (word == "between") or None in times:
        return None
    first: Any = times[0]
    last: Any = times[-1]
    return Wanted(
        duration,
        min_time,
        max_time,
        start_from=first if word in ("at", "after", "between") else 0,
        start_by=first if word == "at" else _DAY,
        end_by=last if word in ("before", "by", "between") else _DAY,
    )


def last_calendar(text: str) -> list[dict[str, Any]] | None:
    """Return the last JSON list of objects with event ids in a text; None without one.

    Example:
        >>> last_calendar('Was: [{"event_id": 0}]. Now: {"events": [{"event_id": 1}], "n": [1]}')
        [{'event_id': 1}]
    """
    found: list[dict[str, Any]] | None = last_json(text, _is_calendar)
    return found


def _is_calendar(value: Any) -> bool:
    return (
        isinstance(value, list)
        and all(isinstance(item, dict) for item in value)
        and any("event_id" in item for item in value)
    )


def events_of(calendar: list[dict[str, Any]]) -> list[Event]:
    """Return a calendar's entries as events; one that is repeated to the letter counts once.

    Example:
        >>> events_of([{"event_id": 0, "start_time": "2pm", "duration": 30}, {"event_id": "a"}])
        [Event(id='0', start=840, duration=30), Event(id='a', start=None, duration=None)]
    """
    entries = {json.dumps(entry, sort_keys=True): entry for entry in calendar}
    return [
        Event(_id(entry), read_time(entry.get("start_time")), read_minutes(entry.get("duration")))
        for entry in entries.values()
    ]


def verify(wishes: Mapping[str, Wanted], text: str) -> Verdict:
    """Compare the last calendar in a text with what is wanted.

    Events may touch. One of no length overlaps another where it lies inside of it. Names do not
    matter, nor the order; an entry that is repeated to the letter counts once. Where no event is
    wanted, any text without events is right.

    Args:
        wishes: What is wanted, by the events' ids as text.
        text: What the model said.

    Example:
        >>> text = '[{"event_id": 0, "start_time": "10am", "duration": 60}]'
        >>> verify({"0": Wanted(60, 600, 960)}, text).correct
        True
        >>> late = verify({"0": Wanted(60, 600, 960, start_from=840)}, text)
        >>> late.correct, late.duration, late.constraint
        (False, 1.0, 0.0)
    """
    calendar = last_calendar(text)
    if calendar is None and (wishes or not text.strip()):
        return Verdict()
    events = events_of(calendar or [])
    count = Counter(event.id for event in events)
    listed = {event.id: event for event in events if count[event.id] == 1}
    checks = [_check(listed[id], wish, events) for id, wish in wishes.items() if id in listed]
    duration, window, constraint, no_overlap = (sum(check[i] for check in checks) for i in range(4))
    right = sum(map(all, checks))
    number = len(wishes)
    everything = number + len(events) - len(checks)
    return Verdict(
        correct=right == everything,
        answered=True,
        ids=_share(len(checks), everything),
        duration=_share(duration, number),
        window=_share(window, number),
        constraint=_share(constraint, number),
        no_overlap=_share(no_overlap, number),
        events=_share(right, everything),
    )


def _share(part: int, whole: int) -> float:
    return part / whole if whole else 1.0


def _id(entry: dict[str, Any]) -> str:
    value = entry.get("event_id")
    return str(value) if type(value) in (str, int, float) else ""


def _check(event: Event, wish: Wanted, events: list[Event]) -> tuple[bool, bool, bool, bool]:
    """Tell whether the duration, the window, the constraint and the other events are kept."""
    if event.start is None or event.duration is None:
        return event.duration == wish.duration, False, False, False
    start, end = event.start, event.start + event.duration
    return (
        event.duration == wish.duration,
        wish.min_time <= start and end <= wish.max_time,
        wish.start_from <= start <= wish.start_by and end <= wish.end_by,
        not any(_overlap(event, other) for other in events if other is not event),
    )


def _overlap(one: Event, other: Event) -> bool:
    if one.start is None or one.duration is None or other.start is None or other.duration is None:
        return False
    return one.start < other.start + other.duration and other.start < one.start + one.duration
