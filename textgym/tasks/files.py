"""Data sets: rows from a .jsonl or .parquet file or from a hub, read into tasks.

Invariants: an invalid row raises an error with its location (`line 17 of rows.jsonl`) when the
environment is made; rows are JSON data; environments of one process share the tasks of a file if
they read it in the same way; a data set's digest is a hash of exactly the content that was read.
"""

from __future__ import annotations

import hashlib
import importlib
import json
import logging
import os
from collections.abc import Callable, Hashable, Iterable, Iterator
from pathlib import Path
from typing import Any, TypeVar
from weakref import WeakValueDictionary

from textgym.errors import (
    DatasetError,
    ExtraMissingError,
    RowError,
    in_one_line,
    install_advice,
)
from textgym.tasks.json_rows import json_row
from textgym.tasks.task import Task, with_id

__all__ = [
    "Rows",
    "TaskList",
    "content_hash",
    "data_library",
    "file_stamp",
    "load_rows",
    "read_tasks",
    "shared_tasks",
]

PARQUET_BATCH_SIZE = 1024  # these rows are in memory twice
_MAX_LISTED = 5  # ids in a warning

_log = logging.getLogger(__name__)


class Rows(list[tuple[str, dict[str, Any]]]):
    """The rows of a data set, each with its location.

    Attributes:
        digest: A hash of the content: the bytes of a file, or the rows from a hub.
    """

    digest: str = ""


class TaskList(list[Task]):
    """The tasks of a data set, as a list that supports weak references.

    Attributes:
        digest: As in `Rows`.
        levels: The levels of its rows that are integers or strings, each once, in order.
    """

    __slots__ = ("__weakref__", "digest", "levels")

    def __init__(
        self, tasks: Iterable[Task] = (), digest: str = "", levels: Iterable[Any] = ()
    ) -> None:
        super().__init__(tasks)
        self.digest = digest
        known = {level for level in levels if isinstance(level, (int, str))}
        self.levels = tuple(sorted(known, key=lambda level: (isinstance(level, str), level)))


def content_hash() -> Any:
    """Return a new `hashlib` object for hashing the content of data sets."""
    return hashlib.blake2b(digest_size=16)


def is_file_name(dataset: str | os.PathLike[str]) -> bool:
    """Return whether a data set is a path, and not a hub id.

    Example:
        >>> is_file_name("rows.jsonl"), is_file_name("openai/gsm8k")
        (True, False)
    """
    path = Path(dataset)
    return path.suffix in (".jsonl", ".parquet") or path.exists()


def load_rows(dataset: str, split: str) -> Rows:
    """Read all rows of a data set as JSON data (see `json_row`), each with its location.

    Args:
        dataset: A path, or a hub id. It is a path if it exists or ends in .jsonl or .parquet.
        split: The split of a hub's data set. Files have only one split.

    Raises:
        DatasetError: The data set is missing, empty or broken.
        RowError: A row contains a value that JSON cannot represent; the error names its location
            and field.
        ExtraMissingError: Parquet files and hubs need the extra `data`.
    """
    path, content = Path(dataset), content_hash()
    if is_file_name(dataset):
        if not path.is_file():
            what = "is a folder; pass a .jsonl or .parquet file" if path.is_dir() else "is missing"
            raise DatasetError(f"data set {dataset!r} {what}")
        read = _parquet_rows if path.suffix == ".parquet" else _jsonl_rows
        rows = Rows((place, _json_row(row, place)) for place, row in read(path, content))
    else:
        rows = Rows((place, _json_row(row, place)) for place, row in _hub_rows(dataset, split))
        for _, row in rows:
            content.update(json.dumps(row).encode() + b"\n")
    if not rows:
        raise DatasetError(f"data set {dataset!r} is empty")
    rows.digest = content.hexdigest()
    return rows


def _json_row(row: dict[str, Any], place: str) -> dict[str, Any]:
    try:
        return json_row(row)
    except RowError as error:
        raise RowError(error.field, error.problem, where=place) from None


def _jsonl_rows(path: Path, content: Any) -> Iterator[tuple[str, dict[str, Any]]]:
    """Yield the rows of a file with their locations, and hash its bytes."""
    try:
        with path.open("rb") as lines:
            for number, line in enumerate(lines, 1):
                content.update(line)
                if not line.strip():
                    continue
                place = f"line {number} of {path}"
                try:
                    row = json.loads(line.strip())
                except json.JSONDecodeError as error:
                    problem = f"{error.msg} at column {error.colno}"
                    raise DatasetError(f"{place} is not valid JSON: {problem}") from None
                except (ValueError, RecursionError) as error:
                    raise DatasetError(f"{place} is not valid JSON: {error}") from None
                if not isinstance(row, dict):
                    kind = type(row).__name__
                    raise DatasetError(f"{place} is a JSON {kind}; a row must be an object")
                yield place, row
    except OSError as error:
        raise DatasetError(f"data set {str(path)!r} cannot be read: {error.strerror}") from error


