"""Data sets: tasks from the rows of a file, a list, a table, a hub, or a data set with a name.

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
from typing import Any, TypeAlias, TypeVar
from weakref import WeakValueDictionary

from textgym.errors import DatasetError, RowError, UsageError, did_you_mean
from textgym.tasks.columnar_rows import ArrowRows, ParquetRows
from textgym.tasks.csv_rows import CsvRows
from textgym.tasks.file_rows import FileRows, JsonlRows
from textgym.tasks.named import dataset_names, is_dataset_name, named_rows_file
from textgym.tasks.rows import ListRows, RenamedRows, Rows
from textgym.tasks.table_rows import HubRows, TableRows, is_table
from textgym.tasks.task import Task, with_id

__all__ = [
    "Dataset", "TaskList", "file_stamp", "has_splits", "is_file_name", "load_rows", "read_tasks",
    "shared_tasks",
]  # fmt: skip

Dataset: TypeAlias = str | os.PathLike[str] | Sequence[Mapping[str, Any]] | Any
"""A path, the name of a data set, a hub id, a list of rows, or a table, see `load_rows`."""

READERS: dict[str, type[FileRows]] = {
    ".jsonl": JsonlRows,
    ".parquet": ParquetRows,
    ".arrow": ArrowRows,
    ".csv": CsvRows,
}
_OTHER_FILES = (".json", ".tsv", ".txt", ".yaml", ".yml", ".gz")  # never hub ids
MAX_KEPT = 10_000  # tasks that need not be read again

_log = logging.getLogger(__name__)


def is_file_name(dataset: str | os.PathLike[str]) -> bool:
    """Return whether a data set is a path, and not a hub id.

    Example:
        >>> is_file_name("rows.jsonl"), is_file_name("openai/gsm8k")
        (True, False)
    """
    path = Path(dataset)
    return path.suffix in (*READERS, *_OTHER_FILES) or os.path.exists(path)


def has_splits(dataset: Dataset | None) -> bool:
    """Return whether a data set, or the generator (None), has splits. Rows and files have none.

    Example:
        >>> has_splits("openai/gsm8k"), has_splits([{"question": "2 + 2?"}])
        (True, False)
    """
    return dataset is None or (isinstance(dataset, str) and not is_file_name(dataset))


def load_rows(dataset: Dataset, split: str) -> Rows:
    """Open a data set. Its rows are read on access.

    Args:
        dataset: A path, the name of a data set, a hub id, a list of rows, a `datasets.Dataset`, or
            a data frame. A string is a path if it exists or ends like a file of rows.
        split: The split of a data set with a name or on a hub. Others have only one split.

    Raises:
        UsageError: The data set is something else.
        DatasetError: The data set is missing or empty, or cannot be read. Reading a row raises it
            if the row is broken.
        RowError: Raised by reading a row that contains a value that JSON cannot represent; the
            error names its location and field.
        ExtraMissingError: Parquet files, tables and hubs need the extra `data`.
    """
    rows: Rows
    if isinstance(dataset, (list, tuple)):
        rows, what = ListRows(dataset), "the list"
    elif is_table(dataset):
        rows = TableRows(dataset)
        what = rows.name
    elif isinstance(dataset, (str, os.PathLike)):
        rows, what = _rows_by_name(os.fspath(dataset), split), f"{os.fspath(dataset)!r}"
    else:
        raise UsageError(
            "dataset must be a path, the name of a data set, a hub id, a list of rows, a "
            f"datasets.Dataset or a data frame, not {dataset!r:.100}"
        )
    if not rows:
        raise DatasetError(f"data set {what} is empty")
    return rows


def _rows_by_name(dataset: str, split: str) -> Rows:
    path = Path(dataset)
    if is_dataset_name(dataset):
        return JsonlRows(named_rows_file(dataset, split))
    if not is_file_name(dataset):
        try:
            return HubRows(dataset, split)
        except DatasetError as error:  # perhaps the name of a data set, with a slip
            hint = "" if "/" in dataset else did_you_mean(dataset, dataset_names())
            raise DatasetError(f"{error}{hint}") from error
    if os.path.isfile(path):
        return READERS.get(path.suffix, READERS[".jsonl"])(path)
    what = "is not a regular file" if os.path.exists(path) else "is missing"
    if os.path.isdir(path):
        what = f"is a folder; pass a file ({', '.join(READERS)})"
    raise DatasetError(f"data set {dataset!r:.200} {what}")


class TaskList:
    """The tasks of a data set, read on first access.

    If different tasks have the same id, the first such pair is logged.

    Args:
        rows: The rows of the data set.
        level: Only rows with this `level` are tasks; None for all.

    Attributes:
        name: The name of the data set.
        kept: The tasks that were read recently, by index.

    Raises:
        DatasetError: No row has the level.
    """

    def __init__(self, rows: Rows, level: int | str | None = None) -> None:
        self.name = rows.name
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
    dataset: Dataset,
    split: str,
    level: int | None,
    columns: Mapping[str, str] | None,
    read_row: Callable[[dict[str, Any]], Task],
) -> TaskList:
    """Open a data set and read its first task, so that unsuitable rows are refused at once.

    Args:
        dataset: As in `load_rows`.
        split: As in `load_rows`.
        level: Keep only rows with this `level`; None keeps all.
        columns: The column that each field is read from, as in `RenamedRows`; None keeps the names.
        read_row: The environment's `read_row`.

    Raises:
        UsageError: As in `load_rows` and `RenamedRows`.
        DatasetError: As in `load_rows`, or no row has the level.
        RowError: The environment cannot read the first row; the error names its location.
    """
    if isinstance(dataset, str):
        key = "rows", file_stamp(dataset) or (dataset, split)
        rows = shared_tasks(key, lambda: load_rows(dataset, split))
    else:
        rows = load_rows(dataset, split)
    if columns is not None:
        rows = RenamedRows(rows, columns)
    tasks = TaskList(rows, level)
    tasks.read(0, read_row)
    return tasks


def file_stamp(dataset: str) -> tuple[str, int, int, int] | None:
    """Return a value that changes with the file; None if the file does not exist."""
    try:
        status = os.stat(dataset)
    except (OSError, ValueError):  # it is missing, or its name cannot be one
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
