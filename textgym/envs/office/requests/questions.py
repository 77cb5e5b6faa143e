"""What a model may ask about a request: slots, and questions without quotations of the user.

Invariants: only quotations of the user are removed, so a question about a value that the model
made up stays as it is; any text is read, in linear time, from its last characters.
"""

from __future__ import annotations

import re
from dataclasses import replace

from textgym.users import SLOTS, Slot
from textgym.users.understanding import MAX_READ
from textgym.verifiers.extract import after_reasoning

__all__ = ["OFFICE_SLOTS", "without_quotes"]


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


_QUOTE = re.compile(
    r"(?<!\w)'([^'\n]{1,200})'(?!\w)|\"([^\"\n]{1,200})\""
    r"|\u201c([^\u201d\n]{1,200})\u201d|\u2018([^\u2019\n]{1,200})\u2019"
)


def without_quotes(text: str, user_text: str) -> str:
    """Return the end of a message, without reasoning and quotations of the user.

    Args:
        text: The message.
        user_text: What the user said, or knows.

    Example:
        >>> without_quotes("I wrote 'At noon?' to Kim.", "Write to Kim: 'At noon?'")
        'I wrote _ to Kim.'
    """
    user_text = user_text.lower()

    def mark(quote: re.Match[str]) -> str:
        return (
            "_" if str(quote[quote.lastindex or 0]).lower().rstrip(".,") in user_text else quote[0]
        )

    return _QUOTE.sub(mark, after_reasoning(text)[-MAX_READ:])
