"""The rows of a table in memory, and of a data set on a hub.

A table is a `datasets.Dataset`, a data frame of pandas or polars, or any other object that exports
Arrow's stream (`__arrow_c_stream__`).
"""

from __future__ import annotations

import os
from typing import Any

from textgym.errors import DatasetError, ExtraMissingError, RowError, UsageError, in_one_line
from textgym.tasks.columnar_rows import cell_value
from textgym.tasks.rows import Rows, data_library

__all__ = ["HubRows", "TableRows", "is_table", "load_from_hub"]

_SECONDS = 10  # that the hub has to answer
_INDEX = "__index_level_"  # of the column that pandas adds for an index with labels


def is_table(value: object) -> bool:
    """Return whether a value is a table, such as a data frame.

    Example:
        >>> is_table([{"question": "2 + 2?"}])
        False
    """
    return hasattr(value, "__arrow_c_stream__") or type(value).__module__.startswith("datasets.")


class TableRows(Rows):
    """The rows of a table.

    Args:
        table: The table.

    Raises:
        UsageError: It is not a table, or a data set of the hub with several splits.
        DatasetError: It cannot be read.
        ExtraMissingError: Tables need the extra `data`.
    """

    def __init__(self, table: Any) -> None:
        kind = type(table).__name__
        self.name = f"the {kind}"
        self._table: Any = table
        self._is_dataset = type(table).__module__.startswith("datasets.")
        if self._is_dataset:
            if not hasattr(table, "column_names") or isinstance(table.column_names, dict):
                splits = ", ".join(map(repr, table)) if isinstance(table, dict) else ""
                raise UsageError(f"dataset is a {kind}; pass one of its splits: {splits}")
            if not hasattr(table, "__len__"):
                raise UsageError(f"dataset is an {kind}, whose rows have no index; pass a Dataset")
            return
        try:
            self._table = data_library("pyarrow").table(table)
        except Exception as error:
            raise DatasetError(f"{self.name} cannot be read: {in_one_line(error)}") from error
        labels = [name for name in self._table.column_names if name.startswith(_INDEX)]
        self._table = self._table.drop_columns(labels)

    def __len__(self) -> int:
        return len(self._table)

    def read(self, index: int) -> dict[str, Any]:
        """Read the values of a row.

        Raises:
            RowError: A value has no form in Python, such as a date after the year 9999.
        """
        if self._is_dataset:
            return dict(self._table[index])
        row = {}
        for name, column in zip(self._table.column_names, self._table.columns, strict=True):
            try:
                row[name] = cell_value(column[index])
            except Exception as error:
                problem = f"cannot be read: {in_one_line(error)}"
                raise RowError(name, problem, where=self.place(index)) from error
        return row


def load_from_hub(path: str, **arguments: Any) -> Any:
    """Return what `datasets.load_dataset` loads. A hub that cannot be reached is noticed at once.

    `datasets` would try again for half a minute. Offline, only its cache is read.

    Args:
        path: The hub id, or the format of files elsewhere.
        **arguments: The other arguments of `load_dataset`.

    Raises:
        ConnectionError: The hub cannot be reached.
        ExtraMissingError: Hubs need the extra `data`.
    """
    library = data_library("datasets")
    config = library.config
    if "data_files" not in arguments and not config.HF_HUB_OFFLINE and not os.path.exists(path):
        try:
            session = data_library("huggingface_hub").utils.get_session()
            session.head(config.HF_ENDPOINT, timeout=_SECONDS)
        except Exception as error:  # of the HTTP library, which differs from version to version
            raise ConnectionError(
                f"{config.HF_ENDPOINT} cannot be reached: {in_one_line(error)}; set "
                "HF_HUB_OFFLINE=1 to use only the cache of `datasets`"
            ) from error
    return library.load_dataset(path, **arguments)


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
        try:
            self._rows = load_from_hub(name, split=split)
        except ExtraMissingError:
            raise
        except Exception as error:
            raise self._failure(error) from error

    def __len__(self) -> int:
        return len(self._rows)

    def read(self, index: int) -> dict[str, Any]:
        """Read the values of a row."""
        try:
            return dict(self._rows[index])
        except Exception as error:
            raise self._failure(error) from error

    def _failure(self, error: Exception) -> DatasetError:
        return DatasetError(
            f"data set {self.name!r} (split {self._split!r}) is not a file and cannot be loaded "
            f"from the hub: {in_one_line(error)}"
        )
