"""Generated companies: the same in any process, with one reading of every name and day."""

from __future__ import annotations

import csv
import hashlib
import json
import os
import subprocess
import sys
from datetime import datetime, timedelta
from pathlib import Path

import pytest
from repository import SUPPORT

from textgym.envs.office.company import vocabulary
from textgym.envs.office.company.database import Database
from textgym.envs.office.company.world import Company, company, world

SEEDS = range(12)
SCRIPT = """
from test_workplace_world import digest
print(digest())
"""
FILES = {
    "emails": "emails.csv",
    "calendar_events": "calendar_events.csv",
    "analytics": "analytics_data.csv",
    "project_tasks": "project_tasks.csv",
    "customers": "customer_relationship_manager_data.csv",
}


def digest() -> str:
    text = json.dumps([[str(company(seed).now), world(seed)] for seed in SEEDS])
    return hashlib.sha256(text.encode()).hexdigest()


@pytest.fixture(params=SEEDS)
def made(request: pytest.FixtureRequest) -> Company:
    return company(request.param)


@pytest.mark.slow
@pytest.mark.parametrize("hash_seed", ["0", "4711"])
def test_the_same_in_another_process(hash_seed: str) -> None:
    path = os.pathsep.join([str(SUPPORT), *sys.path])
    done = subprocess.run(
        [sys.executable, "-c", SCRIPT],
        env={**os.environ, "PYTHONHASHSEED": hash_seed, "PYTHONPATH": path},
        capture_output=True,
        text=True,
        check=True,
    )
    assert done.stdout.strip() == digest()


def test_companies_differ() -> None:
    tables = [json.dumps(world(seed)) for seed in SEEDS]
    assert len({*tables}) == len(tables)
    assert len({company(seed).now for seed in SEEDS}) == len(tables)


def test_rows_have_the_columns_of_the_tables(made: Company) -> None:
    records = Database(made.world).records
    for name, rows in made.world.items():
        for row in rows:
            assert tuple(row) == records[name].layout.columns
            assert all(type(value) is str for value in row.values())


@pytest.mark.parametrize("name", FILES)
def test_rows_have_the_columns_of_workbench(name: str, shared: Path) -> None:
    path = shared / "data" / "workbench" / "databases" / FILES[name]
    with path.open(newline="") as lines:
        assert list(world(1)[name][0]) == next(csv.reader(lines))


def test_ids_are_unique(made: Company) -> None:
    for name, column, digits in (
        ("emails", "email_id", 8),
        ("calendar_events", "event_id", 8),
        ("project_tasks", "task_id", 8),
        ("customers", "customer_id", 8),
        ("analytics", "visitor_id", 4),
    ):
        ids = [row[column] for row in made.world[name]]
        assert len({*ids}) == len(ids) > 100
        assert all(len(id) == digits and id.isdecimal() for id in ids)


def test_the_clock_is_a_morning_before_work_with_a_working_day_to_follow(made: Company) -> None:
    assert made.now.hour == 8
    assert made.now.weekday() < 4


def test_mails_are_older_than_the_clock_and_never_of_the_same_second(made: Company) -> None:
    times = [mail["sent_datetime"] for mail in made.world["emails"]]
    assert times == sorted({*times})
    assert times[-1] < str(made.now)


def test_threads_go_to_and_fro(made: Company) -> None:
    threads: dict[str, list[str]] = {}
    for mail in made.world["emails"]:
        threads.setdefault(mail["subject"], []).append(mail["inbox/outbox"])
    for ways in threads.values():
        assert ways == [("inbox", "outbox")[place % 2] for place in range(len(ways))]
    assert max(map(len, threads.values())) == 5


def test_meetings_lie_on_half_hours_of_working_days_and_never_overlap(made: Company) -> None:
    end = datetime.min
    for event in made.world["calendar_events"]:
        start = datetime.fromisoformat(event["event_start"])
        assert start >= end
        end = start + timedelta(minutes=int(event["duration"]))
        assert start.minute in (0, 30)
        assert start.weekday() < 5
        assert start.hour >= 9
        assert end <= start.replace(hour=18, minute=0)
    starts = [event["event_start"] for event in made.world["calendar_events"]]
    assert starts[0] < str(made.now) < starts[-1]


def test_nothing_is_due_today_and_some_is_overdue(made: Company) -> None:
    today = str(made.now.date())
    for table, column in (("project_tasks", "due_date"), ("customers", "follow_up_by")):
        days = {row[column] for row in made.world[table]}
        assert today not in days
        assert min(days) < today < max(days)
    assert max(row["last_contact_date"] for row in made.world["customers"]) < today


@pytest.mark.parametrize(
    ("table", "column"), [("project_tasks", "task_name"), ("customers", "customer_name")]
)
def test_no_name_is_part_of_another(table: str, column: str) -> None:
    for seed in SEEDS:
        names = [row[column].lower() for row in world(seed)[table]]
        assert all(sum(name in other for other in names) == 1 for name in names)


def test_a_first_name_finds_one_address(made: Company) -> None:
    addresses = [row["email_address"] for row in made.world["directory"]]
    for person in made.people:
        found = [address for address in addresses if person.first.lower() in address]
        assert found == [person.email]
    assert made.me.email not in addresses


def test_everyone_in_the_team_has_a_task_and_everyone_in_sales_a_customer(made: Company) -> None:
    """Or the tools would not let them have one."""
    for table, people in (("project_tasks", made.team), ("customers", made.sales)):
        owners = {row["assigned_to_email"] for row in made.world[table]}
        assert owners == {person.email for person in people}


def test_every_day_of_the_last_two_months_has_visits(made: Company) -> None:
    days = {row["date_of_visit"] for row in made.world["analytics"]}
    assert days == {str(made.now.date() - timedelta(days=back)) for back in range(1, 61)}


@pytest.mark.parametrize("name", ["EVENTS", "PRODUCTS", "NEW_MEETINGS", "NEW_TASKS", "SOURCES"])
def test_no_word_is_part_of_another(name: str) -> None:
    entries = getattr(vocabulary, name)
    assert all(sum(entry in other for other in entries) == 1 for entry in entries)
