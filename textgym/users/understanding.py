"""What an assistant's message asks a user for, by the slots of the user's request.

A message is split into sentences and clauses. A clause counts as asking if it is a question, or if
it says that something is needed or missing. It asks for slots with the first of these that it
contains: a phrase that asks for a slot, or its noun behind a question word; a noun; a value that is
offered; a vague word.

Invariants: every text is of some kind, and no text raises an exception; the time is linear in the
length of the text; only the last `MAX_READ` characters are read.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from enum import StrEnum
from functools import partial

from textgym.users.cues import (
    ALL,
    ASKS,
    ASKS_NOTHING,
    AWAITS,
    BEHIND_QUESTION_WORD,
    BEHIND_REQUEST,
    CHECK,
    CLAUSES,
    CLOSER,
    GO_AHEAD,
    HELP,
    IGNORED,
    IS_QUESTION,
    JOINED,
    MAY_ASK,
    OFFER,
    WAIT,
    WHAT_OF_IT,
    normalised,
)
from textgym.users.outcomes import denies, is_report, says_cannot, says_done
from textgym.users.slots import Slot

__all__ = ["MAX_READ", "Heard", "Kind", "understand"]

MAX_READ = 8_000  # characters
MAX_GREETING = 80  # characters
MAX_CLAUSE = 600  # characters that are read, at the end
MAX_MEANINGS = 2  # slots that one vague word may ask for
MANY = 4  # other slots with words in questions that are all asked for
MAX_ITEM = 40  # characters of a line without a bullet
MAX_BEFORE_OFFER = 80  # characters of its sentence


class Kind(StrEnum):
    """The kinds of messages that a user distinguishes."""

    QUESTION = "question"
    """It asks for slots."""
    UNCLEAR = "unclear"
    """It asks for something, but not for a slot."""
    ANYTHING_ELSE = "anything_else"
    """It asks whether there is anything else to do."""
    DETAILS = "details"
    """It asks for all details, or whether there is anything else to know."""
    CHECK = "check"
    """It asks whether a name is right, because it was not found."""
    GO_AHEAD = "go_ahead"
    """It asks whether to go ahead, or whether all is right."""
    GREETING = "greeting"
    """It greets or offers help, and says nothing else."""
    WAIT = "wait"
    """It asks nothing, and says that the assistant is still at work."""
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
        others: The names of the other slots that it asks for.
        denies: Whether it says that nothing was done; also beside a claim that something was.
        is_vague: Whether the slots are only those that one vague word may mean, as `when` may mean
            the day or the time. With several such words, all that they may mean is asked for.
    """

    kind: Kind
    slots: tuple[str, ...] = ()
    others: tuple[str, ...] = ()
    says_cannot: bool = False
    denies: bool = False
    is_vague: bool = False


_GREETS = re.compile(r"\W*(?:hi|hello|hey|greetings|welcome)\b")
_BULLET = re.compile(r"\s*(?:[-+\u2022]|\(?\d{1,2}[.)])\s")
_ALONE = re.compile(r"\W*(?:(?:the|an?|your|its|in|at|for|and|new|is)\b\W*){0,3}")
_LIST = re.compile(r"(?:[\W_]|\b(?:the|an?|your|its|new|start|and)\b)*\b(?:and|plus) ")
_JOINT = re.compile(r"[,;/&\n]|\b(?:and|or|plus|as well as)\b")
_NUMBER = re.compile(r"\W*\d{1,2}\W*")
_WORD = re.compile(r"\w")


