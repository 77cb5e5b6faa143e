"""Generated companies, with databases as they are on a weekday morning.

Invariants: the same seed gives the same company in every process; e-mails are older than the
company's current time; meetings start on half hours and never overlap; nothing is due on the
current day; task names and customer names are unique; no colleague's first name occurs in the
address of another. The tables of a seed are shared: do not modify them.
"""

from __future__ import annotations

import random
from collections.abc import Iterator
from datetime import date, datetime, timedelta
from functools import lru_cache
from typing import NamedTuple

from textgym.envs.generation import choice, randbelow, randint, sample
from textgym.envs.office.company import vocabulary as words
from textgym.tasks.task import hash_int

__all__ = ["OPENS", "SHUTS", "Company", "Person", "World", "company", "world"]

World = dict[str, list[dict[str, str]]]
"""Rows of strings by table: emails, calendar_events, analytics, project_tasks, customers and
directory."""

OPENS, SHUTS = 9, 18
_TEAM, _SALES = 14, 6
_THREADS, _TASKS, _CUSTOMERS = 120, 180, 120
_PAST_DAYS, _COMING_DAYS, _VISIT_DAYS = 45, 35, 60
MAX_CACHED = 64


class Person(NamedTuple):
    """Someone who works at the company."""

    first: str
    last: str
    email: str


class Company(NamedTuple):
    """A company on one morning.

    Attributes:
        now: The current time, on a morning from Monday to Thursday, before work begins.
        me: The user.
        team: The colleagues who have tasks.
        sales: The colleagues who have customers.
        world: The databases.
    """

    now: datetime
    me: Person
    team: tuple[Person, ...]
    sales: tuple[Person, ...]
    world: World

    @property
    def people(self) -> tuple[Person, ...]:
        """All colleagues."""
        return self.team + self.sales


def world(seed: int) -> World:
    """Return the databases of a seed's company.

    Example:
        >>> tables = world(7)
        >>> sorted(tables)
        ['analytics', 'calendar_events', 'customers', 'directory', 'emails', 'project_tasks']
        >>> sorted(tables["project_tasks"][0])
        ['assigned_to_email', 'board', 'due_date', 'list_name', 'task_id', 'task_name']
    """
    return company(seed).world


@lru_cache(maxsize=MAX_CACHED)
def company(seed: int) -> Company:
    """Return the company of a seed. The latest companies are cached.

    Example:
        >>> company(7).now.hour
        8
        >>> company(7) is company(7)
        True
    """
    rng = random.Random(hash_int("company", seed))
    now = _morning(rng)
    domain = f"{choice(rng, words.COMPANIES)}.com"
    me, *others = _people(rng, domain, 1 + _TEAM + _SALES)
    team, sales = tuple(others[:_TEAM]), tuple(others[_TEAM:])
    tasks = _tasks(rng, now.date(), team)
    tables = {
        "emails": _emails(rng, now, me, others, [task["task_name"] for task in tasks]),
        "calendar_events": _events(rng, now.date(), others),
        "analytics": _visits(rng, now.date()),
        "project_tasks": tasks,
        "customers": _customers(rng, now.date(), sales),
        "directory": [{"email_address": person.email} for person in others],
    }
    return Company(now, me, team, sales, tables)


def _morning(rng: random.Random) -> datetime:
    while True:
        day = date(2025, 1, 1) + timedelta(days=randbelow(rng, 1000))
        if day.weekday() < 4:  # so that tomorrow is a working day
            return datetime(day.year, day.month, day.day, 8, 5 * randbelow(rng, 12))


def _people(rng: random.Random, domain: str, n: int) -> list[Person]:
    """Draw people so that no first name occurs in the address of another person."""
    firsts, lasts = sample(rng, words.FIRST_NAMES, n), sample(rng, words.LAST_NAMES, n)
    emails = [f"{first}.{last}@{domain}".lower() for first, last in zip(firsts, lasts, strict=True)]
    if any(sum(first.lower() in email for email in emails) > 1 for first in firsts):
        return _people(rng, domain, n)
    return list(map(Person, firsts, lasts, emails))


