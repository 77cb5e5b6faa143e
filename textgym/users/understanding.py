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

from textgym.users.slots import Slot

__all__ = ["MAX_READ", "Heard", "Kind", "normalised", "understand"]

MAX_READ = 8_000  # characters
MAX_CLAUSE = 600  # characters, of which the last are read


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
        says_cannot: Whether it says that something cannot be done, even if it asks too.
        is_vague: Whether the slots are only those that a vague word may mean, as `when` may mean
            the day or the time.
    """

    kind: Kind
    slots: tuple[str, ...] = ()
    says_cannot: bool = False
    is_vague: bool = False


_SHORT_FORMS = (
    (re.compile("[\u2018\u2019\u02bc`]"), "'"),
    (re.compile("[\u201c\u201d]"), '"'),
    (re.compile(r'"[^"?\n]{0,200}\?[^"\n]{0,200}"'), " _ "),  # a quoted question
    (re.compile(r"\bcan't\b|\bcannot\b"), "can not"),
    (re.compile(r"\bwon't\b"), "will not"),
    (re.compile(r"n't\b"), " not"),
    (re.compile(r"\b(who|what|when|where|how|which|it|that|there|here)'s\b"), r"\1 is"),
    (re.compile(r"\b(who|what|when|where|how|you|we|they)'re\b"), r"\1 are"),
    (re.compile(r"\bi'm\b"), "i am"),
    (re.compile(r"\b(\w{1,20})'d\b"), r"\1 would"),
    (re.compile(r"\b(\w{1,20})'ll\b"), r"\1 will"),
    (re.compile(r"\b(\w{1,20})'ve\b"), r"\1 have"),
    (re.compile(r"\be-?mail"), "email"),
    (re.compile(r"[*_#>\"]"), " "),
    (re.compile(r"[^\S\n]+"), " "),
)
_CLAUSES = re.compile(r"(?<=[?!;])|(?<=[.:])(?=\s)|\n|(?<![\w.])(?:but|except)\b|\s[-\u2013\u2014]\s")
_BULLET = re.compile(r"\s*(?:[-+\u2022]|\(?\d{1,2}[.)])\s")
_WORD = re.compile(r"\w")

_WH = r"(?:which|what|whose|when|where|who|whom|how|why)"
_FILLER = (
    r"(?:is|are|was|were|would|should|could|be|the|a|an|its|their|of|our|your|this|that|these"
    r"|those|exact|kind|sort|type|start|new|one|project|team's|specific|particular|right|and|or"
    r"|event's|meeting's|email's|mail's|task's|customer's|suitable|preferred|planned|expected"
    r"|current|desired|intended)"
)
_BEHIND_WH = re.compile(rf"\b{_WH}(?: {_FILLER}){{0,5}} $")
_JOINED = re.compile(r"(?:,|,? and|,? or|/|&|,? plus|,? as well as){0,2} ?(?:(?:at|on|in|the|a|its|what|which|for) ){0,2}$")
_IS_QUESTION = re.compile(rf"\?\s*$|^\W*(?:and |so |then |ok |okay |sure |great |just |first ){{0,2}}(?:(?:at|on|for|by|in|to|from|with|under) )?{_WH}\b")
_ASKS = re.compile(
    r"^\W*(?:just |only |and )?(?:the|your|an?) (?:[\w']+ ){0,3}[\w']+,? please\b|\b(?:(?:please|kindly|can you|could you|would you|will you)(?: \w+){0,3}"
    r" (?:specify|provide|confirm|clarify|state|share|add|name|tell|give|send|say|indicate|choose|pick|let)"
    r"|(?:tell|give|send) me|let me know(?! if)|(?:i|we)(?: \w+){0,2} need(?! to (?!know|ask|have))"
    r"|(?:is|are|am|was) (?:still )?(?:missing|lacking|open|unclear|needed|required|unsure|not (?:sure|clear|given|specified|mentioned|stated|set|known))"
    r"|(?:i|we) (?:do|did|can|could) not(?: \w+){0,2} (?:know|see|have|find out)|still (?:missing|need)"
    r"|(?:did|have|has|does|do)(?: not|n't)(?: \w+){0,2} (?:say|said|tell|told|mention|mentioned|give|given|name|named|specify|specified|state|stated|include|contain|provided?|indicated?)"
    r"|(?:would|should) like to know|want to know|need to know|wonder|wondering|without (?:knowing|the|a)|no [a-z ]{2,20} (?:was|is|were) (?:given|mentioned|specified|stated)"
    r"|(?:as soon as|once|until) i (?:know|have the)|not (?:in (?:your|the) (?:message|request)|got|received|been told)|may i (?:have|ask|know)|(?:could|can|might) i (?:have|ask|get)|left out|not the|remind me|has no)\b"
)  # fmt: skip
_IGNORED = re.compile(
    r"\b(?:(?:that|same|each|every|whole|all|first|one|end of the) day|have an? \w+ day|say (?:it|that|this)? ?again|name (?=the |an? |him|her|who)|(?:this|same|that|one|another|any|last|next|first|your|some|on|in|my|of) time(?! of)|to date|up to date|out of date"
    r"|no matter (?:who|when|what|how)|whether|(?:the )?(?:one|person|people) (?:who|that)"
    r"|thanks?(?: you)? for (?:the|your) \w+)\b"
)
_OFFER = re.compile(
    r"[^.?!;\n]{0,80}?\b(?:let me know if|tell me if|just ask|feel free|do not hesitate|if you (?:need|want|would like|have any)"
    r"|(?:anything|something|what) else (?:that )?(?:i|we) (?:can|could|may|should) (?:do|help)|(?:would you like|do you want|want) me to (?:help|assist)|(?:what|anything) else (?:can|could|may) i (?:do|help)|(?:can|could|may|shall|should) i (?:do|help)[^.?!;\n]{0,40}(?:anything|something|else|further)"
    r"|(?:do|would) you (?:need|like|want) (?:any(?:thing)?|some)(?: \w+){0,2} (?:else|help)|need (?:any )?(?:further|more|other) (?:help|assistance)|help you with anything|further assistance|any(?:thing)? (?:other|else) (?:you|to) (?:need|want|would like|do|help))\b[^.?!;\n]{0,200}[.?!;]?"
)  # fmt: skip
_GREETING = re.compile(
    r"^\W*(?:hi|hello|hey|good (?:morning|afternoon|evening|day)|greetings|welcome|sure|of course|certainly|thanks?|thank you|(?:how|what) can i (?:do|help)|how may i (?:help|assist))\b"
)
_HELP = re.compile(r"\b(?:how|what) (?:can|may|could) i (?:help|do|assist)(?: (?:you|for you|with|today|you with))*\b")
_ALL = re.compile(
    r"\b(?:missing (?:details?|informations?|info|pieces?|parts?|data|values?)|(?:any|some|every|no)(?:thing)? (?:else|other|more|further|additional|special|missing|extra)"
    r"|anything(?: i| that| you| missing| left| more| i should| to)*\b|everything|something (?:else|more)"
    r"|(?:who|what|which|when|where|how) else|(?:all|more|other|further|additional|remaining|full|the rest|any)(?: of)?(?: the| your| missing| other| remaining)* (?:details?|informations?|info|requirements|preferences?|instructions?|constraints|data)"
    r"|tell me (?:more|all)|elaborate|any (?:preferences?|wishes|requirements|details?))\b"
)
_GO_AHEAD = re.compile(
    r"\b(?:(?:shall|should|can|may|could|do you want me to|would you like me to|ok(?:ay)? (?:if i|to)|want me to)(?: \w+){0,3} (?:proceed|go ahead|continue|start|do (?:it|that|this|so)|go on|book it|send it|create it|make (?:it|the change))"
    r"|is (?:that|this|it|everything|all)(?: all| also| then)? (?:ok|okay|right|correct|fine|good|alright|all right|acceptable)|(?:am i|are we) (?:right|good)|sounds? (?:good|right|ok|okay)|(?:please |can you |could you )?confirm(?: (?:this|that|it|all|everything))?\W*$|are you sure|(?:right|correct|ok|okay|agreed|yes)\s*\?\s*$|ready to (?:go|send|book|proceed)|go ahead)"
)  # fmt: skip
_CANNOT = re.compile(
    r"\b(?:(?:can|could|may|was|am|is|are|were|be)(?: \w+)? not(?: \w+){0,2} (?:do|done|able|carry|carried|complete|completed|fulfil|fulfill|fulfilled|possible|find|found|book|booked|create|send|sent|update|updated|delete|deleted|change|changed|process|make|made|help|exist|perform|performed|proceed|move|moved|assign|add|forward|reply|schedule|offer|access)"
    r"|unable|impossible|(?:do|does|did) not(?: \w+)? (?:exist|have (?:a|any|the|such|access))|no such|there (?:is|are|was|were) (?:no|not|nobody)|not possible|no (?:\w+ ){1,4}(?:exists?|found|was found|were found|by that name|with that name|called|named|matches|matching)|not (?:found|available|in the|among)|beyond (?:what|my)|nobody (?:called|named|with)|could not|can not)\b"
)  # fmt: skip


def normalised(text: str) -> str:
    """Return the end of a text in lower case, with long forms, and words apart by single spaces.

    Example:
        >>> normalised("What's **the** date?")
        'what is the date?'
    """
    text = text[-MAX_READ:].lower()
    for pattern, replacement in _SHORT_FORMS:
        text = pattern.sub(replacement, text)
    return text.strip()


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
    whole = normalised(text)
    if not _WORD.search(whole):
        return Heard(Kind.EMPTY)
    cannot = _CANNOT.search(whole) is not None
    rest = _OFFER.sub(" ", whole)
    asked: set[str] = set()
    hinted: set[str] = set()
    unclear: list[str] = []
    for clause in _asking_clauses(rest):
        named = _IGNORED.sub("_", clause[-MAX_CLAUSE:])
        found = _slots_in(named, slots)
        asked |= found
        if not found:
            hinted |= (hints := _hinted_in(named, slots))
            if not hints:
                unclear.append(clause)
    if asked or hinted:
        names = tuple(slot.name for slot in slots if slot.name in (asked or hinted))
        return Heard(Kind.QUESTION, names, cannot, is_vague=not asked)
    if unclear:
        return Heard(_kind_of(unclear), (), cannot)
    if cannot:
        return Heard(Kind.CANNOT, (), cannot)
    if _is_greeting(whole):
        return Heard(Kind.GREETING)
    return Heard(Kind.STATEMENT)


def _kind_of(clauses: list[str]) -> Kind:
    """Return the kind of a message whose questions are about no slot."""
    if any(_ALL.search(clause) for clause in clauses):
        return Kind.ANYTHING_ELSE
    if all(_HELP.search(clause) for clause in clauses):
        return Kind.GREETING
    if any(_GO_AHEAD.search(clause) for clause in clauses):
        return Kind.GO_AHEAD
    return Kind.UNCLEAR


def _is_greeting(text: str) -> bool:
    """Return whether a text that asks nothing is a greeting and no more."""
    return len(text) < 80 and re.match(r"\W*(?:hi|hello|hey|greetings|welcome)\b", text) is not None


def _asking_clauses(text: str) -> Iterator[str]:
    """Find the clauses that ask for something."""
    in_list = False  # of what a line such as "I need:" asks for
    for clause in _CLAUSES.split(text):
        if not clause or not _WORD.search(clause):
            continue
        is_item = in_list and (_BULLET.match(clause) is not None or len(clause) < 40)
        asks = bool(_IS_QUESTION.search(clause) or _ASKS.search(clause))
        if asks or is_item:
            yield clause
        if asks or not is_item:
            in_list = asks and clause.rstrip().endswith(":")


def _slots_in(clause: str, slots: Sequence[Slot]) -> set[str]:
    """Return the names of the slots that an asking clause is about."""
    if _ALL.search(clause) or _HELP.search(clause):
        return set()
    offered = _matches(clause, [(slot.name, slot.offering) for slot in slots])
    nouns = _outside(_matches(clause, [(slot.name, slot.naming) for slot in slots]), offered)
    asking = _outside(_matches(clause, [(slot.name, slot.asking) for slot in slots]), offered)
    behind = [
        span for span in nouns if _BEHIND_WH.search(clause, max(0, span[0] - 60), span[0])
    ]
    if behind or asking:
        return _longest([*_with_joined(clause, behind, nouns), *asking])
    return _longest(nouns or offered)


def _hinted_in(clause: str, slots: Sequence[Slot]) -> set[str]:
    """Return the names of the slots that the vague words of an asking clause may mean."""
    if _ALL.search(clause) or _HELP.search(clause) or _GO_AHEAD.search(clause):
        return set()
    return _longest(_matches(clause, [(slot.name, slot.hinting) for slot in slots]))


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
        if before and _JOINED.fullmatch(clause, before[-1][1], noun[0]):
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
