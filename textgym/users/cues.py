"""The phrases by which a user tells what kind of sentence a message has.

All are regular expressions of lower-case text as `normalised` returns it.

Invariant: repetition in a pattern is bounded, so that matching takes linear time.
"""

from __future__ import annotations

import re

__all__ = [
    "ALL",
    "ASKS",
    "BEHIND_QUESTION_WORD",
    "CANNOT",
    "DENIED",
    "DONE",
    "GO_AHEAD",
    "HELP",
    "IGNORED",
    "IS_QUESTION",
    "JOINED",
    "OFFER",
    "normalised",
]

_SHORT_FORMS = (
    (re.compile("[\u2018\u2019\u02bc`]"), "'"),
    (re.compile("[\u201c\u201d]"), '"'),
    (re.compile(r'"[^"?\n]{0,200}\?[^"\n]{0,200}"'), " _ "),  # a quoted question
    (re.compile(r"(?<!\w)'[^'?\n]{1,200}\?[^'\n]{0,200}'(?!\w)"), " _ "),
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


def normalised(text: str) -> str:
    """Return a text in lower case, with long forms, and words apart by single spaces.

    Example:
        >>> normalised("What's **the** date?")
        'what is the date?'
    """
    text = text.lower()
    for pattern, replacement in _SHORT_FORMS:
        text = pattern.sub(replacement, text)
    return text.strip()


def _any(*phrases: str) -> re.Pattern[str]:
    """Return the pattern of any of some phrases of whole words."""
    return re.compile(rf"\b(?:{'|'.join(phrases)})\b")


_QUESTION_WORD = r"(?:which|what|whose|when|where|who|whom|how|why)"
_OPENING = "(?:and|so|then|ok|okay|sure|great|just|first) "
_PREPOSITION = "(?:at|on|for|by|in|to|from|with|under) "
_BETWEEN = (
    r"(?:is|are|was|were|would|should|could|be|the|a|an|its|their|of|our|your|this|that|these"
    r"|those|exact|kind|sort|type|start|new|one|project|team's|specific|particular|right|and|or"
    r"|event's|meeting's|email's|mail's|task's|customer's|suitable|preferred|planned|expected"
    r"|current|desired|intended|good)"
)

IS_QUESTION = re.compile(rf"\?\s*$|^\W*(?:{_OPENING}){{0,2}}(?:{_PREPOSITION})?{_QUESTION_WORD}\b")
"""What a question has."""

BEHIND_QUESTION_WORD = re.compile(rf"\b{_QUESTION_WORD}(?: {_BETWEEN}){{0,5}} $")
"""What stands before a noun that is asked for."""

JOINED = re.compile(
    r"(?:,|,? and|,? or|/|&|,? plus|,? as well as){0,2} ?"
    r"(?:(?:at|on|in|the|a|its|what|which|for) ){0,2}$"
)
"""What joins a noun to the noun before it."""

_SAID = (
    "(?:say|said|tell|told|mention|mentioned|give|given|name|named|specify|specified|state|stated"
    "|include|contain|provided?|indicated?)"
)
_TO_SAY = (
    "(?:specify|provide|confirm|clarify|state|share|add|name|tell|give|send|say|indicate|choose"
    "|pick|let)"
)

ASKS = re.compile(
    r"^\W*(?:just |only |and )?(?:the|your|an?) (?:[\w']+ ){0,3}[\w']+,? please\b|"
    + _any(
        rf"(?:please|kindly|(?:can|could|would|will) you)(?: \w+){{0,3}} {_TO_SAY}",
        "(?:tell|give|send) me",
        "let me know(?! if)",
        r"(?:i|we)(?: \w+){0,2} need(?! to (?!know|ask|have))",
        "(?:is|are|am|was) (?:still )?(?:missing|lacking|open|unclear|needed|required|unsure)",
        "(?:is|are|am|was) (?:still )?not (?:sure|clear|set|known)",
        f"(?:is|are|was|were) not {_SAID}",
        r"(?:i|we) (?:do|did|can|could) not(?: \w+){0,2} (?:know|see|have|find out)",
        rf"(?:did|have|has|does|do) not(?: \w+){{0,2}} {_SAID}",
        "still (?:missing|need)",
        "(?:would|should|want|need) (?:like )?to know",
        "wonder|wondering",
        "without (?:knowing|the|a)",
        "no [a-z ]{2,20} (?:was|is|were) (?:given|mentioned|specified|stated)",
        "(?:as soon as|once|until) i (?:know|have the)",
        "not (?:in (?:your|the) (?:message|request)|got|received|been told)",
        "may i (?:have|ask|know)",
        "(?:could|can|might) i (?:have|ask|get)",
        "left out|not the|remind me|has no",
    ).pattern
)
"""What a clause has that asks without being a question."""

IGNORED = _any(
    "(?:that|same|each|every|whole|all|first|one|end of the) day",
    r"have an? \w+ day",
    "say (?:it |that |this )?again",
    "name (?=the |an? |him|her|who)",
    "(?:this|same|that|one|another|any|last|next|first|your|some|on|in|my|of) time(?! of)",
    "(?:up |out )?(?:to|of) date",
    "no matter (?:who|when|what|how)",
    "whether",
    "(?:the )?(?:one|person|people) (?:who|that)",
    r"thanks?(?: you)? for (?:the|your) \w+",
)
"""Phrases with words of slots that are not about the slots."""

_OTHER_HELP = _any(
    "(?:let|tell) me (?:know )?if",
    "just ask|feel free|do not hesitate",
    "if you (?:need|want|would like|have any)",
    "(?:any|some)thing else (?:that )?(?:i|we) (?:can|could|may|should) (?:do|help)",
    "(?:would you like|do you want|want) me to (?:help|assist)",
    "(?:what|anything) else (?:can|could|may) i (?:do|help)",
    r"(?:can|could|may|shall|should) i (?:do|help)[^.?!;\n]{0,40}(?:(?:any|some)thing|else)",
    r"(?:do|would) you (?:need|like|want) (?:any(?:thing)?|some)(?: \w+){0,2} (?:else|help)",
    "(?:any )?(?:further|more|other) (?:help|assistance)",
    "help you with anything",
    "any(?:thing)? (?:other|else) (?:you|to) (?:need|want|would like|do|help)",
)
OFFER = re.compile(rf"{_OTHER_HELP.pattern}[^.?!;\n]{{0,200}}[.?!;]?")
"""The end of a sentence that offers other help at the end of the work."""

HELP = re.compile(r"\b(?:how|what) (?:can|may|could) i (?:help|do|assist)\b")
"""What a greeting asks."""

ALL = _any(
    "missing (?:details?|informations?|info|pieces?|parts?|data|values?)",
    "(?:any|some|every|no)(?:thing)? (?:else|other|more|further|additional|special|missing|extra)",
    "anything|everything",
    "something (?:else|more)",
    "(?:what|which|when|where|how) else",
    "(?:all|more|other|further|additional|remaining|full|the rest|any)(?: of)?"
    "(?: (?:the|your|missing|other|remaining)){0,3} (?:details?|informations?|info|requirements?"
    "|preferences?|instructions?|constraints|data|wishes)",
    "tell me (?:more|all)",
    "elaborate",
)
"""What asks for everything, or for anything else."""

GO_AHEAD = re.compile(
    _any(
        r"(?:shall|should|can|may|could) i(?: \w+){0,2} (?:proceed|go ahead|continue|start|go on)",
        r"(?<!what )(?:shall|should|can|may|could) i (?:do|book|send|create|make|change)"
        r" (?:it|that|this|so)(?! to\b)",
        r"(?:like|want) me to(?: \w+){0,2} (?:proceed|go ahead|continue|start|go on)",
        "(?:like|want) me to (?:do|book|send|create|make|change) (?:it|that|this|so)",
        "ok(?:ay)? (?:if i|to)",
        "is (?:that|this|it|everything|all) (?:all |also |then )?"
        "(?:ok|okay|right|correct|fine|good|alright|acceptable)",
        "am i right|are we good|are you sure|go ahead",
        "sounds? (?:good|right|ok|okay)",
        "ready to (?:go|send|book|proceed)",
    ).pattern
    + r"|\bconfirm(?: (?:this|that|it|all|everything))?\W*$"
    + r"|\b(?:right|correct|ok|okay|agreed|yes)\s*\?\s*$"
)
"""What asks whether to go ahead, or whether all is right."""

_DO = (
    "(?:do|done|able|carry|carried|complete|completed|fulfil|fulfill|fulfilled|possible|find|found"
    "|book|booked|create|send|sent|update|updated|delete|deleted|change|changed|process|make|made"
    "|help|exist|perform|performed|proceed|move|moved|assign|add|forward|reply|schedule|offer"
    "|access)"
)
CANNOT = _any(
    rf"(?:can|could|may|was|am|is|are|were|be)(?: \w+)? not(?: \w+){{0,2}} {_DO}",
    "(?:could|can|does|do) not (?:be|exist)",
    "unable|impossible|not possible|no such",
    r"(?:do|does|did) not(?: \w+)? (?:exist|appear|have (?:a|any|the|such|access))",
    r"(?:do|does|did) not(?: \w+)? (?:see|find)",
    "(?:do|does) not seem to (?:be|exist)",
    r"neither (?:[\w'-]+ ){1,12}(?:exists?|was found|were found)",
    r"no (?:\w+ ){1,6}is (?:on file|there|in (?:the|your|our))",
    "none (?:has|have|is|are|was|were|of)",
    "there (?:is|are|was|were) (?:no|not|nobody)",
    r"no (?:\w+ ){1,4}(?:exists?|(?:was |were )?found|(?:by|with) that name|called|named|match\w*)",
    "not (?:found|available|in the|among)",
    "beyond (?:what|my)",
    "nobody (?:called|named|with)",
)
"""What says that something cannot be done, or is not there."""

_DONE = (
    "(?:done|booked|sent|moved|changed|updated|created|added|forwarded|replied|answered|assigned"
    "|reassigned|rescheduled|corrected|completed|entered|scheduled|handed over)"
)
DONE = _any(
    rf"(?:is|are|was|were|been|have|has)(?: (?:now|just|already|all|both|also)){{0,2}} {_DONE}",
    rf"i (?:(?:now|just|already|also) )?{_DONE}",
    "(?:all|everything) done",
)
"""What says that something was done, unless the clause denies it."""
DENIED = _any(
    "not|no|nothing|none|nobody|never|neither|nor|without|unable|before|unless|until|if|once",
    "can|could|would|will|should",
)
"""What makes of a clause one that says nothing of what was done."""
