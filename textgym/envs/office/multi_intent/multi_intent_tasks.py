"""The tasks of `MultiIntent`: drawing rows, and reading them.

Invariants:

- No two requests concern the same row or mails of one thread, so each has changes of its own, and
  no reply changes which mail another request means.
- A value that another request refers to is certain by then: it is not amended later.
- The calls of a message change the databases from what they are after the earlier messages.
"""

from __future__ import annotations

import random
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Any, NamedTuple

from textgym.envs.generation import choice, randint, redrawn, sample
from textgym.envs.office.company.company_draft import CompanyDraft, ToolCaller
from textgym.envs.office.company.database import Database
from textgym.envs.office.company.reference import (
    SHORT_OPENING,
    CompanyRun,
    company_calls,
    company_tools,
    opening,
    read_clock,
)
from textgym.envs.office.company.world import Company
from textgym.envs.office.multi_intent.amendments import (
    Amendment,
    can_be_corrected,
    cancel,
    correct,
    make_up,
    references,
    stays_open,
)
from textgym.envs.office.reference import Call, OfficeTask, read_world
from textgym.envs.office.requests import (
    FIRST_TOOLS,
    KINDS,
    Detail,
    Request,
    draw_first_mail,
    draw_request,
)
from textgym.errors import RowError

__all__ = ["LEVELS", "Intent", "MultiIntentTask", "Turn", "draw", "read_task"]

LEVELS = (1, 2, 3, 4, 5)


class Shape(NamedTuple):
    """The sizes of the tasks of a level, each with its lowest and highest number.

    Attributes:
        requests: How many requests there are.
        messages: How many messages make them.
        amendments: How many requests are corrected or cancelled.
        references: How many requests take a value from another one.
    """

    requests: tuple[int, int]
    messages: tuple[int, int]
    amendments: tuple[int, int]
    references: tuple[int, int]


SHAPES = {
    1: Shape((2, 2), (1, 1), (0, 0), (0, 0)),
    2: Shape((3, 3), (1, 1), (0, 1), (0, 1)),
    3: Shape((3, 4), (2, 2), (1, 1), (0, 1)),
    4: Shape((4, 5), (2, 3), (1, 2), (1, 1)),
    5: Shape((5, 6), (3, 3), (2, 3), (1, 2)),
}
CANCELLED = 0.4  # of the amendments
Details = Mapping[str, Detail]

OPENINGS = ("", "", "Good morning!", "Hello!", "I have a few things for you today.", "Hi there.")
LATER = ("Thank you.", "Great.", "All right.", "Good, thanks.", "Perfect.", "Thanks, next:")
JOINTS = ("Then this:", "Next:", "Also:", "After that:", "Besides that:", "")


@dataclass
class RequestPlan:
    """A request, and what becomes of it.

    Attributes:
        request: The request.
        made_in: The number of the message that makes it.
        look_ups: The calls that find out what to change.
        amendment: What the user corrects or cancels; None for nothing.
        amended_in: The number of the message that amends it.
        more_look_ups: The calls that find out what the amendment needs.
        is_referred_to: Whether another request takes a value from it.
        refers: Whether it takes a value from another request.
        id: The id of the row that was created or changed.
    """

    request: Request
    made_in: int
    look_ups: list[dict[str, Any]]
    amendment: Amendment | None = None
    amended_in: int = -1
    more_look_ups: list[dict[str, Any]] = field(default_factory=list)
    is_referred_to: bool = False
    refers: bool = False
    id: str = ""

    def details_after(self, message: int) -> Details | None:
        """Return the details that hold after a message; None if the request is cancelled."""
        if self.amendment is not None and self.amended_in <= message:
            return self.amendment.details
        return self.request.details


def draw(rng: random.Random, level: int, company: Company, database: Database) -> dict[str, Any]:
    """Draw a task of a level.

    Args:
        rng: The random generator.
        level: One of `LEVELS`, or 0.
        company: The company of the task.
        database: Its databases. They are not modified.

    Returns:
        A row with `now`, `turns` (each with `text`, and its `look_ups` and `calls`)
        and `intents` (each with its `calls`, and with those that are `undone`).
    """
    return _row(rng, SHAPES[level], company, database) if level else _first_row(rng, company)


