"""Task templates for generated companies, in five domains and across domains.

Invariants: the output of the tools determines a task's reference; tasks that change nothing are
tagged; the same generator state gives the same task.
"""

from __future__ import annotations

import random
from functools import cache
from typing import Any

from textgym.envs.generation import choice
from textgym.envs.workplace.templates import (  # noqa: F401
    across,
    across_five,
    analytics,
    calendar,
    customers,
    email,
    projects,
)
from textgym.envs.workplace.templates.draft import Call, Draft, Unfit
from textgym.envs.workplace.templates.template import TEMPLATES, Template
from textgym.envs.workplace.world import Company

__all__ = ["LEVELS", "TEMPLATES", "Template", "attempt", "draw"]

LEVELS = (1, 2, 3, 4, 5)
NO_OP_SHARE = 0.5
MAX_TRIES = 50


def draw(rng: random.Random, level: int, company: Company, call: Call) -> dict[str, Any]:
    """Draw a task of a level, with equal probabilities for its templates.

    Args:
        rng: The random generator.
        level: One of `LEVELS`.
        company: The company of the task.
        call: Calls a tool by name on the company's databases. It is used only for look-ups.

    Returns:
        A row with `query`, `now`, `ground_truth` (the calls that make changes), `look_ups` (the
        calls that find out what to change), `template`, `domains` and `category`; and `no_op` if
        nothing must be changed.
    """
    while True:
        template = choice(rng, _at_level(level))
        for _ in range(MAX_TRIES):  # a template may not fit the company
            row = attempt(template, rng, company, call)
            if row is not None:
                return row


def attempt(
    template: Template, rng: random.Random, company: Company, call: Call
) -> dict[str, Any] | None:
    """Draw a task of a template; None if the drawn values do not make an unambiguous task."""
    draft = Draft(rng, company, call)
    try:
        slots = template.plan(draft)
    except Unfit:
        return None
    if not draft.writes and not (template.may_do_nothing and rng.random() < NO_OP_SHARE):
        return None
    domains = template.domains
    row = {
        "query": choice(rng, template.phrasings).format(**slots),
        "now": f"{company.now:%Y-%m-%d %H:%M:%S}",
        "ground_truth": draft.writes,
        "look_ups": draft.look_ups,
        "template": template.name,
        "domains": list(domains),
        "category": f"workplace_assistant_{domains[0] if len(domains) == 1 else 'multi_domain'}",
    }
    return row if draft.writes else {**row, "no_op": True}


@cache
def _at_level(level: int) -> tuple[Template, ...]:
    return tuple(template for template in TEMPLATES.values() if template.level == level)
