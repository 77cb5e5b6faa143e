"""What `partial_credit=True` pays in offices and at the desk, case by case."""

from __future__ import annotations

import random
from collections.abc import Sequence
from typing import Any

import gymnasium
import pytest
from blind_policies import play
from more_credit_attacks import CANNOT, MORE_ATTACKS

import textgym  # noqa: F401  registers the environments
from textgym.envs.office.contingency.desk import desk
from textgym.envs.office.contingency.tools import version_of
from textgym.messages import assistant_calls
from textgym.registry import environment_class

Call = tuple[str, dict[str, Any]]
BASE: dict[str, Any] = {"now": "2025-03-04 08:30:00", "world": 7}


def rewards(id: str, row: dict[str, Any], *steps: str | Call | Sequence[Call]) -> list[float]:
    """Play a task; a step is a text, a call, or several calls."""
    env = gymnasium.make(id, partial_credit=True)
    env.reset(options={"task": row})
    paid = []
    for step in steps:
        if isinstance(step, str):
            message: Any = step
        else:
            message = assistant_calls(step) if isinstance(step, tuple) else assistant_calls(*step)
        paid.append(float(env.step(message)[1]))
    return paid


def calls_of(*calls: Call) -> list[dict[str, Any]]:
    return [{"name": name, "arguments": arguments} for name, arguments in calls]


# Several requests.


def mail(subject: str) -> Call:
    return "email_send_email", {"recipient": "kim@home.org", "subject": subject, "body": "At noon?"}


EVENT = {
    "event_name": "Tea",
    "participant_email": "kim@home.org",
    "event_start": "2025-03-05 10:00:00",
    "duration": "45",
}
SEND, BOOK = mail("Lunch"), ("calendar_create_event", EVENT)
NEW = "00000134"  # the id of the next event of company 7
DROP = ("calendar_delete_event", {"event_id": NEW})
LATER = ("calendar_update_event", {"event_id": NEW, "field": "duration", "new_value": "60"})
HARM = [("calendar_delete_event", {"event_id": f"{n:08d}"}) for n in (131, 132, 133)]
ONCE = {
    **BASE,
    "turns": [{"text": "Send it and book it.", "calls": calls_of(SEND, BOOK)}],
    "intents": [{"calls": calls_of(SEND)}, {"calls": calls_of(BOOK)}],
}
CANCELLED = {
    **BASE,
    "turns": [
        {"text": "Send it and book it.", "calls": calls_of(SEND, BOOK)},
        {"text": "Forget about the tea.", "calls": calls_of(DROP)},
    ],
    "intents": [{"calls": calls_of(SEND)}, {"undone": calls_of(BOOK)}],
}
CORRECTED = {
    **BASE,
    "turns": [
        {"text": "Book it.", "calls": calls_of(BOOK)},
        {"text": "Make it an hour.", "calls": calls_of(LATER)},
    ],
    "intents": [{"calls": calls_of((BOOK[0], {**EVENT, "duration": "60"}))}],
}
NOTHING_FIRST = {
    **BASE,
    "turns": [
        {"text": "Book it. No, leave it.", "calls": []},
        {"text": "Send it.", "calls": calls_of(SEND)},
    ],
    "intents": [{"undone": calls_of(BOOK)}, {"calls": calls_of(SEND)}],
}


@pytest.mark.parametrize(
    ("row", "steps", "paid"),
    [
        pytest.param(ONCE, [BOOK, SEND, "Done."], [0.25, 0.25, 0.5], id="all"),
        pytest.param(ONCE, [SEND, "Done."], [0.25, 0], id="one of two"),
        pytest.param(ONCE, [SEND, mail("Tea"), "Done."], [0.25, -0.25, 0], id="one too many"),
        pytest.param(ONCE, [SEND, SEND, "Done."], [0.25, -0.25, 0], id="twice"),
        pytest.param(ONCE, [BOOK, DROP, BOOK, DROP], [0.25, -0.25, 0.25, -0.25], id="undone"),
        pytest.param(ONCE, ["Done."], [0], id="nothing"),
        pytest.param(ONCE, ["Which?"] * 4, [0] * 4, id="questions"),
        pytest.param(
            CANCELLED, [SEND, BOOK, "Ok.", DROP, "Ok."], [0.125, 0.125, 0, 0.25, 0.5], id="undoing"
        ),
        pytest.param(CANCELLED, ["Ok.", SEND, "Ok."], [0, 0, 0], id="waiting for the last message"),
        pytest.param(CANCELLED, ["Ok.", "Ok."], [0, 0], id="silence, where something is cancelled"),
        pytest.param(CANCELLED, [SEND, "Ok.", "Ok."], [0.125, 0, 0], id="half of a turn"),
        pytest.param(
            CANCELLED, [SEND, "Ok.", BOOK, DROP, "Ok."], [0.125, 0, 0, 0, 0], id="after a failure"
        ),
        pytest.param(
            CANCELLED, [SEND, BOOK, "Ok.", HARM, "Ok."], [0.125, 0.125, 0, -0.25, 0], id="harm"
        ),
        pytest.param(CORRECTED, [BOOK, "Ok.", LATER, "Ok."], [0.25, 0, 0.25, 0.5], id="corrected"),
        pytest.param(CORRECTED, [BOOK, LATER, "Ok.", "Ok."], [0.25, -0.25, 0, 0], id="too early"),
        pytest.param(NOTHING_FIRST, ["Ok.", "Ok."], [0, 0], id="a turn without changes"),
        pytest.param(NOTHING_FIRST, ["Ok.", SEND, "Ok."], [0, 0.5, 0.5], id="the other turn"),
    ],
)
def test_several_requests(row: dict[str, Any], steps: list[Any], paid: list[float]) -> None:
    assert rewards("textgym/MultiIntent-v0", row, *steps) == paid


