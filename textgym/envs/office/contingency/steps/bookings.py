"""Steps that change bookings: versions, bookings that were replaced, and the rules for refunds."""

from __future__ import annotations

from datetime import date

from textgym.envs.generation import choice, in_words, sample
from textgym.envs.office.contingency.desk_draft import DeskDraft, Outcome, Trip, clock, next_day
from textgym.errors import ToolError
from textgym.verifiers.state import Row

__all__ = ["cancel_by_policy", "cancel_replaced", "move"]

ROOM = 6  # seats that a departure needs in order to take any booking

_MOVE = (
    "Move the booking of {who} to {town} to the {time} of the same day. If it is no longer for "
    "{n}, move it to the {later} instead.",
    "{who} would like to travel to {town} at {time} on the day that is booked: move that booking "
    "to this departure, or to the one at {later} if it is not for {n} any more.",
    "Put the booking of {who} to {town} on the {time} of its day, provided that it is still for "
    "{n}. If it is not, put it on the {later}.",
)
_REPLACED = (
    "Cancel booking {id} and refund all that was paid for it. If it was replaced by another "
    "booking, cancel that one instead and refund what was paid for that.",
    "Booking {id} is to be cancelled with a full refund; if there is another booking in its place "
    "by now, that one.",
    "Please cancel booking {id}, or whatever booking has replaced it, and pay back its full price.",
)
_POLICY = (
    "Cancel the booking of {who} to {town} and refund what the policy on cancellations gives back. "
    "If the desk keeps more than {percent} % of the price, do not cancel it, but move it to the "
    "first departure of the day after.",
    "{who} cannot travel to {town} as booked. If the policy on cancellations lets the desk keep "
    "over {percent} % of the price, move the booking to the first departure of the following day; "
    "otherwise cancel it with the refund that the policy gives.",
    "Look up in the policy on cancellations what the desk keeps of the price if the booking of "
    "{who} to {town} is cancelled today. Up to {percent} %, cancel it and refund the rest; beyond "
    "that, move it to the earliest departure of the next day.",
)


def move(draft: DeskDraft, surprise: bool) -> Outcome:
    """Move a booking to another departure; to a third one if its seats were changed.

    In half of the surprises only its luggage was changed since last night's list.
    """
    seats_changed = draft.rng.random() < 0.5

    def fits(row: Row) -> bool:
        same_seats = row["seats"] == row["listed_seats"]
        same_luggage = row["luggage"] == row["listed_luggage"]
        return (
            row["status"] == "confirmed"
            and (same_seats and same_luggage) != surprise
            and same_seats != (surprise and seats_changed)
            and len(_others(draft, row)) > 2
            and _is_new(draft, row)
        )

    booking = draft.find(lambda: choice(draft.rng, draft.desk.rows("bookings")), fits)
    customer, departure = _use(draft, booking)
    town, day = str(departure["destination"]), str(departure["date"])
    target, alternative, later = sample(draft.rng, _others(draft, booking), 3)
    n = int(booking["listed_seats"] or 0)
    seats = f"{in_words(n)} seat{'s' if n > 1 else ''}"
    text = draft.phrase(
        _MOVE,
        who=draft.who(customer),
        town=town,
        time=draft.either(clock(target), clock(alternative)),
        n=seats,
        later=clock(later),
    )
    id = draft.look_up_customer(customer)
    current = draft.look_up_booking(id, town)
    new = draft.departure_at(town, day, target)["departure_id"]
    booking_id, happened = str(current["booking_id"]), False
    moved = draft.call(
        "move_booking", booking_id=booking_id, version=current["version"], departure_id=new
    )
    if isinstance(moved, ToolError):
        current = draft.do("get_booking", booking_id=booking_id)
        happened = int(current["seats"] or 0) != n
        if happened:
            new = draft.departure_at(town, day, later)["departure_id"]
        draft.do(
            "move_booking", booking_id=booking_id, version=current["version"], departure_id=new
        )
    phrase = f"if the booking of {customer['name']} was no longer for {seats}"
    return Outcome(text, happened, phrase, Trip(id, booking_id))


