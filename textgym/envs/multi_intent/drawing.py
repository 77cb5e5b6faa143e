"""Drawing a task: what the user says in each message, and the calls that carry it out.

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

from textgym.envs.drawing import choice, randint, sample
from textgym.envs.multi_intent.amendments import (
    Amendment,
    can_be_corrected,
    cancel,
    correct,
    make_up,
    stays_open,
)
from textgym.envs.multi_intent.references import references
from textgym.envs.office_requests import KINDS, Detail, Request, draw_request
from textgym.envs.workplace.database import Database
from textgym.envs.workplace.reference import ReferenceRun
from textgym.envs.workplace.templates.draft import Call, Draft, Unfit
from textgym.envs.workplace.world import Company

__all__ = ["LEVELS", "draw"]

LEVELS = (1, 2, 3, 4, 5)


class Shape(NamedTuple):
    """The sizes of the tasks of a level, each with its lowest and highest number.

    Attributes:
        requests: How many requests there are.
        messages: How many messages tell them.
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
class Intent:
    """A request, and what becomes of it.

    Attributes:
        request: The request.
        told: The number of the message that tells it.
        look_ups: The calls that find out what to change.
        amendment: What the user corrects or cancels; None for nothing.
        amended: The number of the message that amends it.
        more_look_ups: The calls that find out what the amendment needs.
        is_referred_to: Whether another request takes a value from it.
        refers: Whether it takes a value from another request.
        id: The id of the row that was created or changed.
    """

    request: Request
    told: int
    look_ups: list[dict[str, Any]]
    amendment: Amendment | None = None
    amended: int = -1
    more_look_ups: list[dict[str, Any]] = field(default_factory=list)
    is_referred_to: bool = False
    refers: bool = False
    id: str = ""

    def details_after(self, message: int) -> Details | None:
        """Return the details that hold after a message; None if the request is cancelled."""
        if self.amendment is not None and self.amended <= message:
            return self.amendment.details
        return self.request.details


def draw(rng: random.Random, level: int, company: Company, database: Database) -> dict[str, Any]:
    """Draw a task of a level.

    Args:
        rng: The random generator.
        level: One of `LEVELS`.
        company: The company of the task.
        database: Its databases. They are not modified.

    Returns:
        A row with `now`, `turns` (each with `text`, and its `look_ups` and `calls`)
        and `intents` (each with its `calls`, and with those that are `undone`).
    """
    while True:
        try:
            return _attempt(rng, SHAPES[level], company, database)
        except Unfit:
            continue


def _attempt(
    rng: random.Random, shape: Shape, company: Company, database: Database
) -> dict[str, Any]:
    run = ReferenceRun(database, str(company.now))

    def call(name: str, /, **arguments: Any) -> Any:
        return getattr(run, name)(**arguments)

    draft = Draft(rng, company, call)
    n_messages = randint(rng, *shape.messages)
    intents = _intents(draft, randint(rng, *shape.requests), n_messages)
    for _ in range(randint(rng, *shape.references)):
        _refer(draft, intents)
    for _ in range(randint(rng, *shape.amendments)):
        _amend(draft, intents, n_messages)
    draft.need(any(intent.details_after(n_messages) for intent in intents))
    return {
        "now": f"{company.now:%Y-%m-%d %H:%M:%S}",
        "turns": [_turn(draft, intents, place, call) for place in range(n_messages)],
        "intents": [_outcome(draft, intent, n_messages) for intent in intents],
    }


def _intents(draft: Draft, n: int, n_messages: int) -> list[Intent]:
    """Draw requests of different kinds about different rows, in the order of telling."""
    later = [randint(draft.rng, 0, n_messages - 1) for _ in range(n - n_messages)]
    intents = []
    for kind, told in zip(
        sample(draft.rng, KINDS.values(), n), sorted([*range(n_messages), *later]), strict=True
    ):
        start = len(draft.look_ups)
        request = draw_request(draft, kind)
        intents.append(Intent(request, told, draft.look_ups[start:]))
    rows = [intent.request.found.row for intent in intents if intent.request.found.row]
    things = [row.get("subject", row) for row in rows]
    draft.need(all(thing not in things[:place] for place, thing in enumerate(things)))
    return intents


