"""Contingency: the tools and their errors, the grade, and what rows may be."""

from __future__ import annotations

from typing import Any

import pytest

import textgym
from textgym.envs.office.contingency import Contingency
from textgym.envs.office.contingency.desk import DAYS, TIERS, TOWNS, desk
from textgym.envs.office.contingency.tools import DeskRun, version_of
from textgym.envs.office.databases import Table
from textgym.errors import RowError, StateError, ToolError, UsageError
from textgym.messages import assistant_calls, text_of
from textgym.verifiers.state import Row

DESK = desk(7)
FLASK = next(row for row in DESK.rows("items") if row["name"] == "plain flask")
ANN, BEN = DESK.rows("customers")[:2]
ORDER = {"customer_id": ANN["customer_id"], "item_id": FLASK["item_id"], "quantity": 2}
ROW = {
    "id": "one",
    "query": "Order two plain flasks.",
    "world": 7,
    "calls": [
        {"name": "search_items", "arguments": {"name": "plain flask"}},
        {"name": "place_order", "arguments": ORDER},
    ],
}


def departure(**wanted: bool) -> Row:
    """Return a departure with or without room, and with or without another price now."""
    return next(
        row
        for row in DESK.rows("departures")
        if wanted.get("room", True) == (int(row["seats_free"] or 0) >= 6)
        and wanted.get("steady", True) == (row["price"] == row["listed_price"])
    )


def booking(status: str = "confirmed", changed: str = "") -> Row:
    """Return a booking; `changed` is what is not as last night."""
    return next(
        row
        for row in DESK.rows("bookings")
        if row["status"] == status
        and (row["seats"] != row["listed_seats"]) == (changed == "seats")
        and (row["luggage"] != row["listed_luggage"]) == (changed == "luggage")
    )


def book(run: DeskRun, row: Row, seats: int = 2, price: int | None = None) -> Any:
    asked = int(row["listed_price"] or 0) if price is None else price
    return run.book_seats(
        str(ANN["customer_id"]), str(row["departure_id"]), seats=seats, price=asked
    )


def listed(run: DeskRun, row: Row) -> dict[str, Any]:
    """Return a booking as the list shows it."""
    for page in (1, 2, 3, 4, 5):
        for shown in run.list_bookings(str(row["customer_id"]), page)["bookings"]:
            if shown["booking_id"] == row["booking_id"]:
                return dict(shown)
    raise AssertionError("the booking is not in the list")


def elsewhere(row: Row) -> Row:
    """Return a departure with room to the town of a booking that is not the booked one."""
    records = DESK.database.records["departures"]
    booked = records.rows[records.places[row["departure_id"]][0]]
    return next(
        other
        for other in records.rows
        if other["destination"] == booked["destination"]
        and other is not booked
        and int(other["seats_free"] or 0) >= 6
    )


# The tools.


def test_what_is_booked_is_in_the_list_and_takes_seats() -> None:
    run, row = DeskRun(DESK), departure()
    made = book(run, row, seats=3)
    shown = run.get_booking(made["booking_id"])
    assert (shown["seats"], shown["status"], shown["paid"]) == (
        "3", "confirmed", str(3 * int(row["price"] or 0)),
    )  # fmt: skip
    now = run.table("departures").get(str(row["departure_id"]))
    assert now
    assert int(now["seats_free"] or 0) == int(row["seats_free"] or 0) - 3
    new = run.table("bookings").get(made["booking_id"])
    assert new
    assert listed(run, new)["version"] == shown["version"]


def test_a_departure_without_room_is_refused() -> None:
    with pytest.raises(ToolError, match="does not have 5 seats"):
        book(DeskRun(DESK), departure(room=False), seats=5)


def test_a_price_that_has_changed_is_told_and_can_be_accepted() -> None:
    run, row = DeskRun(DESK), departure(steady=False)
    with pytest.raises(ToolError, match=f"a seat costs {row['price']} euros now"):
        book(run, row)
    assert "booking_id" in book(run, row, price=int(row["price"] or 0))


def test_a_booking_that_was_changed_since_last_night_must_be_read_again() -> None:
    for changed in ("seats", "luggage"):
        run, row = DeskRun(DESK), booking(changed=changed)
        id, new = str(row["booking_id"]), str(elsewhere(row)["departure_id"])
        with pytest.raises(ToolError, match="version conflict"):
            run.move_booking(id, listed(run, row)["version"], new)
        assert run.move_booking(id, run.get_booking(id)["version"], new) == "The booking was moved."


