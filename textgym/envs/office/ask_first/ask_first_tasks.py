"""The tasks of `AskFirst`: drawing rows, and reading them.

Invariants: two requests of a task have no details of the same sort, such as two people, and are not
both about a mail, so that a question belongs to one of them; the kinds of requests do not reveal
whether something is missing.
"""

from __future__ import annotations

import random
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from textgym.envs.generation import choice, redrawn, sample
from textgym.envs.office.company.company_draft import CompanyDraft, ToolCaller
from textgym.envs.office.company.reference import (
    SHORT_OPENING,
    company_calls,
    company_tools,
    opening,
    read_clock,
)
from textgym.envs.office.company.world import Company
from textgym.envs.office.reference import OfficeTask, read_query, read_world
from textgym.envs.office.requests import (
    FIRST_TOOLS,
    KINDS,
    OFFICE_SLOTS,
    Kind,
    Request,
    draw_first_mail,
    draw_request,
    unknown_request,
)
from textgym.envs.office.requests.details import DATES, MAILS, PEOPLE
from textgym.errors import RowError, did_you_mean

__all__ = ["LEVELS", "AskFirstTask", "draw", "read_task"]


LEVELS = (1, 2, 3)
COMPLETE, IMPOSSIBLE = 0.4, 0.1  # the shares of the tasks; something is missing in the others
MISSING = {1: (1,), 2: (1, 2), 3: (1, 2)}  # how many details may be missing, by level
REQUESTS = {1: 1, 2: 1, 3: 2}
OPENINGS = ("", "", "Good morning!", "Hello!", "Hi there.", "Something for you to do:")
JOINTS = ("And one more thing.", "Besides that:", "Here is the second thing.", "That is not all.")


def draw(rng: random.Random, level: int, company: Company, call: ToolCaller) -> dict[str, Any]:
    """Draw a task of a level.

    Args:
        rng: The random generator.
        level: The level.
        company: The company of the task.
        call: Calls a tool by name on the company's databases. It is used only for look-ups.

    Returns:
        A row with `query`, `now`, `facts` (what the user knows, by slot), `missing` (the slots that
        the query leaves out), `possible`, `ground_truth` and `look_ups`.
    """
    if level == 0:
        return _first_row(rng, company)
    share = rng.random()
    possible = share >= IMPOSSIBLE
    missing = choice(rng, MISSING[level]) if share >= IMPOSSIBLE + COMPLETE else 0
    kinds = _kinds(rng, REQUESTS[level])
    return _row(rng, company, call, kinds, missing, possible)


def _first_row(rng: random.Random, company: Company) -> dict[str, Any]:
    """Draw a row of level 0, which tells the model to ask for the one detail that is missing."""
    mail = draw_first_mail(rng)
    return {
        "query": f"{mail.request(recipient=False)} Ask me for the recipient.",
        "now": f"{company.now:%Y-%m-%d %H:%M:%S}",
        "facts": mail._asdict(),
        "missing": ["recipient"],
        "possible": True,
        "ground_truth": [mail.call],
        "look_ups": [],
        "tools": [*FIRST_TOOLS],
    }


def _kinds(rng: random.Random, n: int) -> list[Kind]:
    """Draw kinds whose details are all of different sorts."""
    while True:
        kinds = sample(rng, KINDS.values(), n)
        sorts = [sort for kind in kinds for sort in {_sort_of(slot) for slot in kind.slots}]
        if len(sorts) == len(set(sorts)) and sum(kind.topic in MAILS for kind in kinds) < 2:
            return kinds


def _sort_of(slot: str) -> str:
    """Return the sort of a slot's values, which "who?" or "when?" may ask for."""
    return "person" if slot in PEOPLE else "date" if slot in DATES else slot


@redrawn
def _row(
    rng: random.Random,
    company: Company,
    call: ToolCaller,
    kinds: list[Kind],
    missing: int,
    possible: bool,
) -> dict[str, Any]:
    draft = CompanyDraft(rng, company, call)
    requests = [(draw_request if possible else unknown_request)(draft, kind) for kind in kinds]
    slots = [slot for request in requests for slot in request.details]
    left_out = sorted(sample(rng, slots, min(missing, len(slots))), key=slots.index)
    if possible:
        for request in requests:
            request.write(draft)
    facts: dict[str, str] = {}
    for request in requests:
        facts |= {slot: detail.wording for slot, detail in request.details.items()}
        if request.kind.topic in MAILS:
            facts["mail"] = request.topic.name
    return {
        "query": _query(rng, requests, left_out),
        "now": f"{draft.company.now:%Y-%m-%d %H:%M:%S}",
        "facts": facts,
        "missing": left_out,
        "possible": possible,
        "ground_truth": draft.writes,
        "look_ups": draft.look_ups,
        "kinds": [kind.name for kind in kinds],
    }


def _query(rng: random.Random, requests: list[Request], left_out: list[str]) -> str:
    first, *others = [request.text(left_out) for request in requests]
    parts = [choice(rng, OPENINGS), first]
    for text in others:
        parts += [choice(rng, JOINTS), text]
    return " ".join(filter(None, parts))


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
_SHORT_OPENING = f"""\
{SHORT_OPENING} If a detail is missing, ask the user for it before you change anything."""


@dataclass(frozen=True, slots=True)
class AskFirstTask(OfficeTask):
    """A task of `AskFirst`.

    Attributes:
        facts: What the user knows, by the names of slots.
        missing: The slots that the request leaves out, and that the model has to ask for.
        possible: Whether the request can be carried out.
    """

    facts: tuple[tuple[str, str], ...] = ()
    missing: tuple[str, ...] = ()
    possible: bool = True


def read_task(row: Mapping[str, Any]) -> AskFirstTask:
    """Read a row.

    Raises:
        RowError: A field is missing or not valid.
    """
    query, world, possible = read_query(row), read_world(row), row.get("possible", True)
    if type(possible) is not bool:
        raise RowError("possible", f"must be true or false, not {possible!r:.100}")
    clock, facts, tools = read_clock(row), _facts(row), company_tools(row)
    answer = company_calls(row, "ground_truth", optional=not possible)
    if not possible and answer:
        raise RowError("ground_truth", "must be empty, because the request is not possible")
    return AskFirstTask(
        row["id"],
        opening(_OPENING if tools is None else _SHORT_OPENING, clock, query),
        answer,
        tools,
        row,
        world=world,
        clock=clock,
        look_ups=tuple(company_calls(row, "look_ups", optional=True)),
        facts=tuple(facts.items()),
        missing=_missing(row, facts),
        possible=possible,
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
            raise RowError("missing", f"has {slot!r:.100}, which is not one of the facts")
    return tuple(missing)
