"""Equality of states: whether two runs leave the same table in the same state.

A run is recorded as its changes. Invariants:

- `changed` maps the index of an existing row, as text, to the row's new values, or to None if it
  was deleted. `added` lists the new rows.
- The order and the ids of added rows do not matter. A change that was undone does not count.
- Values are compared as normalized text: times have one format, and case does not matter by
  default.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Collection, Mapping, Sequence
from datetime import UTC, datetime
from functools import lru_cache, partial

from typing_extensions import TypedDict  # pydantic refuses typing's before Python 3.12

from textgym.verifiers.exact import plain_marks

__all__ = ["Changes", "Row", "changes_in", "equal_state", "new_changes", "read_instant"]

Row = dict[str, str | None]
_MAX_INSTANT = 40  # characters
_PHONE = re.compile(r"[\d\s()+./\u2010-\u2015\u2212-]{5,30}")
_NO_DIGITS = re.compile(r"\D+")
_FORMATS = tuple(
    f"{date} {time}".strip()
    for date in (
        "%Y-%m-%d",
        "%Y/%m/%d",
        "%m/%d/%Y",
        "%B %d, %Y",
        "%b %d, %Y",
        "%d %B %Y",
        "%d.%m.%Y",
    )
    for time in ("%H:%M:%S", "%H:%M", "%I:%M:%S %p", "%I:%M %p", "%I:%M%p", "%I %p", "%I%p", "")
)


class Changes(TypedDict):
    """The changes of a run in one table.

    Attributes:
        changed: The existing rows that differ, by index as text; None for a deleted row.
        added: The new rows.
    """

    changed: dict[str, Row | None]
    added: list[Row]


def new_changes() -> Changes:
    """Return the changes of a run that has not begun.

    Example:
        >>> new_changes()
        {'changed': {}, 'added': []}
    """
    return {"changed": {}, "added": []}


def read_instant(text: str) -> datetime | None:
    r"""Return a date, or a date and time, in ISO or another common format; None for other texts.

    A time with a zone is converted to UTC and returned without the zone.

    Example:
        >>> read_instant("2023-12-01 10:00") == read_instant("2023-12-01T10:00:00")
        True
        >>> read_instant("December 1, 2023 10 AM").hour, read_instant("2023\u201112\u201101").day
        (10, 1)
        >>> read_instant("tomorrow at ten") is None
        True
    """
    text = plain_marks(text).strip()
    return _parse_instant(text) if len(text) <= _MAX_INSTANT else None


@lru_cache(8192)
def _parse_instant(text: str) -> datetime | None:
    try:
        return _to_utc(datetime.fromisoformat(text))
    except ValueError:
        return next(filter(None, (_parse_format(text, form) for form in _FORMATS)), None)


def _parse_format(text: str, form: str) -> datetime | None:
    try:
        return datetime.strptime(text, form)
    except ValueError:
        return None


def _to_utc(instant: datetime) -> datetime:
    if instant.tzinfo is None:
        return instant
    try:
        return instant.astimezone(UTC).replace(tzinfo=None)
    except OverflowError:  # the first or the last day of the calendar
        return instant.replace(tzinfo=None)


def changes_in(
    rows: Sequence[Mapping[str, str | None]],
    run: Changes,
    *,
    id_column: str,
    times: Collection[str] = (),
    case_sensitive: Collection[str] = (),
    phones: Collection[str] = (),
) -> Counter[object]:
    """Count the changes of a run: changed cells, deleted rows and added rows.

    Args:
        rows: The table before the run. A missing cell is None.
        run: The changes of the run.
        id_column: The column with the rows' ids, which is ignored in added rows.
        times: The columns with dates and times.
        case_sensitive: The columns in which case matters.
        phones: The columns with phone numbers. Only their digits are compared.

    Returns:
        The number of times of each change, with values as normalized text. Only an added row can
        occur more than once.

    Example:
        >>> rows = [{"id": "7", "name": "Tea", "price": "2"}]
        >>> run = {"changed": {"0": {"id": "7", "name": "TEA", "price": "3"}}, "added": rows}
        >>> changes_in(rows, run, id_column="id").total()  # the price, and a new row
        2
    """

    def normalize(name: str, value: str | None) -> object:
        if name in phones and value is not None and _PHONE.fullmatch(value):
            return _NO_DIGITS.sub("", value)
        return _normalize(value, name in times, name in case_sensitive)

    changes: Counter[object] = Counter()
    for index, after in run["changed"].items():
        if after is None:
            changes[index] += 1
            continue
        before = rows[int(index)]
        for name in before.keys() | after.keys():
            value = normalize(name, after.get(name))
            if value != normalize(name, before.get(name)):
                changes[index, name, value] += 1
    for row in run["added"]:
        cells = ((name, normalize(name, row[name])) for name in row if name != id_column)
        changes[frozenset(cells)] += 1
    return changes


def equal_state(
    rows: Sequence[Mapping[str, str | None]],
    first: Changes,
    second: Changes,
    *,
    id_column: str,
    times: Collection[str] = (),
    case_sensitive: Collection[str] = (),
) -> bool:
    """Return whether two runs leave a table in the same state.

    Args:
        rows: The table before the runs.
        first: The changes of the first run.
        second: The changes of the second run.
        id_column: The column with the rows' ids, which is ignored in added rows.
        times: The columns with dates and times.
        case_sensitive: The columns in which case matters.

    Example:
        >>> rows = [{"id": "7", "name": "Tea", "at": "2023-12-01 10:00:00"}]
        >>> moved = {"changed": {"0": {**rows[0], "at": "2023-12-01 11:00"}}, "added": []}
        >>> also = {"changed": {"0": {**rows[0], "at": "2023-12-01T11:00:00"}}, "added": []}
        >>> equal_state(rows, moved, also, id_column="id", times=["at"])
        True
        >>> equal_state(rows, moved, new_changes(), id_column="id", times=["at"])
        False
    """
    changes = partial(
        changes_in, rows, id_column=id_column, times=times, case_sensitive=case_sensitive
    )
    return changes(first) == changes(second)


def _normalize(value: str | None, is_time: bool, case_matters: bool) -> object:
    if value is None:
        return None
    instant = read_instant(value) if is_time else None
    return instant or (value if case_matters else value.lower())
