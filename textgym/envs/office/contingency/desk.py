"""Generated desks of coach companies: customers, departures, bookings, a shop, orders and policies.

Invariants: the same seed gives the same desk in every process; customers of the same name live in
different towns; a customer has at most one booking to a town that is neither cancelled nor
replaced, and at most one order of an item; the departures of a day to a town leave at different
times. A policy document states everything that decides a refund or a limit. A desk is shared by all
episodes about it: do not modify it.
"""

from __future__ import annotations

import random
from collections.abc import Sequence
from datetime import date, timedelta
from functools import lru_cache
from typing import NamedTuple

from textgym.envs.generation import choice, randbelow, randint, sample
from textgym.envs.office.databases import Layout, SharedDatabase
from textgym.tasks.task import hash_int
from textgym.verifiers.state import Row

__all__ = ["DAYS", "TIERS", "TOWNS", "Desk", "DeskDatabase", "Policies", "desk", "draw_policies"]

TIERS = ("standard", "silver", "gold")

_CANCELLATIONS = (
    "A booking that is cancelled {full} or more days before departure is refunded in full. From "
    "{part} to {almost} days before departure, the desk keeps {some} % of the price. Later than "
    "that, it keeps {most} %. Refunds are rounded down to whole euros.",
    "The desk keeps nothing of the price if a booking is cancelled at least {full} days before "
    "departure, {some} % if it is at least {part} days, and {most} % after that. The refund is the "
    "rest of the price, rounded down to whole euros.",
)
_ORDERS = (
    "One order holds at most {standard} pieces of an item for standard customers, {silver} for "
    "silver customers and {gold} for gold customers.",
    "Gold customers may order up to {gold} pieces of an item at once, silver customers {silver}, "
    "and all others {standard}.",
)
_LUGGAGE = (
    "Each passenger may take {n} pieces of luggage. The driver collects {fee} euros for another.",
    "{n} pieces of luggage travel free of charge. Another piece costs {fee} euros, to be paid on "
    "board.",
)
_CHILDREN = (
    "Children under {n} travel free of charge on the lap of an adult. They need no booking.",
    "No booking is needed for children under {n} who sit on the lap of an adult.",
)


class Policies(NamedTuple):
    """The policies of a desk.

    Attributes:
        full: The lowest number of days before departure with a full refund.
        part: The lowest number of days before departure at which only `some` per cent are kept.
        some: The lower percentage that is kept.
        most: The percentage that is kept after that.
        limits: The maximum number of pieces of an item in an order, by tier.
        documents: The texts, by topic.
    """

    full: int
    part: int
    some: int
    most: int
    limits: dict[str, int]
    documents: dict[str, str]

    def kept(self, days: int) -> int:
        """Return the percentage kept if a booking is cancelled `days` days before departure."""
        return 0 if days >= self.full else self.some if days >= self.part else self.most


def draw_policies(rng: random.Random) -> Policies:
    """Draw the policies of a desk.

    Example:
        >>> sorted(draw_policies(random.Random(1)).documents)
        ['cancellations', 'children', 'luggage', 'orders']
    """
    full, part = randint(rng, 7, 10), randint(rng, 3, 5)
    some, most = 10 * randint(rng, 1, 3), 10 * randint(rng, 5, 8)
    standard = randint(rng, 4, 5)
    silver = standard + randint(rng, 1, 3)
    limits = dict(zip(TIERS, (standard, silver, silver + randint(rng, 1, 3)), strict=True))
    rules = {"full": full, "part": part, "almost": full - 1, "some": some, "most": most}
    documents = {
        "cancellations": choice(rng, _CANCELLATIONS).format(**rules),
        "orders": choice(rng, _ORDERS).format(**limits),
        "luggage": choice(rng, _LUGGAGE).format(n=randint(rng, 2, 3), fee=randint(rng, 4, 12)),
        "children": choice(rng, _CHILDREN).format(n=randint(rng, 2, 5)),
    }
    return Policies(full, part, some, most, limits, documents)


TOWNS = ("Arle", "Bexwell", "Corran", "Dunmere", "Elsby", "Farleigh", "Garth", "Holm")
DAYS = 13  # of departures, from tomorrow on
MAX_CACHED = 64

