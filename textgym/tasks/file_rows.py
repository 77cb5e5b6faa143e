"""The rows of a file, and of a .jsonl file.

Invariants: a row is read from the file that was opened, even if its path now names another one; a
file that was changed in place raises an error and never gives a torn row. The content stays in the
system's cache, which processes share, and is not mapped, because a truncated mapped file ends the
process.
"""

from __future__ import annotations

import json
import os
import weakref
from collections.abc import Iterator, Sequence
from functools import cached_property
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np

from textgym.errors import DatasetError
from textgym.tasks.rows import Rows, content_hash

__all__ = ["FileRows", "JsonlRows", "begins_long_value", "format_problem"]

CHUNK_SIZE = 1 << 22  # bytes
LINES_AT_ONCE = 256
_NEWLINE, _BRACE = b"\n{"
_FORMATS = {  # by the bytes that a file begins with
    b"\x1f\x8b": "is compressed with gzip; unpack it",
    b"BZh": "is compressed with bzip2; unpack it",
    b"\xfd7zX": "is compressed with xz; unpack it",
    b"\x28\xb5\x2f\xfd": "is compressed with zstd; unpack it",
    b"PK\x03\x04": "is a zip file; unpack it",
    b"PAR1": "is a Parquet file; name it .parquet",
    b"ARROW1": "is an Arrow file; name it .arrow",
    b"\xff\xff\xff\xff": "is an Arrow file; name it .arrow",
    b"\xff\xfe\0\0": "is UTF-32; save it as UTF-8",
    b"\xff\xfe": "is UTF-16; save it as UTF-8",
    b"\xfe\xff": "is UTF-16; save it as UTF-8",
}


def format_problem(start: bytes) -> str:
    """Return why a file is not one of lines, by its first bytes; "" if they may begin a line.

    Example:
        >>> format_problem(b"PAR1"), format_problem(b'{"id"')
        ('is a Parquet file; name it .parquet', '')
    """
    return next((text for magic, text in _FORMATS.items() if start.startswith(magic)), "")


def begins_long_value(line: bytes) -> bool:
    """Return whether a line begins a JSON value that continues in the next one.

    Example:
        >>> begins_long_value(b"{"), begins_long_value(b'["a",'), begins_long_value(b'["a"]')
        (True, True, False)
    """
    text = line.strip()
    if not text.startswith(b"["):
        return text == b"{"
    try:
        json.loads(text)
    except (ValueError, RecursionError):
        return True
    return False


class FileRows(Rows):
    """The rows of a file, which is open as long as the object exists.

    Args:
        path: The path.

    Raises:
        DatasetError: The file cannot be read.
    """

    def __init__(self, path: Path) -> None:
        self.name = str(path)
        try:
            self._file = os.open(path, os.O_RDONLY)
        except OSError as error:
            raise self._failure(error.strerror) from error
        weakref.finalize(self, os.close, self._file)
        self._stamp = self._read_stamp()

    @cached_property
    def digest(self) -> str:
        """A hash of the file's bytes."""
        content = content_hash()
        for start in range(0, self._stamp[0], CHUNK_SIZE):
            content.update(self._bytes(start, CHUNK_SIZE))
        return str(content.hexdigest())

    def _check_format(self) -> None:
        """Check that the file is a text in UTF-8, as far as its first bytes show."""
        problem = format_problem(self._bytes(0, 6))
        if problem:
            raise DatasetError(f"data set {self.name!r} {problem}")

    def _bytes(self, start: int, length: int) -> bytes:
        """Read some bytes.

        Raises:
            DatasetError: The file has changed since it was opened, or cannot be read any more.
        """
        try:
            data = os.pread(self._file, length, start)
        except OSError as error:
            raise self._failure(error.strerror) from error
        self._check_unchanged()
        return data

    def _check_unchanged(self) -> None:
        if self._read_stamp() != self._stamp:
            raise DatasetError(f"data set {self.name!r} has changed since the environment was made")

    def _read_stamp(self) -> tuple[int, int]:
        status = os.fstat(self._file)
        return status.st_size, status.st_mtime_ns

    def _failure(self, reason: object) -> DatasetError:
        return DatasetError(f"data set {self.name!r} cannot be read: {reason}")


