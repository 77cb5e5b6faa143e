"""What an assistant's message asks a user for, by the slots of the user's request.

A message is split into sentences and clauses. A clause asks if it is a question, or says that
something is needed or missing. The slots that it asks for are those of the first of these that it
has: a phrase that asks for a slot or its noun behind a question word; a noun; a value that is
offered; a vague word.

Invariants: any text is understood somehow, and nothing is raised; the time is linear in the text;
only the last `MAX_READ` characters are read.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from enum import StrEnum

from textgym.users.cues import (
    ALL,
    ASKS,
    BEHIND_QUESTION_WORD,
    CANNOT,
    DENIED,
    DONE,
    GO_AHEAD,
    HELP,
    IGNORED,
    IS_QUESTION,
    JOINED,
    OFFER,
    normalised,
)
from textgym.users.slots import Slot

__all__ = ["MAX_READ", "Heard", "Kind", "understand"]

MAX_READ = 8_000  # characters
MAX_GREETING = 80  # characters
MAX_CLAUSE = 600  # characters, of which the last are read
MAX_BEFORE_OFFER = 80  # characters of its sentence


class Kind(StrEnum):
    """The kinds of messages that a user tells apart."""

    QUESTION = "question"
    """It asks for slots."""
    UNCLEAR = "unclear"
    """It asks for something, but not for a slot."""
    ANYTHING_ELSE = "anything_else"
    """It asks whether there is anything else to know, or for all details."""
    GO_AHEAD = "go_ahead"
    """It asks whether to go ahead, or whether all is right."""
    GREETING = "greeting"
    """It greets or offers help, and says nothing else."""
    CANNOT = "cannot"
    """It says that the request cannot be done, and asks nothing."""
    STATEMENT = "statement"
    """It asks nothing, or only whether it can do anything else."""
    EMPTY = "empty"
    """It has no words."""


@dataclass(frozen=True, slots=True)
class Heard:
    """What a user understood.

    Attributes:
        kind: The kind of message.
        slots: The names of the slots that it asks for, in the order of the slots given.
        says_cannot: Whether it says that something cannot be done, and not that anything was done,
            even if it asks too.
        is_vague: Whether the slots are only those that one vague word may mean, as `when` may mean
            the day or the time. With several such words, all that they may mean is asked for.
    """

    kind: Kind
    slots: tuple[str, ...] = ()
    says_cannot: bool = False
    is_vague: bool = False


_CLAUSES = re.compile(
    r"(?<=[?!;])|(?<=[.:])(?=\s)|\n|(?<![\w.])(?:but|except)\b|\s[-\u2013\u2014]\s"
)
_GREETS = re.compile(r"\W*(?:hi|hello|hey|greetings|welcome)\b")
_BULLET = re.compile(r"\s*(?:[-+\u2022]|\(?\d{1,2}[.)])\s")
_WORD = re.compile(r"\w")


def understand(text: str, slots: Sequence[Slot]) -> Heard:
    """Return what a message asks for.

    Args:
        text: The message, without its reasoning.
        slots: The slots of the user's request, which are the details that it may be about.

    Example:
        >>> from textgym.users import SLOTS
        >>> meeting = [SLOTS[name] for name in ("day", "time", "participant")]
        >>> understand("Which day is it, and who should come?", meeting).slots
        ('day', 'participant')
        >>> understand("Done! Is there anything else I can do?", meeting).kind
        <Kind.STATEMENT: 'statement'>
    """
    whole = normalised(text[-MAX_READ:])
    if not _WORD.search(whole):
        return Heard(Kind.EMPTY)
    cannot = CANNOT.search(whole) is not None and not _says_done(whole)
    rest = _without_offers(whole)
    asked: set[str] = set()
    hinted: set[str] = set()
    words: set[str] = set()
    unclear: list[str] = []
    for clause in _asking_clauses(rest):
        named = IGNORED.sub("_", clause[-MAX_CLAUSE:])
        found = _slots_in(named, slots)
        asked |= found
        if not found:
            hints = _hinted_in(named, slots)
            hinted |= {name for _, _, name in hints}
            words |= {named[start:end] for start, end, _ in hints}
            if not hints:
                unclear.append(clause)
    if asked or hinted:
        names = tuple(slot.name for slot in slots if slot.name in (asked or hinted))
        return Heard(Kind.QUESTION, names, cannot, is_vague=not asked and len(words) == 1)
    if unclear:
        return Heard(_kind_of(unclear), (), cannot)
    if cannot:
        return Heard(Kind.CANNOT, (), cannot)
    if len(whole) < MAX_GREETING and _GREETS.match(whole):
        return Heard(Kind.GREETING)
    return Heard(Kind.STATEMENT)


def _without_offers(text: str) -> str:
    """Leave out offers of other help, each with the beginning of its sentence."""
    parts, end = [], 0
    for offer in OFFER.finditer(text):
        before = text[end : offer.start()]
        sentence = max(before.rfind(mark) for mark in ".?!;\n") + 1
        parts.append(before[: max(sentence, len(before) - MAX_BEFORE_OFFER)])
        end = offer.end()
    return " ".join([*parts, text[end:]])


def _says_done(text: str) -> bool:
    """Return whether a text says that something was done."""
    return any(
        DONE.search(clause) and not DENIED.search(clause)
        for clause in _CLAUSES.split(text)
        if clause
    )


def _kind_of(clauses: list[str]) -> Kind:
    """Return the kind of a message whose questions are about no slot."""
    if any(ALL.search(clause) for clause in clauses):
        return Kind.ANYTHING_ELSE
    if all(HELP.search(clause) for clause in clauses):
        return Kind.GREETING
    if any(GO_AHEAD.search(clause) for clause in clauses):
        return Kind.GO_AHEAD
    return Kind.UNCLEAR


def _asking_clauses(text: str) -> Iterator[str]:
    """Find the clauses that ask for something."""
    in_list = False  # of what a line such as "I need:" asks for
    for clause in _CLAUSES.split(text):
        if not clause or not _WORD.search(clause):
            continue
        is_item = in_list and (_BULLET.match(clause) is not None or len(clause) < 40)
        asks = bool(IS_QUESTION.search(clause) or ASKS.search(clause))
        if asks or is_item:
            yield clause
        if asks or not is_item:
            in_list = asks and clause.rstrip().endswith(":")


def _slots_in(clause: str, slots: Sequence[Slot]) -> set[str]:
    """Return the names of the slots that an asking clause is about."""
    if ALL.search(clause) or HELP.search(clause):
        return set()
    offered = _matches(clause, [(slot.name, slot.offering) for slot in slots])
    nouns = _outside(_matches(clause, [(slot.name, slot.naming) for slot in slots]), offered)
    asking = _outside(_matches(clause, [(slot.name, slot.asking) for slot in slots]), offered)
    behind = [
        span for span in nouns if BEHIND_QUESTION_WORD.search(clause, max(0, span[0] - 60), span[0])
    ]
    if behind or asking:
        return _longest([*_with_joined(clause, behind, nouns), *asking])
    return _longest(nouns or offered)


def _hinted_in(clause: str, slots: Sequence[Slot]) -> list[_Span]:
    """Return the vague words of an asking clause, and the slots that they may mean."""
    if ALL.search(clause) or HELP.search(clause) or GO_AHEAD.search(clause):
        return []
    found = _matches(clause, [(slot.name, slot.hinting) for slot in slots])
    return _outside(found, found)


_Span = tuple[int, int, str]


def _matches(clause: str, patterns: Sequence[tuple[str, re.Pattern[str] | None]]) -> list[_Span]:
    """Find where patterns match a clause."""
    return [
        (match.start(), match.end(), name)
        for name, pattern in patterns
        if pattern is not None
        for match in pattern.finditer(clause)
    ]


def _with_joined(clause: str, spans: list[_Span], nouns: list[_Span]) -> list[_Span]:
    """Add the nouns that are joined to others: the time in `which day and time`."""
    found = sorted(spans)
    for noun in sorted(nouns):
        before = [span for span in found if span[1] <= noun[0]]
        if before and JOINED.fullmatch(clause, before[-1][1], noun[0]):
            found = sorted([*found, noun])
    return found


def _longest(spans: list[_Span]) -> set[str]:
    """Return the slots of spans, without those inside longer ones: no `date` in `due date`."""
    return {name for _, _, name in _outside(spans, spans)}


def _outside(spans: list[_Span], others: list[_Span]) -> list[_Span]:
    """Return the spans that lie in no longer span of another slot."""
    return [
        (start, end, name)
        for start, end, name in spans
        if not any(
            first <= start and end <= last and last - first > end - start
            for first, last, other in others
            if other != name
        )
    ]