_FIRSTS = (
    "Ada", "Bruno", "Clara", "Dora", "Emil", "Flora", "Hugo", "Ines", "Jonas", "Lena", "Max",
    "Nora", "Oscar", "Ruth",
)  # fmt: skip
_LASTS = (
    "Abbot", "Barlow", "Crane", "Dale", "Ember", "Finch", "Hale", "Lark", "Marsh", "Nash", "Pike",
    "Reed", "Vane", "Ward",
)  # fmt: skip
_SORTS = ("woollen", "striped", "folding", "small", "large", "plain", "green")
_GOODS = ("blanket", "rain cape", "lunch bag", "guidebook", "umbrella", "flask", "cushion")
_CUSTOMERS, _BOOKED, _ORDERED = 90, 5, 7
_STATUSES = ("open", "open", "shipped", "shipped", "delivered")


class DeskDatabase(SharedDatabase):
    """The tables of a desk."""

    layouts = {
        "customers": Layout(("customer_id", "name", "town", "tier"), "customer_id"),
        "departures": Layout(
            ("departure_id", "destination", "date", "time", "seats_free", "listed_price", "price"),
            "departure_id",
        ),
        "bookings": Layout(
            (
                "booking_id", "customer_id", "departure_id", "seats", "luggage", "paid", "refund",
                "status", "replaced_by", "listed_seats", "listed_luggage",
            ),
            "booking_id",
        ),
        "items": Layout(("item_id", "name", "price", "in_stock"), "item_id"),
        "orders": Layout(
            ("order_id", "customer_id", "item_id", "quantity", "status", "booking_id"), "order_id"
        ),
    }  # fmt: skip
    changeable = ("departures", "bookings", "items", "orders")


class Desk(NamedTuple):
    """A desk on one morning.

    Attributes:
        today: The day.
        policies: The policy documents, and their rules.
        database: The tables.
        days: The departures by town and date, the earliest first.
    """

    today: date
    policies: Policies
    database: DeskDatabase
    days: dict[tuple[str, str], list[Row]]

    def rows(self, table: str) -> Sequence[Row]:
        """Return the rows of a table before any change."""
        return self.database.records[table].rows

    def of_customer(self, table: str, customer: str) -> list[Row]:
        """Return the rows of a table that belong to a customer, before any change."""
        return self.database.records[table].groups("customer_id").get(customer, [])


@lru_cache(maxsize=MAX_CACHED)
def desk(seed: int) -> Desk:
    """Return the desk of a seed. The latest desks are cached.

    Example:
        >>> desk(7) is desk(7)
        True
        >>> sorted(desk(7).rows("items")[0])
        ['in_stock', 'item_id', 'name', 'price']
    """
    rng = random.Random(hash_int("desk", seed))
    today = date(2025, 1, 1) + timedelta(days=randbelow(rng, 1000))
    policies = draw_policies(rng)
    customers, departures, items = _customers(rng), _departures(rng, today), _items(rng)
    database = DeskDatabase(
        {
            "customers": customers,
            "departures": departures,
            "bookings": _bookings(rng, today, customers, departures),
            "items": items,
            "orders": _orders(rng, customers, items),
        }
    )
    days: dict[tuple[str, str], list[Row]] = {}
    for row in database.records["departures"].rows:
        days.setdefault((row["destination"] or "", row["date"] or ""), []).append(row)
    return Desk(today, policies, database, days)


def _ids(rng: random.Random, n: int, digits: int) -> list[str]:
    """Draw different ids in random order."""
    low = 10 ** (digits - 1)
    return [str(number) for number in sample(rng, range(2 * low, 2 * low + 8 * n), n)]


