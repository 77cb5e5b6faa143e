"""The twelve tools of the desk: seven that look things up, and five that change something.

Invariants: a tool that cannot carry out a call raises `ToolError` and changes nothing. The version
of a booking or an order follows from its content, so a change that is undone restores it.
"""

from __future__ import annotations

from typing import Annotated, Any

from pydantic import AfterValidator

from textgym.envs.office.contingency.desk import TOWNS, Desk
from textgym.envs.office.reference import ReferenceRun
from textgym.envs.office.tool_arguments import Text, Toolkit, one_of, page_of, require
from textgym.errors import ToolError
from textgym.tasks.task import hash_int
from textgym.tools import tool
from textgym.verifiers.exact import plain_marks
from textgym.verifiers.state import Row

__all__ = [
    "BOOKINGS_PAGE", "PAGE", "DeskRun", "DeskTools", "version_of",
]  # fmt: skip


PAGE, BOOKINGS_PAGE = 5, 4
Code = Annotated[Text, AfterValidator(plain_marks)]
"""An id, a version or a date, which models also write with typographic hyphens."""
_NEW = {"refund": "0", "status": "confirmed", "luggage": "0", "listed_luggage": "0"}


class DeskTools(Toolkit):
    """The tools.

    Attributes:
        desk: The desk, as it is at the start of the episode.
    """

    desk: Desk

    @tool
    def find_customers(self, name: Text, page: int = 1) -> dict[str, Any]:
        """Find customers by name, five to a page.

        Args:
            name: The name or a part of it, in upper or lower case.
            page: The number of the page.
        """
        require(name=name)
        return _page("customers", self.table("customers").containing({("name",): [name]}), page)

    @tool
    def search_departures(self, destination: Text, date: Code, page: int = 1) -> dict[str, Any]:
        """List the departures of a day to a town, the earliest first, five to a page.

        The prices are those of last night. How many seats are left is seen when booking.

        Args:
            destination: The town.
            date: The day, as YYYY-MM-DD.
            page: The number of the page.
        """
        one_of("destination", destination, TOWNS)
        shown = ("departure_id", "time", "listed_price")
        rows = self.desk.days.get((destination, date), [])
        return _page("departures", [{name: row[name] for name in shown} for row in rows], page)

    @tool
    def list_bookings(self, customer_id: Code, page: int = 1) -> dict[str, Any]:
        """List the bookings of a customer, four to a page.

        Seats, luggage and version are those of last night's list; get_booking knows the present
        ones.

        Args:
            customer_id: The customer's id.
            page: The number of the page.
        """
        bookings = self._of_customer("bookings", customer_id)
        rows = [self._seen({**row, **_last_night(row)}) for row in bookings]
        return _page("bookings", rows, page, BOOKINGS_PAGE)

    @tool
    def get_booking(self, booking_id: Code) -> dict[str, Any]:
        """Read a booking as it is now.

        Args:
            booking_id: The booking's id.
        """
        row = self._row("bookings", "booking", booking_id)
        return {**self._seen(row), "paid": row["paid"], "refund": row["refund"]}

    @tool
    def list_orders(self, customer_id: Code, page: int = 1) -> dict[str, Any]:
        """List the orders of a customer, four to a page.

        Args:
            customer_id: The customer's id.
            page: The number of the page.
        """
        rows = []
        for row in self._of_customer("orders", customer_id):
            item = self._row("items", "item", row["item_id"] or "")
            rows.append({**row, "item": item["name"], "version": version_of(row)})
        return _page("orders", rows, page, BOOKINGS_PAGE)

    @tool
    def search_items(self, name: Text, page: int = 1) -> dict[str, Any]:
        """Find items of the shop by name, with how many are in stock, five to a page.

        Args:
            name: The name or a part of it, in upper or lower case.
            page: The number of the page.
        """
        require(name=name)
        return _page("items", self.table("items").containing({("name",): [name]}), page)

    @tool
    def read_policy(self, topic: Text) -> str:
        """Read a policy document.

        Args:
            topic: 'cancellations', 'children', 'luggage' or 'orders'.
        """
        documents = self.desk.policies.documents
        one_of("topic", topic, sorted(documents))
        return documents[topic]

    @tool
    def book_seats(
        self, customer_id: Code, departure_id: Code, seats: int, price: int
    ) -> dict[str, Any]:
        """Book seats on a departure.

        Args:
            customer_id: The customer's id.
            departure_id: The departure's id.
            seats: How many seats.
            price: The price of one seat in euros, which must be the present one.
        """
        self._row("customers", "customer", customer_id)
        departure = self._with_room(departure_id, seats)
        if price != int(departure["price"] or 0):
            raise ToolError(
                f"the price has changed: a seat costs {departure['price']} euros now; to accept "
                "it, book with this price"
            )
        self._take_seats(departure, seats)
        row: Row = {
            **_NEW,
            "customer_id": customer_id,
            "departure_id": departure_id,
            "seats": str(seats),
            "paid": str(seats * price),
            "listed_seats": str(seats),
        }
        id = self.table("bookings").add(row, width=6)
        return {"booking_id": id, "paid": row["paid"]}

    @tool
    def move_booking(self, booking_id: Code, version: Code, departure_id: Code) -> str:
        """Move a booking to another departure to the same town, at no charge.

        Args:
            booking_id: The booking's id.
            version: The version of the booking that you have read.
            departure_id: The id of the new departure.
        """
        row = self._booking_to_change(booking_id, version)
        old = self._row("departures", "departure", row["departure_id"] or "")
        if departure_id == old["departure_id"]:
            raise ToolError("the booking is for this departure already")
        seats = int(row["seats"] or 0)
        new = self._with_room(departure_id, seats)
        if new["destination"] != old["destination"]:
            raise ToolError(f"the departure goes to {new['destination']}: make a new booking")
        self._take_seats(old, -seats)
        self._take_seats(new, seats)
        self.table("bookings").update(booking_id, "departure_id", departure_id)
        return "The booking was moved."

    @tool
    def cancel_booking(self, booking_id: Code, version: Code, refund: int) -> str:
        """Cancel a booking, which cannot be undone.

        Args:
            booking_id: The booking's id.
            version: The version of the booking that you have read.
            refund: What is paid back, in euros.
        """
        row = self._booking_to_change(booking_id, version)
        if not 0 <= refund <= int(row["paid"] or 0):
            raise ToolError(f"refund must be a number from 0 to {row['paid']}, which was paid")
        departure = self._row("departures", "departure", row["departure_id"] or "")
        self._take_seats(departure, -int(row["seats"] or 0))
        self.table("bookings").update(booking_id, "status", "cancelled")
        self.table("bookings").update(booking_id, "refund", str(refund))
        return "The booking was cancelled."

    @tool
    def place_order(
        self, customer_id: Code, item_id: Code, quantity: int, booking_id: Code = ""
    ) -> dict[str, Any]:
        """Order an item of the shop for a customer.

        Args:
            customer_id: The customer's id.
            item_id: The item's id.
            quantity: How many pieces.
            booking_id: The customer's booking for whose trip it is; empty if it is for none.
        """
        self._row("customers", "customer", customer_id)
        if booking_id:
            booking = self._row("bookings", "booking", booking_id)
            if booking["customer_id"] != customer_id:
                raise ToolError(f"the booking {booking_id} belongs to another customer")
        if quantity < 1:
            raise ToolError("quantity must be 1 or more")
        self._take_items(item_id, quantity)
        row: Row = {
            "customer_id": customer_id,
            "item_id": item_id,
            "quantity": str(quantity),
            "status": "open",
            "booking_id": booking_id or None,
        }
        return {"order_id": self.table("orders").add(row, width=7)}

    @tool
    def change_order(self, order_id: Code, version: Code, quantity: int) -> str:
        """Change how many pieces an open order has.

        Args:
            order_id: The order's id.
            version: The version of the order that you have read.
            quantity: The new number of pieces.
        """
        row = self._row("orders", "order", order_id)
        if row["status"] != "open":
            raise ToolError(f"the order is {row['status']} and cannot be changed")
        if version != version_of(row):
            raise ToolError("version conflict: list the customer's orders for the present version")
        if quantity < 1:
            raise ToolError("quantity must be 1 or more")
        self._take_items(row["item_id"] or "", quantity - int(row["quantity"] or 0))
        self.table("orders").update(order_id, "quantity", str(quantity))
        return "The order was changed."

    def _of_customer(self, table: str, customer_id: str) -> list[Row]:
        self._row("customers", "customer", customer_id)
        return self.table(table).having("customer_id", customer_id)

    def _seen(self, row: Row) -> dict[str, Any]:
        """Return the fields of a booking that the model sees."""
        departure = self._row("departures", "departure", row["departure_id"] or "")
        shown = ("booking_id", "customer_id", "departure_id")
        seen: dict[str, Any] = {name: row[name] for name in shown}
        seen |= {name: departure[name] for name in ("destination", "date", "time")}
        seen |= {name: row[name] for name in ("seats", "luggage", "status")}
        if row["replaced_by"]:
            seen["replaced_by"] = row["replaced_by"]
        return {**seen, "version": version_of(row)}

    def _booking_to_change(self, booking_id: str, version: str) -> Row:
        """Return a booking if the model has read its present version.

        Raises:
            ToolError: It has not, or the booking cannot be changed.
        """
        row = self._row("bookings", "booking", booking_id)
        if row["replaced_by"]:
            raise ToolError(f"the booking {booking_id} was replaced by {row['replaced_by']}")
        if row["status"] != "confirmed":
            raise ToolError(f"the booking is {row['status']}")
        if version != version_of(row):
            raise ToolError(
                f"version conflict: the booking {booking_id} is not as you have read it; read it "
                "again with get_booking"
            )
        return row

    def _with_room(self, departure_id: str, seats: int) -> Row:
        """Return a departure if it has enough seats left.

        Raises:
            ToolError: It has not.
        """
        row = self._row("departures", "departure", departure_id)
        if seats < 1:
            raise ToolError("seats must be 1 or more")
        left = int(row["seats_free"] or 0)
        if seats > left:
            room = f"only {left} seat{'s are' if left > 1 else ' is'} left" if left else "sold out"
            raise ToolError(f"the departure at {row['time']} does not have {seats} seats: {room}")
        return row

    def _take_seats(self, departure: Row, seats: int) -> None:
        left = str(int(departure["seats_free"] or 0) - seats)
        self.table("departures").update(departure["departure_id"] or "", "seats_free", left)

    def _take_items(self, item_id: str, quantity: int) -> None:
        item = self._row("items", "item", item_id)
        left = int(item["in_stock"] or 0)
        if quantity > left:
            raise ToolError(f"there are only {left} of this item in stock")
        self.table("items").update(item_id, "in_stock", str(left - quantity))


def version_of(row: Row) -> str:
    """Return the version of a booking or an order: four characters that depend on its content.

    Example:
        >>> version_of({"seats": "2"}) == version_of({"seats": "2"}) != version_of({"seats": "3"})
        True
    """
    return f"{hash_int(*(f'{name}={row[name]}' for name in sorted(row))) % 16**4:04x}"


def _last_night(row: Row) -> Row:
    """Return the seats and the luggage of a booking in last night's list."""
    return {"seats": row["listed_seats"], "luggage": row["listed_luggage"]}


def _page(name: str, rows: list[Any], page: int, size: int = PAGE) -> dict[str, Any]:
    """Return a page of rows, which may be empty."""
    if not rows:
        return {name: [], "pagination": {f"total_{name}": 0, "page": 1, "total_pages": 0}}
    return page_of(name, rows, page, size)


class DeskRun(ReferenceRun, DeskTools):
    """The tools of a desk with a state of their own.

    Args:
        desk: The desk. It is not modified.
    """

    def __init__(self, desk: Desk) -> None:
        self.desk, self.database = desk, desk.database
        self.state = desk.database.new_state()