def test_a_booking_that_was_not_changed_has_the_listed_version() -> None:
    run, row = DeskRun(DESK), booking()
    assert listed(run, row)["version"] == run.get_booking(str(row["booking_id"]))["version"]


def test_a_move_and_back_restores_the_version_and_the_tables() -> None:
    run, row = DeskRun(DESK), booking()
    id, back = str(row["booking_id"]), str(row["departure_id"])
    before = run.get_booking(id)["version"]
    run.move_booking(id, before, str(elsewhere(row)["departure_id"]))
    between = run.get_booking(id)["version"]
    run.move_booking(id, between, back)
    assert between != before == run.get_booking(id)["version"]
    assert DESK.database.differing(run.state, DESK.database.new_state()) == []


def test_a_replaced_booking_names_the_one_in_its_place() -> None:
    run = DeskRun(DESK)
    row = next(row for row in DESK.rows("bookings") if row["status"] == "replaced")
    id = str(row["booking_id"])
    assert run.get_booking(id)["replaced_by"] == row["replaced_by"]
    with pytest.raises(ToolError, match=f"was replaced by {row['replaced_by']}"):
        run.cancel_booking(id, version_of(row), 0)


def test_what_is_cancelled_frees_seats_and_cannot_be_cancelled_again() -> None:
    run, row = DeskRun(DESK), booking()
    id, version = str(row["booking_id"]), version_of(row)
    run.cancel_booking(id, version, int(row["paid"] or 0))
    shown = run.get_booking(id)
    assert (shown["status"], shown["refund"]) == ("cancelled", row["paid"])
    assert run.state["departures"]["changed"]
    with pytest.raises(ToolError, match="the booking is cancelled"):
        run.cancel_booking(id, shown["version"], 0)


def test_an_order_takes_from_the_stock_and_can_be_changed_while_it_is_open() -> None:
    run = DeskRun(DESK)
    id = run.place_order(str(ANN["customer_id"]), str(FLASK["item_id"]), 2)["order_id"]
    placed = run.table("orders").get(id)
    assert placed
    run.change_order(id, version_of(placed), 5)
    (item,) = run.search_items("plain FLASK")["items"]
    assert int(item["in_stock"]) == int(FLASK["in_stock"] or 0) - 5
    with pytest.raises(ToolError, match="version conflict"):
        run.change_order(id, version_of(placed), 6)


def test_a_shipped_order_cannot_be_changed() -> None:
    row = next(row for row in DESK.rows("orders") if row["status"] == "shipped")
    with pytest.raises(ToolError, match="the order is shipped"):
        DeskRun(DESK).change_order(str(row["order_id"]), version_of(row), 3)


@pytest.mark.parametrize(
    ("name", "arguments", "problem"),
    [
        ("find_customers", {"name": ""}, "missing: name"),
        ("search_departures", {"destination": "Rome", "date": "2025-01-01"}, "destination cannot"),
        ("list_bookings", {"customer_id": "1"}, "no customer has the id '1'"),
        ("get_booking", {"booking_id": "1"}, "no booking has the id '1'"),
        ("list_orders", {"customer_id": "1"}, "no customer has the id '1'"),
        ("search_items", {"name": ""}, "missing: name"),
        ("read_policy", {"topic": "dogs"}, "topic cannot be 'dogs'"),
        ("book_seats", {"customer_id": "1", "departure_id": "1", "seats": 1, "price": 1},
         "no customer has the id '1'"),
        ("book_seats", {"customer_id": ANN["customer_id"], "departure_id": "1", "seats": 1,
                        "price": 1}, "no departure has the id '1'"),
        ("book_seats", {"customer_id": ANN["customer_id"], "seats": -1, "price": 1,
                        "departure_id": departure()["departure_id"]}, "seats must be 1 or more"),
        ("move_booking", {"booking_id": "1", "version": "", "departure_id": "1"},
         "no booking has the id '1'"),
        ("move_booking", {"booking_id": booking()["booking_id"],
                          "version": version_of(booking()),
                          "departure_id": booking()["departure_id"]}, "for this departure already"),
        ("cancel_booking", {"booking_id": booking()["booking_id"],
                            "version": version_of(booking()), "refund": 10**9},
         "refund must be a number from 0"),
        ("cancel_booking", {"booking_id": booking()["booking_id"],
                            "version": version_of(booking()), "refund": -1},
         "refund must be a number from 0"),
        ("place_order", {**ORDER, "quantity": 0}, "quantity must be 1 or more"),
        ("place_order", {**ORDER, "quantity": 10**30}, "of this item in stock"),
        ("place_order", {**ORDER, "item_id": "1"}, "no item has the id '1'"),
        ("place_order", {**ORDER, "booking_id": "1"}, "no booking has the id '1'"),
        ("change_order", {"order_id": "1", "version": "", "quantity": 1},
         "no order has the id '1'"),
    ],
)  # fmt: skip
def test_errors_say_what_is_wrong_and_change_nothing(
    name: str, arguments: dict[str, Any], problem: str
) -> None:
    env = Contingency()
    env.reset(options={"task": ROW})
    observation, *_ = env.step(assistant_calls((name, arguments)))
    said = text_of(observation[-1])
    assert said.startswith("Error: ")
    assert problem in said
    assert env.state == env.desk.database.new_state()


