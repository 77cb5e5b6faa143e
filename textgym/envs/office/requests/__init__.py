"""Office requests whose details can be left out or replaced.

- `details`: what a request is about, what can be left out of it, such as the day of a meeting, and
  what a model may ask about it
- `first_rung`: the request of level 0
- `kinds`: the kinds of requests, with their wordings and the calls that carry them out
"""

from textgym.envs.office.requests.details import OFFICE_SLOTS, Detail, draw_detail, without_quotes
from textgym.envs.office.requests.first_rung import (
    FIRST_TOOLS,
    FirstMail,
    draw_first_mail,
)
from textgym.envs.office.requests.kinds import KINDS, Kind, Request, draw_request, unknown_request

__all__ = [
    "FIRST_TOOLS", "KINDS", "OFFICE_SLOTS", "Detail", "FirstMail", "Kind", "Request", "draw_detail",
    "draw_first_mail", "draw_request", "unknown_request", "without_quotes",
]  # fmt: skip
