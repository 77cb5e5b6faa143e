"""The phrases by which a user recognises the kinds of sentences in a message.

All are regular expressions of lower-case text as `normalised` returns it.

Invariant: repetition in a pattern is bounded, so that matching takes linear time.
"""

from __future__ import annotations

import re

__all__ = [
    "ALL", "ASKS", "ASKS_NOTHING", "AWAITS", "BEHIND_QUESTION_WORD", "BEHIND_REQUEST", "CHECK",
    "CLAUSES", "CLOSER", "GO_AHEAD", "HELP", "IGNORED", "IS_QUESTION", "JOINED", "MAY_ASK",
    "OFFER", "WAIT", "WHAT_OF_IT", "any_of", "normalised",
]  # fmt: skip

_FILL_IN = "please (?:fill|specify|provide|enter|complete|state|advise|add|choose|indicate)"
_EMPTY = "(?:please|pls|your|to be|tbd|not (?:given|specified|provided)|unknown|missing|enter|fill)"
_BLANK = re.compile(
    r"[:=][* ]{0,4}(?:_{2,200}|\.{3}(?: ?\?)?|\?{1,9}"
    rf"|[\[(<{{][^\])>}}\n]{{0,20}}\b{_EMPTY}\b[^\])>}}\n]{{0,40}}[\])>}}]"
    rf"|{_FILL_IN}\b[^.?!;:\n]{{0,20}}(?=[.?!;\n]|$))"
)
_SHORT_FORMS = (
    (_BLANK, "?"),  # a blank of a form: `Day: ___`
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
    (
        re.compile(r"\b(?:name|specify|state|tell me) the (?:person|one) (?:who|that)\b"),
        "tell me who",
    ),
    (re.compile(r"\bpl[sz]\b"), "please"),
    (re.compile(r"\b(\w{1,20})'d\b"), r"\1 would"),
    (re.compile(r"\b(\w{1,20})'ll\b"), r"\1 will"),
    (re.compile(r"\b(\w{1,20})'ve\b"), r"\1 have"),
    (re.compile(r"\be-?mail"), "email"),
    (re.compile(r"[*_#>\"]"), " "),
    (re.compile(r"[^\S\n]+"), " "),
    (re.compile(r"\n "), "\n"),
)


def normalised(text: str) -> str:
    """Return a text in lower case, with long forms, and with single spaces between words.

    Example:
        >>> normalised("What's **the** date?")
        'what is the date?'
    """
    text = text.lower()
    for pattern, replacement in _SHORT_FORMS:
        text = pattern.sub(replacement, text)
    return text.strip()


def any_of(*phrases: str) -> re.Pattern[str]:
    """Return the pattern of any of some phrases of whole words."""
    return re.compile(rf"\b(?:{'|'.join(phrases)})\b")


CLAUSES = re.compile(
    r"(?<=[?!;])|(?<=[.:])(?=\s)|\n|(?=\b(?<!\.)(?:but|except)\b)|\s[-\u2013\u2014]\s"
    r"|(?<=, )(?=i(?: only| just| already)? (?:have|got|know)\b)"
    r"|(?=\b(?:just|only) not\b)|(?=\b(?:so )?(?:all|what)(?: that)? i(?: still)? (?:need|lack)\b)"
    r"|(?=\b(?:so i|and i|and)(?: now)? (?:still |only |just )(?:need|lack|miss)\b)"
)
"""What separates clauses."""

_QUESTION_WORD = r"(?:which|what|whose|when|where|who|whom|how|why)"
_OPENING = "(?:and|but|so|then|ok|okay|sure|great|just|first) "
_PREPOSITION = "(?:at|on|for|by|in|to|from|with|under) "
_BETWEEN = (
    r"(?:is|are|was|were|would|should|could|be|the|a|an|its|their|of|our|your|this|that|these"
    r"|those|exact|kind|sort|type|start|new|one|project|team's|specific|particular|right|and|or"
    r"|event's|meeting's|email's|mail's|task's|customer's|suitable|preferred|planned|expected"
    r"|current|desired|intended|good)"
)

IS_QUESTION = re.compile(rf"\?\s*$|^\W*+(?:{_OPENING}){{0,2}}(?:{_PREPOSITION})?{_QUESTION_WORD}\b")
"""What a question has."""

