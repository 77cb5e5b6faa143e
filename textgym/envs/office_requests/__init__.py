"""Requests in an office of `textgym.envs.workplace`, whose details can be left out or replaced.

- `details`: what can be left out of a request, such as the day of a meeting
- `kinds`: the kinds of requests, with their wordings and the calls that carry them out
- `quotes`: texts without the quotations of what the user said
- `request`: drawing a request
- `slots`: how users are asked for the details
"""

from textgym.envs.office_requests.details import Detail, draw_detail
from textgym.envs.office_requests.kinds import KINDS, Kind
from textgym.envs.office_requests.quotes import without_quotes
from textgym.envs.office_requests.request import Request, draw_request, unknown_request
from textgym.envs.office_requests.slots import OFFICE_SLOTS

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
