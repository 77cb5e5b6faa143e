"""What documents state: the kinds of things in an archive, and the relations between them.

Invariants: a thing has at most one value for each relation; a value that is itself a thing has its
own document; no two relations share a sentence.
"""

from __future__ import annotations

from typing import NamedTuple

__all__ = [
    "FEET",
    "FORMER",
    "HAS_FORMER",
    "KINDS",
    "MAX_REMARKS",
    "RELATIONS",
    "REMARKS",
    "STATED",
    "TRADES",
    "YEARS",
    "Kind",
    "Relation",
]

STATED = 0.8  # the share of relations that the documents state
HAS_FORMER = 0.4  # the share of stated relations with an earlier value, where there can be one
MAX_REMARKS = 3  # in a document, which has one at least
YEARS = (412, 967)
FEET = (31, 188)


class Relation(NamedTuple):
    """A relation of things of a kind.

    Attributes:
        name: The name.
        value: The kind of its value: one of `KINDS`, or `year`, `trade`, `river` or `feet`.
        asked: A phrase for the value, with what names the thing as `{x}`.
        sentences: Sentences that state it, with the thing as `{x}` and the value as `{y}`.
    """

    name: str
    value: str
    asked: str
    sentences: tuple[str, ...]


class Kind(NamedTuple):
    """A kind of thing.

    Attributes:
        title: The title of its documents, with the thing as `{x}`.
        called: How a question names it.
        share: The share of documents of this kind.
    """

    title: str
    called: str
    share: float


KINDS = {
    "town": Kind("{x}, a town", "{x}", 0.2),
    "person": Kind("{x}, a life", "{x}", 0.4),
    "workshop": Kind("The {x}", "the {x}", 0.15),
    "ship": Kind("The ship {x}", "the {x}", 0.25),
}
RELATIONS: dict[str, tuple[Relation, ...]] = {
    "town": (
        Relation(
            "founder",
            "person",
            "the founder of {x}",
            (
                "{x} was founded by {y}.",
                "It was {y} who founded the place.",
                "The first houses were built under {y}, who is honoured as the founder.",
            ),
        ),
        Relation(
            "mayor",
            "person",
            "the mayor of {x}",
            (
                "The mayor is {y}.",
                "{y} governs {x} as its mayor.",
                "At the last election {y} became mayor.",
            ),
        ),
        Relation(
            "river",
            "river",
            "the river on which {x} lies",
            (
                "{x} lies on the {y}.",
                "The river that flows past the market is the {y}.",
                "Barges reach {x} on the {y}.",
            ),
        ),
        Relation(
            "charter",
            "year",
            "the year in which {x} received its charter",
            (
                "{x} received its charter in {y}.",
                "The charter of the town dates from {y}.",
                "In {y} the council was granted a charter.",
            ),
        ),
    ),
    "person": (
        Relation(
            "birthplace",
            "town",
            "the birthplace of {x}",
            (
                "{x} was born in {y}.",
                "The place of birth was {y}.",
                "A house in {y} is shown as the birthplace.",
            ),
        ),
        Relation(
            "teacher",
            "person",
            "the teacher of {x}",
            (
                "{x} was taught by {y}.",
                "The apprenticeship was served under {y}, the teacher of many.",
                "As a teacher {x} had {y}.",
            ),
        ),
        Relation(
            "trade",
            "trade",
            "the trade of {x}",
            (
                "{x} worked as a {y}.",
                "By trade {x} was a {y}.",
                "The guild lists {x} as a {y}.",
            ),
        ),
        Relation(
            "birth",
            "year",
            "the year of birth of {x}",
            (
                "{x} was born in the year {y}.",
                "The parish book gives {y} as the year of birth.",
                "The year of birth is {y}.",
            ),
        ),
    ),
    "workshop": (
        Relation(
            "place",
            "town",
            "the town in which {x} stands",
            (
                "The {x} stands in {y}.",
                "Its halls are in {y}.",
                "The address is a lane in {y}.",
            ),
        ),
        Relation(
            "owner",
            "person",
            "the owner of {x}",
            (
                "The {x} belongs to {y}.",
                "The owner is {y}.",
                "It is the property of {y}.",
            ),
        ),
        Relation(
            "opened",
            "year",
            "the year in which {x} opened",
            (
                "The {x} opened in {y}.",
                "Work began in {y}.",
                "The doors were opened for the first time in {y}.",
            ),
        ),
    ),
    "ship": (
        Relation(
            "captain",
            "person",
            "the captain of {x}",
            (
                "The {x} is commanded by {y}.",
                "Her captain is {y}.",
                "Captain {y} has the command.",
            ),
        ),
        Relation(
            "port",
            "town",
            "the home port of {x}",
            (
                "The home port of the {x} is {y}.",
                "She winters in {y}, her home port.",
                "Her home is the harbour of {y}.",
            ),
        ),
        Relation(
            "builder",
            "workshop",
            "the workshop that built {x}",
            (
                "The {x} was built by the {y}.",
                "Her builder was the {y}.",
                "She left the slip of the {y}.",
            ),
        ),
        Relation(
            "length",
            "feet",
            "the length of {x} in feet",
            (
                "The {x} is {y} feet long.",
                "From stem to stern she measures {y} feet.",
                "Her length is {y} feet.",
            ),
        ),
    ),
}
FORMER = {
    "mayor": (
        "Until {year} the mayor was {y}.",
        "{y} was mayor before, and gave up the office in {year}.",
    ),
    "owner": (
        "Until {year} it belonged to {y}.",
        "{y} sold it in {year}.",
    ),
    "captain": (
        "Until {year} her captain was {y}.",
        "{y} gave up the command in {year}.",
    ),
    "port": (
        "Until {year} her home port was {y}.",
        "She sailed from {y} before {year}.",
    ),
}
"""Sentences that state an earlier value of a relation, which no longer holds."""

REMARKS = {
    "town": (
        "A letter of {person} praises the bread of {x}.",
        "{person} painted the bridge of {x}.",
        "The road to {town} was paved in {year}.",
        "The people of {town} come here on market days.",
    ),
    "person": (
        "A portrait by {person} is lost.",
        "{x} travelled to {town} in {year}.",
        "The letters to {person} are kept in {town}.",
        "{person} quarrelled with {x} in {year}.",
    ),
    "workshop": (
        "A fire was put out in {year}.",
        "{person} ordered a bell here in {year}.",
        "Its wares are sold as far as {town}.",
        "The accounts are kept by {person}.",
    ),
    "ship": (
        "In {year} she ran aground off {town}.",
        "{person} crossed on her in {year}.",
        "Her sails were last mended in {town}.",
        "A model of her hangs in the hall of {town}.",
    ),
}
"""Sentences that state nothing that is asked for."""

TRADES = (
    "baker", "bookbinder", "brewer", "carpenter", "cartographer", "chandler", "clockmaker",
    "cobbler", "cooper", "dyer", "cutler", "farrier", "fletcher", "furrier", "gardener",
    "gilder", "glazier", "glover", "hatter", "locksmith", "lute maker", "mason", "midwife",
    "miller", "notary", "papermaker", "perfumer", "physician", "potter", "printer", "saddler",
    "shipwright", "silversmith", "spinner", "surveyor", "tailor", "thatcher", "tinsmith",
    "vintner", "weaver",
)  # fmt: skip