def test_an_order_for_the_trip_of_another_customer_is_refused() -> None:
    row = next(r for r in DESK.rows("bookings") if r["customer_id"] != ANN["customer_id"])
    with pytest.raises(ToolError, match="belongs to another customer"):
        DeskRun(DESK).place_order(
            str(ANN["customer_id"]), str(FLASK["item_id"]), 1, str(row["booking_id"])
        )


def test_a_booking_cannot_be_moved_to_another_town() -> None:
    run, row = DeskRun(DESK), booking()
    town = run.get_booking(str(row["booking_id"]))["destination"]
    other = next(
        r for r in DESK.rows("departures")
        if r["destination"] != town and int(r["seats_free"] or 0) >= 6
    )  # fmt: skip
    with pytest.raises(ToolError, match="make a new booking"):
        run.move_booking(str(row["booking_id"]), version_of(row), str(other["departure_id"]))


def test_pages_hold_all_rows_once() -> None:
    run = DeskRun(DESK)
    (town, day), rows = max(DESK.days.items(), key=lambda item: len(item[1]))
    first = run.search_departures(town, day)
    pages = range(1, first["pagination"]["total_pages"] + 1)
    found = [r for page in pages for r in run.search_departures(town, day, page)["departures"]]
    assert [row["departure_id"] for row in found] == [row["departure_id"] for row in rows]
    assert run.search_departures(town, "2020-01-01")["departures"] == []


def test_a_date_with_typographic_hyphens_is_read() -> None:
    env = Contingency()
    town, day = max(DESK.days, key=lambda place: len(DESK.days[place]))
    found = []
    for date in (day, day.replace("-", "\u2011"), day.replace("-", "\u2212")):
        env.reset(options={"task": ROW})
        call = ("search_departures", {"destination": town, "date": date})
        observation, *_ = env.step(assistant_calls(call))
        found.append(text_of(observation[-1]))
    assert "departure_id" in found[0]
    assert {*found} == {found[0]}


def test_tables_that_tools_cannot_change_have_no_state() -> None:
    assert isinstance(DeskRun(DESK).table("customers"), Table)
    assert "customers" not in DeskRun(DESK).state


# The desk.


@pytest.mark.parametrize("seed", range(6))
def test_a_desk_is_as_its_page_says(seed: int) -> None:
    one = desk(seed)
    for customer in one.rows("customers"):
        bookings = one.of_customer("bookings", str(customer["customer_id"]))
        run = DeskRun(one)
        open_towns = [
            run.get_booking(str(row["booking_id"]))["destination"]
            for row in bookings
            if row["status"] == "confirmed"
        ]
        assert len(open_towns) == len(set(open_towns))
        items = [row["item_id"] for row in one.of_customer("orders", str(customer["customer_id"]))]
        assert len(items) == len(set(items))
    homes = [(row["name"], row["town"]) for row in one.rows("customers")]
    assert len(homes) == len(set(homes)) > len({name for name, _ in homes})
    assert {town for town, _ in one.days} == set(TOWNS)
    assert len(one.days) == len(TOWNS) * DAYS
    for rows in one.days.values():
        times = [row["time"] for row in rows]
        assert times == sorted(set(map(str, times)))