def _refer(draft: Draft, intents: list[Intent]) -> None:
    """Let a request take a value from an earlier one."""
    ways = [
        (source, target, details)
        for place, target in enumerate(intents)
        if not target.is_referred_to and not target.refers
        for source in intents[:place]
        if not source.refers
        for details in references(source.request, target.request)
    ]
    source, target, details = draft.choice(ways)
    source.is_referred_to = target.refers = True
    replaced = [target.request.details[slot].said for slot in details]
    target.look_ups = [
        call for call in target.look_ups if call["arguments"].get("name") not in replaced
    ]
    target.request = replace(target.request, details={**target.request.details, **details})


def _amend(draft: Draft, intents: list[Intent], n_messages: int) -> None:
    """Let the user correct or cancel a request, in the same message or in a later one."""
    intent, amended = draft.choice(
        [
            (intent, place)
            for intent in intents
            if not (intent.amendment or intent.is_referred_to or intent.refers)
            for place in range(intent.told, n_messages)
            if place == intent.told or stays_open(intent.request)
        ]
    )
    intent.amended = amended
    if draft.rng.random() < CANCELLED or not can_be_corrected(intent.request):
        intent.amendment = cancel(draft, intent.request, amended > intent.told)
    else:
        start = len(draft.look_ups)
        intent.amendment = correct(draft, intent.request)
        intent.more_look_ups = draft.look_ups[start:]


def _turn(draft: Draft, intents: list[Intent], place: int, run: Call) -> dict[str, Any]:
    """Return what the user says in a message, with the calls that it needs."""
    told = [intent for intent in intents if intent.told == place]
    amended = [intent for intent in intents if intent.amended == place]
    look_ups = [call for intent in told for call in intent.look_ups]
    look_ups += [call for intent in amended for call in intent.more_look_ups]
    start = len(draft.writes)
    for intent in told:
        details = intent.details_after(place)
        if details is not None:
            intent.id = _carry_out(draft, intent.request, details, run)
    for intent in amended:
        if intent.told < place and intent.amendment is not None:
            make_up(draft, intent.request, intent.amendment, intent.id)
            _make(draft.writes[-1], run)
    return {
        "text": _text(draft.rng, told, amended, place),
        "look_ups": look_ups,
        "calls": draft.writes[start:],
    }


def _carry_out(draft: Draft, request: Request, details: Details, run: Call) -> str:
    """Add the call of a request, make it, and return the id of the row that it concerns."""
    request.write(draft, details)
    made = draft.writes[-1]
    result = _make(made, run)
    ids = [value for name, value in made["arguments"].items() if name.endswith("_id")]
    return ids[0] if ids else str(result)


def _make(call: dict[str, Any], run: Call) -> Any:
    return run(call["name"], **call["arguments"])


def _text(rng: random.Random, told: list[Intent], amended: list[Intent], place: int) -> str:
    """Return a message: corrections of earlier ones, requests, and corrections of these."""
    parts = [choice(rng, LATER if place else OPENINGS)]
    parts += [_said(intent) for intent in amended if intent.told < place]
    for number, intent in enumerate(told):
        parts += [choice(rng, JOINTS) if number else "", intent.request.text()]
    parts += [_said(intent) for intent in amended if intent.told == place]
    return " ".join(filter(None, parts))


def _said(intent: Intent) -> str:
    return intent.amendment.text if intent.amendment else ""


def _outcome(draft: Draft, intent: Intent, n_messages: int) -> dict[str, Any]:
    """Return the calls with which a request ends up, and those that must not stand."""
    details = intent.details_after(n_messages)
    cancelled = details is None
    start = len(draft.writes)
    intent.request.write(draft, details)
    calls = draft.writes[start:]
    del draft.writes[start:]
    return {"calls": [] if cancelled else calls, "undone": calls if cancelled else []}
