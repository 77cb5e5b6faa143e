"""A company's tables, with the columns of WorkBench's files.

Invariants: see `textgym.envs.office.databases`.
"""

from __future__ import annotations

import csv
import io
from collections.abc import Mapping, Sequence
from functools import lru_cache
from pathlib import Path
from typing import Any

from textgym.envs.office.company.world import world
from textgym.envs.office.databases import Layout, SearchTerms, SharedDatabase, State, Table
from textgym.errors import DatasetError
from textgym.tasks.files import file_stamp
from textgym.tasks.rows import content_hash

__all__ = [
    "TABLES", "Database", "SearchTerms", "State", "Table", "database_of", "new_state",
    "read_database",
]  # fmt: skip

_LAYOUTS = {
    "emails": Layout(
        ("email_id", "inbox/outbox", "sender/recipient", "subject", "sent_datetime", "body"),
        "email_id",
        ("sent_datetime",),
    ),
    "calendar_events": Layout(
        ("event_id", "event_name", "participant_email", "event_start", "duration"),
        "event_id",
        ("event_start",),
    ),
    "analytics": Layout(
        (
            "date_of_visit", "visitor_id", "page_views", "session_duration_seconds",
            "traffic_source", "user_engaged",
        ),
    ),
    "plots": Layout(("file_path",)),
    "project_tasks": Layout(
        ("task_id", "task_name", "assigned_to_email", "list_name", "due_date", "board"),
        "task_id",
        ("due_date",),
        ("list_name", "board"),
    ),
    "customers": Layout(
        (
            "customer_id", "assigned_to_email", "customer_name", "customer_email",
            "customer_phone", "last_contact_date", "product_interest", "status", "follow_up_by",
            "notes",
        ),
        "customer_id",
        ("last_contact_date", "follow_up_by"),
        ("status",),
        ("customer_phone",),
    ),
    "directory": Layout(("email_address",)),
}  # fmt: skip
TABLES = (
    "emails",
    "calendar_events",
    "plots",
    "project_tasks",
    "customers",
)  # the tables that tools can change
_FILES = {
    "emails": "emails.csv",
    "calendar_events": "calendar_events.csv",
    "analytics": "analytics_data.csv",
    "project_tasks": "project_tasks.csv",
    "customers": "customer_relationship_manager_data.csv",
    "directory": "email_addresses.csv",
}


class Database(SharedDatabase):
    """A company's tables.

    Args:
        world: The rows of `emails`, `calendar_events`, `analytics`, `project_tasks`, `customers`
            and `directory`. The values are strings; the columns are as in WorkBench's files.
        digest: A hash of the files that the rows were read from, or "".

    Attributes:
        records: The tables by name, including the table `plots`, which is empty at first.
        digest: The argument `digest`.
    """

    layouts = _LAYOUTS
    changeable = TABLES

    def __init__(self, world: Mapping[str, Sequence[Mapping[str, str]]], digest: str = "") -> None:
        super().__init__(world)
        self.digest = digest


new_state = Database.new_state


def read_database(folder: str) -> Database:
    """Read a folder of WorkBench's CSV files. Readers of the same files share one database.

    Raises:
        DatasetError: A file is missing, or lacks a column.
    """
    return _read(folder, tuple(file_stamp(str(Path(folder, name))) for name in _FILES.values()))


@lru_cache(8)
def _read(folder: str, stamps: tuple[object, ...]) -> Database:
    content = content_hash()
    world = {name: _rows(name, Path(folder, file), content) for name, file in _FILES.items()}
    return Database(world, content.hexdigest())


def _rows(name: str, path: Path, content: Any) -> list[dict[str, str]]:
    """Return the rows of a file, and hash its bytes."""
    columns = _LAYOUTS[name].columns
    try:
        data = path.read_bytes()
        content.update(data)
        read = list(csv.reader(io.StringIO(data.decode("utf-8-sig"), newline="")))
    except FileNotFoundError:
        raise DatasetError(
            f"file {str(path)!r} is missing; check the folder in database="
        ) from None
    except (OSError, UnicodeDecodeError, csv.Error) as error:
        raise DatasetError(f"file {str(path)!r} cannot be read: {error}") from None
    if name == "directory" and read[:1] != [list(columns)]:  # WorkBench's directory has no header
        read = [list(columns), *read]
    header, rows = (read[0], read[1:]) if read else ([], [])
    if missing := [column for column in columns if column not in header]:
        raise DatasetError(f"file {str(path)!r} has no column {missing[0]!r}")
    for number, cells in enumerate(rows, 1):
        if cells and len(cells) != len(header):
            problem = f"row {number} has {len(cells)} cells, not {len(header)}"
            raise DatasetError(f"file {str(path)!r}: {problem}")
    return [dict(zip(header, cells, strict=True)) for cells in rows if cells]


MAX_CACHED = 64  # databases, in addition to the ones that running episodes use


@lru_cache(MAX_CACHED)
def database_of(seed: int) -> Database:
    """Return the databases of a seed's company. The latest ones are cached."""
    return Database(world(seed))
