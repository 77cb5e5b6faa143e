"""Entries, kinds of documents, and documents in the making.

An entry states a value of a key in a group. Questions know only entries, so every kind of question
can be asked about every kind of document.

Invariants: keys that a question plants occur in no filler; no two entries have the same number;
entries are shuffled at the end, so each is equally likely to stand at any place.
"""

from __future__ import annotations

import random
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from datetime import date, timedelta
from typing import NamedTuple

from textgym.envs.generation import MONTHS, choice, randbelow, randint, sample

__all__ = [
    "DAYS", "REFERENCE", "VALUE", "VOID", "DocumentDraft", "DocumentKind", "Entry", "Period",
    "Question", "dates",
]  # fmt: skip

DAYS = 365
"""The number of days from which entries come; they are numbered from 0."""

VALUE, REFERENCE, VOID = "value", "reference", "void"
"""The forms of an entry: it states the value of its key, or another key with the same value, or
that another entry, whose number is its value, does not count."""


class Entry(NamedTuple):
    """An entry of a document.

    Attributes:
        number: Its number, which no other entry has.
        day: The day that decides which entry is the latest.
        group: The group of its key. The same key in another group is another thing.
        key: The key; "" if the form is `VOID`.
        value: What it states, see the forms.
        form: `VALUE`, `REFERENCE` or `VOID`.
        noise: A random number from 0 to 1, which decides irrelevant details, such as the clerk.
    """

    number: int
    day: int
    group: str
    key: str
    value: str
    form: str
    noise: float


@dataclass(frozen=True)
class DocumentKind:
    """A kind of document.

    Attributes:
        name: Its name in rows.
        intro: What stands before the entries.
        groups: The names of groups.
        has_numbers: Whether values are numbers; else they are keys.
        length: The typical length of an entry in characters.
        separator: What stands between entries.
        write: Writes an entry.
        draw_key: Draws a key.
        draw_near_key: Draws a key that looks like the given one.
        day: How days are written.
        questions: The wording of each kind of question, with its parts in braces.
        items: What the answer to each kind of question consists of.
        rules: The wording of each rule that a question may need.
    """

    name: str
    intro: str
    groups: tuple[str, ...]
    has_numbers: bool
    length: int
    separator: str
    write: Callable[[Entry], str]
    draw_key: Callable[[random.Random], str]
    draw_near_key: Callable[[random.Random, str], str]
    day: tuple[str, ...]
    questions: Mapping[str, str]
    items: Mapping[str, str]
    rules: Mapping[str, str]


def dates(form: str) -> tuple[str, ...]:
    """Return all days, written in a form with `{year}`, `{month}`, `{name}` and `{day}`.

    Example:
        >>> dates("{year}-{month:02}-{day:02}")[0], dates("{day} {name} {year}")[-1]
        ('2031-01-01', '31 December 2031')
    """
    days = (date(2031, 1, 1) + timedelta(day) for day in range(DAYS))
    return tuple(
        form.format(year=day.year, month=day.month, name=MONTHS[day.month - 1], day=day.day)
        for day in days
    )


_GROUPS = 6  # of a document
_ROOMY = 30  # entries of a document that has room for more noise than is needed
_POOL, _MAX_POOL = 20, 1_000  # other keys
_ENTRIES_A_KEY = 4
_REFERENCES, _VOIDS = 0.3, 0.05  # shares of the filler, if a question needs such entries


class Period(NamedTuple):
    """Some days, the first and the last included."""

    first: int
    last: int


@dataclass(frozen=True)
class Question:
    """A question about a document.

    Attributes:
        text: The question.
        answer: The items of the right answer, at least one.
        ordered: Whether the order of the items matters.
        rules: The names of the rules that it needs.
        answers: Whether an entry of filler would be part of the answer; None for never.
    """

    text: str
    answer: list[str]
    ordered: bool
    rules: tuple[str, ...] = ()
    answers: Callable[[Entry], bool] | None = None