def understand(text: str, slots: Sequence[Slot], others: Sequence[Slot] = ()) -> Heard:
    """Return what a message asks for.

    Args:
        text: The message, without its reasoning.
        slots: The slots of the user's request, which are the details that it may be about.
        others: Slots that do not belong to the request. A message asks for one of them only with
            words that are about no slot of the request.

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
    read, done = _without_offers(whole), says_done(whole)
    cannot = says_cannot(read)
    says = partial(Heard, says_cannot=cannot and not done, denies=denies(read))
    asked: set[str] = set()
    hinted: set[str] = set()
    words: set[str] = set()
    foreign: list[str] = []
    mentioned: set[str] = set()
    loosely: list[str] = []
    unclear: list[str] = []
    before: set[str] = set()
    checks = False
    for clause, surely, last in _asking_clauses(read):
        if cannot and CHECK.search(clause):
            checks = True
            continue
        if cannot and is_report(clause):
            continue
        named = IGNORED.sub("_", clause[-MAX_CLAUSE:])
        found = _slots_in(named, slots)
        hints = _hinted_in(named, slots) if surely and not found else []
        strange = _others_in(named, slots, others)
        asked |= found
        hinted |= {name for _, _, name in hints}
        words |= {named[start:end] for start, end, _ in hints}
        foreign += strange
        mentioned |= {name for _, _, name in _named_in(named, slots, others)}
        if surely and not (found or hints or strange):
            unclear.append(clause)
            if WHAT_OF_IT.search(clause):
                meant = _slots_in(last, slots)
                meant |= {name for _, _, name in _named_in(last, slots, others)}
                before |= meant if len(meant) == 1 or "they" in clause else set()
            # One of these words may mean several slots.
            loosely += sorted(_slots_in(named, others)) or [
                name for *_, name in _hinted_in(named, others)
            ]
    if before and not (asked or hinted or foreign) and _kind_of(unclear) is Kind.UNCLEAR:
        own = {slot.name for slot in slots}  # the time in `There is no time yet. What is it?`
        asked, foreign = before & own, sorted(before - own)
    if len(mentioned) >= MANY:
        foreign = sorted(mentioned.union(foreign))
    foreign = foreign or ([] if asked or hinted else loosely[:1])
    if asked or hinted or foreign:
        names = tuple(slot.name for slot in slots if slot.name in (asked or hinted))
        is_vague = not asked and len(words) == 1
        if is_vague and not foreign and len(hinted) > MAX_MEANINGS:
            return says(Kind.UNCLEAR)
        return says(Kind.QUESTION, names, tuple(dict.fromkeys(foreign)), is_vague=is_vague)
    if unclear:
        kind = _kind_of(unclear)
        ends = done and kind in {Kind.ANYTHING_ELSE, Kind.DETAILS, Kind.GREETING}
        return says(Kind.STATEMENT if ends else kind)
    if checks:
        return says(Kind.CHECK)
    heard = says(Kind.STATEMENT)
    if heard.says_cannot:
        return says(Kind.CANNOT)
    if len(whole) < MAX_GREETING and _GREETS.match(whole):
        return says(Kind.GREETING)
    return says(Kind.WAIT) if WAIT.search(whole) and not done else heard


def _without_offers(text: str) -> str:
    """Leave out offers of other help, each with the beginning of its sentence."""
    parts, end = [], 0
    for offer in OFFER.finditer(text):
        before = text[end : offer.start()]
        sentence = max(before.rfind(mark) for mark in ".?!;\n") + 1
        parts.append(before[: max(sentence, len(before) - MAX_BEFORE_OFFER)])
        end = offer.end()
    return " ".join([*parts, text[end:]])


def _kind_of(clauses: list[str]) -> Kind:
    """Return the kind of a message whose questions are about no slot."""
    if all(CLOSER.match(clause) for clause in clauses):
        return Kind.ANYTHING_ELSE
    if any(ALL.search(clause) for clause in clauses):
        return Kind.DETAILS
    if all(HELP.search(clause) for clause in clauses):
        return Kind.GREETING
    if any(GO_AHEAD.search(clause) or AWAITS.search(clause) for clause in clauses):
        return Kind.GO_AHEAD
    return Kind.UNCLEAR


def _asking_clauses(text: str) -> Iterator[tuple[str, bool, str]]:
    """Find the clauses that ask for something.

    Each comes with whether it asks even if it names no slot, and with the clause before it.
    """
    in_list = False  # of what a line such as "I need:" asks for
    before = ""
    for clause in CLAUSES.split(text):
        if not clause or not _WORD.search(clause) or ASKS_NOTHING.match(clause):
            continue
        is_item = in_list and _is_item(clause, before)
        asks = any(cue.search(clause) for cue in (IS_QUESTION, ASKS, AWAITS))
        may_ask = is_item or MAY_ASK.search(clause) is not None
        if asks or may_ask:
            yield clause, asks, before[-MAX_CLAUSE:]
        in_list = is_item or ((asks or may_ask) and clause.rstrip().endswith(":"))
        before = clause


def _is_item(clause: str, before: str) -> bool:
    """Return whether a clause of a list is one of its items: a line, or what a mark precedes."""
    if clause[0] == " ":
        return before.rstrip().endswith(":") or _NUMBER.fullmatch(before) is not None
    return _BULLET.match(clause) is not None or len(clause) < MAX_ITEM


def _slots_in(clause: str, slots: Sequence[Slot]) -> set[str]:
    """Return the names of the slots that an asking clause is about."""
    if ALL.search(clause) or HELP.search(clause):
        return set()
    offered = _matches(clause, [(slot.name, slot.offering) for slot in slots])
    nouns = _outside(_matches(clause, [(slot.name, slot.naming) for slot in slots]), offered)
    asking = _outside(_matches(clause, [(slot.name, slot.asking) for slot in slots]), offered)
    behind = _behind(BEHIND_QUESTION_WORD, clause, nouns)
    if behind or asking:
        named = _behind(BEHIND_REQUEST, clause, nouns)
        spans = [*_with_joined(clause, [*behind, *named], nouns), *asking]
        return _longest([*spans, *_listed_before(clause, spans, nouns)])
    return set() if AWAITS.search(clause) else _longest(nouns or offered)


def _named_in(clause: str, slots: Sequence[Slot], others: Sequence[Slot]) -> list[_Span]:
    """Return the words in a clause that are for other slots, and not for one of the request."""
    nouns = _matches(clause, [(slot.name, slot.naming) for slot in (*slots, *others)])
    return _disjoint(_outside(nouns, nouns), _own(clause, slots, nouns))


def _own(clause: str, slots: Sequence[Slot], nouns: list[_Span]) -> list[_Span]:
    """Return the words of a clause for the slots of the request."""
    cues = [(slot.name, cue) for slot in slots for cue in (slot.naming, slot.asking, slot.offering)]
    return _outside(_matches(clause, cues), nouns)


def _others_in(clause: str, slots: Sequence[Slot], others: Sequence[Slot]) -> list[str]:
    """Return the names of the other slots that a clause asks for.

    A word for another slot counts unless its part of the clause has a word for one of the request:
    `the name of the recipient` is one detail.
    """
    if not others or ALL.search(clause) or HELP.search(clause):
        return []
    naming = _matches(clause, [(slot.name, slot.naming) for slot in (*slots, *others)])
    nouns = [span for span in _outside(naming, naming) if not clause.startswith("'s", span[1])]
    own = _own(clause, slots, naming)
    vague = _matches(clause, [(slot.name, slot.hinting) for slot in slots])
    asked = _behind(BEHIND_QUESTION_WORD, clause, nouns)
    named = _with_joined(clause, [*asked, *_behind(BEHIND_REQUEST, clause, nouns)], nouns)
    asking = _matches(clause, [(slot.name, slot.asking) for slot in others])
    hints = _matches(clause, [(slot.name, slot.hinting) for slot in others])
    separate = [
        (start, end, name)
        for first, last in _parts(clause)
        for start, end, name in _within(first, last, [*nouns, *hints])
        if _ALONE.fullmatch(clause[first:start] + clause[end:last])
    ]
    asked_for: list[_Span] = []
    for first, last in _parts(clause):
        if not _within(first, last, own):
            doubtful = _within(first, last, vague)
            spans = asked if doubtful else [*named, *asking, *separate]
            asked_for += _disjoint(_within(first, last, spans), doubtful)
    return [name for _, _, name in asked_for]


def _parts(clause: str) -> Iterator[tuple[int, int]]:
    """Return where the parts of a clause begin and end, which commas and `and` separate."""
    start = 0
    for joint in _JOINT.finditer(clause):
        yield start, joint.start()
        start = joint.end()
    yield start, len(clause)


def _within(start: int, end: int, spans: list[_Span]) -> list[_Span]:
    """Return the spans that begin in a part of a clause."""
    return [span for span in spans if start <= span[0] < end]


def _disjoint(spans: list[_Span], taken: Sequence[_Span] = ()) -> list[_Span]:
    """Return spans that overlap neither those taken nor one another, where the first counts."""
    kept: list[_Span] = []
    for start, end, name in spans:
        if not any(first < end and start < last for first, last, _ in [*taken, *kept]):
            kept.append((start, end, name))
    return kept


def _hinted_in(clause: str, slots: Sequence[Slot]) -> list[_Span]:
    """Return the vague words of an asking clause, and the slots that they may mean."""
    if any(cue.search(clause) for cue in (ALL, HELP, GO_AHEAD, AWAITS)):
        return []
    hints = _matches(clause, [(slot.name, slot.hinting) for slot in slots])
    return _outside(hints, hints)


_Span = tuple[int, int, str]


def _behind(before: re.Pattern[str], clause: str, nouns: list[_Span]) -> list[_Span]:
    """Return the nouns behind words that ask for them."""
    return [span for span in nouns if before.search(clause, max(0, span[0] - 60), span[0])]


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
    joined = sorted(spans)
    for noun in sorted(nouns):
        before = [span for span in joined if span[1] <= noun[0]]
        if before and JOINED.fullmatch(clause, before[-1][1], noun[0]):
            joined = sorted([*joined, noun])
    return joined


def _listed_before(clause: str, spans: list[_Span], nouns: list[_Span]) -> list[_Span]:
    """Return the nouns of a list that ends with spans: the day in `the day and how long`."""
    head = clause[: min(spans)[0]]
    listed = [noun for noun in nouns if noun[1] <= len(head)]
    for start, end, _ in listed:
        head = head[:start] + "_" * (end - start) + head[end:]
    return listed if _LIST.fullmatch(head) else []


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
