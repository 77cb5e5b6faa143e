"""Steps that order from the shop: empty stocks, the limits of an order, and what was shipped."""

from __future__ import annotations

from textgym.envs.generation import choice, in_words
from textgym.envs.office.contingency.desk_draft import DeskDraft, Outcome
from textgym.verifiers.state import Row

__all__ = ["order", "order_by_policy", "raise_order"]

PLENTY = 12  # pieces in stock that are enough for every order

_ORDER = (
    "Order {n} {item}s {whom}. If there are not that many in stock, order as many {other}s "
    "instead.",
    "We need {n} {item}s {whom}; if the shop has fewer than that, take {other}s, the same number.",
    "Place an order {whom}: {n} {item}s, or just as many {other}s if the stock is too low.",
)
_BY_POLICY = (
    "Order {n} {item}s for {who}. If the policy on orders allows fewer for this customer, order as "
    "many as it allows.",
    "{who} wants {n} {item}s, in one order. Place it, but with no more pieces than the policy on "
    "orders allows this customer.",
    "Place one order for {who}: {n} {item}s, or the most that the policy on orders permits this "
    "customer, if that is less.",
)
_RAISE = (
    "Raise the order of {item}s of {who} to {n} pieces. If it is not open any more, place a new "
    "order for the missing ones.",
    "{who} has ordered {item}s and needs {n} in all. Change that order if it is still open; if it "
    "is not, order only the missing ones anew.",
    "Change how many {item}s {who} has ordered to {n}. Should that order have left already, order "
    "the difference separately.",
)


def order(draft: DeskDraft, surprise: bool) -> Outcome:
    """Order items; others if there are too few. It belongs to the trip of the step before."""
    n, other_n = draft.two(2, 4)
    item = draft.find(
        lambda: choice(draft.rng, draft.desk.rows("items")),
        lambda row: (int(row["in_stock"] or 0) < n) == surprise and draft.is_new(row["name"]),
    )
    substitute = draft.find(
        lambda: _plentiful(draft), lambda row: row is not item and draft.is_new(row["name"])
    )
    draft.use(item["name"], substitute["name"])
    trip = draft.previous.trip if draft.previous else None
    customer = None if trip else _customer(draft)
    text = draft.phrase(
        _ORDER,
        n=draft.either(in_words(n), in_words(other_n)),
        item=item["name"],
        other=substitute["name"],
        whom=f"for {draft.who(customer)}" if customer else "for that trip",
    )
    if trip:
        buyer = {"customer_id": trip.customer_id, "booking_id": trip.booking_id}
    else:
        assert customer
        buyer = {"customer_id": draft.look_up_customer(customer)}
    listed = draft.look_up_item(str(item["name"]))
    happened = int(listed["in_stock"] or 0) < n
    if happened:
        listed = draft.look_up_item(str(substitute["name"]))
    draft.do("place_order", **buyer, item_id=listed["item_id"], quantity=n)
    return Outcome(text, happened, f"if you had to order the {substitute['name']}s")


def order_by_policy(draft: DeskDraft, surprise: bool) -> Outcome:
    """Order items, but no more than the policy allows the customer."""
    limits = draft.desk.policies.limits
    n, other_n = draft.two(limits["standard"] + 1, limits["gold"])
    customer = draft.find(
        draft.customer,
        lambda row: (limits[str(row["tier"])] < n) == surprise and draft.is_new(row["customer_id"]),
    )
    item = draft.find(lambda: _plentiful(draft), lambda row: draft.is_new(row["name"]))
    draft.use(customer["customer_id"], item["name"])
    text = draft.phrase(
        _BY_POLICY,
        n=draft.either(in_words(n), in_words(other_n)),
        item=item["name"],
        who=draft.who(customer),
    )
    id = draft.look_up_customer(customer)
    draft.do("read_policy", topic="orders")
    listed = draft.look_up_item(str(item["name"]))
    allowed = limits[str(customer["tier"])]
    draft.do("place_order", customer_id=id, item_id=listed["item_id"], quantity=min(n, allowed))
    return Outcome(text, allowed < n, "if that was more than was allowed")


def raise_order(draft: DeskDraft, surprise: bool) -> Outcome:
    """Raise the quantity of an order, or order the rest again if it was shipped."""
    n, other_n = draft.two(3, 4)
    items = draft.desk.database.records["items"]

    def item_of(row: Row) -> Row:
        return items.rows[items.places[row["item_id"]][0]]

    placed = draft.find(
        lambda: choice(draft.rng, draft.desk.rows("orders")),
        lambda row: (
            row["status"] == ("shipped" if surprise else "open")
            and int(item_of(row)["in_stock"] or 0) >= PLENTY
            and draft.is_new(row["customer_id"], item_of(row)["name"])
        ),
    )
    item = item_of(placed)
    records = draft.desk.database.records["customers"]
    customer = records.rows[records.places[placed["customer_id"]][0]]
    draft.use(customer["customer_id"], item["name"])
    text = draft.phrase(
        _RAISE,
        n=draft.either(in_words(n), in_words(other_n)),
        item=item["name"],
        who=draft.who(customer),
    )
    id = draft.look_up_customer(customer)
    rows = draft.rows("list_orders", "orders", customer_id=id)
    listed = next(row for row in rows if row["item"] == item["name"])
    happened = listed["status"] != "open"
    if happened:
        rest = n - int(listed["quantity"] or 0)
        draft.do("place_order", customer_id=id, item_id=listed["item_id"], quantity=rest)
    else:
        draft.do("change_order", order_id=listed["order_id"], version=listed["version"], quantity=n)
    return Outcome(text, happened, f"if the order of {item['name']}s was not open any more")


def _customer(draft: DeskDraft) -> Row:
    customer = draft.find(draft.customer, lambda row: draft.is_new(row["customer_id"]))
    draft.use(customer["customer_id"])
    return customer


def _plentiful(draft: DeskDraft) -> Row:
    """Draw an item with enough pieces in stock for every order."""
    return draft.find(
        lambda: choice(draft.rng, draft.desk.rows("items")),
        lambda row: int(row["in_stock"] or 0) >= PLENTY,
    )