BEHIND_QUESTION_WORD = re.compile(rf"\b{_QUESTION_WORD}(?: {_BETWEEN}){{0,5}} $")
"""What stands before a noun that is asked for."""

BEHIND_REQUEST = re.compile(
    r"\b(?:me|provide|specify|state|share|indicate|advise|supply|give|know|need|require|lack)"
    rf"(?: {_BETWEEN}){{0,5}} $"
)
"""What stands before a noun that is asked for beside a question: `tell me the day and how long`."""

JOINED = re.compile(
    r"(?:,|,? and|,? or|/|&|,? plus|,? as well as){0,2} ?"
    r"(?:(?:at|on|in|the|a|an|its|your|what|which|for|new|start) ){0,3}$"
)
"""What joins a noun to the noun before it."""

_SAID = (
    "(?:say|said|tell|told|mention|mentioned|give|given|name|named|specify|specified|state|stated"
    "|include|contain|provided?|indicated?)"
)
_TO_SAY = (
    "(?:specify|provide|confirm|clarify|state|share|add|name|tell|give|send|say|indicate|choose"
    "|pick|let|advise|supply|dictate)"
)

ASKS = re.compile(
    r"^\W*+(?:just |only |and )?(?:the|your|an?) (?:[\w']+ ){0,3}[\w']+,? please\b|"
    + any_of(
        rf"(?:please|kindly|(?:can|could|would|will) you)(?: \w+){{0,3}} {_TO_SAY}",
        "(?:tell|give|send) me(?! an? (?:second|moment|minute|sec|bit))",
        "let me know(?! if)",
        r"(?:i|we)(?: (?!not\b)\w+){0,2} need(?! to (?!know|ask|have))",
        "(?:is|are|am|was) (?:still )?(?:missing|lacking|open|unclear|needed|required|unsure)",
        "(?:is|are|am|was) (?:still )?not (?:sure|clear|set|known)",
        f"(?:is|are|was|were) not {_SAID}",
        r"(?:i|we)(?: still| also)? (?:do|did|can|could) not(?: \w+){0,2} "
        "(?:know|see|have|find out|work out|figure out|make out|determine)",
        rf"(?:did|have|has|does|do) not(?: \w+){{0,2}} {_SAID}",
        "still (?:missing|needs?|lacks?|requires?)",
        "(?:would|should|want|need) (?:like )?to know",
        "wonder|wondering",
        "without (?:knowing|the|a)",
        rf"no [a-z ]{{2,20}} (?:was|is|were|has been) {_SAID}",
        "(?:as soon as|once|until) i (?:know|hear|learn|am told|(?:have|get) (?:the|an?|your))",
        "not (?:in (?:your|the) (?:message|request)|got|received|been told)",
        "may i (?:have|ask|know)",
        "(?:i|we) (?:have to|must)(?: first)? (?:know|ask|have)",
        "(?:could|can|might) i (?:have|ask|get)",
        "left out|remind me",
    ).pattern
)
"""What a clause has that asks without being a question."""

_MISSING = "(?:missing|lacking|needed|required|left|open|outstanding|pending)"
WHAT_OF_IT = re.compile(r"^\W*+(?:and |so |then |but )?(?:what|which|who|whom)\b[^?]{0,40}\?\s*$")
"""A question that may be about what was named just before it."""

_POINT = "(?:details?|questions?|points?|things?|items?|gaps?|blanks?|pieces?)"
MAY_ASK = re.compile(
    r"\bplease\W*+$"
    r"|^\W*+(?:kindly |just )?(?:specify|provide|indicate|state|supply|clarify|advise|dictate"
    r"|fill in|reply with)\b"
    r"|^\W*+except\b"
    rf"|^\W*+(?:[\w'-]+ ){{0,4}}{_MISSING}(?: \w+){{0,2}} ?:"
    rf"|^\W*+(?:[\w'-]+ ){{1,4}}{_MISSING}\W*+$"
    rf"|^\W*+(?:[\w'-]+ ){{0,3}}(?:(?:last|final|remaining) {_POINT}|{_POINT} (?:left|remaining))\b"
    r"[^:?]{0,60}:$"
    + any_of(
        f"to be {_SAID}|(?:gave|give|named|mentioned|specified|stated|provided|told me) no",
        "(?:waiting|wait) for (?:the|an?|its|your)|lacks?|needs? an?|(?:have|has) to have an?",
        "(?:i|we)(?: also| still| only| just)? (?:require|miss)",
        "not the|has no|but not (?:an?|which|what|when|where|who|whom|how)",
        "not part of (?:your|the)",
        "please (?:set|enter|suggest|propose|decide on|think of"
        r"|fill in|reply with|respond with|include|pick|select|quote)",
    ).pattern.replace(r"\b", r"|\b", 1)
)
"""What a clause has that asks if it names a slot, and else says nothing."""