@pytest.mark.parametrize("seed", range(6))
def test_a_policy_says_what_its_rules_are(seed: int) -> None:
    policies = desk(seed).policies
    for number in (policies.full, policies.part, policies.some, policies.most):
        assert f"{number}" in policies.documents["cancellations"]
    for tier in TIERS:
        assert f"{policies.limits[tier]}" in policies.documents["orders"]
    assert policies.kept(policies.full) == 0 < policies.kept(policies.full - 1)
    assert policies.kept(policies.part) == policies.some < policies.kept(policies.part - 1)


# The grade.


def graded(*calls: tuple[str, dict[str, Any]]) -> dict[str, Any]:
    env = Contingency()
    env.reset(options={"task": ROW})
    for call in calls:
        env.step(assistant_calls(call))
    _, reward, terminated, _, info = env.step("Done.")
    assert terminated
    assert info["is_success"] == (reward == 1)
    return {**info["reward_components"], "reward": reward}


def test_the_change_that_was_asked_for_wins() -> None:
    assert graded(("place_order", ORDER)) == {
        "correct": 1.0, "departures": 1.0, "bookings": 1.0, "items": 1.0, "orders": 1.0,
        "side_effects": 0.0, "calls": 1.0, "reward": 1.0,
    }  # fmt: skip


def test_nothing_loses_without_side_effects() -> None:
    found = graded()
    assert (found["reward"], found["side_effects"], found["orders"]) == (0, 0, 0)


def test_one_change_more_is_a_side_effect() -> None:
    more = {**ORDER, "customer_id": BEN["customer_id"]}
    found = graded(("place_order", ORDER), ("place_order", more))
    assert (found["reward"], found["side_effects"], found["bookings"]) == (0, 1, 1)


def test_more_than_three_times_the_calls_lose_even_if_they_are_refused() -> None:
    refused = ("read_policy", {"topic": "dogs"})
    assert graded(("place_order", ORDER), *[refused] * 5)["reward"] == 1
    found = graded(("place_order", ORDER), *[refused] * 6)
    assert (found["reward"], found["calls"], found["orders"]) == (0, 0, 1)


def test_the_turn_limit_truncates_and_grades() -> None:
    env = Contingency(max_turns=1)
    env.reset(options={"task": ROW})
    _, reward, terminated, truncated, _ = env.step(assistant_calls(("place_order", ORDER)))
    assert (reward, terminated, truncated) == (1.0, False, True)


def test_the_oracle_fits_into_few_turns() -> None:
    env = Contingency(max_turns=1, level=5)
    env.reset(options={"index": 1})
    assert env.step(env.solve())[1] == 1


def test_the_effect_of_refused_calls_is_none() -> None:
    calls = [("cancel_booking", {"booking_id": "1", "version": "", "refund": 0})]
    assert DeskRun(DESK).make(calls) == DESK.database.new_state()


# Rows and arguments.


@pytest.mark.parametrize(
    ("changes", "field"),
    [
        ({"query": " "}, "query"),
        ({"world": "7"}, "world"),
        ({"calls": []}, "calls"),
        ({"calls": None}, "calls"),
        ({"calls": [{"name": "send"}]}, "calls.0.name"),
        ({"calls": [7]}, "calls.0.name"),
        ({"calls": [{"name": "read_policy", "arguments": {}}]}, "calls.0.arguments"),
        ({"tools": []}, "tools"),
        ({"tools": "read_policy"}, "tools"),
        ({"tools": ["read_policy", "sned"]}, "tools"),
        ({"tools": [7]}, "tools"),
    ],
)
def test_errors_of_rows_name_the_field(changes: dict[str, Any], field: str) -> None:
    with pytest.raises(RowError) as caught:
        Contingency().reset(options={"task": {**ROW, **changes}})
    assert caught.value.field == field


def test_worlds_must_be_a_number() -> None:
    with pytest.raises(UsageError):
        Contingency(worlds=0)


def test_a_new_desk_for_each_task() -> None:
    env = Contingency(worlds=None)
    assert len({env.get_task(index).row["world"] for index in range(5)}) == 5


def test_a_state_with_an_unknown_row_is_refused() -> None:
    env = Contingency()
    env.reset(options={"task": ROW})
    state = textgym.get_state(env)
    env.state["items"]["changed"]["9999"] = None
    broken = textgym.get_state(env)
    textgym.set_state(env, state)
    with pytest.raises(StateError, match=r"state\.items\.changed"):
        textgym.set_state(env, broken)
