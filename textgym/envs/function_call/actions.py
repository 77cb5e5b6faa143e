"""What can be requested: actions on things, with the arguments of their tools and their phrases."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

__all__ = ["ACTIONS", "NESTED", "Action", "Argument"]


@dataclass(frozen=True)
class Argument:
    """An argument of a tool.

    Attributes:
        name: The name.
        kind: The kind of its values, see `values.draws`; "" for a choice or a flag.
        about: The description in the schema.
        phrases: How a request states it, with `{}` for the value.
        default: The default of an optional argument; None for a required one.
        options: The values of a choice, with the default among them.
    """

    name: str
    kind: str
    about: str
    phrases: tuple[str, ...]
    default: Any = None
    options: tuple[str, ...] = ()


@dataclass(frozen=True)
class Action:
    """Something that can be done with one of several things.

    Attributes:
        verb: The verb, as in the names of tools.
        things: The things. A tool is for one of them.
        others: Verbs of other actions, with which tools nearly fit.
        openings: How a request begins, with `{}` for the thing.
        arguments: The arguments.
    """

    verb: str
    things: tuple[str, ...]
    others: tuple[str, ...]
    openings: tuple[str, ...]
    arguments: tuple[Argument, ...] = field(default=())


_DAY = "The date, as YYYY-MM-DD."
_TIME = "The time, as HH:MM with 24 hours."


def _choice(name: str, about: str, phrase: str, *options: str) -> Argument:
    """Return an optional argument with some values. The first one is the default."""
    return Argument(name, "", about, (phrase,), options[0], options)


def _flag(name: str, about: str, *phrases: str) -> Argument:
    return Argument(name, "", about, phrases, default=False)


ACTIONS = (
    Action(
        "book",
        ("train", "bus", "ferry", "flight"),
        ("cancel", "rate"),
        ("Book a {}", "Please book a {} for us", "We need a {} booked"),
        (
            Argument("origin", "city", "The city of departure.", ("from {}", "leaving from {}")),
            Argument("destination", "city", "The city of arrival.", ("to {}", "going to {}")),
            Argument("date", "day", _DAY, ("on {}",)),
            Argument("passengers", "few", "The number of passengers.", ("for {} passengers",)),
            _choice("fare", "The fare.", "at the {} fare", "standard", "flexible", "group"),
            _flag("with_bicycle", "Whether a bicycle comes along.", "with a bicycle"),
        ),
    ),
    Action(
        "send",
        ("email", "letter", "fax", "postcard"),
        ("archive", "translate"),
        ("Send a new {}", "Please write and send a {}", "I want to send a {}"),
        (
            Argument("recipient", "person", "The full name.", ("to {}", "addressed to {}")),
            Argument("subject", "topic", "What it is about.", ("about {}", "concerning {}")),
            _choice("priority", "The priority.", "with {} priority", "normal", "high", "low"),
            _flag("confidential", "Whether it is confidential.", "in confidence"),
        ),
    ),
    Action(
        "set",
        ("heating", "oven", "boiler", "freezer"),
        ("inspect", "repair"),
        ("Set the {}", "Please set the {}", "I would like the {} set"),
        (
            Argument("room", "room", "The room that it is in.", ("in the {}",)),
            Argument("temperature", "degrees", "In degrees.", ("to {}",)),
            Argument("until", "time", _TIME, ("until {}",)),
            _choice("mode", "The mode.", "in {} mode", "automatic", "quiet", "boost"),
        ),
    ),
    Action(
        "reserve",
        ("tennis court", "meeting room", "projector", "minivan"),
        ("release", "photograph"),
        ("Reserve a {}", "Please reserve a {}", "I need a {} reserved"),
        (
            Argument("name", "person", "In whose name.", ("in the name of {}",)),
            Argument("date", "day", _DAY, ("on {}",)),
            Argument("start", "time", _TIME, ("from {}", "starting at {}")),
            Argument("hours", "few", "For how many hours.", ("for {} hours",)),
            _flag(
                "recurring", "Whether it is repeated every week.", "with a repetition every week"
            ),
        ),
    ),
    Action(
        "log",
        ("run", "swim", "hike", "ride"),
        ("plan", "share"),
        ("Log a {}", "Please log a {} of mine", "Add a {} to my log"),
        (
            Argument("distance_km", "kilometres", "In kilometres.", ("of {}", "over {}")),
            Argument("minutes", "many", "The duration in minutes.", ("in {} minutes",)),
            Argument("date", "day", _DAY, ("on {}",)),
            _choice("effort", "The effort.", "with {} effort", "medium", "light", "hard"),
        ),
    ),
    Action(
        "create",
        ("invoice", "quote", "receipt", "voucher"),
        ("delete", "print"),
        ("Create a new {}", "Please make a {}", "I need a {}"),
        (
            Argument("customer", "person", "The full name.", ("for {}", "made out to {}")),
            Argument("amount", "money", "The amount.", ("for an amount of {}", "worth {}")),
            Argument("date", "day", _DAY, ("dated {}",)),
            _choice("currency", "The currency.", "in {}", "euros", "dollars", "pounds"),
        ),
    ),
    Action(
        "schedule",
        ("lecture", "rehearsal", "interview", "haircut"),
        ("postpone", "record"),
        ("Schedule a {}", "Please schedule a {}", "Put a {} into my calendar"),
        (
            Argument("person", "person", "With whom.", ("with {}",)),
            Argument("date", "day", _DAY, ("on {}",)),
            Argument("time", "time", _TIME, ("at {}",)),
            Argument("minutes", "many", "In minutes.", ("for {} minutes", "lasting {} minutes")),
            _flag("online", "Whether it is held online.", "as a video call"),
        ),
    ),
)
NESTED = (
    Action(
        "ship",
        ("parcel", "crate", "pallet", "sack"),
        ("track", "insure"),
        ("Ship a {}", "Please ship a {}", "Have a {} shipped"),
        (
            Argument("recipient", "address", "The address.", ("to [{}]", "addressed to [{}]")),
            Argument("weight_kg", "kilograms", "In kilograms.", ("weighing {}",)),
            Argument("contents", "goods", "The goods in it, in order.", ("with {}",)),
            _choice("speed", "The speed.", "by {} mail", "ordinary", "express", "overnight"),
        ),
    ),
    Action(
        "rent",
        ("canoe", "tent", "scooter", "trailer"),
        ("sell", "wash"),
        ("Rent a {}", "Please rent out a {}", "Arrange the rental of a {}"),
        (
            Argument("customer", "address", "The customer.", ("to [{}]", "to the customer [{}]")),
            Argument("days", "few", "The number of days.", ("for {} days",)),
            Argument("extras", "goods", "What comes with it.", ("together with {}",)),
            Argument("date", "day", _DAY, ("on {}", "from {}")),
            _flag("insured", "Whether it is insured.", "with insurance"),
        ),
    ),
)
"""Actions with lists and objects among the arguments."""