_I_SHOULD_GO_ON = (
    "i (?:should|shall|may|am to|can) (?:proceed|go ahead|continue|go on|start|send|book|do it)"
)
_OKAY = (
    "(?:confirmation|approval|go[- ]?ahead|ok|okay|green light|consent|permission"
    "|authori[sz]ation|agreement|thumbs up)"
)
_YOUR = r"(?: (?:for|me|your|you|a|an|the|explicit|final|clear|written|quick)){1,4}"
AWAITS = any_of(
    "(?:wait|waiting|await|awaiting|need|require|pending|want|would like|give|get|receive|upon"
    f"|after|subject to){_YOUR} {_OKAY}",
    f"(?:awaiting|pending) {_OKAY}",
    "(?:(?:reply|respond|answer)(?: back)? with|please (?:reply|respond|answer)|type|say|write"
    "|press|enter)(?: an?| just)? ?'?(?:yes|y|ok|okay|confirm|go|go ahead|proceed|send|agreed)",
    r"(?:once|if|when|as soon as|unless|until|before|after) you(?: \w+)? "
    "(?:confirm|confirmed|approve|approved|agree|agreed|say so|say yes|give the word)",
    "(?:say|give)(?: me)? the (?:word|nod|signal|sign)",
    "do you (?:approve|agree|confirm|consent)",
    "(?:please|kindly|to) (?:confirm|approve)"
    r"(?= ?[.!,;]? ?$| (?:and|so|to|that|if|before|first)\b)",
    "(?:confirm|approve) the (?:above|details|changes?|plan|information|action|request)",
    "if (?:that|this|it|everything|all) (?:is|looks|sounds|works|seems)(?: all)? (?:ok|okay|fine"
    "|right|correct|good|alright)(?: (?:for|with|by) you)?,? (?:please )?(?:say so|let me know)",
    rf"(?:let|tell) me (?:know )?(?:if|whether|when) {_I_SHOULD_GO_ON}",
)
"""What waits for the user to agree, as a question or not."""

_WORK = (
    "(?:check|look (?:into|up|for|at|it|that|this|around)|search|verify|see (?:if|whether|what)"
    "|start|begin|proceed|do (?:it|that|this)|take care|get (?:to|back|it|that|on|right)|find"
    "|be right back|fetch|try)"
)
WAIT = re.compile(
    r"(?:^|[.!?:,\n])\W{0,3}(?:(?:ok|okay|sure|great|alright|right|thanks|now|first|yes)\W{1,2})?"
    r"(?:just |please |now |i am |only ){0,2}"
    r"(?:(?:a|one) (?:moment|second|minute|sec|bit)\b|(?:hold|hang) on\b|wait\b|bear with me"
    r"|let me (?!know|have)\w|give me a (?:moment|second|minute|sec|bit)\b|on it\b"
    r"|(?:checking|looking (?:into|up|for|at)|searching|working on|fetching)\b"
    rf"|i (?:will|am going to|need to|have to)(?: (?!not\b)\w+)? {_WORK}\b)"
)
"""What says that the assistant is at work, and will say more."""

ASKS_NOTHING = re.compile(
    r"^\W*+(?:so |and |now )?(?:no|nothing|none)\b[^?]{0,80}"
    rf"\b(?:unclear|{_MISSING})\b[^?:]{{0,20}}$"
)
"""What a clause has that asks nothing, though it says that something is needed."""