def test_a_conversation_without_any_change_is_paid_at_the_end() -> None:
    row = {**BASE, "turns": [{"text": "Hello."}], "intents": [{"undone": calls_of(BOOK)}]}
    assert rewards("textgym/MultiIntent-v0", row, "Hello.") == [1]
    assert rewards("textgym/MultiIntent-v0", row, BOOK, "Done.") == [0, 0]


# A question first.

FACTS = {"recipient": "kim@home.org", "subject": "Lunch", "body": "At noon?"}
UNCLEAR = {
    **BASE,
    "query": "Write to kim@home.org: 'At noon?'",
    "ground_truth": calls_of(SEND),
    "missing": ["subject"],
    "facts": FACTS,
}
CLEAR = {**UNCLEAR, "missing": []}
IMPOSSIBLE = {**UNCLEAR, "ground_truth": [], "missing": [], "possible": False}
ASK, ASK_TWO = "What is the subject?", "What are the subject and the duration?"


@pytest.mark.parametrize(
    ("row", "steps", "paid"),
    [
        pytest.param(UNCLEAR, [ASK, SEND, "Done."], [0.25, 0.25, 0.5], id="all"),
        pytest.param(UNCLEAR, [ASK, "Done."], [0.25, 0], id="only the question"),
        pytest.param(UNCLEAR, [ASK, mail("Tea"), "Done."], [0.25, -0.25, 0], id="a wrong mail"),
        pytest.param(UNCLEAR, [mail("Tea"), "Done."], [0, 0], id="a guess"),
        pytest.param(UNCLEAR, [SEND, "Done."], [0.25, 0], id="a lucky guess"),
        pytest.param(UNCLEAR, [SEND, ASK, "Done."], [0.25, -0.25, 0], id="a change too early"),
        pytest.param(UNCLEAR, [ASK, ASK, "Done."], [0.25, -0.25, 0], id="the same question"),
        pytest.param(UNCLEAR, [ASK_TWO, "Done."], [0, 0], id="two details, one is needed"),
        pytest.param(UNCLEAR, [ASK, SEND, CANNOT], [0.25, 0.25, -0.5], id="a denial"),
        pytest.param(UNCLEAR, [CANNOT], [0], id="a refusal"),
        pytest.param(CLEAR, [SEND, "Done."], [0.5, 0.5], id="nothing to ask"),
        pytest.param(CLEAR, [SEND, SEND, "Done."], [0.5, -0.5, 0], id="twice"),
        pytest.param(IMPOSSIBLE, [CANNOT], [1], id="what cannot be done"),
        pytest.param(IMPOSSIBLE, ["Done."], [0], id="a claim"),
        pytest.param(IMPOSSIBLE, [SEND, CANNOT], [0, 0], id="something else is done"),
    ],
)
def test_a_question_first(row: dict[str, Any], steps: list[Any], paid: list[float]) -> None:
    assert rewards("textgym/AskFirst-v0", row, *steps) == paid


@pytest.mark.parametrize("needless", [1, 3])
def test_needless_questions_cost_what_they_cost_without_partial_credit(needless: int) -> None:
    steps = [*["What is the duration?"] * needless, SEND, "Done."]
    paid = rewards("textgym/AskFirst-v0", CLEAR, *steps)
    assert sum(paid) == pytest.approx(1 - needless / 10)
    assert sum(paid[:-1]) == 0


# A desk.

DESK = desk(7)
BOOKING = next(
    row
    for row in DESK.rows("bookings")
    if row["status"] == "confirmed"
    and int(row["paid"] or 0) > 1
    and row["seats"] == row["listed_seats"]
    and row["luggage"] == row["listed_luggage"]
)
OTHER = next(row for row in DESK.rows("bookings") if row["customer_id"] != BOOKING["customer_id"])
WHO = next(r for r in DESK.rows("customers") if r["customer_id"] == BOOKING["customer_id"])
FIND = ("find_customers", {"name": WHO["name"]})
LIST = ("list_bookings", {"customer_id": WHO["customer_id"]})
READ = ("get_booking", {"booking_id": BOOKING["booking_id"]})


