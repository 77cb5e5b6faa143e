"""What a template is, and the decorator that makes one.

Invariants: a template's phrasings name the same slots; its plan draws the slots and the
reference together.
"""

from __future__ import annotations

import string
from collections.abc import Callable
from typing import NamedTuple

from textgym.envs.workplace.templates.draft import Draft

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
"""Makes a task's look-ups and writes in a draft, and returns the slots of the phrasings."""


class Template(NamedTuple):
    """A kind of task.

    Attributes:
        name: Its name.
        level: How hard it is.
        domains: The domains that it is about.
        phrasings: The ways to ask for it.
        plan: Draws a task.
        may_do_nothing: Whether some of its tasks have no effect.
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
    """Make a plan a template, named as its function is, without the underscore before it."""

    def add(plan: Plan) -> Plan:
        name = plan.__name__.lstrip("_")
        slots = {tuple(sorted({*_slots(phrasing)})) for phrasing in phrasings}
        if len(slots) != 1 or name in TEMPLATES:
            raise ValueError(f"template {name!r} stands twice, or its phrasings differ in slots")
        about = (domains,) if isinstance(domains, str) else domains
        TEMPLATES[name] = Template(name, level, about, phrasings, plan, may_do_nothing)
        return plan

    return add


def _slots(phrasing: str) -> list[str]:
    return [name for _, name, _, _ in string.Formatter().parse(phrasing) if name]