def _ids(rng: random.Random, n: int, digits: int = 8) -> Iterator[str]:
    return iter([f"{number:0{digits}}" for number in sample(rng, range(n), n)])


def _emails(
    rng: random.Random, now: datetime, me: Person, others: list[Person], tasks: list[str]
) -> list[dict[str, str]]:
    """Draw threads, each with a subject, one or two colleagues, and up to five e-mails."""
    rows: list[dict[str, str]] = []
    taken: set[datetime] = set()
    for kind, subject in _subjects(rng, tasks):
        partners = sample(rng, others, randint(rng, 1, 2))
        answers = sample(rng, words.REPLIES, 4)
        for place, sent in enumerate(_times(rng, now, taken)):
            partner = partners[place // 2 % len(partners)]
            received = place % 2 == 0
            text = answers[place - 1] if place else choice(rng, words.OPENINGS[kind])
            writer, reader = (partner, me) if received else (me, partner)
            greeting = choice(rng, ("Hi", "Hello", "Dear"))
            end = choice(rng, words.SIGN_OFFS)
            rows.append(
                {
                    "inbox/outbox": "inbox" if received else "outbox",
                    "sender/recipient": partner.email,
                    "subject": subject,
                    "sent_datetime": f"{sent:%Y-%m-%d %H:%M:%S}",
                    "body": f"{greeting} {reader.first},\n\n{text}\n\n{end},\n{writer.first}",
                }
            )
    return _numbered(rng, "email_id", "sent_datetime", rows)


def _times(rng: random.Random, now: datetime, taken: set[datetime]) -> Iterator[datetime]:
    """Yield the times of up to five e-mails of a thread, all different from those in `taken`."""
    sent = now - timedelta(days=1, seconds=randbelow(rng, 30 * 24 * 3_600))
    for _ in range(randint(rng, 1, 5)):
        sent = _in_daytime(sent)
        while sent in taken:
            sent += timedelta(seconds=1)
        if sent >= now:
            return
        taken.add(sent)
        yield sent
        sent += timedelta(seconds=randint(rng, 600, 3 * 24 * 3_600))


def _in_daytime(time: datetime) -> datetime:
    """Return the time; at night, the same minute after eight on the next morning."""
    if 7 <= time.hour < 20:
        return time
    return time.replace(hour=8) + timedelta(days=time.hour >= 20)


def _subjects(rng: random.Random, tasks: list[str]) -> list[tuple[str, str]]:
    """Draw the kinds and subjects of threads, without repetition."""
    about = {"event": words.EVENTS, "task": tasks, "product": words.PRODUCTS}
    every = [
        (kind, form.format(thing))
        for kind, forms in words.SUBJECTS.items()
        for form in forms
        for thing in sample(rng, about[kind], min(24, len(about[kind])))
    ]
    return sample(rng, every, _THREADS)


def _numbered(
    rng: random.Random, name: str, order: str, rows: list[dict[str, str]]
) -> list[dict[str, str]]:
    """Sort rows by a column, and add random ids."""
    ids = _ids(rng, len(rows))
    return [{name: next(ids), **row} for row in sorted(rows, key=lambda row: row[order])]


def _events(rng: random.Random, today: date, others: list[Person]) -> list[dict[str, str]]:
    rows: list[dict[str, str]] = []
    for offset in range(-_PAST_DAYS, _COMING_DAYS + 1):
        day = today + timedelta(days=offset)
        if day.weekday() > 4:
            continue
        for half_hour, halves in _slots(rng):
            start = datetime(day.year, day.month, day.day, OPENS) + timedelta(
                minutes=30 * half_hour
            )
            rows.append(
                {
                    "event_name": choice(rng, words.EVENTS),
                    "participant_email": choice(rng, others).email,
                    "event_start": f"{start:%Y-%m-%d %H:%M:%S}",
                    "duration": str(30 * halves),
                }
            )
    return _numbered(rng, "event_id", "event_start", rows)


def _slots(rng: random.Random) -> Iterator[tuple[int, int]]:
    """Yield the meetings of a day as start and length, both in half hours."""
    place = 0
    while True:
        place += choice(rng, (0, 0, 1, 2, 3, 5))
        length = choice(rng, (1, 1, 2, 2, 3, 4))
        if place + length > 2 * (SHUTS - OPENS):
            return
        if rng.random() < 0.6:
            yield place, length
        place += length


def _visits(rng: random.Random, today: date) -> list[dict[str, str]]:
    days = [today - timedelta(days=back) for back in range(_VISIT_DAYS, 0, -1)]
    dates = [day.isoformat() for day in days for _ in range(randint(rng, 3, 17))]
    ids = iter(sample(rng, range(10_000), len(dates)))
    return [
        {
            "date_of_visit": day,
            "visitor_id": f"{next(ids):04}",
            "page_views": str(randint(rng, 1, 19)),
            "session_duration_seconds": str(5 + int(rng.random() ** 3 * 600)),
            "traffic_source": choice(rng, words.SOURCES),
            "user_engaged": str(rng.random() < 0.4),
        }
        for day in dates
    ]


def _owner(rng: random.Random, place: int, people: tuple[Person, ...]) -> Person:
    """Return each person once, then random ones."""
    return people[place] if place < len(people) else choice(rng, people)


def _tasks(rng: random.Random, today: date, team: tuple[Person, ...]) -> list[dict[str, str]]:
    ids = _ids(rng, _TASKS)
    names = [
        (board, f"{form.format(thing)} of {product}")
        for board, (forms, things) in words.WORK.items()
        for form in forms
        for thing in things
        for product in words.PRODUCTS
    ]
    rows = []
    for place, (board, name) in enumerate(sample(rng, names, _TASKS)):
        offset = randint(rng, 1, 25) if rng.random() < 0.6 else -randint(rng, 1, 20)
        lists = words.LISTS if offset > 0 else (*words.LISTS, *words.LISTS[2:], "Completed")
        rows.append(
            {
                "task_id": next(ids),
                "task_name": name,
                "assigned_to_email": _owner(rng, place, team).email,
                "list_name": choice(rng, lists),
                "due_date": (today + timedelta(days=offset)).isoformat(),
                "board": board,
            }
        )
    return rows


def _customers(rng: random.Random, today: date, sales: tuple[Person, ...]) -> list[dict[str, str]]:
    ids = _ids(rng, _CUSTOMERS)
    names = [
        (first, last) for first in words.CUSTOMER_FIRST_NAMES for last in words.CUSTOMER_LAST_NAMES
    ]
    rows = []
    for place, (first, last) in enumerate(sample(rng, names, _CUSTOMERS)):
        contact = today - timedelta(days=randint(rng, 1, 60))
        due = contact + timedelta(days=randint(rng, 7, 70))
        due += timedelta(days=due == today)
        phone = f"{randint(rng, 200, 989)}-{randint(rng, 200, 989)}-{randint(rng, 1000, 9999)}"
        notes = sample(rng, words.NOTES, randbelow(rng, 4))
        noted = sorted(contact - timedelta(days=randint(rng, 0, 40)) for _ in notes)
        rows.append(
            {
                "customer_id": next(ids),
                "assigned_to_email": _owner(rng, place, sales).email,
                "customer_name": f"{first} {last}",
                "customer_email": f"{first}.{last}@{choice(rng, words.CUSTOMER_FIRMS)}.com".lower(),
                "customer_phone": phone if rng.random() < 0.7 else "",
                "last_contact_date": contact.isoformat(),
                "product_interest": choice(rng, words.INTERESTS),
                "status": choice(rng, words.STATUSES),
                "follow_up_by": due.isoformat(),
                "notes": " ".join(f"{day}: {text}" for day, text in zip(noted, notes, strict=True)),
            }
        )
    return rows