class JsonlRows(FileRows):
    """The rows of a .jsonl file: its lines that are not blank. Opening it finds their positions.

    Args:
        path: The path.

    Raises:
        DatasetError: The file cannot be read.
    """

    def __init__(self, path: Path) -> None:
        super().__init__(path)
        self._check_format()
        starts, is_object = self._find_lines()
        self._bounds = np.append(starts, self._stamp[0])
        for line in np.flatnonzero(~is_object).tolist():
            is_object[line] = self._line(line).strip() != b""
        count = len(starts)
        self._lines: Sequence[int] = range(count) if is_object.all() else is_object.nonzero()[0]

    def __len__(self) -> int:
        return len(self._lines)

    def place(self, index: int) -> str:
        """Return the location of a row."""
        return f"line {self._lines[index] + 1} of {self.name}"

    def read(self, index: int) -> dict[str, Any]:
        """Parse the line of a row.

        Raises:
            DatasetError: The line is not a JSON object.
        """
        return self._parse(self._line(self._lines[index]), index)

    def read_levels(self) -> Iterator[tuple[int, Any]]:
        """Yield the index and the `level` of each row with a level. Other rows are not parsed."""
        for index, line in enumerate(self._read_lines()):
            if b'"level"' in line or b"\\u" in line:  # a key may be written with escapes
                row = self._parse(line, index)
                if "level" in row:
                    yield index, row["level"]

    def _find_lines(self) -> tuple[Any, Any]:
        """Return where each line begins, and whether it begins with a brace."""
        starts, is_object = [np.empty(0, np.int64)], [np.empty(0, bool)]
        last = b"\n"
        for base in range(0, self._stamp[0], CHUNK_SIZE):
            data = np.frombuffer(last + self._bytes(base, CHUNK_SIZE), np.uint8)
            positions = np.flatnonzero(data[:-1] == _NEWLINE)
            starts.append(positions + base)
            is_object.append(data[positions + 1] == _BRACE)
            last = data[-1:].tobytes()
        return np.concatenate(starts), np.concatenate(is_object)

    def _line(self, number: int) -> bytes:
        start, end = self._bounds[number : number + 2].tolist()
        return self._bytes(start, end - start)

    def _read_lines(self) -> Iterator[bytes]:
        """Yield the lines of all rows; many are read at once."""
        for first in range(0, len(self._bounds) - 1, LINES_AT_ONCE):
            bounds = self._bounds[first : first + LINES_AT_ONCE + 1].tolist()
            base = bounds[0]
            data = self._bytes(base, bounds[-1] - base)
            for start, end in pairwise(bounds):
                line = data[start - base : end - base]
                if line.strip():
                    yield line

    def _parse(self, line: bytes, index: int) -> dict[str, Any]:
        try:
            row = json.loads(line.decode("utf-8-sig").strip())
        except UnicodeDecodeError as error:
            problem = f"byte {error.start + 1} of the line"
            raise DatasetError(f"{self.place(index)} is not UTF-8: {problem}") from None
        except json.JSONDecodeError as error:
            problem = f"{error.msg} at column {error.colno}"
            if begins_long_value(line):
                problem = "it continues in the next line; write one object a line"
            raise DatasetError(f"{self.place(index)} is not valid JSON: {problem}") from None
        except (ValueError, RecursionError) as error:
            raise DatasetError(f"{self.place(index)} is not valid JSON: {error}") from None
        if not isinstance(row, dict):
            kind = type(row).__name__
            raise DatasetError(f"{self.place(index)} is a JSON {kind}; a row must be an object")
        return row
