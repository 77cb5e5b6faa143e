"""A kind of writing job, and the values of details that several jobs share."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Sequence
from typing import NamedTuple

from textgym.envs.generation import MONTHS

__all__ = [
    "CODES",
    "DATES",
    "DURATIONS",
    "FILLERS",
    "PEOPLE",
    "PHONES",
    "PLACES",
    "PRICES",
    "TIMES",
    "Detail",
    "Job",
    "names",
]


class Detail(NamedTuple):
    """A detail that the notes state of each thing.

    Attributes:
        label: What it is, such as `date`.
        values: Its possible values.
        clue: A template of words that identify a thing by the value.
        sentences: Templates of sentences that state it in an answer.
        least: The words that choose the thing with the lowest value; "" if values have no order.
    """

    label: str
    values: Sequence[str]
    clue: str
    sentences: tuple[str, ...]
    least: str = ""


class Job(NamedTuple):
    """A short writing job about one of several things.

    Attributes:
        kind: The kind of text, such as `invitation`.
        thing: The kind of thing in the notes, such as `event`.
        subjects: The possible names of such a thing.
        requests: Ways of asking for the text; `{which}` identifies the thing.
        notes: Ways of introducing the notes.
        openings: First sentences of an answer; `{subject}` is the name.
        details: What the notes state of each thing.
        fillers: Sentences that go with any thing of the job.
        closings: Last sentences of an answer.
        usual: Words that an answer is likely to use.
        article: What stands before a name in a sentence.
    """

    kind: str
    thing: str
    subjects: Sequence[str]
    requests: tuple[str, ...]
    notes: tuple[str, ...]
    openings: tuple[str, ...]
    details: tuple[Detail, ...]
    fillers: tuple[str, ...]
    closings: tuple[str, ...]
    usual: tuple[str, ...]
    article: str = "the "


FILLERS = (
    "A short note like this one saves everybody a good deal of searching.",
    "All of this has been checked twice by two different people.",
    "Anyone who missed the last message will find the essentials here.",
    "As always, we have tried to keep the paperwork to a minimum.",
    "Copies of this text hang on the board by the entrance.",
    "Even small hints from readers have helped us in the past.",
    "Feel free to forward these lines to friends and neighbours.",
    "For most people nothing else needs to be prepared.",
    "Here is everything that matters, put as plainly as we can.",
    "If something is unclear, our desk will gladly explain it.",
    "It took some patience, but the arrangements are finally settled.",
    "Many hands have worked on this behind the scenes.",
    "Much has been said about it already, so we come straight to the point.",
    "Nobody has to remember every word, because the notice stays online.",
    "Older versions of this message are no longer valid.",
    "Our thanks go to the whole team for its quiet and careful work.",
    "Please take a moment to read the following lines carefully.",
    "Questions of a more general kind are best asked in person.",
    "Some of you have waited a long time for this piece of news.",
    "The weather may do as it likes; our plans will hold.",
    "There is no need to reply unless something stands in the way.",
    "This is the shortest version that still tells the whole story.",
    "Those who know us also know that we like to keep things simple.",
    "Whatever happens, a friendly face will be there to help.",
    "With a little luck, the coffee will be ready before you are.",
    "You will not be surprised that we are rather proud of it.",
)
"""Sentences that go with any job."""


_FIRST = (
    "Anton", "Bruno", "Dana", "Elif", "Emil", "Felix", "Greta", "Hugo", "Ines", "Ivo", "Jonas",
    "Karim", "Leila", "Marta", "Mira", "Nadia", "Oskar", "Petra", "Priya", "Rosa", "Salma",
    "Tobias", "Viktor", "Yara",
)  # fmt: skip
_LAST = (
    "Adeyemi", "Bianchi", "Brandt", "Castillo", "Dvorak", "Eriksen", "Fontaine", "Haddad",
    "Ibarra", "Jansen", "Kowalski", "Lindqvist", "Moreau", "Nakamura", "Okafor", "Petrov",
    "Quist", "Rahman", "Silva", "Tanaka", "Ueda", "Varga", "Weiss", "Yilmaz",
)  # fmt: skip
_PLACE = (
    "Acorn", "Anchor", "Bishop", "Canal", "Cedar", "Chapel", "Copper", "Falcon", "Garnet",
    "Harbour", "Heron", "Juniper", "Kestrel", "Linden", "Maple", "Orchard", "Poplar", "Quarry",
    "Raven", "Saddler", "Thistle", "Tiller", "Weaver", "Willow",
)  # fmt: skip
_ROOM = (
    "Annex", "Barn", "Court", "Gallery", "Hall", "House", "Lodge", "Pavilion", "Room", "Studio",
    "Terrace", "Theatre", "Tower", "Wing",
)  # fmt: skip

DATES = tuple(f"{day} {month}" for month in MONTHS for day in range(1, 29))
TIMES = tuple(
    f"{hour}:{minute:02} {half}"
    for half in ("am", "pm")
    for hour in range(1, 13)
    for minute in range(0, 60, 5)
)
PRICES = tuple(f"${cents // 100}.{cents % 100:02}" for cents in range(310, 9900, 30))
PEOPLE = tuple(f"{first} {last}" for first in _FIRST for last in _LAST)
PLACES = tuple(f"{first} {second}" for first in _PLACE for second in _ROOM)
PHONES = tuple(f"555-{number:04}" for number in range(117, 9999, 13))
CODES = tuple(
    f"{first}{second}-{number}"
    for first in "BDFHKLMR"
    for second in "CGNPTVXZ"
    for number in range(103, 999, 7)
)
DURATIONS = tuple(f"{number} minutes" for number in range(12, 95))


def names(
    first: str, second: str, join: Callable[[str, str], str] = "{} {}".format
) -> Sequence[str]:
    """Return names that are put together of a first and a second word.

    Example:
        >>> names("Spring Harvest", "Fair Walk")
        ('Spring Fair', 'Spring Walk', 'Harvest Fair', 'Harvest Walk')
    """
    return tuple(join(*pair) for pair in itertools.product(first.split(), second.split()))
