"""Steps that book seats: what is sold out, what has become dearer, and what is on another page."""

from __future__ import annotations

import re
from typing import NamedTuple

from textgym.envs.generation import in_words, randbelow, randint
from textgym.envs.office.contingency.desk_draft import DeskDraft, Outcome, Trip, clock
from textgym.envs.office.contingency.tools import PAGE
from textgym.errors import ToolError
from textgym.verifiers.state import Row

__all__ = ["book", "book_cheapest", "book_up_to"]

MOST_SEATS = 5
MOST_REFUSED = 2  # departures that are sold out one after another

_BOOK = (
    "Book {n} seats for {who} on the {time} to {town} on {day}. If it does not have that many "
    "left, take the next one that day that has.",
    "{who} needs {n} seats to {town} on {day}, on the departure at {time}. If there are not enough "
    "seats left on it, book the next later one of the day with enough seats.",
    "Reserve {n} seats on the {time} to {town} on {day} for {who}; if it is too full for that, the "
    "next departure of that day that is not too full.",
)
_BOOK_UP_TO = (
    "Book {n} seats for {who} on the {time} to {town} on {day}, at the present price. If a seat "
    "costs more than {limit} euros by now, take the next one that day that costs no more.",
    "{who} wants {n} seats on the {time} to {town} on {day} and pays up to {limit} euros for each. "
    "If that departure has become more expensive than that, book the next later one of the day "
    "within this limit.",
    "Reserve {n} seats to {town} on {day} for {who}, at {time} if a seat costs {limit} euros or "
    "less today, and otherwise on the next departure of the day that does.",
)
_BOOK_CHEAPEST = (
    "Book {n} seats for {who} on the cheapest departure to {town} on {day}.",
    "{who} needs {n} seats to {town} on {day}. Take the departure of the day with the lowest "
    "price.",
    "Find the departure to {town} on {day} that costs least, and reserve {n} seats on it for "
    "{who}.",
)


class Asked(NamedTuple):
    """A departure, as the request names it.

    Attributes:
        town: Where it goes.
        day: The date.
        rows: All departures of the day to this town.
        place: Its place among them.
    """

    town: str
    day: str
    rows: list[Row]
    place: int

    @property
    def row(self) -> Row:
        """The departure."""
        return self.rows[self.place]

    @property
    def time(self) -> str:
        """When it leaves."""
        return str(self.row["time"])


def book(draft: DeskDraft, surprise: bool) -> Outcome:
    """Book seats on a departure; on the next one with enough seats if it has too few."""
    n, alternative = draft.two(2, MOST_SEATS)

    def fits(asked: Asked) -> bool:
        later = [place for place, row in enumerate(asked.rows) if _has_room(row, n)]
        place = next((place for place in later if place > asked.place), None)
        return (
            place is not None
            and _has_room(asked.row, n) != surprise
            and place - asked.place <= MOST_REFUSED
            and _is_steady(asked.row)
            and _is_steady(asked.rows[place])
            and draft.is_new((asked.town, asked.day))
        )

    asked = draft.find(lambda: _draw(draft), fits)
    customer = _traveller(draft, asked)
    number = draft.either(in_words(n), in_words(alternative))
    text = _text(draft, _BOOK, customer, asked, n=number)
    id, happened = draft.look_up_customer(customer), False
    for row in draft.departures(asked.town, asked.day):
        if str(row["time"]) < asked.time:
            continue
        booked = draft.call("book_seats", **_booking(id, row, n))
        if not isinstance(booked, ToolError):
            break
        happened = True
    phrase = f"if the {clock(asked.time)} was too full"
    return Outcome(text, happened, phrase, Trip(id, booked["booking_id"]))