class DocumentDraft:
    """The entries of a document that is being written.

    Args:
        rng: The generator of all draws.
        kind: The kind of document.
        length: The length of the document in characters.

    Attributes:
        group: The group that the question is about.
        others: The other groups.
        room: How many entries the document has, about.
        is_roomy: Whether there is room for more noise than is needed.
        entries: The entries that were planted.
    """

    def __init__(self, rng: random.Random, kind: DocumentKind, length: int) -> None:
        self.rng, self.kind = rng, kind
        self.group, *self.others = sample(rng, kind.groups, _GROUPS)
        self.room = length // kind.length
        self.is_roomy = self.room >= _ROOMY
        self.entries: list[Entry] = []
        self._others: list[Entry] = []  # the filler that may be void
        self._taken: set[int] = set()
        self._keys: set[str] = set()
        self._pool = [self.new_key() for _ in range(_POOL)]
        self._length = length

    def some(self, low: int, high: int) -> int:
        """Return a number from low to high; the lowest if there is little room."""
        return randint(self.rng, low, high) if self.is_roomy else low

    def new_key(self) -> str:
        """Draw a key that does not occur yet."""
        return self._new(self.kind.draw_key)

    def near_key(self, key: str) -> str:
        """Draw a key that looks like another one and does not occur yet."""
        return self._new(lambda rng: self.kind.draw_near_key(rng, key))

    def _new(self, draw: Callable[[random.Random], str]) -> str:
        while True:
            key = draw(self.rng)
            if key not in self._keys:
                self._keys.add(key)
                return key

    def known_key(self) -> str:
        """Draw one of the keys of the filler."""
        return choice(self.rng, self._pool)

    def value(self) -> str:
        """Draw a value."""
        if self.kind.has_numbers:
            return str(randint(self.rng, 1000, 9999))
        return self.known_key()

    def values(self, n: int) -> list[str]:
        """Draw n different values."""
        drawn: dict[str, None] = {}
        while len(drawn) < n:
            drawn[self.value()] = None
        return list(drawn)

    def days(self, n: int) -> list[int]:
        """Draw n different days in their order."""
        return sorted(sample(self.rng, range(DAYS), n))

    def day(self) -> int:
        """Draw a day."""
        return randbelow(self.rng, DAYS)

    def period(self) -> Period:
        """Draw a period that leaves some days before and after it."""
        first = randint(self.rng, 40, 200)
        return Period(first, first + randint(self.rng, 40, 120))

    def day_in(self, period: Period) -> int:
        """Draw a day in a period."""
        return randint(self.rng, *period)

    def day_outside(self, period: Period) -> int:
        """Draw a day that is not in a period."""
        length = period.last - period.first + 1
        day = randbelow(self.rng, DAYS - length)
        return day if day < period.first else day + length

    def other_group(self) -> str:
        """Draw a group that the question is not about."""
        return choice(self.rng, self.others)

    def plant(self, group: str, key: str, day: int, value: str, form: str = VALUE) -> Entry:
        """Add an entry."""
        entry = Entry(self._number(), day, group, key, value, form, self.rng.random())
        self.entries.append(entry)
        return entry

    def void(self, entry: Entry) -> None:
        """Add an entry which says that another one does not count."""
        self.plant(entry.group, "", self.day(), str(entry.number), VOID)

    def add_noise(self, key: str, twins: int, look_alikes: int = 0, after: int = -1) -> None:
        """Add entries that have nothing to do with a key of the question.

        Args:
            key: The key.
            twins: How many are about the same key in another group.
            look_alikes: How many are about another key of the group that looks alike.
            after: The day after which the first twin and the first look-alike come.
        """
        soon = min(after + 1, DAYS - 1)
        for place in range(twins):
            day = randint(self.rng, 0 if place else soon, DAYS - 1)
            self.plant(self.other_group(), key, day, self.value())
        for place in range(look_alikes):
            day = randint(self.rng, 0 if place else soon, DAYS - 1)
            self.plant(self.group, self.near_key(key), day, self.value())

    def ask(
        self, name: str, period: Period | None = None, keys: Sequence[str] = (), **parts: str
    ) -> str:
        """Return a question about the group in the words of the document.

        Args:
            name: The kind of question.
            period: Its period, if it has one.
            keys: The keys that are asked for.
            **parts: Further parts of its wording.
        """
        if period:
            first, last = (self.kind.day[day] for day in period)
            parts |= {"first": first, "last": last}
        wording = self.kind.questions[name]
        return wording.format(group=self.group, keys=", ".join(keys), **parts)

    def write(self, question: Question) -> str:
        """Return the document: what was planted among filler, all in random order."""
        write, gap = self.kind.write, len(self.kind.separator)
        texts = [write(entry) for entry in self.entries]
        left = self._length - sum(map(len, texts)) - gap * len(texts)
        while len(self._pool) < min(self.room // _ENTRIES_A_KEY, _MAX_POOL):
            self._pool.append(self.new_key())
        while left > self.kind.length // 2:
            text = write(self._filler(question))
            texts.append(text)
            left -= len(text) + gap
        return self.kind.separator.join(sample(self.rng, texts, len(texts)))

    def _filler(self, question: Question) -> Entry:
        """Draw an entry that does not change the answer."""
        number, noise, kind = self._number(), self.rng.random(), self.rng.random()
        if "void" in question.rules:
            if kind < _VOIDS and self._others:
                void = choice(self.rng, self._others)
                return Entry(number, self.day(), void.group, "", str(void.number), VOID, noise)
            self._others.append(self._statement(question, number, noise, kind))
            return self._others[-1]
        return self._statement(question, number, noise, kind)

    def _statement(self, question: Question, number: int, noise: float, kind: float) -> Entry:
        """Draw what an entry of filler states, until it is not part of the answer."""
        has_references = "chain" in question.rules and self.kind.has_numbers
        while True:
            in_group = self.rng.random() * _GROUPS < 1
            group = self.group if in_group else self.other_group()
            key, form, value = self.known_key(), VALUE, self.value()
            if has_references and kind > 1 - _REFERENCES:
                form, value = REFERENCE, self.known_key()
            entry = Entry(number, self.day(), group, key, value, form, noise)
            if question.answers is None or not question.answers(entry):
                return entry

    def _number(self) -> int:
        """Draw the number of an entry."""
        while True:
            number = randint(self.rng, 10_000, 99_999)
            if number not in self._taken:
                self._taken.add(number)
                return number
