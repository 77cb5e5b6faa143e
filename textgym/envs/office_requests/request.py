"""Drawing a request: its kind, what it is about, its details and its wording."""

from __future__ import annotations

import re
from collections.abc import Collection, Mapping
from dataclasses import dataclass

from textgym.envs.generation import choice
from textgym.envs.office_requests.details import Detail, draw_detail
from textgym.envs.office_requests.kinds import Kind, fill
from textgym.envs.office_requests.things import EXISTING, Found
from textgym.envs.workplace import vocabulary as words
from textgym.envs.workplace.templates.draft import Draft

_FIRST_LETTER = re.compile(r"^[a-z]|(?<=[.?!:] )[a-z]")

__all__ = ["Request", "draw_request", "unknown_request"]


@dataclass(frozen=True, slots=True)
class Request:
    """A request.

    Attributes:
        kind: The kind.
        phrasing: One of the kind's wordings.
        found: What it is about.
        details: Its details by slot.
    """

    kind: Kind
    phrasing: str
    found: Found
    details: Mapping[str, Detail]

    def text(self, without: Collection[str] = ()) -> str:
        """Return the request in words.

        Args:
            without: The slots whose details are left out.
        """
        said = {slot: item.said for slot, item in self.details.items() if slot not in without}
        text = fill(self.phrasing, {"thing": self.found.said, **said})
        return _FIRST_LETTER.sub(lambda letter: letter[0].upper(), text)

    def write(self, draft: Draft, details: Mapping[str, Detail] | None = None) -> None:
        """Add the calls that carry the request out to a draft.

        Args:
            draft: The draft.
            details: The details; None for those of the request.
        """
        draft.need(self.found.row is not None)
        values = {slot: item.value for slot, item in (details or self.details).items()}
        self.kind.write(draft, self.found.row or {}, values)


def draw_request(draft: Draft, kind: Kind) -> Request:
    """Draw a request that can be carried out.

    Raises:
        Unfit: The drawn values do not make an unambiguous request.
    """
    found = kind.thing(draft, True)
    details = {slot: draw_detail(draft, slot) for slot in kind.slots}
    for slot in kind.people:
        draft.address(details[slot].said)
    return Request(kind, choice(draft.rng, kind.phrasings), found, details)


def unknown_request(draft: Draft, kind: Kind) -> Request:
    """Draw a request about something, or with somebody, that does not exist.

    Raises:
        Unfit: The drawn values do not make such a request.
    """
    found = kind.thing(draft, kind.thing not in EXISTING)
    details = {slot: draw_detail(draft, slot) for slot in kind.slots}
    if found.row is not None:
        slot = choice(draft.rng, kind.people)
        details[slot] = Detail(slot, "", _stranger(draft))
    return Request(kind, choice(draft.rng, kind.phrasings), found, details)


def _stranger(draft: Draft) -> str:
    """Draw a first name that no colleague has."""
    name = draft.choice(words.FIRST_NAMES)
    draft.need(not draft.look("company_directory_find_email_address", name=name))
    return name