def _customers(rng: random.Random) -> list[dict[str, str]]:
    """Draw customers, some of them with the same name in another town."""
    names = sample(rng, [f"{first} {last}" for first in _FIRSTS for last in _LASTS], _CUSTOMERS)
    names = names[: _CUSTOMERS * 5 // 6] + names[: _CUSTOMERS // 6]
    town = dict(zip(names, (randbelow(rng, len(TOWNS)) for _ in names), strict=False))
    rows, seen = [], set()
    for id, name in zip(_ids(rng, len(names), 4), names, strict=True):
        step = randint(rng, 1, len(TOWNS) - 1) if name in seen else 0
        seen.add(name)
        place = TOWNS[(town[name] + step) % len(TOWNS)]
        rows.append({"customer_id": id, "name": name, "town": place, "tier": choice(rng, TIERS)})
    return sorted(rows, key=lambda row: row["customer_id"])


def _departures(rng: random.Random, today: date) -> list[dict[str, str]]:
    """Draw departures to each town on each day. A fifth of the prices has changed."""
    rows = []
    for town in TOWNS:
        usual = randint(rng, 30, 110)
        for ahead in range(1, DAYS + 1):
            minutes = sorted(sample(rng, range(6 * 12, 21 * 12), randint(rng, 7, 13)))
            for five in minutes:
                listed = usual + randint(rng, -25, 45)
                changed = rng.random() < 0.2
                rows.append(
                    {
                        "destination": town,
                        "date": (today + timedelta(days=ahead)).isoformat(),
                        "time": f"{five // 12:02}:{5 * (five % 12):02}",
                        "seats_free": str(randbelow(rng, 4) if rng.random() < 0.4 else
                                          randint(rng, 6, 30)),
                        "listed_price": str(listed),
                        "price": str(_other_price(rng, listed) if changed else listed),
                    }
                )  # fmt: skip
    ids = _ids(rng, len(rows), 5)
    return [{"departure_id": id, **row} for id, row in zip(ids, rows, strict=True)]


def _other_price(rng: random.Random, listed: int) -> int:
    return listed + randint(rng, 1, 40) if rng.random() < 0.8 else listed - randint(rng, 1, 4)


def _bookings(
    rng: random.Random,
    today: date,
    customers: list[dict[str, str]],
    departures: list[dict[str, str]],
) -> list[dict[str, str]]:
    """Draw up to five bookings a customer, to different towns, and those that were replaced."""
    last = (today + timedelta(days=DAYS - 1)).isoformat()
    by_town = {
        town: [row for row in departures if row["destination"] == town and row["date"] <= last]
        for town in TOWNS
    }
    ids = iter(_ids(rng, 3 * _BOOKED * len(customers), 6))
    rows: list[dict[str, str]] = []
    for customer in customers:
        for town in sample(rng, TOWNS, randint(rng, 1, _BOOKED)):
            row = _booking(rng, next(ids), customer["customer_id"], choice(rng, by_town[town]))
            rows.append(row)
            for _ in range(choice(rng, (0, 0, 0, 1, 1, 2))):
                departure = choice(rng, by_town[town])
                old = _booking(rng, next(ids), row["customer_id"], departure)
                rows.append({**old, "status": "replaced", "replaced_by": row["booking_id"]})
                row = rows[-1]
    return sorted(rows, key=lambda row: row["booking_id"])


def _booking(
    rng: random.Random, id: str, customer: str, departure: dict[str, str]
) -> dict[str, str]:
    """Draw a booking. In two of five, seats or luggage were changed since last night's list."""
    seats, luggage = randint(rng, 1, 5), randint(rng, 0, 6)
    share = rng.random()
    listed_seats = (seats + randint(rng, 0, 3)) % 5 + 1 if share < 0.2 else seats
    listed_luggage = (luggage + randint(rng, 0, 5)) % 7 if 0.2 <= share < 0.4 else luggage
    return {
        "booking_id": id,
        "customer_id": customer,
        "departure_id": departure["departure_id"],
        "seats": str(seats),
        "luggage": str(luggage),
        "paid": str(seats * int(departure["listed_price"]) - randbelow(rng, 10)),
        "refund": "0",
        "status": "confirmed",
        "replaced_by": "",
        "listed_seats": str(listed_seats),
        "listed_luggage": str(listed_luggage),
    }


def _items(rng: random.Random) -> list[dict[str, str]]:
    names = [f"{sort} {thing}" for sort in _SORTS for thing in _GOODS]
    return [
        {
            "item_id": id,
            "name": name,
            "price": str(randint(rng, 3, 40)),
            "in_stock": str(randint(rng, 0, 1) if rng.random() < 0.4 else randint(rng, 12, 40)),
        }
        for id, name in zip(_ids(rng, len(names), 3), names, strict=True)
    ]


def _orders(
    rng: random.Random, customers: list[dict[str, str]], items: list[dict[str, str]]
) -> list[dict[str, str]]:
    """Draw up to seven orders a customer, of different items."""
    ids = iter(_ids(rng, _ORDERED * len(customers), 7))
    return [
        {
            "order_id": next(ids),
            "customer_id": customer["customer_id"],
            "item_id": item["item_id"],
            "quantity": str(randint(rng, 1, 2)),
            "status": choice(rng, _STATUSES),
            "booking_id": "",
        }
        for customer in customers
        for item in sample(rng, items, randint(rng, 1, _ORDERED))
    ]
