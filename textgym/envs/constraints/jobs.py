"""Short writing jobs: what is asked for, the notes' details, and sentences for an answer.

`jobs.json` has the jobs. The values of details, such as dates, prices and names, are made here.

Invariants: no sentence has a digit, a quotation mark, an apostrophe, a dash or a star, so that only
values and the drawn instructions bring them in.
"""

from __future__ import annotations

import itertools
from collections.abc import Sequence
from typing import Any, NamedTuple

from textgym.envs.generation import MONTHS
from textgym.whole_file import packaged_data

__all__ = ["CODES", "FILLERS", "JOBS", "PEOPLE", "PHONES", "PRICES", "Detail", "Job"]


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
_STOP = (
    "Abbey", "Bakers", "Brook", "Castle", "Ferry", "Granite", "Market", "Mill", "Priory", "Stone",
)  # fmt: skip
_CORNER = (
    "Bridge", "Corner", "Cross", "Gate", "Green", "Lane", "Row", "Square", "Street", "Yard",
)  # fmt: skip

PRICES = tuple(f"${cents // 100}.{cents % 100:02}" for cents in range(310, 9900, 30))
PEOPLE = tuple(f"{first} {last}" for first in _FIRST for last in _LAST)
PHONES = tuple(f"555-{number:04}" for number in range(117, 9999, 13))
CODES = tuple(
    f"{first}{second}-{number}"
    for first in "BDFHKLMR"
    for second in "CGNPTVXZ"
    for number in range(103, 999, 7)
)
_VALUES: dict[str, Sequence[str]] = {
    "bus lines": tuple(f"Line {number}" for number in range(3, 99)),
    "codes": CODES,
    "dates": tuple(f"{day} {month}" for month in MONTHS for day in range(1, 29)),
    "grams": tuple(f"{number} grams" for number in range(120, 990, 7)),
    "minutes": tuple(f"{number} minutes" for number in range(12, 95)),
    "people": PEOPLE,
    "percentages": tuple(f"{number} percent" for number in range(8, 98)),
    "phones": PHONES,
    "places": tuple(f"{first} {second}" for first in _PLACE for second in _ROOM),
    "prices": PRICES,
    "stops": tuple(f"{first} {second}" for first in _STOP for second in _CORNER),
    "times": tuple(
        f"{hour}:{minute:02} {half}"
        for half in ("am", "pm")
        for hour in range(1, 13)
        for minute in range(0, 60, 5)
    ),
}


def _read_job(data: dict[str, Any]) -> Job:
    """Return a job of `jobs.json`, which names the values, and has subjects as pairs of words."""
    subjects = data["subjects"]
    if isinstance(subjects, str):
        subjects = _VALUES[subjects]
    else:
        subjects = tuple(map(" ".join, itertools.product(*map(str.split, subjects))))
    details = (
        Detail(**(detail | {"values": _VALUES[detail["values"]]})) for detail in data["details"]
    )
    return Job(**(data | {"subjects": subjects, "details": tuple(details)}))


_DATA = packaged_data("textgym.envs.constraints", "jobs.json")

JOBS: tuple[Job, ...] = tuple(map(_read_job, _DATA["jobs"]))
"""All jobs."""

FILLERS: tuple[str, ...] = _DATA["fillers"]
"""Sentences that go with any job."""