def book_up_to(draft: DeskDraft, surprise: bool) -> Outcome:
    """Book seats on a departure; on the next one within a limit if it costs more than the limit.

    In half of the surprises the price has changed, but not beyond the limit.
    """
    n, alternative = draft.two(2, MOST_SEATS)
    gap, beyond = randint(draft.rng, 4, 25), draft.rng.random() < 0.5

    def fits(asked: Asked) -> bool:
        limit = int(asked.row["listed_price"] or 0) + gap
        is_dear = int(asked.row["price"] or 0) > limit
        later = [row for row in asked.rows[asked.place + 1 :] if _lowest_price(row) <= limit]
        return (
            bool(later)
            and _is_steady(asked.row) != surprise
            and is_dear == (surprise and beyond)
            and _has_room(asked.row, n)
            and _has_room(later[0], n)
            and _is_steady(later[0])
            and draft.is_new((asked.town, asked.day))
        )

    asked = draft.find(lambda: _draw(draft), fits)
    customer = _traveller(draft, asked)
    limit = int(asked.row["listed_price"] or 0) + gap
    number = draft.either(in_words(n), in_words(alternative))
    text = _text(draft, _BOOK_UP_TO, customer, asked, n=number, limit=limit)
    id = draft.look_up_customer(customer)
    row = draft.departure_at(asked.town, asked.day, asked.time)
    booked, happened = draft.call("book_seats", **_booking(id, row, n)), False
    if isinstance(booked, ToolError):
        price = _price_in(booked)
        happened = price > limit
        if not happened:
            booked = draft.do("book_seats", **{**_booking(id, row, n), "price": price})
    if happened:
        row = next(
            row
            for row in draft.departures(asked.town, asked.day)
            if str(row["time"]) > asked.time and int(row["listed_price"] or 0) <= limit
        )
        booked = draft.do("book_seats", **_booking(id, row, n))
    phrase = f"if the {clock(asked.time)} had become too expensive"
    return Outcome(text, happened, phrase, Trip(id, booked["booking_id"]))


def book_cheapest(draft: DeskDraft, surprise: bool) -> Outcome:
    """Book seats on the cheapest departure of a day, which may be on a later page of the list."""
    n, alternative = draft.two(2, MOST_SEATS)

    def fits(asked: Asked) -> bool:
        prices = [_lowest_price(row) for row in asked.rows]
        return (
            len(prices) > PAGE
            and prices.count(min(prices)) == 1
            and prices[asked.place] == min(prices)
            and (asked.place >= PAGE) == surprise
            and _has_room(asked.row, n)
            and _is_steady(asked.row)
            and draft.is_new((asked.town, asked.day))
        )

    asked = draft.find(lambda: _draw(draft), fits)
    customer = _traveller(draft, asked)
    number = draft.either(in_words(n), in_words(alternative))
    text = _text(draft, _BOOK_CHEAPEST, customer, asked, n=number)
    id = draft.look_up_customer(customer)
    rows = draft.departures(asked.town, asked.day)
    cheapest = min(rows, key=lambda row: int(row["listed_price"] or 0))
    booked = draft.do("book_seats", **_booking(id, cheapest, n))
    noon = str(asked.rows[PAGE - 1]["time"])
    phrase = f"if that one leaves after {clock(noon)}"
    return Outcome(text, str(cheapest["time"]) > noon, phrase, Trip(id, booked["booking_id"]))


def _draw(draft: DeskDraft) -> Asked:
    town, day = draft.day()
    rows = draft.desk.days[town, day]
    return Asked(town, day, rows, randbelow(draft.rng, len(rows)))


def _traveller(draft: DeskDraft, asked: Asked) -> Row:
    """Draw the traveller, and note what the step is about."""
    customer = draft.find(draft.customer, lambda row: draft.is_new(row["customer_id"]))
    draft.use(customer["customer_id"], (asked.town, asked.day))
    return customer


def _text(
    draft: DeskDraft, forms: tuple[str, ...], customer: Row, asked: Asked, **values: object
) -> str:
    return draft.phrase(
        forms,
        who=draft.who(customer),
        time=clock(asked.time),
        town=asked.town,
        day=draft.date(asked.day),
        **values,
    )


def _booking(customer_id: str, row: Row, n: int) -> dict[str, object]:
    """Return the arguments that book seats at the listed price."""
    price = int(row["listed_price"] or 0)
    return {
        "customer_id": customer_id,
        "departure_id": row["departure_id"],
        "seats": n,
        "price": price,
    }


def _has_room(row: Row, n: int) -> bool:
    return int(row["seats_free"] or 0) >= n


def _is_steady(row: Row) -> bool:
    """Return whether a departure costs what was listed."""
    return row["price"] == row["listed_price"]


def _lowest_price(row: Row) -> int:
    """Return the price of a departure as listed or now, whichever is lower."""
    return min(int(row["listed_price"] or 0), int(row["price"] or 0))


def _price_in(error: ToolError) -> int:
    match = re.search(r"costs (\d+) euros", str(error))
    assert match, error
    return int(match[1])
