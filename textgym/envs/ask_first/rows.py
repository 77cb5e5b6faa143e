"""Reading the rows of `AskFirst`."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from textgym.envs.office_requests import OFFICE_SLOTS
from textgym.envs.reference_calls import Call
from textgym.envs.workplace.rows import calls_of, clock_of
from textgym.envs.workplace.vocabulary import WEEKDAYS
from textgym.errors import RowError, did_you_mean
from textgym.messages import system, user
from textgym.tasks.task import Task

__all__ = ["AskFirstTask", "read_task"]

_OPENING = """\
You are an assistant in an office. You have tools for e-mail, the calendar, the analytics of the \
company's site, project management and customers. Do what the user asks, and then say in a \
sentence what you did. It is {day}, {clock}.

Never make up a detail. A new meeting needs a title, a participant, a day, a time and a length; an \
e-mail needs a recipient, a subject and a text; a new task needs an assignee and a due date; a new \
lead needs a colleague in charge and a phone number. If a detail is missing, ask the user for it \
before you change anything. Ask for nothing that the user has said or that the tools can tell. If \
a request cannot be carried out, because something or somebody in it does not exist, say that it \
cannot be done, and change nothing."""


@dataclass(frozen=True, slots=True)
class AskFirstTask(Task):
    """A task whose answer is a list of calls, each with a tool's name and arguments.

    Attributes:
        clock: The time of the request.
        world: The seed of the company.
        facts: What the user knows, by the names of slots.
        missing: The slots of which the request says nothing, and which have to be asked for.
        possible: Whether the request can be carried out.
        look_ups: Calls that find the information for the answer. They are not graded.
    """

    clock: str = ""
    world: int = 0
    facts: tuple[tuple[str, str], ...] = ()
    missing: tuple[str, ...] = ()
    possible: bool = True
    look_ups: tuple[Call, ...] = ()


def read_task(row: Mapping[str, Any]) -> AskFirstTask:
    """Read a row.

    Raises:
        RowError: A field is missing or not valid.
    """
    query, world, possible = row.get("query"), row.get("world"), row.get("possible", True)
    if not isinstance(query, str) or not query.strip():
        raise RowError("query", "is missing or empty")
    if type(world) is not int:
        raise RowError("world", f"must be an integer, not {world!r:.100}")
    if type(possible) is not bool:
        raise RowError("possible", f"must be true or false, not {possible!r:.100}")
    clock, facts = clock_of(row), _facts(row)
    answer = calls_of(row, "ground_truth") if possible or "ground_truth" in row else []
    if not possible and answer:
        raise RowError("ground_truth", "must be empty, because the request is not possible")
    day = WEEKDAYS[datetime.fromisoformat(clock).weekday()]
    return AskFirstTask(
        row["id"],
        (system(_OPENING.format(day=day, clock=clock)), user(query)),
        answer,
        None,
        row,
        clock,
        world,
        tuple(facts.items()),
        _missing(row, facts),
        possible,
        tuple(calls_of(row, "look_ups")) if "look_ups" in row else (),
    )


def _facts(row: Mapping[str, Any]) -> dict[str, str]:
    facts = row.get("facts", {})
    if not isinstance(facts, Mapping):
        raise RowError("facts", f"must be an object, not {facts!r:.100}")
    for slot, value in facts.items():
        if slot not in OFFICE_SLOTS:
            hint = did_you_mean(str(slot), OFFICE_SLOTS)
            raise RowError("facts", f"has an unknown slot {slot!r:.100}{hint}")
        if not isinstance(value, str) or not value.strip():
            raise RowError(f"facts.{slot}", f"must be a text that is not empty, not {value!r:.100}")
    return dict(facts)


def _missing(row: Mapping[str, Any], facts: Mapping[str, str]) -> tuple[str, ...]:
    missing = row.get("missing", [])
    if not isinstance(missing, (list, tuple)):
        raise RowError("missing", f"must be a list of slots, not {missing!r:.100}")
    for slot in missing:
        if slot not in facts:
            raise RowError("missing", f"has {slot!r:.100}, of which the facts say nothing")
    return tuple(missing)