def _first_row(rng: random.Random, company: Company) -> dict[str, Any]:
    """Draw a row of level 0, with one request."""
    mail = draw_first_mail(rng)
    return {
        "now": f"{company.now:%Y-%m-%d %H:%M:%S}",
        "turns": [{"text": mail.request(), "look_ups": [], "calls": [mail.call]}],
        "intents": [{"calls": [mail.call], "undone": []}],
        "tools": [*FIRST_TOOLS],
    }


@redrawn
def _row(rng: random.Random, shape: Shape, company: Company, database: Database) -> dict[str, Any]:
    run = CompanyRun(database, str(company.now))
    draft = CompanyDraft(rng, company, run.call)
    n_messages = randint(rng, *shape.messages)
    plans = _plans(draft, randint(rng, *shape.requests), n_messages)
    for _ in range(randint(rng, *shape.references)):
        _refer(draft, plans)
    for _ in range(randint(rng, *shape.amendments)):
        _amend(draft, plans, n_messages)
    draft.need(any(plan.details_after(n_messages) for plan in plans))
    return {
        "now": f"{company.now:%Y-%m-%d %H:%M:%S}",
        "turns": [_turn(draft, plans, place, run.call) for place in range(n_messages)],
        "intents": [_outcome(draft, plan, n_messages) for plan in plans],
    }


def _plans(draft: CompanyDraft, n: int, n_messages: int) -> list[RequestPlan]:
    """Draw requests of different kinds about different rows, in the order of their messages."""
    later = [randint(draft.rng, 0, n_messages - 1) for _ in range(n - n_messages)]
    plans = []
    for kind, made in zip(
        sample(draft.rng, KINDS.values(), n), sorted([*range(n_messages), *later]), strict=True
    ):
        start = len(draft.look_ups)
        request = draw_request(draft, kind)
        plans.append(RequestPlan(request, made, draft.look_ups[start:]))
    rows = [plan.request.topic.row for plan in plans if plan.request.topic.row]
    subjects = [row.get("subject", row) for row in rows]
    draft.need(all(subject not in subjects[:place] for place, subject in enumerate(subjects)))
    return plans


def _refer(draft: CompanyDraft, plans: list[RequestPlan]) -> None:
    """Let a request take a value from an earlier one."""
    ways = [
        (source, target, details)
        for place, target in enumerate(plans)
        if not target.is_referred_to and not target.refers
        for source in plans[:place]
        if not source.refers
        for details in references(source.request, target.request)
    ]
    source, target, details = draft.choice(ways)
    source.is_referred_to = target.refers = True
    replaced = [target.request.details[slot].wording for slot in details]
    target.look_ups = [
        call for call in target.look_ups if call["arguments"].get("name") not in replaced
    ]
    target.request = replace(target.request, details={**target.request.details, **details})


def _amend(draft: CompanyDraft, plans: list[RequestPlan], n_messages: int) -> None:
    """Let the user correct or cancel a request, in the same message or in a later one."""
    plan, amended = draft.choice(
        [
            (plan, place)
            for plan in plans
            if not (plan.amendment or plan.is_referred_to or plan.refers)
            for place in range(plan.made_in, n_messages)
            if place == plan.made_in or stays_open(plan.request)
        ]
    )
    plan.amended_in = amended
    if draft.rng.random() < CANCELLED or not can_be_corrected(plan.request):
        plan.amendment = cancel(draft, plan.request, amended > plan.made_in)
    else:
        start = len(draft.look_ups)
        plan.amendment = correct(draft, plan.request)
        plan.more_look_ups = draft.look_ups[start:]


def _turn(
    draft: CompanyDraft, plans: list[RequestPlan], place: int, run: ToolCaller
) -> dict[str, Any]:
    """Return what the user says in a message, with the calls that it needs."""
    made = [plan for plan in plans if plan.made_in == place]
    amended = [plan for plan in plans if plan.amended_in == place]
    look_ups = [call for plan in made for call in plan.look_ups]
    look_ups += [call for plan in amended for call in plan.more_look_ups]
    start = len(draft.writes)
    for plan in made:
        details = plan.details_after(place)
        if details is not None:
            plan.id = _carry_out(draft, plan.request, details, run)
    for plan in amended:
        if plan.made_in < place and plan.amendment is not None:
            make_up(draft, plan.request, plan.amendment, plan.id)
            _make(draft.writes[-1], run)
    return {
        "text": _text(draft.rng, made, amended, place),
        "look_ups": look_ups,
        "calls": draft.writes[start:],
    }


