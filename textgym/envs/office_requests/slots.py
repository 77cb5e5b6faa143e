"""The slots of office requests: those of `textgym.users`, and three of customers."""

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
    nouns=("(?:tele)?phones?", "(?:phone|telephone|contact|mobile) ?numbers?", "numbers?"),
    questions=("how(?: [\\w']+){0,5} (?:call|reach|phone|ring)",),
    vague=("call", "reach", "contact"),
)

OFFICE_SLOTS: dict[str, Slot] = {
    **SLOTS,
    **{slot.name: slot for slot in (_OWNER, _FOLLOW_UP, _PHONE)},
}
"""The slots by their names."""
