"""Task templates for generated companies, in five domains and across domains.

Invariants: the output of the tools determines a task's reference; tasks that change nothing are
tagged; the same generator state gives the same task.
"""

from textgym.envs.office.workplace.templates import (  # noqa: F401
    across,
    across_five,
    analytics,
    calendar,
    customers,
    email,
    projects,
)
from textgym.envs.office.workplace.templates.template import (
    LEVELS,
    TEMPLATES,
    Template,
    attempt,
    draw,
)

__all__ = ["LEVELS", "TEMPLATES", "Template", "attempt", "draw"]