def _parquet_rows(path: Path, content: Any) -> Iterator[tuple[str, dict[str, Any]]]:
    """Yield the rows of a file with their locations, and hash its bytes."""
    parquet = data_library("pyarrow.parquet")
    start = 0
    try:
        with path.open("rb") as file:
            hashlib.file_digest(file, lambda: content)
            for batch in parquet.ParquetFile(file).iter_batches(PARQUET_BATCH_SIZE):
                names = batch.schema.names
                columns = [
                    _values(batch.column(place), name, f"rows {start} and after of {path}")
                    for place, name in enumerate(names)
                ]
                for number, values in enumerate(zip(*columns, strict=True), start):
                    yield f"row {number} of {path}", dict(zip(names, values, strict=True))
                start += batch.num_rows
    except DatasetError:
        raise
    except Exception as error:
        raise DatasetError(
            f"data set {str(path)!r} cannot be read: {in_one_line(error)}"
        ) from error


def _values(column: Any, name: str, place: str) -> list[Any]:
    """Return the values of a column, with maps as dicts."""
    try:
        values: list[Any] = column.to_pylist(maps_as_pydicts="strict")
    except Exception as error:  # a date after the year 9999, a map with a repeated key
        raise RowError(name, f"cannot be read: {in_one_line(error)}", where=place) from error
    return values


def _hub_rows(name: str, split: str) -> Iterator[tuple[str, dict[str, Any]]]:
    library = data_library("datasets")
    try:
        for number, row in enumerate(library.load_dataset(name, split=split)):
            yield f"row {number} of {name}", row
    except Exception as error:
        raise DatasetError(
            f"data set {name!r} (split {split!r}) is not a file and cannot be loaded from the hub: "
            f"{in_one_line(error)}"
        ) from error


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


def read_tasks(
    dataset: str,
    split: str,
    level: int | None,
    read_row: Callable[[dict[str, Any]], Task],
) -> TaskList:
    """Read all rows of a data set into tasks.

    Args:
        dataset: As in `load_rows`.
        split: As in `load_rows`.
        level: Keep only rows with this `level`; None keeps all.
        read_row: The environment's `read_row`.

    Raises:
        DatasetError: As in `load_rows`, or no row has the level.
        RowError: The environment cannot read a row; the error names its location.
    """
    rows = load_rows(dataset, split)
    tasks = TaskList(digest=rows.digest, levels=(row.get("level") for _, row in rows))
    places = []
    for number, (place, row) in enumerate(rows):
        if level is not None and row.get("level") != level:
            continue
        try:
            tasks.append(read_row(with_id(row, f"row-{number}")))
        except RowError as error:
            raise RowError(error.field, error.problem, where=place) from None
        places.append(place)
    if not tasks:
        raise DatasetError(f"data set {dataset!r} has no row of level {level}")
    _warn_of_shared_ids(tasks, places)
    return tasks


def _warn_of_shared_ids(tasks: TaskList, places: list[str]) -> None:
    """Log the ids that several tasks with different prompts have, with the places of their rows."""
    firsts: dict[str, int] = {}
    shared = []
    for number, task in enumerate(tasks):
        first = firsts.setdefault(task.id, number)
        if task.messages != tasks[first].messages:
            shared.append(f"{task.id!r} ({places[first]}, {places[number]})")
    if shared:
        more = f" and {len(shared) - _MAX_LISTED} more" if len(shared) > _MAX_LISTED else ""
        _log.warning(
            "different tasks have the same id, so that results cannot be told apart by id: %s%s",
            ", ".join(shared[:_MAX_LISTED]),
            more,
        )


def file_stamp(dataset: str) -> tuple[str, int, int, int] | None:
    """Return a value that changes when the file does; None if there is no such file."""
    try:
        found = os.stat(dataset)
    except OSError:
        return None
    return os.path.abspath(dataset), found.st_mtime_ns, found.st_ctime_ns, found.st_size


Tasks = TypeVar("Tasks")
_shared: WeakValueDictionary[Hashable, Any] = WeakValueDictionary()


def shared_tasks(key: Hashable, make: Callable[[], Tasks]) -> Tasks:
    """Return the tasks of a key. They are made only if no existing environment holds them."""
    tasks: Tasks | None = _shared.get(key)
    if tasks is None:
        tasks = _shared[key] = make()
    return tasks
