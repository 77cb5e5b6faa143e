"""The template type, and the decorator that registers templates.

Invariants: all phrasings of a template have the same slots; the plan draws slots and reference
together.
"""

from __future__ import annotations

import string
from collections.abc import Callable
from typing import NamedTuple

from textgym.envs.office.company.company_draft import Draft

__all__ = [
    "ANALYTICS",
    "CALENDAR",
    "CUSTOMERS",
    "EMAIL",
    "PROJECTS",
    "TEMPLATES",
    "Plan",
    "Template",
    "template",
]

EMAIL = "email"
CALENDAR = "calendar"
ANALYTICS = "analytics"
PROJECTS = "project_management"
CUSTOMERS = "customer_relationship_manager"

Plan = Callable[[Draft], dict[str, str]]
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
