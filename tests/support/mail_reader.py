"""Reads which mail a user means, as a person would: from the words and the mailbox alone."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from datetime import date
from typing import Any

__all__ = ["MAIL", "day_before", "mails_meant", "quoted"]

MONTHS = (
    "January", "February", "March", "April", "May", "June", "July", "August", "September",
    "October", "November", "December",
)  # fmt: skip
WEEKDAYS = ("Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday", "Sunday")
PLACES = ("first", "second", "third", "fourth", "fifth")
_MONTH = f"(?:{'|'.join(MONTHS)})"
_DAY = rf"(?:(?:[A-Z][a-z]+day, )?{_MONTH} \d{{1,2}}|\d{{1,2}} {_MONTH}|\d{{4}}-\d\d-\d\d)"
_ABOUT = r"(?: (?:about|with the subject|in the thread) '[^']+')"
_WITH = (
    r" that (?:[A-Z][a-z]+ sent me|I got from [A-Z][a-z]+|I sent [A-Z][a-z]+"
    r"|[A-Z][a-z]+ got from me)"
)
MAIL = (
    rf"(?:the (?:(?:{'|'.join(PLACES)}|latest|last|newest) )?(?:e-)?mail"
    rf"(?:{_WITH}(?:{_ABOUT}| on {_DAY})|(?: of {_DAY})?{_ABOUT}))"
)
"""The pattern of what a user may call a mail."""


def mails_meant(
    said: str,
    mails: Sequence[Mapping[str, Any]],
    today: date,
    address_of: Callable[[str], str],
) -> list[Mapping[str, Any]]:
    """Return the mails that a user may mean.

    Args:
        said: What the user calls the mail.
        mails: The mailbox, or what a search found in it.
        today: The day on which the user says it.
        address_of: Returns the address of the colleague with a first name.
    """
    words = re.sub("'[^']+'", "", said)
    found = sorted(mails, key=lambda mail: str(mail["sent_datetime"]))
    if subject := quoted(said):
        found = [mail for mail in found if mail["subject"] == subject]
    if name := re.search(r"([A-Z][a-z]+) sent me|I got from ([A-Z][a-z]+)", words):
        found = _of(found, "inbox", address_of(name[1] or name[2]))
    if name := re.search(r"I sent ([A-Z][a-z]+)|([A-Z][a-z]+) got from me", words):
        found = _of(found, "outbox", address_of(name[1] or name[2]))
    if day := re.search(_DAY, words):
        found = [m for m in found if m["sent_datetime"][:10] == day_before(day[0], today)]
    if re.search("latest|last|newest", words):
        return found[-1:]
    for place, word in enumerate(PLACES):
        if word in words.split():
            return found[place : place + 1]
    return found


def quoted(said: str) -> str:
    """Return the subject in what a user calls a mail; "" if there is none."""
    found = re.search("'([^']+)'", said)
    return found[1] if found else ""


def day_before(said: str, today: date) -> str:
    """Return the last day of a name, in ISO format, that is not after today."""
    if re.fullmatch(r"\d{4}-\d\d-\d\d", said):
        return said
    month = next(place for place, name in enumerate(MONTHS, 1) if name in said)
    number = int(re.findall(r"\d+", said)[0])
    day = date(today.year, month, number)
    if day > today:
        day = date(today.year - 1, month, number)
    if "," in said:
        assert said.split(",")[0] == WEEKDAYS[day.weekday()], said
    return day.isoformat()


def _of(mails: Sequence[Mapping[str, Any]], box: str, address: str) -> list[Mapping[str, Any]]:
    return [m for m in mails if (m["inbox/outbox"], m["sender/recipient"]) == (box, address)]
