"""Verdict by state: whether two runs that began with the same table leave it the same.

A run holds what it changed, not the table: `changed` maps the place of a row that existed, as a
text, to the row as it is now, or to None where it is deleted; `added` lists the new rows. What
always holds: the order in which rows were added, and their ids, do not count; a change that was
undone is none; what is compared is normalised text, in which times have one format and case counts
only where the caller says so.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Mapping, Sequence
from datetime import UTC, datetime
from functools import lru_cache

from typing_extensions import TypedDict  # pydantic refuses typing's before Python 3.12

__all__ = ["Changes", "Row", "new_changes", "read_instant", "same_state"]

Row = dict[str, str | None]
_LONGEST_INSTANT = 40
_FORMATS = tuple(
    f"{date} {time}".strip()
    for date in ("%Y-%m-%d", "%Y/%m/%d", "%m/%d/%Y", "%B %d, %Y", "%b %d, %Y", "%d %B %Y")
    for time in ("%H:%M:%S", "%H:%M", "%I:%M:%S %p", "%I:%M %p", "%I:%M%p", "%I %p", "%I%p", "")
)


class Changes(TypedDict):
    """What a run changed in one table."""

    changed: dict[str, Row | None]
    added: list[Row]


def new_changes() -> Changes:
    """Return the changes of a run that has changed nothing.

    Example:
        >>> new_changes()
        {'changed': {}, 'added': []}
    """
    return {"changed": {}, "added": []}


def read_instant(text: str) -> datetime | None:
    """Read a date, or a date and a time, in ISO's form or another common one; None if it is none.

    Example:
        >>> read_instant("2023-12-01 10:00") == read_instant("2023-12-01T10:00:00")
        True
        >>> read_instant("December 1, 2023 10 AM").hour
        10
        >>> read_instant("tomorrow at ten") is None
        True
    """
    text = text.strip()
    return _read_short(text) if len(text) <= _LONGEST_INSTANT else None


@lru_cache(8192)
def _read_short(text: str) -> datetime | None:
    try:
        return _without_zone(datetime.fromisoformat(text))
    except ValueError:
        return next(filter(None, (_parsed(text, form) for form in _FORMATS)), None)


def _parsed(text: str, form: str) -> datetime | None:
    try:
        return datetime.strptime(text, form)
    except ValueError:
        return None


def _without_zone(instant: datetime) -> datetime:
    if instant.tzinfo is None:
        return instant
    try:
        return instant.astimezone(UTC).replace(tzinfo=None)
    except OverflowError:  # the first or the last day that there is
        return instant.replace(tzinfo=None)


def same_state(
    rows: Sequence[Mapping[str, str | None]],
    one: Changes,
    other: Changes,
    *,
    id_column: str,
    times: Collection[str] = (),
    case_counts: Collection[str] = (),
) -> bool:
    """Tell whether two runs leave a table the same.

    Args:
        rows: The table as both runs found it.
        one: What one run changed.
        other: What the other changed.
        id_column: The column that does not count in new rows.
        times: The columns that hold dates and times.
        case_counts: The columns in which `Lost` and `lost` are two values.

    Example:
        >>> rows = [{"id": "7", "name": "Tea", "at": "2023-12-01 10:00:00"}]
        >>> moved = {"changed": {"0": {**rows[0], "at": "2023-12-01 11:00"}}, "added": []}
        >>> too = {"changed": {"0": {**rows[0], "at": "2023-12-01T11:00:00"}}, "added": []}
        >>> same_state(rows, moved, too, id_column="id", times=["at"])
        True
        >>> same_state(rows, moved, new_changes(), id_column="id", times=["at"])
        False
    """

    def normal(row: Mapping[str, str | None] | None, without: str = "") -> object:
        if row is None:
            return None
        kept = {name: value for name, value in row.items() if name != without}
        return frozenset(
            (name, _normal(value, name in times, name in case_counts))
            for name, value in kept.items()
        )

    for place in one["changed"].keys() | other["changed"].keys():
        before = rows[int(place)]
        here, there = one["changed"].get(place, before), other["changed"].get(place, before)
        if normal(here) != normal(there):
            return False
    added, added_there = (
        Counter(normal(row, id_column) for row in run["added"]) for run in (one, other)
    )
    return added == added_there


def _normal(value: str | None, is_time: bool, case_counts: bool) -> object:
    if value is None:
        return None
    instant = read_instant(value) if is_time else None
    return instant or (value if case_counts else value.lower())
