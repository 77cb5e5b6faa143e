"""The draft of a task about a company: look-ups, and then the writes that they decide.

Invariants: a task's reference depends only on the tools' outputs, and every call for them is
recorded as a look-up; all writes follow all look-ups; ambiguous draws (a tie, an event on a
boundary day) raise `Unfit`.
"""

from __future__ import annotations

import random
from collections.abc import Callable, Iterable, Mapping, Sequence
from datetime import date, datetime, timedelta
from typing import Any, TypeVar

from textgym.envs.generation import choice, randbelow, randint, sample
from textgym.envs.office.company import vocabulary as words
from textgym.envs.office.company.world import OPENS, SHUTS, Company, Person
from textgym.envs.office.reference import Draft

__all__ = ["CompanyDraft", "Row", "ToolCaller"]

T = TypeVar("T")
Row = Mapping[str, str]
ToolCaller = Callable[..., Any]
"""Calls a tool by name with keyword arguments, and returns its result before it becomes text."""

MAX_LOOK_UPS, MAX_WRITES = 20, 12
PAGE_SIZE = 50


class CompanyDraft(Draft):
    """A task under construction.

    Args:
        rng: The random generator for the values of the task.
        company: The company. Values are drawn from it, but it never decides the reference.
        call: Calls a tool.

    Attributes:
        look_ups: The calls that found out what to do, in order.
        writes: The calls of the reference, in order.
    """

    def __init__(self, rng: random.Random, company: Company, call: ToolCaller) -> None:
        super().__init__(rng)
        self.company, self._call = company, call
        self.today = company.now.date()
        self.look_ups: list[dict[str, Any]] = []
        self.writes: list[dict[str, Any]] = []
        self._date_format = randbelow(rng, 4)

    # Draws.

    def randint(self, low: int, high: int) -> int:
        """Draw an integer from low to high, both included."""
        return randint(self.rng, low, high)

    def colleagues(self, n: int) -> list[Person]:
        """Draw colleagues."""
        return sample(self.rng, self.company.people, n)

    def team(self, n: int) -> list[Person]:
        """Draw colleagues who have tasks."""
        return sample(self.rng, self.company.team, n)

    def sales(self, n: int) -> list[Person]:
        """Draw colleagues who have customers."""
        return sample(self.rng, self.company.sales, n)

    def row(self, table: str) -> Row:
        """Draw a row of a table."""
        return choice(self.rng, self.company.world[table])

    def past_day(self, least: int = 2, most: int = 40) -> date:
        """Draw a day before today."""
        return self.today - timedelta(days=self.randint(least, most))

    def work_day(self, least: int = 1, most: int = 20) -> date:
        """Draw a weekday after today."""
        while True:
            day = self.today + timedelta(days=self.randint(least, most))
            if day.weekday() < 5:
                return day

    def period(self, least: int = 3, most: int = 14) -> tuple[date, date]:
        """Draw a period that ended before today, both days included."""
        end = self.past_day(1, 30)
        return end - timedelta(days=self.randint(least, most)), end

    def start(self, day: date) -> datetime:
        """Draw a time of a day at which a meeting of up to two hours can start."""
        slot = randbelow(self.rng, 2 * (SHUTS - OPENS) - 3)
        return datetime(day.year, day.month, day.day, OPENS) + timedelta(minutes=30 * slot)

    # Checks.

    def one(self, population: Sequence[T]) -> T:
        """Return the only element. Another number of elements raises `Unfit`."""
        self.need(len(population) == 1)
        return population[0]

    def top(self, scores: Mapping[T, float], *, lowest: bool = False) -> T:
        """Return the key with the highest score, or with the lowest. A tie raises `Unfit`."""
        self.need(scores)
        best = (min if lowest else max)(scores.values())
        return self.one([key for key, score in scores.items() if score == best])

    def before(self, rows: Iterable[Row], field: str, days: int) -> list[Row]:
        """Return the rows older than `days` days. A row exactly that old raises `Unfit`."""
        limit = (self.today - timedelta(days=days)).isoformat()
        dated = [(row[field][:10], row) for row in rows]
        self.need(all(day != limit for day, _ in dated))
        return [row for day, row in dated if day < limit]

    def since(self, rows: Sequence[Row], field: str, days: int) -> list[Row]:
        """Return the rows of the last `days` days. A row exactly that old raises `Unfit`."""
        old = {id(row) for row in self.before(rows, field, days)}
        return [row for row in rows if id(row) not in old]

    def overdue(self, tasks: Iterable[Row]) -> list[Row]:
        """Return the unfinished tasks with a due date before today."""
        today = self.today.isoformat()
        return [task for task in unfinished(tasks) if task["due_date"][:10] < today]

    # Look-ups.

    def look(self, name: str, /, **arguments: Any) -> Any:
        """Call a tool that changes nothing, and record the call."""
        self.need(len(self.look_ups) < MAX_LOOK_UPS)
        self.look_ups.append({"name": name, "arguments": arguments})
        return self._call(name, **arguments)

    def address(self, name: str) -> str:
        """Find the address of a colleague by first name."""
        addresses = self.look("company_directory_find_email_address", name=name)
        return str(self.one(addresses))

    def mails(self, query: str, since: date | None = None) -> list[dict[str, str]]:
        """Find mails, the newest first."""
        limit = {"date_min": since.isoformat()} if since else {}
        rows = self._pages("email_search_emails", "emails", query=query, **limit)
        return sorted(rows, key=lambda mail: mail["sent_datetime"], reverse=True)

    def mails_from(self, name: str) -> list[dict[str, str]]:
        """Find the mails from a colleague to the user, the newest first."""
        address = self.address(name)
        mails = self.mails(address)
        return [mail for mail in mails if received(mail) and mail["sender/recipient"] == address]

    def mails_about(self, subject: str) -> list[dict[str, str]]:
        """Find the mails of a thread, the newest first."""
        return [mail for mail in self.mails(subject) if mail["subject"] == subject]

    def events(
        self, query: str = "", since: date | None = None, until: date | None = None
    ) -> list[dict[str, str]]:
        """Find the meetings from one day to another, the earliest first."""
        limits = {"query": query} if query else {}
        if since:
            limits["time_min"] = f"{since} 00:00:00"
        if until:
            limits["time_max"] = f"{until} 23:59:59"
        rows = self._pages("calendar_search_events", "events", **limits)
        return sorted(rows, key=lambda event: event["event_start"])

    def coming(self, query: str) -> list[dict[str, str]]:
        """Find the meetings from today on, the earliest first."""
        return self.events(query, since=self.today)

    def tasks(self, **filters: str) -> list[dict[str, str]]:
        """Find tasks."""
        rows = self.look("project_management_search_tasks", **filters)
        return sorted(rows, key=lambda task: task["task_id"])

    def customers(self, **filters: str) -> list[dict[str, str]]:
        """Find customers."""
        name = "customer_relationship_manager_search_customers"
        return sorted(self._pages(name, "customers", **filters), key=lambda row: row["customer_id"])

    def visits(self, tool: str, since: date, until: date, **filters: str) -> dict[str, float]:
        """Get a metric of the website for each day of a period."""
        days = {"time_min": since.isoformat(), "time_max": until.isoformat()}
        return dict(self.look(f"analytics_{tool}", **days, **filters))

    def free(self, day: date, minutes: int, taken: Iterable[Row] | None = None) -> datetime:
        """Find the first time of a day at which the user is free for a number of minutes."""
        place = datetime(day.year, day.month, day.day, OPENS)
        end = place.replace(hour=SHUTS)
        for event in self.events(since=day, until=day) if taken is None else taken:
            start = datetime.fromisoformat(event["event_start"])
            if start >= place + timedelta(minutes=minutes):
                break
            place = max(place, ending(event))
        self.need(place + timedelta(minutes=minutes) <= end)
        return place

    def _pages(self, name: str, key: str, /, **arguments: Any) -> list[dict[str, str]]:
        rows: list[dict[str, str]] = []
        for page in range(1, MAX_LOOK_UPS):
            result = self.look(name, **arguments, page=page, page_size=PAGE_SIZE)
            if isinstance(result, str):  # no results
                break
            rows += result[key]
            if page >= result["pagination"]["total_pages"]:
                break
        return rows

    # Writes.

    def write(self, name: str, /, **arguments: str) -> None:
        """Add a call to the reference."""
        self.need(len(self.writes) < MAX_WRITES)
        self.writes.append({"name": name, "arguments": arguments})

    def send(self, recipient: str, subject: str, body: str) -> None:
        """Send a mail."""
        self.write("email_send_email", recipient=recipient, subject=subject, body=body)

    def reply(self, mail: Row, body: str) -> None:
        """Answer a mail."""
        self.write("email_reply_email", email_id=mail["email_id"], body=body)

    def forward(self, mail: Row, recipient: str) -> None:
        """Forward a mail."""
        self.write("email_forward_email", email_id=mail["email_id"], recipient=recipient)

    def book(self, name: str, participant: str, start: datetime, minutes: int) -> None:
        """Create a meeting."""
        self.write(
            "calendar_create_event",
            event_name=name,
            participant_email=participant,
            event_start=f"{start:%Y-%m-%d %H:%M:%S}",
            duration=str(minutes),
        )

    def cancel(self, event: Row) -> None:
        """Delete a meeting."""
        self.write("calendar_delete_event", event_id=event["event_id"])

    def change_event(self, event: Row, field: str, value: str) -> None:
        """Change a meeting. The current value raises `Unfit`."""
        self.need(event[field] != value)
        self.write(
            "calendar_update_event", event_id=event["event_id"], field=field, new_value=value
        )

    def add_task(self, name: str, board: str, assignee: str, due: date) -> None:
        """Create a task in the backlog."""
        self.write(
            "project_management_create_task",
            task_name=name,
            assigned_to_email=assignee,
            list_name="Backlog",
            due_date=due.isoformat(),
            board=board,
        )

    def change_task(self, task: Row, field: str, value: str) -> None:
        """Change a task. The current value raises `Unfit`."""
        self.need(task[field][:10] != value[:10])
        self.write(
            "project_management_update_task",
            task_id=task["task_id"],
            field=field,
            new_value=value,
        )

    def change_customer(self, customer: Row, field: str, value: str) -> None:
        """Change a customer. The current value raises `Unfit`."""
        self.need((customer[field] or "")[:10] != value[:10])
        self.write(
            "customer_relationship_manager_update_customer",
            customer_id=customer["customer_id"],
            field=field,
            new_value=value,
        )

    def add_lead(self, name: str, assignee: str) -> None:
        """Add a customer as a lead."""
        self.write(
            "customer_relationship_manager_add_customer",
            customer_name=name,
            assigned_to_email=assignee,
            status="Lead",
        )

    def delete_task(self, task: Row) -> None:
        """Delete a task."""
        self.write("project_management_delete_task", task_id=task["task_id"])

    def delete_customer(self, customer: Row) -> None:
        """Delete a customer."""
        self.write(
            "customer_relationship_manager_delete_customer", customer_id=customer["customer_id"]
        )

    def delete_mail(self, mail: Row) -> None:
        """Delete a mail."""
        self.write("email_delete_email", email_id=mail["email_id"])

    def plot(self, value: str, kind: str, since: date, until: date) -> None:
        """Draw a plot."""
        self.write(
            "analytics_create_plot",
            time_min=since.isoformat(),
            time_max=until.isoformat(),
            value_to_plot=value,
            plot_type=kind,
        )

    # Wording.

    def day(self, day: date) -> str:
        """Format a day, in the same way throughout a task."""
        month, weekday = words.MONTHS[day.month - 1], words.WEEKDAYS[day.weekday()]
        plain = f"{month} {day.day}"
        forms = (plain, f"{day.day} {month}", f"{weekday}, {plain}", day.isoformat())
        return forms[self._date_format]

    def clock(self, time: datetime) -> str:
        """Format a time of day in one of several ways."""
        half, short = ("am" if time.hour < 12 else "pm"), (time.hour - 1) % 12 + 1
        short_form = f"{short}:{time:%M}{half}" if time.minute else f"{short}{half}"
        return choice(self.rng, (short_form, f"{time:%H:%M}"))

    def length(self, minutes: int) -> str:
        """Format a duration as an adjective."""
        forms = {30: ("30-minute", "half-hour"), 60: ("one-hour", "60-minute")}
        return choice(self.rng, forms.get(minutes, (f"{minutes}-minute",)))

    def new_mail(self) -> dict[str, str]:
        """Draw the subject and body of a new mail."""
        subject, body = choice(self.rng, words.NEW_MAILS)
        return {"subject": subject, "body": body}

    def new_customer(self) -> str:
        """Draw the name of a person who is not a customer yet."""
        first = choice(self.rng, words.CUSTOMER_FIRST_NAMES)
        name = f"{first} {choice(self.rng, words.CUSTOMER_LAST_NAMES)}"
        self.need(all(row["customer_name"] != name for row in self.company.world["customers"]))
        return name


def received(mail: Row) -> bool:
    """Return whether a mail was received."""
    return mail["inbox/outbox"] == "inbox"


def unfinished(tasks: Iterable[Row]) -> list[Row]:
    """Return the tasks that are not completed."""
    return [task for task in tasks if task["list_name"] != "Completed"]


def ending(event: Row) -> datetime:
    """Return when a meeting ends."""
    start = datetime.fromisoformat(event["event_start"])
    return start + timedelta(minutes=int(event["duration"]))
