"""Office requests whose details can be left out or replaced.

- `details`: what a request is about, and what can be left out of it, such as the day of a meeting
- `kinds`: the kinds of requests, with their wordings and the calls that carry them out
- `questions`: what a model may ask about the details
"""

from textgym.envs.office.requests.details import Detail, draw_detail
from textgym.envs.office.requests.kinds import KINDS, Kind, Request, draw_request, unknown_request
from textgym.envs.office.requests.questions import OFFICE_SLOTS, without_quotes

__all__ = [
    "KINDS",
    "OFFICE_SLOTS",
    "Detail",
    "Kind",
    "Request",
    "draw_detail",
    "draw_request",
    "unknown_request",
    "without_quotes",
]