def cancel_replaced(draft: DeskDraft, surprise: bool) -> Outcome:
    """Cancel a booking, or the one that replaced it."""

    def draw() -> Row:
        return choice(draft.rng, draft.desk.rows("bookings"))

    def fits(row: Row) -> bool:
        is_replaced = row["status"] == "replaced"
        return is_replaced == surprise and _is_new(draft, _in_place_of(draft, row))

    booking, alternative = draft.find(draw, fits), draw()
    _use(draft, _in_place_of(draft, booking))
    id = str(booking["booking_id"])
    draft.need(alternative["booking_id"] != id)
    text = draft.phrase(_REPLACED, id=draft.either(id, str(alternative["booking_id"])))
    current = draft.do("get_booking", booking_id=id)
    happened = False
    while current.get("replaced_by"):
        happened = True
        current = draft.do("get_booking", booking_id=current["replaced_by"])
    draft.do(
        "cancel_booking",
        booking_id=current["booking_id"],
        version=current["version"],
        refund=int(current["paid"]),
    )
    return Outcome(text, happened, "if the booking to be cancelled had been replaced")


def cancel_by_policy(draft: DeskDraft, surprise: bool) -> Outcome:
    """Cancel a booking, or move it to the next day if the policy keeps too much of the price."""
    policies = draft.desk.policies
    percent = choice(draft.rng, (policies.some, policies.most)) - 5

    def kept(day: str) -> int:
        return policies.kept((date.fromisoformat(day) - draft.desk.today).days)

    def fits(row: Row) -> bool:
        departure = draft.departure_of(row)
        town, day = str(departure["destination"]), str(departure["date"])
        first = draft.desk.days[town, next_day(day)][0]
        return (
            row["status"] == "confirmed"
            and (kept(day) > percent) == surprise
            and len(draft.confirmed(str(row["customer_id"]))) > 1
            and int(first["seats_free"] or 0) >= ROOM
            and _is_new(draft, row)
            and draft.is_new((town, next_day(day)))
        )

    booking = draft.find(lambda: choice(draft.rng, draft.desk.rows("bookings")), fits)
    customer, departure = _use(draft, booking)
    town, day = str(departure["destination"]), str(departure["date"])
    draft.use((town, next_day(day)))
    others = [row for row in draft.confirmed(str(customer["customer_id"])) if row is not booking]
    elsewhere = str(draft.departure_of(draft.choice(others))["destination"])
    text = draft.phrase(
        _POLICY, who=draft.who(customer), town=draft.either(town, elsewhere), percent=percent
    )
    id = draft.look_up_customer(customer)
    listed = draft.look_up_booking(id, town)
    draft.do("read_policy", topic="cancellations")
    current = draft.do("get_booking", booking_id=listed["booking_id"])
    change = {"booking_id": current["booking_id"], "version": current["version"]}
    part = kept(current["date"])
    if part > percent:
        first = next(draft.departures(town, next_day(day)))
        draft.do("move_booking", **change, departure_id=first["departure_id"])
    else:
        refund = int(current["paid"]) * (100 - part) // 100
        draft.do("cancel_booking", **change, refund=refund)
    phrase = f"if the trip of {customer['name']} was not to be cancelled"
    return Outcome(text, part > percent, phrase)


def _in_place_of(draft: DeskDraft, booking: Row) -> Row:
    """Return the booking that has replaced another one in the end, or the booking itself."""
    records = draft.desk.database.records["bookings"]
    while booking["replaced_by"]:
        booking = records.rows[records.places[booking["replaced_by"]][0]]
    return booking


def _others(draft: DeskDraft, booking: Row) -> list[str]:
    """Return the times of other departures of the day of a booking that have room for it."""
    departure = draft.departure_of(booking)
    rows = draft.desk.days[str(departure["destination"]), str(departure["date"])]
    roomy = [row for row in rows if int(row["seats_free"] or 0) >= ROOM]
    return [str(row["time"]) for row in roomy if row is not departure]


def _is_new(draft: DeskDraft, booking: Row) -> bool:
    departure = draft.departure_of(booking)
    place = (departure["destination"], departure["date"])
    return draft.is_new(booking["customer_id"], place)


def _use(draft: DeskDraft, booking: Row) -> tuple[Row, Row]:
    """Note what a step is about, and return the customer and the departure of a booking."""
    departure = draft.departure_of(booking)
    draft.use(booking["customer_id"], (departure["destination"], departure["date"]))
    records = draft.desk.database.records["customers"]
    return records.rows[records.places[booking["customer_id"]][0]], departure
