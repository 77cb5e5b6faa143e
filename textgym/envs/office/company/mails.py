"""Mails as the user speaks of them: by subject, place in the thread, day or person.

Invariants: all mails of the mailbox are equally likely, so the newest one of a subject is meant as
often as by chance; the words for a mail fit no other mail, and the words for a mail that does not
exist fit none.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from datetime import date
from typing import NamedTuple

from textgym.envs.office.company import vocabulary as words
from textgym.envs.office.company.company_draft import CompanyDraft, Row, received

__all__ = ["NEUTRAL", "draw_mail", "draw_task_name", "unknown_mail"]

Way = tuple[str, str]
"""The two facts by which a user identifies a mail."""

LATEST, PLACE = ("subject", "latest"), ("subject", "place")
DAY, PERSON, PERSON_DAY = ("subject", "day"), ("subject", "person"), ("person", "day")
WAYS: tuple[Way, ...] = (LATEST, PLACE, DAY, PERSON, PERSON_DAY)

NEUTRAL: tuple[Way, ...] = (LATEST, PLACE, DAY)
"""The ways that do not reveal whether the user received a mail or sent it."""

_PLACES = ("first", "second", "third", "fourth", "fifth")
_WORDINGS = {  # each ends with its subject or day, so that no day or person behind it belongs to it
    LATEST: (
        "the latest mail about '{subject}'",
        "the last mail with the subject '{subject}'",
        "the newest e-mail in the thread '{subject}'",
    ),
    PLACE: (
        "the {place} mail about '{subject}'",
        "the {place} mail with the subject '{subject}'",
        "the {place} e-mail in the thread '{subject}'",
    ),
    DAY: (
        "the mail of {day} about '{subject}'",
        "the e-mail of {day} with the subject '{subject}'",
        "the mail of {day} in the thread '{subject}'",
    ),
}
_RECEIVED = {
    PERSON: (
        "the mail that {name} sent me about '{subject}'",
        "the e-mail that I got from {name} about '{subject}'",
    ),
    PERSON_DAY: (
        "the mail that {name} sent me on {day}",
        "the e-mail that I got from {name} on {day}",
    ),
}
_SENT = {
    PERSON: (
        "the mail that {name} got from me about '{subject}'",
        "the e-mail that I sent {name} about '{subject}'",
    ),
    PERSON_DAY: (
        "the mail that {name} got from me on {day}",
        "the e-mail that I sent {name} on {day}",
    ),
}


class _Description(NamedTuple):
    """The words by which a user identifies a mail.

    Attributes:
        way: The facts in these words.
        mail: The mail.
        place: Its place in its thread, from 0 for the oldest.
    """

    way: Way
    mail: Row
    place: int

    def fitting(self, rows: Sequence[Row]) -> Sequence[Row]:
        """Return the mails among `rows` that the words fit, in the order of their times."""
        key = self._key(self.mail)
        alike = [row for row in rows if self._key(row) == key]
        if self.way == LATEST:
            return alike[-1:]
        return alike[self.place : self.place + 1] if self.way == PLACE else alike

    def _key(self, row: Row) -> list[str]:
        """Return the facts about a mail, without its place."""
        values = {
            "subject": row["subject"],
            "day": row["sent_datetime"][:10],
            "person": f"{row['inbox/outbox']} {row['sender/recipient']}",
        }
        return [values[name] for name in self.way if name in values]

    def look_up(self, draft: CompanyDraft) -> Sequence[Row]:
        """Return the mails that the tools find by these words, in the order of their times."""
        query = self.mail["subject"]
        if "person" in self.way:
            address = draft.address(self._name(draft))
            query = query if "subject" in self.way else address
        rows = draft.mails(query)
        if "subject" in self.way:  # a similar subject would make the request unclear
            draft.need(all(row["subject"] == query for row in rows))
        return rows[::-1]

    def wording(self, draft: CompanyDraft) -> str:
        """Return the words."""
        forms = _WORDINGS | (_RECEIVED if received(self.mail) else _SENT)
        return draft.choice(forms[self.way]).format(
            subject=self.mail["subject"],
            name=self._name(draft),
            place=_PLACES[self.place],
            day=draft.day(date.fromisoformat(self.mail["sent_datetime"][:10])),
        )

    def _name(self, draft: CompanyDraft) -> str:
        address = self.mail["sender/recipient"]
        return next(person.first for person in draft.company.people if person.email == address)


def draw_mail(
    draft: CompanyDraft, *, is_received: bool = False, ways: Collection[Way] = WAYS
) -> tuple[str, Row]:
    """Draw a mail of the mailbox.

    Args:
        draft: The draft.
        is_received: Whether it has to be one that the user received.
        ways: The ways in which it may be described.

    Returns:
        What the user calls it, and the only mail that fits these words.

    Raises:
        Unfit: The look-ups do not find it by these words.
    """
    description = _description(draft, is_received, ways)
    fitting = description.fitting(description.look_up(draft))
    return description.wording(draft), draft.one(fitting)


def unknown_mail(draft: CompanyDraft, *, is_received: bool = False) -> str:
    """Describe a mail that does not exist, in the words of one that does.

    Raises:
        Unfit: The drawn words fit a mail.
    """
    way, mail, place = _description(draft, is_received, WAYS)
    if "subject" in way:
        kind = draft.choice(tuple(words.SUBJECTS))
        names = {"event": words.EVENTS, "product": words.PRODUCTS}
        name = draw_task_name(draft) if kind == "task" else draft.choice(names[kind])
        mail = {**mail, "subject": draft.choice(words.SUBJECTS[kind]).format(name)}
    else:
        mail = {**mail, "sender/recipient": draft.choice(draft.company.people).email}
    description = _Description(way, mail, place)
    draft.need(not description.fitting(description.look_up(draft)))
    return description.wording(draft)


def draw_task_name(draft: CompanyDraft) -> str:
    """Draw the name of a task, which may exist or not."""
    forms, things = words.WORK[draft.choice(words.BOARDS)]
    work = draft.choice(forms).format(draft.choice(things))
    return f"{work} of {draft.choice(words.PRODUCTS)}"


def _description(draft: CompanyDraft, is_received: bool, ways: Collection[Way]) -> _Description:
    """Draw a mail, and then one of the ways that set it apart from all others."""
    mail, every = draft.row("emails"), draft.company.world["emails"]
    draft.need(received(mail) or not is_received)
    thread = [row["email_id"] for row in every if row["subject"] == mail["subject"]]
    place = thread.index(mail["email_id"])
    candidates = [_Description(way, mail, place) for way in ways]
    return draft.choice(
        [candidate for candidate in candidates if candidate.fitting(every) == [mail]]
    )
