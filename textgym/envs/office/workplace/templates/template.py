"""Templates: their type, the decorator that registers them, and drawing a task.

Invariants: all phrasings of a template have the same slots; the plan draws slots and reference
together.
"""

from __future__ import annotations

import random
import string
from collections.abc import Callable
from functools import cache
from typing import Any, NamedTuple

from textgym.envs.generation import Unfit, choice
from textgym.envs.office.company.company_draft import CompanyDraft, ToolCaller
from textgym.envs.office.company.world import Company
from textgym.envs.office.requests import FIRST_TOOLS, draw_first_mail

__all__ = [
    "ANALYTICS", "CALENDAR", "CUSTOMERS", "EMAIL", "LEVELS", "PROJECTS", "TEMPLATES", "Plan",
    "Template", "attempt", "draw", "template",
]  # fmt: skip

LEVELS = (1, 2, 3, 4, 5)
NO_OP_SHARE = 0.5
MAX_TRIES = 50
EMAIL = "email"
CALENDAR = "calendar"
ANALYTICS = "analytics"
PROJECTS = "project_management"
CUSTOMERS = "customer_relationship_manager"

Plan = Callable[[CompanyDraft], dict[str, str]]
"""Adds a task's look-ups and writes to a draft, and returns the values of the slots."""


class Template(NamedTuple):
    """A kind of task.

    Attributes:
        name: The name.
        level: The level of difficulty.
        domains: The domains of its tools.
        phrasings: The wordings of the request, with slots.
        plan: Draws a task.
        may_do_nothing: Whether some of its tasks change nothing.
    """

    name: str
    level: int
    domains: tuple[str, ...]
    phrasings: tuple[str, ...]
    plan: Plan
    may_do_nothing: bool = False


TEMPLATES: dict[str, Template] = {}
"""All templates by name."""


def template(
    level: int, domains: str | tuple[str, ...], *phrasings: str, may_do_nothing: bool = False
) -> Callable[[Plan], Plan]:
    """Register a plan as a template. Its name is the function's without the leading underscore."""

    def add(plan: Plan) -> Plan:
        name = plan.__name__.lstrip("_")
        slots = {tuple(sorted({*_slots(phrasing)})) for phrasing in phrasings}
        if len(slots) != 1 or name in TEMPLATES:
            raise ValueError(
                f"template {name!r} is defined twice, or its phrasings differ in slots"
            )
        about = (domains,) if isinstance(domains, str) else domains
        TEMPLATES[name] = Template(name, level, about, phrasings, plan, may_do_nothing)
        return plan

    return add


def _slots(phrasing: str) -> list[str]:
    return [name for _, name, _, _ in string.Formatter().parse(phrasing) if name]


def draw(rng: random.Random, level: int, company: Company, call: ToolCaller) -> dict[str, Any]:
    """Draw a task of a level, with equal probabilities for its templates.

    Args:
        rng: The random generator.
        level: One of `LEVELS`, or 0.
        company: The company of the task.
        call: Calls a tool by name on the company's databases. It is used only for look-ups.

    Returns:
        A row with `query`, `now`, `ground_truth` (the calls that make changes), `look_ups` (the
        calls that find out what to change), `template`, `domains` and `category`; and `no_op` if
        nothing must be changed. Level 0 has no template, and offers few `tools`.
    """
    if level == 0:
        return _first_row(rng, company)
    while True:
        template = choice(rng, _at_level(level))
        for _ in range(MAX_TRIES):  # a template may not fit the company
            row = attempt(template, rng, company, call)
            if row is not None:
                return row


def _first_row(rng: random.Random, company: Company) -> dict[str, Any]:
    """Draw a row of level 0."""
    mail = draw_first_mail(rng)
    return {
        "query": mail.request(),
        "now": f"{company.now:%Y-%m-%d %H:%M:%S}",
        "ground_truth": [mail.call],
        "look_ups": [],
        "tools": [*FIRST_TOOLS],
        "domains": [EMAIL],
        "category": f"workplace_assistant_{EMAIL}",
    }


def attempt(
    template: Template, rng: random.Random, company: Company, call: ToolCaller
) -> dict[str, Any] | None:
    """Draw a task of a template; None if the drawn values do not make an unambiguous task."""
    draft = CompanyDraft(rng, company, call)
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
