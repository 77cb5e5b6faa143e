"""The rows of a data set, read when they are asked for, and those of a hub.

Invariants: rows are JSON data; an error in a row names its location and is raised whenever the row
is read; a data set's digest is a hash of exactly the content that its rows are read from.
"""

from __future__ import annotations

import hashlib
import importlib
import json
from abc import abstractmethod
from collections.abc import Iterator, Sequence
from functools import cached_property
from typing import Any, overload

from textgym.errors import (
    DatasetError,
    ExtraMissingError,
    RowError,
    in_one_line,
    install_advice,
)
from textgym.json_values import json_row

__all__ = ["HubRows", "Rows", "content_hash", "data_library"]


class Rows(Sequence[tuple[str, dict[str, Any]]]):
    """The rows of a data set, each with its location. A row is read each time it is asked for.

    Attributes:
        name: The name of the data set.
        digest: A hash of the content: the bytes of a file, or the rows from a hub.
    """

    name: str

    @property
    @abstractmethod
    def digest(self) -> str:
        """A hash of the content."""

    @abstractmethod
    def place(self, index: int) -> str:
        """Return the location of a row, such as `line 17 of rows.jsonl`."""

    @abstractmethod
    def read(self, index: int) -> dict[str, Any]:
        """Read the values of a row, which need not be JSON data."""

    @abstractmethod
    def read_levels(self) -> Iterator[tuple[int, Any]]:
        """Yield the index and the `level` of each row that has one."""

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
        """The `level` of each row; None where it is no number or string."""
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


class HubRows(Rows):
    """The rows of a hub's data set.

    Args:
        name: The hub id.
        split: The split.

    Raises:
        DatasetError: The data set cannot be loaded.
        ExtraMissingError: Hubs need the extra `data`.
    """

    def __init__(self, name: str, split: str) -> None:
        self.name, self._split = name, split
        library = data_library("datasets")
        try:
            self._rows = library.load_dataset(name, split=split)
        except Exception as error:
            raise self._failure(error) from error

    def __len__(self) -> int:
        return len(self._rows)

    @cached_property
    def digest(self) -> str:
        """A hash of the rows."""
        content = content_hash()
        for _, row in self:
            content.update(json.dumps(row).encode() + b"\n")
        digest: str = content.hexdigest()
        return digest

    def place(self, index: int) -> str:
        """Return the location of a row."""
        return f"row {index} of {self.name}"

    def read(self, index: int) -> dict[str, Any]:
        """Read the values of a row."""
        try:
            row: dict[str, Any] = self._rows[index]
        except Exception as error:
            raise self._failure(error) from error
        return row

    def read_levels(self) -> Iterator[tuple[int, Any]]:
        """Yield the index and the `level` of each row that has one."""
        for index in range(len(self)):
            row = self.read(index)
            if "level" in row:
                yield index, row["level"]

    def _failure(self, error: Exception) -> DatasetError:
        return DatasetError(
            f"data set {self.name!r} (split {self._split!r}) is not a file and cannot be loaded "
            f"from the hub: {in_one_line(error)}"
        )


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
            f"parquet files and hub data sets need the extra 'data': {install_advice('data')}"
        ) from error
