"""Data sets: rows from a .jsonl or .parquet file or from a hub, read into tasks.

Invariants: a row that cannot be read is refused with its place (`line 17 of rows.jsonl`) when the
environment is made; rows hold what JSON can hold; a file is read once for all environments of a
process that read it in the same way; the digest of a data set is of the very content that was read.
"""

from __future__ import annotations

import hashlib
import importlib
import json
import os
from collections.abc import Callable, Hashable, Iterable, Iterator
from pathlib import Path
from typing import Any, TypeVar
from weakref import WeakValueDictionary

from textgym.errors import DatasetError, ExtraMissingError, RowError, in_one_line
from textgym.tasks.json_rows import json_row
from textgym.tasks.task import Task, with_id

__all__ = [
    "Rows",
    "TaskList",
    "content_hash",
    "file_stamp",
    "load_rows",
    "read_tasks",
    "shared_tasks",
]

_BATCH = 1024  # rows of a Parquet file that are held twice


class Rows(list[tuple[str, dict[str, Any]]]):
    """The rows of a data set, each with its place.

    Attributes:
        digest: A hash of the content: of a file's bytes, of a hub's rows.
    """

    digest: str = ""


class TaskList(list[Task]):
    """The tasks of a data set; a list that can be held weakly.

    Attributes:
        digest: As in `Rows`.
    """

    __slots__ = ("__weakref__", "digest")

    def __init__(self, tasks: Iterable[Task] = (), digest: str = "") -> None:
        super().__init__(tasks)
        self.digest = digest


def content_hash() -> Any:
    """Return a new hash object of `hashlib`, for the content of data sets."""
    return hashlib.blake2b(digest_size=16)


def load_rows(dataset: str, split: str) -> Rows:
    """Read all rows of a data set, each with its place, as JSON holds them (see `json_row`).

    Args:
        dataset: A path (it exists, or ends in .jsonl or .parquet), or a hub id.
        split: The split of a hub's data set; a file is one split.

    Raises:
        DatasetError: It is missing, empty, or broken (with the line).
        RowError: A row holds what JSON cannot hold; the error names its place and field.
        ExtraMissingError: Parquet files and hubs need the extra `data`.
    """
    path, content = Path(dataset), content_hash()
    if path.suffix in (".jsonl", ".parquet") or path.exists():
        if not path.is_file():
            what = "is a folder; name a .jsonl or .parquet file" if path.is_dir() else "is missing"
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
    """Give the rows of a file, and its bytes to a hash."""
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
                    raise DatasetError(f"{place} is a JSON {kind}; a row is an object")
                yield place, row
    except OSError as error:
        raise DatasetError(f"data set {str(path)!r} cannot be read: {error.strerror}") from error


def _parquet_rows(path: Path, content: Any) -> Iterator[tuple[str, dict[str, Any]]]:
    """Give the rows of a file, and its bytes to a hash."""
    parquet = _library("pyarrow.parquet")
    start = 0
    try:
        with path.open("rb") as file:
            hashlib.file_digest(file, lambda: content)
            for batch in parquet.ParquetFile(file).iter_batches(_BATCH):
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
    """Return the values of a column; maps are dicts."""
    try:
        values: list[Any] = column.to_pylist(maps_as_pydicts="strict")
    except Exception as error:  # a date beyond the year 9999, a map that has a key twice
        raise RowError(name, f"cannot be read: {in_one_line(error)}", where=place) from error
    return values


def _hub_rows(name: str, split: str) -> Iterator[tuple[str, dict[str, Any]]]:
    library = _library("datasets")
    try:
        for number, row in enumerate(library.load_dataset(name, split=split)):
            yield f"row {number} of {name}", row
    except Exception as error:
        raise DatasetError(
            f"data set {name!r} (split {split!r}) is no file here and cannot be loaded from the "
            f"hub: {in_one_line(error)}"
        ) from error


def _library(name: str) -> Any:
    try:
        return importlib.import_module(name)
    except ModuleNotFoundError as error:
        raise ExtraMissingError(
            "parquet files and hub data sets need the extra 'data': pip install 'textgym[data]'"
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
        level: Keep only rows whose `level` is this; None keeps all.
        read_row: The environment's reader.

    Raises:
        DatasetError: As in `load_rows`, and where no row has the level.
        RowError: A row that the environment cannot read, with its place.
    """
    rows = load_rows(dataset, split)
    tasks = TaskList(digest=rows.digest)
    for number, (place, row) in enumerate(rows):
        if level is not None and row.get("level") != level:
            continue
        try:
            tasks.append(read_row(with_id(row, f"row-{number}")))
        except RowError as error:
            raise RowError(error.field, error.problem, where=place) from None
    if not tasks:
        raise DatasetError(f"data set {dataset!r} has no row of level {level}")
    return tasks


def file_stamp(dataset: str) -> tuple[str, int, int, int] | None:
    """Return what tells one version of a file from another; None for a hub's data set."""
    try:
        found = os.stat(dataset)
    except OSError:
        return None
    return os.path.abspath(dataset), found.st_mtime_ns, found.st_ctime_ns, found.st_size


Tasks = TypeVar("Tasks")
_shared: WeakValueDictionary[Hashable, Any] = WeakValueDictionary()


def shared_tasks(key: Hashable, make: Callable[[], Tasks]) -> Tasks:
    """Return the tasks of a key, making them only if no living environment holds them."""
    tasks: Tasks | None = _shared.get(key)
    if tasks is None:
        tasks = _shared[key] = make()
    return tasks
