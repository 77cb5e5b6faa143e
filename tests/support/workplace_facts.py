"""What generated requests ask for, computed only from a company's rows.

Of the generator, only the phrasings and the rows are used. A request is parsed with the phrasing
that it matches, and the meaning of each template is implemented a second time, without tools.
"""

from __future__ import annotations

import json
import re
from collections import Counter
from collections.abc import Callable
from datetime import date, datetime, timedelta
from typing import Any

from mail_reader import MAIL, mails_meant

from textgym.envs.office.company.world import world
from textgym.envs.office.workplace.templates import TEMPLATES

Row = dict[str, str]
MONTHS = (
    "January", "February", "March", "April", "May", "June", "July", "August", "September",
    "October", "November", "December",
)  # fmt: skip
WEEKDAYS = ("Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday", "Sunday")


SLOTS = {
    "time": "[0-9:apm]+",
    "mail": MAIL,
    "value": "visits from [a-z]+ [a-z]+|.+?",
}  # "from" is in some


def slots_of(template: str, query: str) -> dict[str, str]:
    """Parse the slots of a request."""
    for phrasing in TEMPLATES[template].phrasings:
        seen: set[str] = set()

        def group(found: re.Match[str], seen: set[str] = seen) -> str:
            name = found[1]
            if name in seen:
                return f"(?P={name})"
            seen.add(name)
            return f"(?P<{name}>{SLOTS.get(name, '.+?')})"

        pattern = re.sub(r"\\\{(\w+)\\\}", group, re.escape(phrasing))
        if found := re.fullmatch(pattern, query):
            return found.groupdict()
    raise AssertionError(f"{query!r} matches no phrasing of {template}")


