"""The rows of a .parquet file, converted to a temporary file in which any row can be read.

A row of a Parquet file cannot be read without the earlier rows of its row group. So the file is
converted to batches of Arrow's format, from its beginning up to the requested row; later rows are
converted when they are requested.

Invariants: a row is converted once in a process; only one batch is in memory at a time; the
temporary file has no name, so it is deleted when its process ends.
"""

from __future__ import annotations

import os
import tempfile
import threading
import weakref
from bisect import bisect_right
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from textgym.errors import DatasetError, RowError, in_one_line
from textgym.tasks.rows import FileRows, data_library

__all__ = ["ParquetRows"]

BATCH_SIZE = 256  # rows
MAX_BATCH = 1 << 20  # bytes


class ParquetRows(FileRows):
    """The rows of a .parquet file.

    Args:
        path: The path.

    Raises:
        DatasetError: The file cannot be read.
        ExtraMissingError: Parquet files need the extra `data`.
    """

    def __init__(self, path: Path) -> None:
        data_library("pyarrow.parquet")
        super().__init__(path)
        with self._failures(), self._open() as file:
            self._count: int = file.metadata.num_rows
            self._has_levels = "level" in file.schema_arrow.names
        self._batches: _Batches | None = None

    def __len__(self) -> int:
        return self._count

    def place(self, index: int) -> str:
        """Return the location of a row."""
        return f"row {index} of {self.name}"

    def read(self, index: int) -> dict[str, Any]:
        """Read the values of a row.

        Raises:
            RowError: A value has no form in Python, such as a date after the year 9999.
        """
        batches = self._batches
        if batches is None or batches.process != os.getpid():  # a fork needs its own file
            batches = self._batches = _Batches(self._read_batches())
        try:
            with self._failures():
                batch, at = batches.find(index)
        except DatasetError:
            self._batches = None
            raise
        names = batch.schema.names
        return {
            name: self._value(batch.column(place)[at], name, index)
            for place, name in enumerate(names)
        }

    def read_levels(self) -> Iterator[tuple[int, Any]]:
        """Yield the index and the `level` of each row. Only this column is read."""
        if not self._has_levels:
            return
        start = 0
        for batch in self._read_batches(columns=["level"]):
            for index, level in enumerate(batch.column(0), start):
                yield index, self._value(level, "level", index)
            start += batch.num_rows

    def _read_batches(self, **chosen: Any) -> Iterator[Any]:
        with self._failures(), self._open() as file:
            for batch in file.iter_batches(BATCH_SIZE, **chosen):
                self._check_unchanged()
                yield batch

    def _open(self) -> Any:
        """Open the same file again, with its own position."""
        arrow, parquet = data_library("pyarrow"), data_library("pyarrow.parquet")
        file = arrow.OSFile(f"/dev/fd/{self._file}")
        return parquet.ParquetFile(file, pre_buffer=False, buffer_size=MAX_BATCH)

    def _value(self, value: Any, name: str, index: int) -> Any:
        """Return a value of a column, with maps as dicts."""
        try:
            return value.as_py(maps_as_pydicts="strict")
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


class _Batches:
    """The converted batches, in a file without a name.

    Args:
        source: All batches of the rows, in order.

    Attributes:
        process: The id of the process that converts them.
    """

    def __init__(self, source: Iterator[Any]) -> None:
        self.process = os.getpid()
        self._source, self._lock = source, threading.Lock()
        self._file, path = tempfile.mkstemp(prefix="textgym-rows-")
        os.unlink(path)
        weakref.finalize(self, os.close, self._file)
        self._rows, self._starts = [0], [0]  # where each batch begins, and where the last one ends

    def find(self, index: int) -> tuple[Any, int]:
        """Return the batch of a row, and the row's position in it."""
        with self._lock:
            while index >= self._rows[-1]:
                self._add(next(self._source))
        number = bisect_right(self._rows, index) - 1
        start, end = self._starts[number : number + 2]
        stream = data_library("pyarrow.ipc").open_stream(os.pread(self._file, end - start, start))
        return stream.read_next_batch(), index - self._rows[number]

    def _add(self, batch: Any) -> None:
        """Write a batch, in parts if it is large."""
        at_once = max(1, batch.num_rows * MAX_BATCH // max(1, batch.nbytes))
        for first in range(0, batch.num_rows, at_once):
            part = batch.slice(first, at_once)
            sink = data_library("pyarrow").BufferOutputStream()
            with data_library("pyarrow.ipc").new_stream(sink, part.schema) as stream:
                stream.write_batch(part)
            left = memoryview(sink.getvalue())
            end = self._starts[-1]
            while left:
                written = os.pwrite(self._file, left, end)
                left, end = left[written:], end + written
            self._starts.append(end)
            self._rows.append(self._rows[-1] + part.num_rows)
