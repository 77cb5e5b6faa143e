"""The slots of office requests: those of `textgym.users`, three of customers, and which mail.

Many requests change one thing to a new value, and can be asked about without its name:
"What should I change it to?"
"""

from __future__ import annotations

from dataclasses import replace

from textgym.users import SLOTS, Slot

__all__ = ["OFFICE_SLOTS"]

_OWNER = replace(
    SLOTS["assignee"],
    name="owner",
    label="the colleague in charge",
    nouns=(
        *SLOTS["assignee"].nouns, "account managers?", "colleague in charge", "contact person",
        "representatives?", "sales ?persons?",
    ),
    questions=(
        *SLOTS["assignee"].questions,
        "(?:who|whom)(?: [\\w']+){0,5} (?:look|looks|after|manage|manages)",
    ),
)  # fmt: skip
_FOLLOW_UP = replace(
    SLOTS["due_date"],
    name="follow_up",
    label="the follow-up date",
    nouns=(*SLOTS["due_date"].nouns, "follow[- ]?up(?: dates?| days?)?"),
)
_PHONE = Slot(
    "phone",
    "the phone number",
    nouns=("(?:tele)?phones?", "tel", "(?:phone|telephone|contact|mobile) ?numbers?", "numbers?"),
    questions=("how(?: [\\w']+){0,5} (?:call|reach|phone|ring)",),
    vague=("call", "reach", "contact"),
)

_BODY = replace(
    SLOTS["body"],
    questions=(
        *SLOTS["body"].questions,
        "(?:what|how)(?: [\\w']+){0,5} (?:answer|reply|respond)",
        "what(?: [\\w']+){0,3} (?:answer|reply|response) (?:be|read)",
        "what(?: [\\w']+){0,3} in (?:the|my|your) (?:answer|reply|response|message|mail|email)",
        "(?:your |the )?(?:answer|reply|response)(?: is| should be| would be)?(?=[ .]{0,4}\\?)",
        "what(?: is| would be| should be)? your (?:answer|reply|response)",
    ),
)
_ONE = "(?:e?mails?|one|of (?:the|these|those|them)|thread)"
_MAIL = Slot(
    "mail",
    "the mail",
    nouns=(),
    questions=(
        f"(?:which|what)(?: exact| specific| particular)? {_ONE}",
        "which messages? (?:do you|did you|is|are|in|from|to|should i (?:forward|answer|reply to))",
        "(?:which|what) (?:do|did) you (?:mean|refer to|have in mind)",
        "(?:do|did|would) you (?:mean|refer to) (?:the|this|that|your|my)"
        f" (?:[\\w'-]+ ){{0,2}}(?:{_ONE}|message)",
        f"(?:is|was) it the (?:[\\w'-]+ ){{0,2}}(?:{_ONE}|message)",
    ),
)
_CHANGED = ("day", "time", "duration", "assignee", "due_date")
_NEW_ONE = ("change it", "new one", "is it now")

OFFICE_SLOTS: dict[str, Slot] = {
    **SLOTS,
    **{
        slot.name: replace(slot, vague=(*slot.vague, *_NEW_ONE))
        for slot in (*map(SLOTS.__getitem__, _CHANGED), _FOLLOW_UP, _PHONE)
    },
    **{slot.name: slot for slot in (_OWNER, _BODY, _MAIL)},
}
"""The slots by their names."""
