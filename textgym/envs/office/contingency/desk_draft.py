"""The draft of a task at a desk: random draws, and the calls of the oracle.

Invariants: the results of the tools decide the calls; no two steps of a task are about the same
subject, so each finds the desk as it was in the morning; a draw that does not fit raises `Unfit`.
"""

from __future__ import annotations

import random
from collections.abc import Callable, Iterator, Sequence
from datetime import date, timedelta
from itertools import count
from typing import Any, NamedTuple, TypeVar

from textgym.envs.generation import MONTHS, Unfit, choice, sample
from textgym.envs.office.contingency.desk import Desk
from textgym.envs.office.contingency.tools import DeskRun
from textgym.envs.office.reference import Call, Draft
from textgym.errors import ToolError
from textgym.verifiers.state import Row

__all__ = ["DeskDraft", "Outcome", "Trip", "clock", "next_day"]

T = TypeVar("T")
TRIES = 60  # draws of a thing, until one fits


class Trip(NamedTuple):
    """A booking that a step made or changed.

    Attributes:
        customer_id: The id of the customer.
        booking_id: The id of the booking.
    """

    customer_id: str
    booking_id: str


class Outcome(NamedTuple):
    """The outcome of a step.

    Attributes:
        text: The part of the request about the step.
        happened: Whether the condition of the step came true, so that its fallback was taken.
        phrase: The condition as a clause of a later step, such as "if the 9:40 was sold out".
        trip: The booking that later orders can belong to, if any.
    """

    text: str
    happened: bool
    phrase: str
    trip: Trip | None = None


class DeskDraft(Draft):
    """A task under construction.

    Args:
        rng: The random generator.
        desk: The desk. Values are drawn from it, but what the tools return decides the calls.

    Attributes:
        calls: The calls of the oracle, in order.
        previous: The outcome of the step before; None in the first one.
    """

    def __init__(self, rng: random.Random, desk: Desk) -> None:
        super().__init__(rng)
        self.desk = desk
        self.calls: list[Call] = []
        self.previous: Outcome | None = None
        self._run = DeskRun(desk)
        self._used: set[object] = set()
        self._days: dict[tuple[str, str], tuple[list[Row], Iterator[Row]]] = {}
        self._month_first = rng.random() < 0.5

    # Draws.

    def two(self, low: int, high: int) -> tuple[int, int]:
        """Draw two different integers from low to high."""
        first, second = sample(self.rng, range(low, high + 1), 2)
        return first, second

    def find(self, draw: Callable[[], T], fits: Callable[[T], object]) -> T:
        """Draw until a value fits; after `TRIES` draws raise `Unfit`."""
        for _ in range(TRIES):
            value = draw()
            if fits(value):
                return value
        raise Unfit

    def use(self, *subjects: object) -> None:
        """Note what a step is about. The subject of an earlier step raises `Unfit`."""
        self.need(self.is_new(*subjects))
        self._used.update(subjects)

    def is_new(self, *subjects: object) -> bool:
        """Return whether no earlier step was about these subjects."""
        return self._used.isdisjoint(subjects)

    def customer(self) -> Row:
        """Draw a customer."""
        return choice(self.rng, self.desk.rows("customers"))

    def day(self) -> tuple[str, str]:
        """Draw a town and a day with departures."""
        return choice(self.rng, list(self.desk.days))

    def confirmed(self, customer_id: str) -> list[Row]:
        """Return the bookings of a customer that are neither cancelled nor replaced."""
        rows = self.desk.of_customer("bookings", customer_id)
        return [row for row in rows if row["status"] == "confirmed"]

    def departure_of(self, booking: Row) -> Row:
        """Return the departure that a booking is for."""
        records = self.desk.database.records["departures"]
        return records.rows[records.places[booking["departure_id"]][0]]

    # Calls.

    def call(self, name: str, /, **arguments: Any) -> Any:
        """Make a call, record it, and return its result; a `ToolError` if the tool refuses it."""
        self.calls.append((name, arguments))
        try:
            return self._run.call(name, **arguments)
        except ToolError as error:
            return error

    def do(self, name: str, /, **arguments: Any) -> Any:
        """Make a call; if the tool refuses it, raise `Unfit`."""
        result = self.call(name, **arguments)
        self.need(not isinstance(result, ToolError))
        return result

    def rows(self, tool: str, key: str, /, **arguments: Any) -> Iterator[Row]:
        """Yield the rows that a look-up finds. A page is read when its first row is needed."""
        for page in count(1):
            result = self.do(tool, **arguments, **({"page": page} if page > 1 else {}))
            yield from result[key]
            if page >= result["pagination"]["total_pages"]:
                return

    def departures(self, town: str, day: str) -> Iterator[Row]:
        """Yield the departures of a day, the earliest first. No page is read twice."""
        if (town, day) not in self._days:
            rows = self.rows("search_departures", "departures", destination=town, date=day)
            self._days[town, day] = ([], rows)
        shown, rest = self._days[town, day]
        yield from list(shown)
        for row in rest:
            shown.append(row)
            yield row

    def departure_at(self, town: str, day: str, time: str) -> Row:
        """Find the departure of a day at a time."""
        return next(row for row in self.departures(town, day) if row["time"] == time)

    def look_up_customer(self, customer: Row) -> str:
        """Find a customer by name and town, and return the id."""
        rows = self.rows("find_customers", "customers", name=customer["name"])
        return str(next(row["customer_id"] for row in rows if row["town"] == customer["town"]))

    def look_up_booking(self, customer_id: str, town: str) -> Row:
        """Find the booking of a customer to a town, as of last night."""
        rows = self.rows("list_bookings", "bookings", customer_id=customer_id)
        return next(
            row for row in rows if row["destination"] == town and row["status"] == "confirmed"
        )

    def look_up_item(self, name: str) -> Row:
        """Find an item of the shop."""
        return next(self.rows("search_items", "items", name=name))

    # Wording.

    def either(self, value: str, otherwise: str) -> str:
        """Return a value in words; in later steps, with the value for the other outcome before."""
        if self.previous is None:
            return value
        first, second = (otherwise, value) if self.previous.happened else (value, otherwise)
        joint = choice(self.rng, ("", "or "))
        return f"{first} ({joint}{second} {self.previous.phrase})"

    def who(self, customer: Row) -> str:
        """Name a customer, with the town if another one has the same name."""
        rows = self.desk.rows("customers")
        is_unique = sum(row["name"] == customer["name"] for row in rows) == 1
        plain = self.rng.random() < 0.5
        name = str(customer["name"])
        return name if is_unique and plain else f"{name} of {customer['town']}"

    def date(self, day: str) -> str:
        """Format a day, in the same way throughout a task."""
        when = date.fromisoformat(day)
        month = MONTHS[when.month - 1]
        return f"{month} {when.day}" if self._month_first else f"{when.day} {month}"

    def phrase(self, forms: Sequence[str], **values: object) -> str:
        """Draw one of several wordings, and fill in its values."""
        return choice(self.rng, forms).format(**values)


def clock(time: str) -> str:
    """Format a time of day: "9:40" for "09:40"."""
    return time.removeprefix("0")


def next_day(day: str) -> str:
    """Return the day after a day, both in ISO format."""
    return (date.fromisoformat(day) + timedelta(days=1)).isoformat()