def _carry_out(draft: CompanyDraft, request: Request, details: Details, run: ToolCaller) -> str:
    """Add the call of a request, make it, and return the id of the row that it concerns."""
    request.write(draft, details)
    call = draft.writes[-1]
    result = _make(call, run)
    ids = [value for name, value in call["arguments"].items() if name.endswith("_id")]
    return ids[0] if ids else str(result)


def _make(call: dict[str, Any], run: ToolCaller) -> Any:
    return run(call["name"], **call["arguments"])


def _text(
    rng: random.Random, made: list[RequestPlan], amended: list[RequestPlan], place: int
) -> str:
    """Return a message: corrections of earlier ones, requests, and corrections of these."""
    parts = [choice(rng, LATER if place else OPENINGS)]
    parts += [plan.amendment.text for plan in amended if plan.amendment and plan.made_in < place]
    for number, plan in enumerate(made):
        parts += [choice(rng, JOINTS) if number else "", plan.request.text()]
    parts += [plan.amendment.text for plan in amended if plan.amendment and plan.made_in == place]
    return " ".join(filter(None, parts))


def _outcome(draft: CompanyDraft, plan: RequestPlan, n_messages: int) -> dict[str, Any]:
    """Return the calls of a request at the end, and the calls of a cancelled one."""
    details = plan.details_after(n_messages)
    cancelled = details is None
    start = len(draft.writes)
    plan.request.write(draft, details)
    calls = draft.writes[start:]
    del draft.writes[start:]
    return {"calls": [] if cancelled else calls, "undone": calls if cancelled else []}


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
        calls: The calls that carry it out, after the calls of the earlier turns.
        look_ups: Calls that find the information for them. They are not graded.
    """

    text: str
    calls: tuple[Call, ...]
    look_ups: tuple[Call, ...]


class Intent(NamedTuple):
    """One request at the end of the conversation.

    Attributes:
        calls: The calls that carry it out; empty if it was cancelled.
        undone: The calls whose changes must not be in place, because the request was cancelled.
    """

    calls: tuple[Call, ...]
    undone: tuple[Call, ...]


@dataclass(frozen=True, slots=True)
class MultiIntentTask(OfficeTask):
    """A task whose answer is a list of intents.

    Attributes:
        turns: What the user says, and the calls that carry it out.
    """

    turns: tuple[Turn, ...] = ()


def read_task(row: Mapping[str, Any]) -> MultiIntentTask:
    """Read a row.

    Raises:
        RowError: A field is missing or not valid.
    """
    world, clock, tools = read_world(row), read_clock(row), company_tools(row)
    turns = [_read_turn(entry, f"turns.{place}") for place, entry in enumerate(_list(row, "turns"))]
    intents = [
        Intent(
            _read_calls(entry, f"intents.{place}", "calls"),
            _read_calls(entry, f"intents.{place}", "undone"),
        )
        for place, entry in enumerate(_list(row, "intents"))
    ]
    return MultiIntentTask(
        row["id"],
        opening(_OPENING if tools is None else SHORT_OPENING, clock, turns[0].text),
        intents,
        tools,
        row,
        world=world,
        clock=clock,
        turns=tuple(turns),
    )


def _list(row: Mapping[str, Any], field: str) -> list[Any]:
    entries = row.get(field)
    if not isinstance(entries, list) or not entries:
        raise RowError(field, f"must be a list that is not empty, not {entries!r:.100}")
    return entries


def _read_turn(entry: Any, field: str) -> Turn:
    text = entry.get("text") if isinstance(entry, Mapping) else None
    if not isinstance(text, str) or not text.strip():
        raise RowError(f"{field}.text", f"must be a text that is not empty, not {text!r:.100}")
    return Turn(text, _read_calls(entry, field, "calls"), _read_calls(entry, field, "look_ups"))


def _read_calls(entry: Any, field: str, name: str) -> tuple[Call, ...]:
    """Return the calls in a field of a part of a row; empty if the field is missing."""
    if not isinstance(entry, Mapping):
        raise RowError(field, f"must be an object, not {entry!r:.100}")
    try:
        return tuple(company_calls(entry, name, optional=True))
    except RowError as error:
        raise RowError(f"{field}.{error.field}", error.problem) from None