def cancelling(refund: int) -> Call:
    change = {"booking_id": BOOKING["booking_id"], "version": version_of(BOOKING)}
    return "cancel_booking", {**change, "refund": refund}


PAID = int(BOOKING["paid"] or 0)
CANCEL = cancelling(PAID)  # changes the status, the refund and the seats that are left
DESK_ROW = {
    "query": f"Cancel the booking of {WHO['name']} with a full refund.",
    "world": 7,
    "calls": calls_of(FIND, LIST, READ, CANCEL),
}
ELSEWHERE = ("list_orders", {"customer_id": OTHER["customer_id"]})


@pytest.mark.parametrize(
    ("steps", "paid"),
    [
        pytest.param([FIND, LIST, READ, CANCEL, "Ok."], [0, 0.0625, 0.0625, 0.375, 0.5], id="all"),
        pytest.param([CANCEL, "Ok."], [0.375, 0.625], id="without looking"),
        pytest.param([LIST, LIST, "Ok."], [0.0625, 0, 0], id="the same again"),
        pytest.param([LIST, ELSEWHERE, "Ok."], [0.0625, -0.03125, 0], id="another look-up"),
        pytest.param([[LIST, READ], cancelling(1), "Ok."], [0.125, 0.125, 0], id="wrong refund"),
        pytest.param([[LIST, READ], [CANCEL] * 2, "Ok."], [0.125, 0.375, 0.5], id="twice"),
        pytest.param([[LIST, READ], [FIND] * 11, "Ok."], [0.125, -0.125, 0], id="too many calls"),
        pytest.param([[CANCEL], [FIND] * 12, "Ok."], [0.375, -0.375, 0], id="and the change"),
        pytest.param([("list_bookings", {"id": 1}), "Ok."], [0, 0], id="wrong arguments"),
        pytest.param(["Ok."], [0], id="nothing"),
    ],
)
def test_a_desk(steps: list[Any], paid: list[float]) -> None:
    assert rewards("textgym/Contingency-v0", DESK_ROW, *steps) == paid


def test_an_order_elsewhere_cancels_what_was_done() -> None:
    item = next(row for row in DESK.rows("items") if int(row["in_stock"] or 0) > 9)
    order = {"customer_id": OTHER["customer_id"], "item_id": item["item_id"], "quantity": 1}
    harm = [("place_order", order), ("place_order", order)]
    assert rewards("textgym/Contingency-v0", DESK_ROW, [LIST, READ], harm, "Ok.") == [
        0.125,
        -0.125,
        0,
    ]


def test_ids_that_the_request_states_are_not_looked_up() -> None:
    query = f"Cancel the booking {BOOKING['booking_id']} of customer {WHO['customer_id']}."
    row = {**DESK_ROW, "query": query}
    paid = rewards("textgym/Contingency-v0", row, [LIST, READ], CANCEL, "Ok.")
    assert paid == [0, 0.5, 0.5]


# Level 0.

MOST_ON_LEVEL_0 = {"textgym/AskFirst-v0 asks for the recipient": 0.25}  # which is always missing


@pytest.mark.parametrize(
    ("id", "name"),
    [
        (id, name)
        for id in ("textgym/AskFirst-v0", "textgym/Contingency-v0", "textgym/MultiIntent-v0")
        for name in MORE_ATTACKS[id]
        if "oracle" not in name
    ],
)
def test_level_0_pays_no_blind_policy(id: str, name: str) -> None:
    env = environment_class(id)(level=0, split="validation", partial_credit=True)
    most = max(play(env, MORE_ATTACKS[id][name], index) for index in range(4))
    assert most <= MOST_ON_LEVEL_0.get(f"{id} {name}", 0)


@pytest.mark.parametrize("id", ["AskFirst", "Contingency", "MultiIntent"])
def test_parts_of_the_work_earn_more_and_more_up_to_a_half(id: str) -> None:
    env: Any = environment_class(f"textgym/{id}-v0")(
        level=2, split="validation", partial_credit=True
    )
    for index in range(6):
        env.reset(options={"index": index})
        ended, total = False, 0.0
        while not ended:
            _, reward, terminated, truncated, info = env.step(env.solve())
            ended = terminated or truncated
            assert reward >= 0
            total += reward
            assert ended or total <= 0.5
        assert (total, info["is_success"]) == (1.0, True)


def test_the_oracle_that_stops_half_way_earns_a_part() -> None:
    env: Any = environment_class("textgym/MultiIntent-v0")(
        level=5, split="validation", partial_credit=True
    )
    for index in range(4):
        env.reset(options={"index": index})
        steps = random.Random(index).randrange(3, 12)
        total = sum(env.step(env.solve())[1] for _ in range(steps))
        assert 0 <= total < 0.5
