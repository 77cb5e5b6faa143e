"""The kinds of steps that a request consists of, each with a condition that may come true.

Invariants: a kind draws what its request says in the same way whether or not the condition is to
come true, so that nothing in the request reveals it; the alternative is possible in both cases.
"""

from collections.abc import Callable

from textgym.envs.office.contingency.desk_draft import DeskDraft, Outcome
from textgym.envs.office.contingency.steps.bookings import cancel_by_policy, cancel_replaced, move
from textgym.envs.office.contingency.steps.departures import book, book_cheapest, book_up_to
from textgym.envs.office.contingency.steps.orders import order, order_by_policy, raise_order

__all__ = ["KINDS", "Kind"]

Kind = Callable[[DeskDraft, bool], Outcome]
"""Draws a step; the flag says whether a surprise is to happen. Raises `Unfit`."""

KINDS: dict[str, Kind] = {
    "sold out": book,
    "price changed": book_up_to,
    "next page": book_cheapest,
    "version conflict": move,
    "replaced": cancel_replaced,
    "rule on cancellations": cancel_by_policy,
    "out of stock": order,
    "rule on orders": order_by_policy,
    "shipped": raise_order,
}
