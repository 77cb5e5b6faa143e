"""Drawing a task: one or two requests, and what is left out of them or cannot be done.

Invariants: two requests of a task have no detail of the same sort, such as two people, and are not
both about a mail, so that a question belongs to one of them; the kinds of requests do not tell
whether something is missing.
"""

from __future__ import annotations

import random
from typing import Any

from textgym.envs.drawing import choice, sample
from textgym.envs.office_requests import KINDS, Kind, Request, draw_request, unknown_request
from textgym.envs.office_requests.details import DATES, PEOPLE
from textgym.envs.office_requests.things import MAILS
from textgym.envs.workplace.templates.draft import Call, Draft, Unfit
from textgym.envs.workplace.world import Company

__all__ = ["LEVELS", "draw"]

LEVELS = (1, 2, 3)
COMPLETE, IMPOSSIBLE = 0.4, 0.1  # the shares of the tasks; something is missing in the others
MISSING = {1: (1,), 2: (1, 2), 3: (1, 2)}  # how many details may be missing, by level
REQUESTS = {1: 1, 2: 1, 3: 2}
OPENINGS = ("", "", "Good morning!", "Hello!", "Hi there.", "Something for you to do:")
JOINTS = ("And one more thing.", "Besides that:", "Here is the second thing.", "That is not all.")


def draw(rng: random.Random, level: int, company: Company, call: Call) -> dict[str, Any]:
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
    share = rng.random()
    possible = share >= IMPOSSIBLE
    missing = choice(rng, MISSING[level]) if share >= IMPOSSIBLE + COMPLETE else 0
    kinds = _kinds(rng, REQUESTS[level])
    while True:
        draft = Draft(rng, company, call)
        try:
            return _attempt(draft, kinds, missing, possible)
        except Unfit:
            continue


def _kinds(rng: random.Random, n: int) -> list[Kind]:
    """Draw kinds of which no two have a detail of the same sort."""
    while True:
        kinds = sample(rng, KINDS.values(), n)
        sorts = [sort for kind in kinds for sort in {_sort_of(slot) for slot in kind.slots}]
        if len(sorts) == len(set(sorts)) and sum(kind.thing in MAILS for kind in kinds) < 2:
            return kinds


def _sort_of(slot: str) -> str:
    """Return what a question such as "who?" or "when?" may be about, besides the slot."""
    return "person" if slot in PEOPLE else "date" if slot in DATES else slot


def _attempt(draft: Draft, kinds: list[Kind], missing: int, possible: bool) -> dict[str, Any]:
    rng = draft.rng
    requests = [(draw_request if possible else unknown_request)(draft, kind) for kind in kinds]
    slots = [slot for request in requests for slot in request.details]
    left_out = sorted(sample(rng, slots, min(missing, len(slots))), key=slots.index)
    if possible:
        for request in requests:
            request.write(draft)
    facts: dict[str, str] = {}
    for request in requests:
        facts |= {slot: item.said for slot, item in request.details.items()}
        if request.kind.thing in MAILS:
            facts["mail"] = request.found.said
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
