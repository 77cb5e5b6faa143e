"""The draft of a task: random draws from a desk, and the calls of the oracle, as they are made.

Invariants: what the tools return decides the calls; a step of a task never draws what an earlier
step was about, so that each finds the desk as it was in the morning; a draw that does not fit
raises `Unfit`.
"""

from __future__ import annotations

import random
from collections.abc import Callable, Iterator, Sequence
from datetime import date, timedelta
from itertools import count
from typing import Any, NamedTuple, TypeVar

from textgym.envs.contingency.reference import ReferenceRun
from textgym.envs.contingency.world import Desk
from textgym.envs.generation import MONTHS, choice, sample
from textgym.envs.reference_calls import Call
from textgym.errors import ToolError
from textgym.verifiers.state import Row

__all__ = ["Draft", "Outcome", "Trip", "Unfit", "clock", "next_day"]

T = TypeVar("T")
TRIES = 60  # draws of a thing, until one fits


class Unfit(Exception):
    """The drawn values do not make a task, so draw again."""


class Trip(NamedTuple):
    """A booking that a step left.

    Attributes:
        customer_id: The id of the customer.
        booking_id: The id of the booking.
    """

    customer_id: str
    booking_id: str


class Outcome(NamedTuple):
    """What came out of a step.

    Attributes:
        text: What the request says of the step.
        happened: Whether the condition of the step came true, so that its fallback was taken.
        phrase: The condition as a clause of a later step, such as "if the 9:40 was sold out".
        trip: The booking that later orders can belong to; None if there is none.
    """

    text: str
    happened: bool
    phrase: str
    trip: Trip | None = None


class Draft:
    """A task under construction.

    Args:
        rng: The random generator.
        desk: The desk. Values are drawn from it, but what the tools return decides the calls.

    Attributes:
        calls: The calls of the oracle, in order.
        previous: The outcome of the step before; None in the first one.
    """

    def __init__(self, rng: random.Random, desk: Desk) -> None:
        self.rng, self.desk = rng, desk
        self.calls: list[Call] = []
        self.previous: Outcome | None = None
        self._run = ReferenceRun(desk)
        self._used: set[object] = set()
        self._days: dict[tuple[str, str], tuple[list[Row], Iterator[Row]]] = {}
        self._month_first = rng.random() < 0.5

    # Draws.

    def choice(self, things: Sequence[T]) -> T:
        """Draw one element. An empty sequence raises `Unfit`."""
        self.need(things)
        return choice(self.rng, things)

    def two(self, low: int, high: int) -> tuple[int, int]:
        """Draw two different integers from low to high."""
        first, second = sample(self.rng, range(low, high + 1), 2)
        return first, second

    def find(self, draw: Callable[[], T], fits: Callable[[T], object]) -> T:
        """Draw again and again until something fits; after `TRIES` times raise `Unfit`."""
        for _ in range(TRIES):
            thing = draw()
            if fits(thing):
                return thing
        raise Unfit

    def need(self, condition: object) -> None:
        """Raise `Unfit` unless a condition is true.

        Raises:
            Unfit: The condition is false.
        """
        if not condition:
            raise Unfit

    def use(self, *things: object) -> None:
        """Say what a step is about. What an earlier step was about raises `Unfit`."""
        self.need(self.is_new(*things))
        self._used.update(things)

    def is_new(self, *things: object) -> bool:
        """Tell whether no earlier step was about these things."""
        return self._used.isdisjoint(things)

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
            return getattr(self._run, name)(**arguments)
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
            found = self.do(tool, **arguments, **({"page": page} if page > 1 else {}))
            yield from found[key]
            if page >= found["pagination"]["total_pages"]:
                return

    def departures(self, town: str, day: str) -> Iterator[Row]:
        """Yield the departures of a day, the earliest first. No page is read twice."""
        if (town, day) not in self._days:
            found = self.rows("search_departures", "departures", destination=town, date=day)
            self._days[town, day] = ([], found)
        read, unread = self._days[town, day]
        yield from list(read)
        for row in unread:
            read.append(row)
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

    def either(self, now: str, otherwise: str) -> str:
        """Say a value, and in later steps also the one for the other outcome of the step before."""
        if self.previous is None:
            return now
        first, second = (otherwise, now) if self.previous.happened else (now, otherwise)
        joint = choice(self.rng, ("", "or "))
        return f"{first} ({joint}{second} {self.previous.phrase})"

    def who(self, customer: Row) -> str:
        """Name a customer; of namesakes with the town."""
        rows = self.desk.rows("customers")
        alone = sum(row["name"] == customer["name"] for row in rows) == 1
        plain = self.rng.random() < 0.5
        name = str(customer["name"])
        return name if alone and plain else f"{name} of {customer['town']}"

    def date(self, day: str) -> str:
        """Say a day, in the same way throughout a task."""
        when = date.fromisoformat(day)
        month = MONTHS[when.month - 1]
        return f"{month} {when.day}" if self._month_first else f"{when.day} {month}"

    def phrase(self, forms: Sequence[str], **values: object) -> str:
        """Draw one of several wordings, and fill in its values."""
        return choice(self.rng, forms).format(**values)


def clock(time: str) -> str:
    """Say a time of day: "9:40" for "09:40"."""
    return time.removeprefix("0")


def next_day(day: str) -> str:
    """Return the day after a day, both in ISO format."""
    return (date.fromisoformat(day) + timedelta(days=1)).isoformat()
