"""Tables that episodes share, and the changes that an episode makes to them.

Invariants: a database is never modified; the state of an episode contains only the rows that it
changed, as JSON data (`Changes`); a `Table` combines the two.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import cached_property
from typing import ClassVar, NamedTuple

from textgym.errors import StateError
from textgym.verifiers.state import Changes, Row, changes_in, new_changes

__all__ = ["Layout", "Records", "SearchTerms", "SharedDatabase", "State", "Table"]

State = dict[str, Changes]
SearchTerms = dict[tuple[str, ...], list[str]]
MAX_ID_DIGITS = 18  # longer ids are ignored when a new id is chosen


class Layout(NamedTuple):
    """The columns of a table, and how they are compared.

    Attributes:
        columns: The names of the columns.
        id_column: The column that identifies rows, or "".
        times: The columns that contain dates and times.
        case_counts: The columns that are compared case-sensitively.
        phones: The columns that contain phone numbers.
    """

    columns: tuple[str, ...]
    id_column: str = ""
    times: tuple[str, ...] = ()
    case_counts: tuple[str, ...] = ()
    phones: tuple[str, ...] = ()


class Records:
    """The rows of a table at the start of every episode.

    Attributes:
        layout: The columns of the table.
        rows: The rows. An empty cell is None.
    """

    def __init__(self, layout: Layout, rows: Sequence[Mapping[str, str | None]]) -> None:
        self.layout = layout
        self.rows: tuple[Row, ...] = tuple(
            {column: row[column] or None for column in layout.columns} for row in rows
        )
        self._lowered: dict[tuple[str, ...], list[str]] = {}
        self._groups: dict[str, dict[str, list[Row]]] = {}

    @cached_property
    def places(self) -> dict[str | None, list[int]]:
        """The indices of the rows with each id."""
        places: dict[str | None, list[int]] = {}
        for place, row in enumerate(self.rows):
            places.setdefault(row[self.layout.id_column], []).append(place)
        return places

    @cached_property
    def highest_id(self) -> int:
        """The highest id."""
        return _highest(self.rows, self.layout.id_column)

    def groups(self, column: str) -> dict[str, list[Row]]:
        """Return the rows grouped by the value of a column, in the order of the values."""
        if column not in self._groups:
            groups: dict[str, list[Row]] = {}
            for row in self.rows:
                groups.setdefault(row[column] or "", []).append(row)
            self._groups[column] = dict(sorted(groups.items()))
        return self._groups[column]

    def lowered(self, columns: tuple[str, ...]) -> list[str]:
        """Return the text of some columns of each row, in lower case."""
        if columns not in self._lowered:
            self._lowered[columns] = [_lower(row, columns) for row in self.rows]
        return self._lowered[columns]


def _highest(rows: Iterable[Row], column: str) -> int:
    """Return the highest id of some rows, or 0."""
    ids = (row[column] or "" for row in rows)
    return max((int(id) for id in ids if id.isdecimal() and len(id) <= MAX_ID_DIGITS), default=0)


def _lower(row: Row, columns: tuple[str, ...]) -> str:
    return "\n".join(row[column] or "" for column in columns).lower()


def _fits(row: Row, parts: Sequence[tuple[tuple[str, ...], str]]) -> bool:
    return all(text in _lower(row, columns) for columns, text in parts)


class SharedDatabase:
    """The tables of a world. A subclass defines their layouts.

    Args:
        world: The rows of the tables, whose values are strings. A table without rows may be left
            out.

    Attributes:
        layouts: The layouts of the tables, by name.
        changeable: The names of the tables that tools can change.
        records: The tables by name.
    """

    layouts: ClassVar[Mapping[str, Layout]]
    changeable: ClassVar[tuple[str, ...]]

    def __init__(self, world: Mapping[str, Sequence[Mapping[str, str]]]) -> None:
        self.records = {
            name: Records(layout, world.get(name, ())) for name, layout in self.layouts.items()
        }

    @classmethod
    def new_state(cls) -> State:
        """Return a state without changes."""
        return {name: new_changes() for name in cls.changeable}

    def table(self, name: str, state: State) -> Table:
        """Return the content of a table after the changes of a state."""
        changes = state[name] if name in self.changeable else new_changes()
        return Table(self.records[name], changes)

    def check(self, state: State) -> None:
        """Check that a state changes only tables, rows and columns that exist.

        Raises:
            StateError: A table, row or column does not exist.
        """
        if state.keys() != set(self.changeable):
            raise StateError(f"state: the tables must be {', '.join(self.changeable)}")
        for name, changes in state.items():
            records, changed = self.records[name], changes["changed"]
            places = {str(place) for place in range(len(records.rows))} if changed else set()
            if not changed.keys() <= places:
                raise StateError(f"state.{name}.changed: a row that the table does not have")
            rows = [*filter(None, changed.values()), *changes["added"]]
            if any(row.keys() != set(records.layout.columns) for row in rows):
                raise StateError(f"state.{name}: a row without the columns of the table")

    def changes_in(self, state: State) -> Counter[object]:
        """Return how often a state has each change; see `textgym.verifiers.state`."""
        counts: Counter[object] = Counter()
        for name in self.changeable:
            for change, times in self._changes_in(name, state).items():
                counts[name, change] = times
        return counts

    def differing(self, first: State, second: State) -> list[str]:
        """Return the names of the tables that differ between two states."""
        changes_in = self._changes_in
        return [
            name for name in self.changeable if changes_in(name, first) != changes_in(name, second)
        ]

    def _changes_in(self, name: str, state: State) -> Counter[object]:
        records, layout = self.records[name], self.records[name].layout
        return changes_in(
            records.rows,
            state[name],
            id_column=layout.id_column,
            times=layout.times,
            case_sensitive=layout.case_counts,
            phones=layout.phones,
        )


class Table:
    """A table with the changes of an episode.

    Args:
        records: The rows at the start of every episode.
        changes: The changes of this episode, which are modified in place.
    """

    def __init__(self, records: Records, changes: Changes) -> None:
        self._records, self._changes = records, changes

    def __iter__(self) -> Iterator[Row]:
        """Yield the rows. Do not modify them."""
        changed = self._changes["changed"]
        if not changed:
            yield from self._records.rows
        else:
            for place, row in enumerate(self._records.rows):
                now = changed.get(str(place), row)
                if now is not None:
                    yield now
        yield from self._changes["added"]

    @property
    def columns(self) -> tuple[str, ...]:
        """The names of the columns."""
        return self._records.layout.columns

    def containing(self, terms: SearchTerms) -> list[Row]:
        """Return the rows that contain all search terms, ignoring case.

        Args:
            terms: Search terms by columns. Each term must occur in one of its columns; empty terms
                are ignored.
        """
        parts = [(columns, text.lower()) for columns, texts in terms.items() for text in texts]
        parts = [(columns, text) for columns, text in parts if text]
        changed = self._changes["changed"]
        places: Iterable[int] = range(len(self._records.rows))
        for columns, text in parts:
            lowered = self._records.lowered(columns)
            places = [place for place in places if text in lowered[place]]
        if not changed:
            rows = [self._records.rows[place] for place in places]
        else:
            current = {p: self._records.rows[p] for p in places if str(p) not in changed}
            current |= {int(p): row for p, row in changed.items() if row and _fits(row, parts)}
            rows = [current[place] for place in sorted(current)]
        return rows + [row for row in self._changes["added"] if _fits(row, parts)]

    def having(self, column: str, value: str) -> list[Row]:
        """Return the rows with a value in a column."""
        if self._changes["changed"]:
            return [row for row in self if row[column] == value]
        rows = self._records.groups(column).get(value, [])
        return [*rows, *(row for row in self._changes["added"] if row[column] == value)]

    def get(self, id: str) -> Row | None:
        """Return the first row with an id, or None."""
        if places := self._places(id):
            return self._row(places[0])
        return next((self._changes["added"][place] for place in self._added(id)), None)

    def add(self, row: Row, width: int = 8) -> str:
        """Add a row with a new id, which is the highest id plus one, and return the id.

        Args:
            row: The values of the other columns. Missing ones are empty.
            width: The minimum number of digits of the id, with leading zeros.
        """
        column = self._records.layout.id_column
        id = str(self._highest_id() + 1).zfill(width) if column else ""
        values: Row = {**row, column: id} if column else row
        self._changes["added"].append({name: values.get(name) for name in self.columns})
        return id

    def _highest_id(self) -> int:
        """Return the highest id of the current rows."""
        column, rows = self._records.layout.id_column, self._records.rows
        changed = self._changes["changed"].items()
        if any(row is None or row[column] != rows[int(place)][column] for place, row in changed):
            return _highest(self, column)
        return max(self._records.highest_id, _highest(self._changes["added"], column))

    def delete(self, id: str) -> bool:
        """Delete the rows with an id; return whether there were any."""
        places, added = self._places(id), self._added(id)
        for place in places:
            self._changes["changed"][str(place)] = None
        for place in reversed(added):
            del self._changes["added"][place]
        return bool(places or added)

    def update(self, id: str, column: str, value: str) -> bool:
        """Change a column of the rows with an id; return whether there are any."""
        places, added = self._places(id), self._added(id)
        for place in places:
            self._changes["changed"][str(place)] = {**self._row(place), column: value}
        for place in added:
            self._changes["added"][place] = {**self._changes["added"][place], column: value}
        return bool(places or added)

    def _places(self, id: str) -> list[int]:
        """Return the indices of the original rows that have an id now."""
        column, changed = self._records.layout.id_column, self._changes["changed"]
        places = [p for p in self._records.places.get(id, ()) if str(p) not in changed]
        places += [int(p) for p, row in changed.items() if row is not None and row[column] == id]
        return sorted(places)

    def _row(self, place: int) -> Row:
        """Return the current row at an index. It must not be deleted."""
        return self._changes["changed"].get(str(place)) or self._records.rows[place]

    def _added(self, id: str) -> list[int]:
        column = self._records.layout.id_column
        return [p for p, row in enumerate(self._changes["added"]) if row[column] == id]
