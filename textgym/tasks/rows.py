"""The rows of a data set, which are read on access.

`Rows` is the interface. Files are in `file_rows`, `csv_rows` and `columnar_rows`, tables and hubs
in `table_rows`.

Invariants: rows are JSON data; an error in a row names its location and is raised whenever the row
is read; a data set's digest is a hash of exactly the content that its rows are read from.
"""

from __future__ import annotations

import hashlib
import importlib
import json
from abc import abstractmethod
from collections.abc import Iterator, Mapping, Sequence
from functools import cached_property
from typing import Any, overload

from textgym.errors import ExtraMissingError, RowError, UsageError, did_you_mean, install_advice
from textgym.json_values import json_row

__all__ = [
    "ListRows", "RenamedRows", "Rows", "check_columns", "content_hash", "data_library",
    "renamed_row",
]  # fmt: skip


class Rows(Sequence[tuple[str, dict[str, Any]]]):
    """The rows of a data set, each with its location. A row is read on each access.

    Attributes:
        name: The name of the data set.
        columns: The columns that a row leaves out where its cell is empty; () if none are known.
    """

    name: str
    columns: Sequence[str] = ()

    @abstractmethod
    def read(self, index: int) -> dict[str, Any]:
        """Read the values of a row, which need not be JSON data."""

    def place(self, index: int) -> str:
        """Return the location of a row, such as `line 17 of rows.jsonl`."""
        return f"row {index} of {self.name}"

    @cached_property
    def digest(self) -> str:
        """A hash of the content: the bytes of a file, or else the rows."""
        content = content_hash()
        for _, row in self:
            content.update(json.dumps(row).encode() + b"\n")
        return str(content.hexdigest())

    def read_levels(self) -> Iterator[tuple[int, Any]]:
        """Yield the index and the `level` of each row with a level."""
        for index in range(len(self)):
            row = self.read(index)
            if "level" in row:
                yield index, row["level"]

    @overload
    def __getitem__(self, index: int) -> tuple[str, dict[str, Any]]: ...
    @overload
    def __getitem__(self, index: slice) -> list[tuple[str, dict[str, Any]]]: ...
    def __getitem__(self, index: Any) -> Any:
        if isinstance(index, slice):
            return [self[number] for number in range(len(self))[index]]
        number = range(len(self))[index]
        return self.place(number), self._as_json(number, self.read(number))

    @cached_property
    def levels(self) -> list[Any]:
        """The `level` of each row; None if it is not a number or string."""
        levels: list[Any] = [None] * len(self)
        known: dict[Any, Any] = {}  # one object for all equal strings
        for index, value in self.read_levels():
            level = self._as_json(index, {"level": value})["level"]
            if isinstance(level, (int, float, str)):
                levels[index] = known.setdefault(level, level)
        return levels

    def _as_json(self, index: int, row: dict[str, Any]) -> dict[str, Any]:
        try:
            return json_row(row)
        except RowError as error:
            raise RowError(error.field, error.problem, where=self.place(index)) from None


class ListRows(Rows):
    """Rows in memory.

    Args:
        rows: The rows.

    Raises:
        RowError: One of them is not a row.

    Example:
        >>> rows = ListRows([{"question": "2 + 2?"}, {"question": "2 + 3?"}])
        >>> rows[1]
        ('row 1 of the list', {'question': '2 + 3?'})
    """

    name = "the list"

    def __init__(self, rows: Sequence[Mapping[str, Any]]) -> None:
        for number, row in enumerate(rows):
            if not isinstance(row, Mapping):
                kind = type(row).__name__
                raise RowError("dataset", f"must hold rows (dicts), not a {kind}: row {number}")
        self._rows = rows

    def __len__(self) -> int:
        return len(self._rows)

    def read(self, index: int) -> dict[str, Any]:
        """Return the values of a row."""
        return dict(self._rows[index])


class RenamedRows(Rows):
    """Rows whose fields get other names.

    Args:
        rows: The rows.
        columns: The column that each field is read from. A name with dots, such as
            `reward_model.ground_truth`, is a place in nested objects. Columns that it does not name
            stay as they are. An empty cell of a .csv file gives no field.

    Raises:
        UsageError: `columns` is not a dict of names.

    Example:
        >>> rows = ListRows([{"prompt": "2 + 2?", "extra": {"gold": "4"}, "source": "me"}])
        >>> RenamedRows(rows, {"question": "prompt", "answer": "extra.gold"})[0][1]
        {'extra': {'gold': '4'}, 'source': 'me', 'question': '2 + 2?', 'answer': '4'}
    """

    def __init__(self, rows: Rows, columns: Mapping[str, str]) -> None:
        check_columns(columns)
        self.name = rows.name
        self._rows, self._columns = rows, dict(columns)

    def __len__(self) -> int:
        return len(self._rows)

    @cached_property
    def digest(self) -> str:
        """The hash of the rows before they are renamed."""
        return self._rows.digest

    def place(self, index: int) -> str:
        """Return the location of a row."""
        return self._rows.place(index)

    def read_levels(self) -> Iterator[tuple[int, Any]]:
        """Yield the index and the `level` of each row with a level."""
        is_renamed = "level" in self._columns or "level" in self._columns.values()
        return super().read_levels() if is_renamed else self._rows.read_levels()

    def read(self, index: int) -> dict[str, Any]:
        """Read the values of a row, and rename its fields.

        Raises:
            RowError: The row does not have a column.
        """
        row = self._rows.read(index)
        return renamed_row(row, self._columns, self._rows.columns, self.place(index))


def check_columns(columns: Any) -> None:
    """Check that `columns` is a dict of names.

    Raises:
        UsageError: It is something else.
    """
    if not isinstance(columns, Mapping) or not all(
        isinstance(name, str) for pair in columns.items() for name in pair
    ):
        raise UsageError(
            f'columns must be a dict such as {{"question": "prompt"}}, not {columns!r:.100}'
        )


def renamed_row(
    row: Mapping[str, Any], columns: Mapping[str, str], known: Sequence[str] = (), place: str = ""
) -> dict[str, Any]:
    """Return a row with other names of its fields, see `RenamedRows`.

    Args:
        row: The row.
        columns: The column that each field is read from.
        known: The columns that the row leaves out where its cell is empty.
        place: Its location, for errors.

    Raises:
        RowError: The row does not have a column.
    """
    taken = {*columns.values()}
    renamed = {name: value for name, value in row.items() if name not in taken}
    for field, column in columns.items():
        if column in known and column not in row:
            continue
        value: Any = row
        for name in [column] if column in row else column.split("."):
            if not isinstance(value, Mapping) or name not in value:
                hint = did_you_mean(column, {*row, *known})
                problem = f"is missing, from which columns= takes {field!r}{hint}"
                raise RowError(column, problem, where=place)
            value = value[name]
        renamed[field] = value
    return renamed


def content_hash() -> Any:
    """Return a new `hashlib` object for hashing the content of data sets."""
    return hashlib.blake2b(digest_size=16)


def data_library(name: str) -> Any:
    """Import a package of the extra `data`.

    Raises:
        ExtraMissingError: It is not installed.
    """
    try:
        return importlib.import_module(name)
    except ModuleNotFoundError as error:
        raise ExtraMissingError(
            f"parquet files, hubs and tables need the extra 'data': {install_advice('data')}"
        ) from error
