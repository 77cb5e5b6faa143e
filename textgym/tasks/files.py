"""Data sets: tasks from the rows of a .jsonl, .parquet or .csv file or of a hub.

Invariants: a row is read when its task is requested, and the first row when the environment is
made; an invalid row raises an error with its location (`line 17 of rows.jsonl`) when it is read;
environments of one process share the rows of a file, and its tasks if they read it in the same way.
"""

from __future__ import annotations

import logging
import os
from collections.abc import Callable, Hashable, Mapping, Sequence
from functools import cached_property
from pathlib import Path
from typing import Any, TypeVar
from weakref import WeakValueDictionary

from textgym.errors import DatasetError, RowError
from textgym.tasks.csv_rows import CsvRows
from textgym.tasks.parquet_rows import ParquetRows
from textgym.tasks.rows import FileRows, HubRows, JsonlRows, ListRows, Rows
from textgym.tasks.task import Task, with_id

__all__ = ["TaskList", "file_stamp", "is_file_name", "load_rows", "read_tasks", "shared_tasks"]

READERS: dict[str, type[FileRows]] = {
    ".jsonl": JsonlRows,
    ".parquet": ParquetRows,
    ".csv": CsvRows,
}
_OTHER_FILES = (".json", ".tsv", ".txt", ".yaml", ".yml", ".arrow", ".gz")  # never hub ids
MAX_KEPT = 10_000  # tasks that need not be read again

_log = logging.getLogger(__name__)


def is_file_name(dataset: str | os.PathLike[str]) -> bool:
    """Return whether a data set is a path, and not a hub id.

    Example:
        >>> is_file_name("rows.jsonl"), is_file_name("openai/gsm8k")
        (True, False)
    """
    path = Path(dataset)
    return path.suffix in (*READERS, *_OTHER_FILES) or path.exists()


def load_rows(dataset: str, split: str) -> Rows:
    """Open a data set. Its rows are read on access.

    Args:
        dataset: A path, or a hub id. It is a path if it exists or ends like a file of rows.
        split: The split of a hub's data set. Files have only one split.

    Raises:
        DatasetError: The data set is missing or empty, or cannot be read. Reading a row raises it
            if the row is broken.
        RowError: Raised by reading a row that contains a value that JSON cannot represent; the
            error names its location and field.
        ExtraMissingError: Parquet files and hubs need the extra `data`.
    """
    path = Path(dataset)
    rows: Rows
    if not is_file_name(dataset):
        rows = HubRows(dataset, split)
    elif path.is_file():
        rows = READERS.get(path.suffix, READERS[".jsonl"])(path)
    else:
        what = f"is a folder; pass a file ({', '.join(READERS)})" if path.is_dir() else "is missing"
        raise DatasetError(f"data set {dataset!r} {what}")
    if not rows:
        raise DatasetError(f"data set {dataset!r} is empty")
    return rows


class TaskList:
    """The tasks of a data set, read on first access.

    If different tasks have the same id, the first such pair is logged.

    Args:
        rows: The rows of the data set.
        level: Only rows with this `level` are tasks; None for all.

    Attributes:
        kept: The tasks that were read recently, by index.

    Raises:
        DatasetError: No row has the level.
    """

    def __init__(self, rows: Rows, level: int | str | None = None) -> None:
        self._rows = rows
        self._numbers: Sequence[int] = range(len(rows))
        if level is not None:
            self._numbers = [number for number in self._numbers if rows.levels[number] == level]
        if not self._numbers:
            raise DatasetError(f"data set {rows.name!r} has no row of level {level}")
        self.kept: dict[int, Task] = {}
        self._first_index: dict[str, int] | None = {}  # of each id; None after a warning

    def __len__(self) -> int:
        return len(self._numbers)

    @property
    def digest(self) -> str:
        """A hash of the content, see `Rows`."""
        return self._rows.digest

    @cached_property
    def levels(self) -> tuple[Any, ...]:
        """The levels of all rows that are integers or strings, each once, in order."""
        known = {level for level in self._rows.levels if isinstance(level, (int, str))}
        return tuple(sorted(known, key=lambda level: (isinstance(level, str), level)))

    def read(self, index: int, read_row: Callable[[dict[str, Any]], Task]) -> Task:
        """Read a task and keep it.

        Args:
            index: The index.
            read_row: The environment's `read_row`.

        Raises:
            DatasetError: The row is broken, or the data set has changed.
            RowError: The environment cannot read the row; the error names its location.
        """
        number = self._numbers[index]
        place, row = self._rows[number]
        try:
            task = read_row(with_id(row, f"row-{number}"))
        except RowError as error:
            raise RowError(error.field, error.problem, where=place) from None
        if len(self.kept) >= MAX_KEPT:
            self.kept.clear()
        task = self.kept.setdefault(index, task)
        first_index = self._first_index
        if first_index is not None:
            first = first_index.setdefault(task.id, index)
            if first != index:
                earlier = self.kept.get(first) or self.read(first, read_row)
                self._warn_if_different(task, index, earlier, first)
        return task

    def _warn_if_different(self, task: Task, index: int, earlier: Task, first: int) -> None:
        """Log that two tasks with one id have different prompts, with the places of their rows."""
        if task.messages != earlier.messages:
            self._first_index = None
            _log.warning(
                "different tasks have the same id, so their results cannot be distinguished by id: "
                "%r (%s, %s)",
                task.id,
                *(self._rows.place(self._numbers[number]) for number in (first, index)),
            )


def read_tasks(
    dataset: str | Sequence[Mapping[str, Any]],
    split: str,
    level: int | None,
    read_row: Callable[[dict[str, Any]], Task],
) -> TaskList:
    """Open a data set and read its first task, so that unsuitable rows are refused at once.

    Args:
        dataset: As in `load_rows`, or the rows.
        split: As in `load_rows`.
        level: Keep only rows with this `level`; None keeps all.
        read_row: The environment's `read_row`.

    Raises:
        DatasetError: As in `load_rows`, or no row has the level.
        RowError: The environment cannot read the first row; the error names its location.
    """
    if isinstance(dataset, str):
        key = "rows", file_stamp(dataset) or (dataset, split)
        rows = shared_tasks(key, lambda: load_rows(dataset, split))
    elif dataset:
        rows = ListRows(dataset)
    else:
        raise DatasetError("the data set is an empty list")
    tasks = TaskList(rows, level)
    tasks.read(0, read_row)
    return tasks


def file_stamp(dataset: str) -> tuple[str, int, int, int] | None:
    """Return a value that changes with the file; None if the file does not exist."""
    try:
        status = os.stat(dataset)
    except OSError:
        return None
    return os.path.abspath(dataset), status.st_mtime_ns, status.st_ctime_ns, status.st_size


Tasks = TypeVar("Tasks")
_shared: WeakValueDictionary[Hashable, Any] = WeakValueDictionary()


def shared_tasks(key: Hashable, make: Callable[[], Tasks]) -> Tasks:
    """Return the tasks of a key, which are made unless an environment has them already."""
    tasks: Tasks | None = _shared.get(key)
    if tasks is None:
        tasks = _shared[key] = make()
    return tasks
