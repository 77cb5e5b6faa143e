"""The rows of a .parquet or .arrow file, converted once to a file in which any row can be read.

A row of a Parquet file cannot be read without the earlier rows of its row group. So the file is
converted to small batches, each a stream of Arrow, in the user's cache folder. All
processes read this file.

Invariants: a converted file is whole or missing, and is named after a hash of the content that it
was made from; it is read, not mapped, so its content stays in the system's cache; a process keeps
only the batch that was read last. Where the cache folder cannot be written, the converted file is a
temporary one.
"""

from __future__ import annotations

import json
import os
import tempfile
import weakref
from collections.abc import Iterator
from contextlib import contextmanager
from functools import lru_cache
from pathlib import Path
from typing import IO, Any

import numpy as np

from textgym.errors import DatasetError, RowError, UsageError, in_one_line
from textgym.tasks.file_rows import FileRows
from textgym.tasks.rows import data_library
from textgym.whole_file import cache_folder, whole_file

__all__ = ["ArrowRows", "ParquetRows", "cell_value"]

BATCH_SIZE = 256  # rows
MAX_BATCH = 1 << 20  # bytes, except for a single row that is larger


class ColumnarRows(FileRows):
    """The rows of a file that stores columns.

    Args:
        path: The path.

    Raises:
        DatasetError: The file cannot be read.
        ExtraMissingError: Such files need the extra `data`.
    """

    def __init__(self, path: Path) -> None:
        data_library("pyarrow")
        super().__init__(path)
        self._batches: _Batches | None = None
        with self._failures():
            self._count, self._has_levels = self._measure()

    def __len__(self) -> int:
        return self._count

    def read(self, index: int) -> dict[str, Any]:
        """Read the values of a row.

        Raises:
            RowError: A value has no form in Python, such as a date after the year 9999.
        """
        self._check_unchanged()
        if self._batches is None:
            self._batches = self._converted()
        with self._failures():
            batch, place = self._batches.find(index)
        cells = {
            name: column[place]
            for name, column in zip(batch.schema.names, batch.columns, strict=True)
        }
        return {
            name: self._value(cell, name, index)
            for name, cell in cells.items()
            if cell.is_valid or not _holds_json(cell)
        }

    def read_levels(self) -> Iterator[tuple[int, Any]]:
        """Yield the index and the `level` of each row. Only this column is read."""
        if not self._has_levels:
            return
        start = 0
        for batch in self._checked(self._read_batches(["level"])):
            for index, level in enumerate(batch.column("level"), start):
                yield index, self._value(level, "level", index)
            start += batch.num_rows

    def _measure(self) -> tuple[int, bool]:
        """Return the number of rows, and whether they have levels."""
        raise NotImplementedError

    def _read_batches(self, columns: list[str] | None = None) -> Iterator[Any]:
        """Yield batches with all columns, or at least with these."""
        raise NotImplementedError

    def _open(self) -> Any:
        """Open the same file again, with its own position."""
        return data_library("pyarrow").OSFile(f"/dev/fd/{self._file}")

    def _checked(self, batches: Iterator[Any]) -> Iterator[Any]:
        with self._failures():
            for batch in batches:
                self._check_unchanged()
                yield batch

    def _converted(self) -> _Batches:
        """Open the converted file, which is made if it is missing."""
        path = cache_folder("arrow") / self.digest
        try:
            if not path.exists():
                path.parent.mkdir(parents=True, exist_ok=True)
                with whole_file(path) as file:
                    self._convert(file)
            return _Batches(os.open(path, os.O_RDONLY))
        except DatasetError:
            raise
        except (OSError, UsageError):  # no folder to write to, or a full disk
            with tempfile.TemporaryFile(prefix="textgym-rows-") as file:
                self._convert(file)
                return _Batches(os.dup(file.fileno()))

    def _convert(self, file: IO[bytes]) -> None:
        """Write all batches, then their bounds in bytes and in rows, then the number of bounds."""
        arrow, ipc = data_library("pyarrow"), data_library("pyarrow.ipc")
        ends, rows = [0], [0]
        for batch in self._checked(self._read_batches()):
            at_once = max(1, batch.num_rows * MAX_BATCH // max(1, batch.nbytes))
            for first in range(0, batch.num_rows, at_once):
                part = batch.slice(first, at_once)
                sink = arrow.BufferOutputStream()
                with ipc.new_stream(sink, part.schema) as stream:
                    stream.write_batch(part)
                ends.append(ends[-1] + file.write(sink.getvalue()))
                rows.append(rows[-1] + part.num_rows)
        file.write(np.array([*ends, *rows, len(rows)], np.int64).tobytes())
        file.flush()

    def _value(self, value: Any, name: str, index: int) -> Any:
        """Return a value of a column."""
        try:
            return cell_value(value)
        except Exception as error:  # a date after the year 9999, a map with a repeated key
            problem = f"cannot be read: {in_one_line(error)}"
            raise RowError(name, problem, where=self.place(index)) from error

    @contextmanager
    def _failures(self) -> Iterator[None]:
        """Turn the errors of a broken file into a `DatasetError`."""
        try:
            yield
        except DatasetError:
            raise
        except Exception as error:
            raise self._failure(in_one_line(error)) from error


class ParquetRows(ColumnarRows):
    """The rows of a .parquet file; see `ColumnarRows`."""

    def _measure(self) -> tuple[int, bool]:
        with self._reader() as file:
            return file.metadata.num_rows, "level" in file.schema_arrow.names

    def _read_batches(self, columns: list[str] | None = None) -> Iterator[Any]:
        with self._reader() as file:
            yield from file.iter_batches(BATCH_SIZE, columns=columns)

    def _reader(self) -> Any:
        parquet = data_library("pyarrow.parquet")
        return parquet.ParquetFile(self._open(), pre_buffer=False, buffer_size=MAX_BATCH)


class ArrowRows(ColumnarRows):
    """The rows of a .arrow file, of either of Arrow's two formats; see `ColumnarRows`."""

    def _measure(self) -> tuple[int, bool]:
        count, has_levels = 0, False
        for batch in self._read_batches():
            count += batch.num_rows
            has_levels = "level" in batch.schema.names
        return count, has_levels

    def _read_batches(self, columns: list[str] | None = None) -> Iterator[Any]:
        ipc, arrow = data_library("pyarrow.ipc"), data_library("pyarrow")
        with self._open() as source:
            try:
                file = ipc.open_file(source)
            except arrow.ArrowInvalid:  # it is a stream
                source.seek(0)
                yield from ipc.open_stream(source)
                return
            for number in range(file.num_record_batches):
                yield file.get_batch(number)


def cell_value(cell: Any) -> Any:
    """Return the value of a cell, with maps as dicts. JSON texts, of any depth, are decoded."""
    value = cell.as_py(maps_as_pydicts="strict")
    return _decoded(value, cell.type) if _has_json(cell.type) else value


@lru_cache(1024)
def _has_json(kind: Any) -> bool:
    """Return whether a type is Arrow's `arrow.json`, or contains it."""
    return _is_json(kind) or any(_has_json(inner.type) for inner in _fields(kind))


def _is_json(kind: Any) -> bool:
    return getattr(kind, "extension_name", "") == "arrow.json"


def _fields(kind: Any) -> list[Any]:
    return [kind.field(place) for place in range(kind.num_fields)]


def _decoded(value: Any, kind: Any) -> Any:
    """Return a value of a type with its JSON texts decoded."""
    if value is None:
        return None
    if _is_json(kind):
        return json.loads(value)
    fields = _fields(kind)
    if isinstance(value, list):
        return [_decoded(item, fields[0].type) for item in value]
    if isinstance(value, dict):
        is_map = data_library("pyarrow").types.is_map(kind)
        kinds = {field.name: field.type for field in fields}
        return {
            name: _decoded(item, kind.item_type if is_map else kinds[name])
            for name, item in value.items()
        }
    return value


def _holds_json(cell: Any) -> bool:
    """Return whether a cell is JSON text of Arrow's type `arrow.json`.

    In such a column, a null means that the row does not have the field; a field that is null has
    the text `null`.
    """
    return _is_json(cell.type)


class _Batches:
    """The batches of a converted file.

    Args:
        file: Its descriptor, which is closed with this object.
    """

    def __init__(self, file: int) -> None:
        self._file = file
        weakref.finalize(self, os.close, file)
        end = os.fstat(file).st_size
        count = int(np.frombuffer(os.pread(file, 8, end - 8), np.int64)[0])
        bounds = np.frombuffer(os.pread(file, 16 * count, end - 16 * count - 8), np.int64)
        self._bytes, self._rows = bounds[:count], bounds[count:]
        self._last: tuple[int, Any] = (-1, None)  # set as one, so that threads need no lock

    def find(self, index: int) -> tuple[Any, int]:
        """Return the batch of a row, and the row's position in it."""
        number = int(self._rows.searchsorted(index, "right")) - 1
        kept, batch = self._last
        if kept != number:
            start, end = self._bytes[number : number + 2].tolist()
            data = os.pread(self._file, end - start, start)
            batch = data_library("pyarrow.ipc").open_stream(data).read_next_batch()
            self._last = (number, batch)
        return batch, index - int(self._rows[number])
