"""Reads the requests of `textgym/Contingency-v0` as a person would, and carries them out.

It knows the prompt and what the tools return, and nothing of the generator.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from datetime import date, timedelta
from typing import Any

from textgym.core.text_env import TextEnv
from textgym.messages import assistant_calls, text_of

__all__ = ["DeskReader", "play_contingency"]

NUMBERS = ("zero", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten",
           "eleven", "twelve")  # fmt: skip
MONTHS = ("January", "February", "March", "April", "May", "June", "July", "August", "September",
          "October", "November", "December")  # fmt: skip

_WHO = r"(?P<who>[A-Z]\w+ [A-Z]\w+(?: of [A-Z]\w+)?)"
_N, _TIME, _TOWN = r"(?P<n>[a-z]+)", r"(?P<time>\d+:\d\d)", r"(?P<town>[A-Z]\w+)"
_DAY = r"(?P<day>\d+ [A-Z]\w+|[A-Z]\w+ \d+)"
_ITEM, _OTHER = r"(?P<item>[a-z ]+?)s", r"(?P<other>[a-z ]+?)s"
_LATER, _SEATS = r"(?P<later>\d+:\d\d)", r"(?P<n>[a-z]+) seats?"
_WHOM = rf"(?:for {_WHO}|for that trip)"

READINGS: dict[str, tuple[str, ...]] = {
    "book": (
        rf"Book {_N} seats for {_WHO} on the {_TIME} to {_TOWN} on {_DAY}\. If it does not have "
        r"that many left, take the next one that day that has\.",
        rf"{_WHO} needs {_N} seats to {_TOWN} on {_DAY}, on the departure at {_TIME}\. If there "
        r"are not enough seats left on it, book the next later one of the day with enough seats\.",
        rf"Reserve {_N} seats on the {_TIME} to {_TOWN} on {_DAY} for {_WHO}; if it is too full "
        r"for that, the next departure of that day that is not too full\.",
    ),
    "book up to": (
        rf"Book {_N} seats for {_WHO} on the {_TIME} to {_TOWN} on {_DAY}, at the present price\. "
        r"If a seat costs more than (?P<limit>\d+) euros by now, take the next one that day that "
        r"costs no more\.",
        rf"{_WHO} wants {_N} seats on the {_TIME} to {_TOWN} on {_DAY} and pays up to "
        r"(?P<limit>\d+) euros for each\. If that departure has become more expensive than that, "
        r"book the next later one of the day within this limit\.",
        rf"Reserve {_N} seats to {_TOWN} on {_DAY} for {_WHO}, at {_TIME} if a seat costs "
        r"(?P<limit>\d+) euros or less today, and otherwise on the next departure of the day that "
        r"does\.",
    ),
    "book cheapest": (
        rf"Book {_N} seats for {_WHO} on the cheapest departure to {_TOWN} on {_DAY}\.",
        rf"{_WHO} needs {_N} seats to {_TOWN} on {_DAY}\. Take the departure of the day with the "
        r"lowest price\.",
        rf"Find the departure to {_TOWN} on {_DAY} that costs least, and reserve {_N} seats on it "
        rf"for {_WHO}\.",
    ),
    "move": (
        rf"Move the booking of {_WHO} to {_TOWN} to the {_TIME} of the same day\. If it is no "
        rf"longer for {_SEATS}, move it to the {_LATER} instead\.",
        rf"{_WHO} would like to travel to {_TOWN} at {_TIME} on the day that is booked: move that "
        rf"booking to this departure, or to the one at {_LATER} if it is not for {_SEATS} any "
        r"more\.",
        rf"Put the booking of {_WHO} to {_TOWN} on the {_TIME} of its day, provided that it is "
        rf"still for {_SEATS}\. If it is not, put it on the {_LATER}\.",
    ),
    "cancel": (
        r"Cancel booking (?P<id>\d+) and refund all that was paid for it\. If it was replaced by "
        r"another booking, cancel that one instead and refund what was paid for that\.",
        r"Booking (?P<id>\d+) is to be cancelled with a full refund; if there is another booking "
        r"in its place by now, that one\.",
        r"Please cancel booking (?P<id>\d+), or whatever booking has replaced it, and pay back its "
        r"full price\.",
    ),
    "cancel by policy": (
        rf"Cancel the booking of {_WHO} to {_TOWN} and refund what the policy on cancellations "
        r"gives back\. If the desk keeps more than (?P<percent>\d+) % of the price, do not cancel "
        r"it, but move it to the first departure of the day after\.",
        rf"{_WHO} cannot travel to {_TOWN} as booked\. If the policy on cancellations lets the "
        r"desk keep over (?P<percent>\d+) % of the price, move the booking to the first departure "
        r"of the following day; otherwise cancel it with the refund that the policy gives\.",
        r"Look up in the policy on cancellations what the desk keeps of the price if the booking "
        rf"of {_WHO} to {_TOWN} is cancelled today\. Up to (?P<percent>\d+) %, cancel it and "
        r"refund the rest; beyond that, move it to the earliest departure of the next day\.",
    ),
    "order": (
        rf"Order {_N} {_ITEM} {_WHOM}\. If there are not that many in stock, order as many "
        rf"{_OTHER} instead\.",
        rf"We need {_N} {_ITEM} {_WHOM}; if the shop has fewer than that, take {_OTHER}, the same "
        r"number\.",
        rf"Place an order {_WHOM}: {_N} {_ITEM}, or just as many {_OTHER} if the stock is too "
        r"low\.",
    ),
    "order by policy": (
        rf"Order {_N} {_ITEM} for {_WHO}\. If the policy on orders allows fewer for this customer, "
        r"order as many as it allows\.",
        rf"{_WHO} wants {_N} {_ITEM}, in one order\. Place it, but with no more pieces than the "
        r"policy on orders allows this customer\.",
        rf"Place one order for {_WHO}: {_N} {_ITEM}, or the most that the policy on orders permits "
        r"this customer, if that is less\.",
    ),
    "raise": (
        rf"Raise the order of {_ITEM} of {_WHO} to {_N} pieces\. If it is not open any more, place "
        r"a new order for the missing ones\.",
        rf"{_WHO} has ordered {_ITEM} and needs {_N} in all\. Change that order if it is still "
        r"open; if it is not, order only the missing ones anew\.",
        rf"Change how many {_ITEM} {_WHO} has ordered to {_N}\. Should that order have left "
        r"already, order the difference separately\.",
    ),
}

CONDITIONS = {
    "book": r"if the \d+:\d\d was too full",
    "book up to": r"if the \d+:\d\d had become too expensive",
    "book cheapest": r"if that one leaves after (?P<time>\d+:\d\d)",
    "move": r"if the booking of \w+ \w+ was no longer for \w+ seats?",
    "cancel": r"if the booking to be cancelled had been replaced",
    "cancel by policy": r"if the trip of \w+ \w+ was not to be cancelled",
    "order": r"if you had to order the [a-z ]+s",
    "order by policy": r"if that was more than was allowed",
    "raise": r"if the order of [a-z ]+s was not open any more",
}

_JOINT = re.compile(r"(?:Then|After that,|Next,|When that is done,|And then) (.*)")
_OPENING = re.compile(r"(?:Good morning!|Hello\.|Here is what is to be done today\.) ")
_CHOICE = re.compile(r"(\S+) \((?:or )?(\S+) (if [^()]*)\)")
_KEPT = (
    r"cancelled (?P<full>\d+) or more days before departure is refunded in full\. From "
    r"(?P<part>\d+) to \d+ days before departure, the desk keeps (?P<some>\d+) % of the price\. "
    r"Later than that, it keeps (?P<most>\d+) %",
    r"keeps nothing of the price if a booking is cancelled at least (?P<full>\d+) days before "
    r"departure, (?P<some>\d+) % if it is at least (?P<part>\d+) days, and (?P<most>\d+) % after",
)
_LIMITS = (
    r"at most (?P<standard>\d+) pieces of an item for standard customers, (?P<silver>\d+) for "
    r"silver customers and (?P<gold>\d+) for gold",
    r"Gold customers may order up to (?P<gold>\d+) pieces of an item at once, silver customers "
    r"(?P<silver>\d+), and all others (?P<standard>\d+)",
)


_FIRST = re.compile(r"Place an order for customer (\d+): item (\d+), quantity (\d)\.")


def play_contingency(env: TextEnv[Any], index: int) -> float:
    """Play a task, and return the last reward."""
    reader = DeskReader(env, index)
    if first := _FIRST.fullmatch(reader.parts[0]):
        customer, item, n = first.groups()
        reader.call("place_order", customer_id=customer, item_id=item, quantity=int(n))
        return reader.end()
    for text in reader.parts:
        reader.carry_out(text)
    return reader.end()


class DeskReader:
    """An episode, played by what the texts say.

    Attributes:
        parts: The steps of the request.
        kinds: How each step was read so far.
    """

    def __init__(self, env: TextEnv[Any], index: int) -> None:
        self.env = env
        (opening, request), _ = env.reset(options={"index": index})
        day = re.search(r"It is \w+, (\d+) (\w+) (\d{4})[;.]", text_of(opening))
        assert day
        self.today = date(int(day[3]), MONTHS.index(day[2]) + 1, int(day[1]))
        first, *others = _OPENING.sub("", text_of(request), count=1).split("\n\n")
        self.parts = [first, *map(_without_joint, others)]
        self.kinds: list[str] = []
        self.happened = False
        self.leaves = ""  # when what was booked last leaves
        self.trip: tuple[str, str] | None = None

    def call(self, name: str, /, **arguments: Any) -> Any:
        """Call a tool; return JSON, or a text."""
        observation, *_ = self.env.step(assistant_calls((name, arguments)))
        text = text_of(observation[-1])
        return json.loads(text) if text.startswith("{") else text

    def end(self) -> float:
        """End the episode, and return the reward."""
        return float(self.env.step("It is all done.")[1])

    def carry_out(self, text: str) -> None:
        """Read a step, and do what it says."""
        text = _CHOICE.sub(self._chosen, text)
        found = [
            (kind, match)
            for kind, forms in READINGS.items()
            for form in forms
            if (match := re.fullmatch(form, text))
        ]
        assert len(found) == 1, (text, found)
        ((kind, match),) = found
        trip, self.trip = self.trip, None
        method = getattr(self, "_" + kind.replace(" ", "_"))
        told = {name: value for name, value in match.groupdict().items() if value is not None}
        if kind == "order" and "who" not in told:
            assert trip
            self.happened = method(told, trip)
        else:
            self.happened = method(told)
        self.kinds.append(kind)

    def _chosen(self, match: re.Match[str]) -> str:
        """Return the value that a bracket means, by what came out of the step before."""
        first, second, condition = match.groups()
        read = re.fullmatch(CONDITIONS[self.kinds[-1]], condition)
        assert read, condition
        happened = self.happened
        if "time" in read.groupdict():
            happened = self.leaves > read["time"].zfill(5)
        return str(second if happened else first)

    # What the tools know.

    def _pages(self, tool: str, key: str, /, **arguments: Any) -> Iterator[dict[str, Any]]:
        page, pages = 1, 1
        while page <= pages:
            found = self.call(tool, **arguments, page=page)
            yield from found[key]
            page, pages = page + 1, found["pagination"]["total_pages"]

    def _customer(self, who: str) -> dict[str, Any]:
        name, _, town = who.partition(" of ")
        found = list(self._pages("find_customers", "customers", name=name))
        (customer,) = [row for row in found if town in ("", row["town"]) and row["name"] == name]
        return customer

    def _departures(self, town: str, day: str) -> list[dict[str, Any]]:
        if not day[:4].isdecimal():
            number, month = sorted(day.split(), key=lambda word: not word.isdecimal())
            place = MONTHS.index(month) + 1
            year = self.today.year + (place < self.today.month)
            day = date(year, place, int(number)).isoformat()
        return list(self._pages("search_departures", "departures", destination=town, date=day))

    def _booking(self, customer: str, town: str) -> dict[str, Any]:
        rows = self._pages("list_bookings", "bookings", customer_id=customer)
        (row,) = [r for r in rows if r["destination"] == town and r["status"] == "confirmed"]
        read: dict[str, Any] = self.call("get_booking", booking_id=row["booking_id"])
        return read

    def _item(self, name: str) -> dict[str, Any]:
        (item,) = self._pages("search_items", "items", name=name)
        return item

    def _policy(self, topic: str, forms: tuple[str, ...]) -> dict[str, int]:
        text = self.call("read_policy", topic=topic)
        (found,) = filter(None, (re.search(form, text) for form in forms))
        return {name: int(value) for name, value in found.groupdict().items()}

    # The kinds of steps. Each returns whether its alternative was taken.

    def _try(self, told: dict[str, str], row: dict[str, Any], price: int, customer: str) -> Any:
        made = self.call(
            "book_seats",
            customer_id=customer,
            departure_id=row["departure_id"],
            seats=NUMBERS.index(told["n"]),
            price=price,
        )
        if isinstance(made, dict):
            self.trip, self.leaves = (customer, made["booking_id"]), row["time"]
        return made

    def _book(self, told: dict[str, str]) -> bool:
        customer = self._customer(told["who"])["customer_id"]
        time = told["time"].zfill(5)
        for row in self._departures(told["town"], told["day"]):
            if row["time"] < time:
                continue
            made = self._try(told, row, int(row["listed_price"]), customer)
            if isinstance(made, dict):
                return bool(row["time"] != time)
            assert "does not have" in made, made
        raise AssertionError("nothing has room")

    def _book_up_to(self, told: dict[str, str]) -> bool:
        customer, limit = self._customer(told["who"])["customer_id"], int(told["limit"])
        time = told["time"].zfill(5)
        for row in self._departures(told["town"], told["day"]):
            price = int(row["listed_price"])
            if row["time"] < time or price > limit:
                continue
            made = self._try(told, row, price, customer)
            if isinstance(made, str):
                now = re.search(r"a seat costs (\d+) euros now", made)
                assert now, made
                if int(now[1]) > limit:
                    continue
                made = self._try(told, row, int(now[1]), customer)
            return bool(row["time"] != time)
        raise AssertionError("nothing costs so little")

    def _book_cheapest(self, told: dict[str, str]) -> bool:
        customer = self._customer(told["who"])["customer_id"]
        rows = self._departures(told["town"], told["day"])
        row = min(rows, key=lambda row: int(row["listed_price"]))
        assert isinstance(self._try(told, row, int(row["listed_price"]), customer), dict)
        return False

    def _move(self, told: dict[str, str]) -> bool:
        customer = self._customer(told["who"])["customer_id"]
        booking = self._booking(customer, told["town"])
        happened = int(booking["seats"]) != NUMBERS.index(told["n"])
        time = told["later" if happened else "time"].zfill(5)
        rows = self._departures(told["town"], booking["date"])
        (new,) = [row for row in rows if row["time"] == time]
        self._move_to(booking, new)
        self.trip = customer, booking["booking_id"]
        return happened

    def _move_to(self, booking: dict[str, Any], new: dict[str, Any]) -> None:
        said = self.call(
            "move_booking",
            booking_id=booking["booking_id"],
            version=booking["version"],
            departure_id=new["departure_id"],
        )
        assert said == "The booking was moved.", said

    def _cancel(self, told: dict[str, str]) -> bool:
        booking = self.call("get_booking", booking_id=told["id"])
        while "replaced_by" in booking:
            booking = self.call("get_booking", booking_id=booking["replaced_by"])
        self._cancel_with(booking, int(booking["paid"]))
        return bool(booking["booking_id"] != told["id"])

    def _cancel_with(self, booking: dict[str, Any], refund: int) -> None:
        id, version = booking["booking_id"], booking["version"]
        said = self.call("cancel_booking", booking_id=id, version=version, refund=refund)
        assert said == "The booking was cancelled.", said

    def _cancel_by_policy(self, told: dict[str, str]) -> bool:
        rule = self._policy("cancellations", _KEPT)
        customer = self._customer(told["who"])["customer_id"]
        booking = self._booking(customer, told["town"])
        day = date.fromisoformat(booking["date"])
        left = (day - self.today).days
        kept = 0 if left >= rule["full"] else rule["some" if left >= rule["part"] else "most"]
        if kept <= int(told["percent"]):
            paid = int(booking["paid"])
            self._cancel_with(booking, int(paid - paid * kept / 100 + 1e-9))
            return False
        following = (day + timedelta(days=1)).isoformat()
        self._move_to(booking, self._departures(told["town"], following)[0])
        return True

    def _place(self, customer: str, item: str, quantity: int, booking: str = "") -> None:
        more = {"booking_id": booking} if booking else {}
        made = self.call(
            "place_order", customer_id=customer, item_id=item, quantity=quantity, **more
        )
        assert isinstance(made, dict), made

    def _order(self, told: dict[str, str], trip: tuple[str, str] | None = None) -> bool:
        customer, booking = trip or (self._customer(told["who"])["customer_id"], "")
        n, item = NUMBERS.index(told["n"]), self._item(told["item"])
        happened = int(item["in_stock"]) < n
        if happened:
            item = self._item(told["other"])
        self._place(customer, item["item_id"], n, booking)
        return happened

    def _order_by_policy(self, told: dict[str, str]) -> bool:
        limits = self._policy("orders", _LIMITS)
        customer = self._customer(told["who"])
        n, most = NUMBERS.index(told["n"]), limits[customer["tier"]]
        item = self._item(told["item"])["item_id"]
        self._place(customer["customer_id"], item, min(n, most))
        return most < n

    def _raise(self, told: dict[str, str]) -> bool:
        customer, n = self._customer(told["who"])["customer_id"], NUMBERS.index(told["n"])
        orders = self._pages("list_orders", "orders", customer_id=customer)
        (order,) = [row for row in orders if row["item"] == told["item"]]
        if order["status"] == "open":
            id, version = order["order_id"], order["version"]
            said = self.call("change_order", order_id=id, version=version, quantity=n)
            assert said == "The order was changed.", said
            return False
        self._place(customer, order["item_id"], n - int(order["quantity"]))
        return True


def _without_joint(text: str) -> str:
    """Return the sentences of a step, as they would stand at the beginning of a request."""
    match = _JOINT.fullmatch(text)
    assert match, text
    return match[1][:1].upper() + match[1][1:]
