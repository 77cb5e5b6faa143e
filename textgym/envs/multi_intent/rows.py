"""Reading the rows of `MultiIntent`."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Any, NamedTuple

from textgym.envs.reference_calls import Call
from textgym.envs.workplace.rows import calls_of, clock_of
from textgym.envs.workplace.vocabulary import WEEKDAYS
from textgym.errors import RowError
from textgym.messages import system, user
from textgym.tasks.task import Task

__all__ = ["Intent", "MultiIntentTask", "Turn", "read_task"]

_OPENING = """\
You are an assistant in an office. You have tools for e-mail, the calendar, the analytics of the \
company's site, project management and customers. Do all that the user asks, and then say in a \
sentence what you did; the user may then go on. Carry out each message before you answer it. What \
the user corrects or takes back holds from then on: what is done already must be changed or \
undone, so that everything is as it should be. Change nothing else. It is {day}, {clock}."""


class Turn(NamedTuple):
    """What the user says at once.

    Attributes:
        text: The text.
        calls: The calls that carry it out, after those of the earlier turns.
        look_ups: Calls that find the information for them. They are not graded.
    """

    text: str
    calls: tuple[Call, ...]
    look_ups: tuple[Call, ...]


class Intent(NamedTuple):
    """One request, as it stands at the end.

    Attributes:
        calls: The calls that carry it out; none if it was cancelled.
        undone: The calls whose changes must not stand, because the request was cancelled.
    """

    calls: tuple[Call, ...]
    undone: tuple[Call, ...]


@dataclass(frozen=True, slots=True)
class MultiIntentTask(Task):
    """A task whose answer is a list of intents.

    Attributes:
        clock: The time of the requests.
        world: The seed of the company.
        turns: What the user says, and the calls that carry it out.
    """

    clock: str = ""
    world: int = 0
    turns: tuple[Turn, ...] = ()


def read_task(row: Mapping[str, Any]) -> MultiIntentTask:
    """Read a row.

    Raises:
        RowError: A field is missing or not valid.
    """
    world, clock = row.get("world"), clock_of(row)
    if type(world) is not int:
        raise RowError("world", f"must be an integer, not {world!r:.100}")
    turns = [_turn(item, f"turns.{place}") for place, item in enumerate(_list(row, "turns"))]
    intents = [
        Intent(
            _calls(item, f"intents.{place}", "calls"), _calls(item, f"intents.{place}", "undone")
        )
        for place, item in enumerate(_list(row, "intents"))
    ]
    day = WEEKDAYS[datetime.fromisoformat(clock).weekday()]
    prompt = (system(_OPENING.format(day=day, clock=clock)), user(turns[0].text))
    return MultiIntentTask(row["id"], prompt, intents, None, row, clock, world, tuple(turns))


def _list(row: Mapping[str, Any], field: str) -> list[Any]:
    given = row.get(field)
    if not isinstance(given, list) or not given:
        raise RowError(field, f"must be a list that is not empty, not {given!r:.100}")
    return given


def _turn(item: Any, field: str) -> Turn:
    text = item.get("text") if isinstance(item, Mapping) else None
    if not isinstance(text, str) or not text.strip():
        raise RowError(f"{field}.text", f"must be a text that is not empty, not {text!r:.100}")
    return Turn(text, _calls(item, field, "calls"), _calls(item, field, "look_ups"))


def _calls(item: Any, field: str, name: str) -> tuple[Call, ...]:
    """Return calls of a part of a row; none if they are missing."""
    if not isinstance(item, Mapping):
        raise RowError(field, f"must be an object, not {item!r:.100}")
    if name not in item:
        return ()
    try:
        return tuple(calls_of(item, name))
    except RowError as error:
        raise RowError(f"{field}.{error.field}", error.problem) from None