class Facts:
    """One request and the company that it is about."""

    def __init__(self, row: dict[str, Any]) -> None:
        self.slots = slots_of(row["template"], row["query"])
        self.now = datetime.fromisoformat(row["now"])
        self.today = row["now"][:10]
        tables = world(row["world"])
        self.mails = sorted(tables["emails"], key=lambda mail: mail["sent_datetime"])
        self.events = sorted(tables["calendar_events"], key=lambda event: event["event_start"])
        self.tasks, self.customers = tables["project_tasks"], tables["customers"]
        self.visits = tables["analytics"]
        self.people = [row["email_address"] for row in tables["directory"]]
        self.calls: list[tuple[str, dict[str, str]]] = []

    def __getitem__(self, slot: str) -> str:
        return self.slots[slot]

    def email(self, slot: str) -> str:
        """The address of the person whose first name fills a slot."""
        return self.email_of(self[slot])

    def email_of(self, first: str) -> str:
        (found,) = [email for email in self.people if email.split(".")[0] == first.lower()]
        return found

    def names(self, slot: str) -> list[str]:
        return re.split(r", | and ", self[slot])

    def day(self, slot: str) -> str:
        """A day in ISO format."""
        text = self[slot]
        if re.fullmatch(r"\d{4}-\d\d-\d\d", text):
            return text
        month = next(place for place, name in enumerate(MONTHS, 1) if name in text)
        number = int(re.search(r"\d+", text)[0])  # type: ignore[index]
        years = (self.now.year - 1, self.now.year, self.now.year + 1)
        days = [date(year, month, number) for year in years]
        found = min(days, key=lambda day: abs(day - self.now.date()))
        if "," in text:
            assert text.split(",")[0] == WEEKDAYS[found.weekday()], text
        return found.isoformat()

    def time(self, slot: str = "time") -> str:
        text = self[slot]
        if ":" in text and text[-1] != "m":
            return f"{text}:00"
        hour, minute = re.fullmatch(r"(\d+):?(\d\d)?[ap]m", text).groups()  # type: ignore[union-attr]
        return f"{int(hour) % 12 + 12 * (text[-2] == 'p'):02}:{minute or '00'}:00"

    def minutes(self, slot: str = "length") -> int:
        names = {"half-hour": 30, "one-hour": 60}
        return names.get(self[slot]) or int(self[slot].split("-")[0])

    def back(self, days: int) -> str:
        return str(self.now.date() - timedelta(days=days))

    # The calls that are asked for.

    def send(self, to: str, subject: str, body: str) -> None:
        self.calls.append(("email_send_email", {"recipient": to, "subject": subject, "body": body}))

    def book(self, name: str, who: str, start: str, minutes: int) -> None:
        self.calls.append(
            (
                "calendar_create_event",
                {
                    "event_name": name,
                    "participant_email": who,
                    "event_start": start,
                    "duration": str(minutes),
                },
            )
        )

    def plot(self, value: str, kind: str, first: str, last: str) -> None:
        arguments = {"time_min": first, "time_max": last, "value_to_plot": value}
        self.calls.append(("analytics_create_plot", {**arguments, "plot_type": kind}))

    def new_task(self, who: str, board: str = "") -> None:
        self.calls.append(
            (
                "project_management_create_task",
                {
                    "task_name": self["task"],
                    "assigned_to_email": who,
                    "list_name": "Backlog",
                    "due_date": self.day("day"),
                    "board": board or self["board"],
                },
            )
        )

    def new_lead(self, who: str) -> None:
        arguments = {"customer_name": self["customer"], "assigned_to_email": who, "status": "Lead"}
        self.calls.append(("customer_relationship_manager_add_customer", arguments))

    def change(self, row: Row, field: str, value: str) -> None:
        name, key = next((name, key) for key, name in UPDATES.items() if key in row)
        self.calls.append((name, {key: row[key], "field": field, "new_value": value}))

    def delete(self, row: Row) -> None:
        names = {
            "email_id": "email_delete_email",
            "event_id": "calendar_delete_event",
            "task_id": "project_management_delete_task",
            "customer_id": "customer_relationship_manager_delete_customer",
        }
        key = next(key for key in names if key in row)
        self.calls.append((names[key], {key: row[key]}))

    def reply(self, mail: Row, slot: str = "answer") -> None:
        self.calls.append(("email_reply_email", {"email_id": mail["email_id"], "body": self[slot]}))

    def forward(self, mail: Row, to: str) -> None:
        self.calls.append(("email_forward_email", {"email_id": mail["email_id"], "recipient": to}))

    # The rows of the company.

    def inbox(self, who: str = "", subject: str = "") -> list[Row]:
        return [
            mail
            for mail in self.mails
            if mail["inbox/outbox"] == "inbox"
            and who in ("", mail["sender/recipient"])
            and subject in ("", mail["subject"])
        ]

    def thread(self, slot: str = "subject") -> list[Row]:
        return [mail for mail in self.mails if mail["subject"] == self[slot]]

    def mail(self) -> Row:
        (found,) = mails_meant(self["mail"], self.mails, self.now.date(), self.email_of)
        return dict(found)

    def meetings(self, who: str = "", first: str = "", last: str = "9") -> list[Row]:
        return [
            event
            for event in self.events
            if who in ("", event["participant_email"])
            and first <= event["event_start"][:10] <= last
        ]

    def on(self, slot: str = "day") -> list[Row]:
        day = self.day(slot)
        return self.meetings("", day, day)

    def work(self, who: str = "", **fields: str) -> list[Row]:
        return matching(self.tasks, who, fields)

    def clients(self, who: str = "", **fields: str) -> list[Row]:
        return matching(self.customers, who, fields)

    def late(self, tasks: list[Row]) -> list[Row]:
        return [
            task
            for task in tasks
            if task["due_date"] < self.today and task["list_name"] != "Completed"
        ]

    def seen(self, first: str, last: str, source: str = "") -> list[Row]:
        return [
            visit
            for visit in self.visits
            if first <= visit["date_of_visit"] <= last and source in ("", visit["traffic_source"])
        ]

    def count(self, value: str, day: str) -> int:
        visits = self.seen(day, day)
        return sum(value != "engaged users" or v["user_engaged"] == "True" for v in visits)

    def first_free(self, day: str, minutes: int, taken: list[Row]) -> str:
        """Try every minute of the day."""
        busy = [(begin(event), begin(event) + timedelta(minutes=int(event["duration"])))
                for event in taken]  # fmt: skip
        start = datetime.fromisoformat(f"{day} 09:00:00")
        while any(one < start + timedelta(minutes=minutes) and start < end for one, end in busy):
            start += timedelta(minutes=1)
        assert start + timedelta(minutes=minutes) <= datetime.fromisoformat(f"{day} 18:00:00")
        return str(start)


UPDATES = {
    "event_id": "calendar_update_event",
    "task_id": "project_management_update_task",
    "customer_id": "customer_relationship_manager_update_customer",
}


def begin(event: Row) -> datetime:
    return datetime.fromisoformat(event["event_start"])


def matching(rows: list[Row], who: str, fields: dict[str, str]) -> list[Row]:
    return [
        row
        for row in rows
        if who in ("", row["assigned_to_email"])
        and all(row[field] == value for field, value in fields.items())
    ]


def open_ones(tasks: list[Row]) -> list[Row]:
    return [task for task in tasks if task["list_name"] != "Completed"]


def most(scores: dict[str, float], sign: int = 1) -> str:
    best = max(sign * score for score in scores.values())
    (found,) = [name for name, score in scores.items() if sign * score == best]
    return found


Meaning = Callable[[Facts], None]
MEANINGS: dict[str, Meaning] = {}


def meaning(function: Meaning) -> Meaning:
    MEANINGS[function.__name__] = function
    return function


def asked_for(row: dict[str, Any]) -> Counter[str]:
    """Return the calls that a request asks for, each as a JSON string."""
    facts = Facts(row)
    MEANINGS[row["template"]](facts)
    return written(facts.calls)


def written(calls: list[tuple[str, dict[str, str]]]) -> Counter[str]:
    return Counter(json.dumps(call, sort_keys=True) for call in calls)