IGNORED = any_of(
    "(?:that|same|each|every|whole|all|first|one|end of the) day",
    "have an? (?:nice|good|great|lovely|wonderful|productive|pleasant|fine) day",
    "say (?:it |that |this )?again",
    "(?<!i )(?<!to )name (?=the |an? |him|her|who)",
    "(?:this|same|that|one|another|any|last|next|first|your|some|on|in|my|of) time(?! of)",
    "(?:up |out )?(?:to|of) date",
    "no matter (?:who|when|what|how)",
    "whether",
    "(?:the )?(?:one|person|people) (?:who|that)",
    r"thanks?(?: you)? for (?:the|your) \w+",
)
"""Phrases with words of slots that are not about the slots."""

_OTHER_HELP = any_of(
    rf"(?:let|tell) me (?:know )?if(?! {_I_SHOULD_GO_ON})",
    "just ask|feel free|do not hesitate",
    r"if (?:that|this|it|anything|something)(?: \w+){0,2} (?:not|wrong|missing|unclear|incorrect)",
    "if you (?:need|want(?! me)|would like(?! me)|have any)",
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

ALL = any_of(
    "missing (?:details?|informations?|info|pieces?|parts?|data|values?)",
    "(?:any|some|every|no)(?:thing)? (?:else|other|more|further|additional|special|missing|extra)"
    "(?! (?:days?|dates?|times?|person|colleague))",
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

_WHAT_ELSE = (
    "(?:any|some)(?:thing|one|body)? (?:else|more|other|further)|anything (?:at all|left)"
    "|(?:is|was|will) (?:that|this|it) (?:be )?(?:all|everything)"
    "|(?:what|how|who) else|what is next"
)
_FISHING = (
    "(?<!me )know|details?|info|information|mention|tell|preferences?|requirements?|missing"
    "|consider|specific|include|say|about|give|provide|share|data|instructions?"
    "|i (?:need|should|must)"
)
CLOSER = re.compile(rf"(?!.{{0,600}}\b(?:{_FISHING})\b).{{0,600}}\b(?:{_WHAT_ELSE})\b", re.DOTALL)
"""What a question has that is about nothing but more work, at its beginning."""

CHECK = any_of(
    r"(?:check|double-check|verify|re-?check|spell|repeat|look (?:at|over))(?: \w+){0,4} "
    "(?:names?|spelling|spelled|spelt|title|subject|it|that|this|them|again|request|correct|right)",
    r"(?:confirm|correct|clarify)(?: \w+){0,2} (?:names?|spelling)",
    r"is (?:the|that|this|it)(?: \w+){0,3} (?:name|spelling|title|spelled|spelt)"
    r"(?: \w+){0,2} (?:right|correct|exact|correctly|right)",
    r"(?:another|a different|some other|the exact|the right|the correct|the full) "
    "(?:name|title|spelling|customer|colleague|task|meeting|subject|person|thread)",
    "(?:something|someone|somebody) else|typo|under another",
)
"""What asks whether a name that was not found is right."""

GO_AHEAD = re.compile(
    any_of(
        r"(?:shall|should|can|may|could) i(?: \w+){0,2} (?:proceed|go ahead|continue|start|go on)",
        r"(?<!what )(?:shall|should|can|may|could) i (?:do|book|send|create|make|change)"
        r" (?:it|that|this|so)(?! to\b)",
        r"(?:like|want) me to(?: \w+){0,2} (?:proceed|go ahead|continue|start|go on)",
        "(?:like|want) me to (?:do|book|send|create|make|change) (?:it|that|this|so)",
        "ok(?:ay)? (?:if i|to)",
        "is (?:that|this|it|everything|all) (?:all |also |then )?"
        "(?:ok|okay|right|correct|fine|good|alright|acceptable)",
        "(?:does|do) (?:this|that|it|everything|all) (?:look|sound|seem|work)",
        "am i right|are we good|are you sure|go ahead",
        "sounds? (?:good|right|ok|okay)",
        "ready to (?:go|send|book|proceed)",
    ).pattern
    + r"|\bconfirm(?: (?:this|that|it|all|everything))?\W*$"
    + r"|\b(?:right|correct|ok|okay|agreed|yes)\s*\?\s*$"
)
"""What asks whether to go ahead, or whether all is right."""
