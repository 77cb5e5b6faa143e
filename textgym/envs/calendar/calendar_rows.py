"""Reading calendar rows in the formats of textgym, with the user's turns, and of NeMo Gym."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from textgym.errors import RowError
from textgym.tasks.task import Task
from textgym.verifiers.calendar import EventConstraints, event_constraints, read_time

__all__ = ["CalendarTask", "Turn", "turns_of", "wish_of", "wishes_of"]


@dataclass(frozen=True, slots=True)
class Turn:
    """One turn of the user.

    Attributes:
        user: The user's message.
        wishes: The requested events after this turn, by id.
    """

    user: str
    wishes: Mapping[str, EventConstraints]


@dataclass(frozen=True, slots=True)
class CalendarTask(Task):
    """A task whose answer is the requested events at the end of the dialogue.

    Attributes:
        turns: The user's turns. The first message, or NeMo Gym's only one, is in the prompt.
        names: The names of the events, by id.
    """

    turns: tuple[Turn, ...] = ()
    names: Mapping[str, str] = field(default_factory=dict)


def wish_of(event: Any, min_time: int, max_time: int, place: str = "event") -> EventConstraints:
    """Return the requirements of an event.

    Args:
        event: The event's object in a row, with `duration` and optionally `constraint`.
        min_time: The start of the day, in minutes after midnight.
        max_time: The end of the day, in minutes after midnight.
        place: The name of the event's field, for errors.

    Raises:
        RowError: The duration is not a number of 0 or more, or the constraint is not valid.

    Example:
        >>> wish_of({"duration": 45, "constraint": "at 2pm"}, 600, 960).start_by
        840
    """
    if not isinstance(event, Mapping):
        raise RowError(place, f"must be an object, not {type(event).__name__}")
    duration: Any = event.get("duration")
    constraint = event.get("constraint")
    if type(duration) not in (int, float) or not 0 <= duration < math.inf:
        raise RowError(f"{place}.duration", f"must be a number of minutes, not {duration!r}")
    wish = None
    if constraint is None or isinstance(constraint, str):
        wish = event_constraints(duration, min_time, max_time, constraint)
    if wish is None:
        known = "at, before, by or after a time, or between two, such as 'between 1pm and 14:30'"
        raise RowError(f"{place}.constraint", f"is {constraint!r}; it must be {known}")
    return wish


def wishes_of(row: Mapping[str, Any]) -> tuple[dict[str, EventConstraints], dict[str, str]]:
    """Return the requested events and their names, by id, of a NeMo Gym row's `exp_cal_state`.

    Raises:
        RowError: It is missing or not valid.

    Example:
        >>> event = {"duration": 30, "constraint": None, "min_time": "10:00", "max_time": "4pm"}
        >>> wishes, names = wishes_of({"exp_cal_state": {"0": event}})
        >>> wishes["0"].duration, wishes["0"].min_time, wishes["0"].max_time, names
        (30, 600, 960, {})
    """
    state = row.get("exp_cal_state")
    if not isinstance(state, Mapping):
        raise RowError("exp_cal_state", "must be an object with the events by id")
    wishes, names = {}, {}
    for id, event in state.items():
        place = f"exp_cal_state.{id}"
        if not isinstance(event, Mapping):
            raise RowError(place, f"must be an object, not {type(event).__name__}")
        window = _window(event, f"{place}.")
        wishes[id] = wish_of(event, *window, place)
        if _is_text(event.get("event_name")):
            names[id] = event["event_name"]
    return wishes, names


def turns_of(row: Mapping[str, Any]) -> tuple[tuple[Turn, ...], dict[str, str]]:
    """Return the user's turns of a row in textgym's format, and the events' names by id.

    Raises:
        RowError: A turn is missing or not valid.

    Example:
        >>> row = {"min_time": "10:00", "max_time": "16:00", "turns": [
        ...     {"user": "Add tea.", "events": {"0": {"event_name": "Tea", "duration": 30}}},
        ...     {"user": "No tea after all.", "events": {"0": None}}]}
        >>> turns, names = turns_of(row)
        >>> [list(turn.wishes) for turn in turns], names
        ([['0'], []], {'0': 'Tea'})
    """
    listed = row.get("turns")
    if not isinstance(listed, list) or not listed:
        raise RowError("turns", "must be a list of one or more turns")
    window = _window(row, "")
    events: dict[str, Any] = {}
    names: dict[str, str] = {}
    turns = []
    for index, turn in enumerate(listed):
        place = f"turns.{index}"
        if not isinstance(turn, Mapping) or not _is_text(turn.get("user")):
            raise RowError(f"{place}.user", "is missing or empty")
        changes = turn.get("events", {})
        if not isinstance(changes, Mapping):
            raise RowError(f"{place}.events", "must be an object with the events by id")
        window = _window(turn, f"{place}.", window)
        for id, event in changes.items():
            if event is None and id not in events:
                raise RowError(f"{place}.events.{id}", "is null, but there is no such event")
            events[id] = event
            if isinstance(event, Mapping) and _is_text(event.get("event_name")):
                names[id] = event["event_name"]
        events = {id: event for id, event in events.items() if event is not None}
        wishes = {
            id: wish_of(event, *window, f"{place}.events.{id}") for id, event in events.items()
        }
        turns.append(Turn(turn["user"], wishes))
    return tuple(turns), names


def _window(
    row: Mapping[str, Any], place: str, known: tuple[int, int] | None = None
) -> tuple[int, int]:
    """Return the start and end of the day. Fields missing in the row keep their known values."""
    times = []
    for index, name in enumerate(("min_time", "max_time")):
        time = read_time(row.get(name))
        if name not in row and known:
            time = known[index]
        if time is None:
            problem = f"must be a time such as '10:00' or '4pm', not {row.get(name)!r}"
            raise RowError(f"{place}{name}", problem)
        times.append(time)
    if times[0] > times[1]:
        raise RowError(f"{place}max_time", "is before min_time")
    return times[0], times[1]


def _is_text(value: Any) -> bool:
    return isinstance(value, str) and bool(value.strip())
