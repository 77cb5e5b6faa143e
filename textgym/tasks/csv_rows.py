"""The rows of a .csv file with a header.

Invariants: a value is the text of its cell, except that an integer `level` is a number and an empty
cell is left out; the file is read once, when it is opened.
"""

from __future__ import annotations

import csv
import io
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

from textgym.tasks.file_rows import FileRows

__all__ = ["CsvRows", "csv_reader", "separator_problem"]


def csv_reader(text: str) -> Any:
    """Return a strict reader of a file's text, whose cells may have any length."""
    csv.field_size_limit(max(csv.field_size_limit(), len(text)))  # of the process
    return csv.reader(io.StringIO(text, newline=""), strict=True)


def separator_problem(header: Sequence[str]) -> str:
    """Return what is wrong with the separator of a file, as its header shows; "" if nothing.

    Example:
        >>> separator_problem(["id;question"]), separator_problem(["id", "question"])
        ("cells must be separated by commas, and not by ';'", '')
    """
    marks = [mark for mark in ";\t|" if len(header) == 1 and mark in header[0]]
    return f"cells must be separated by commas, and not by {marks[0]!r}" if marks else ""


class CsvRows(FileRows):
    """The rows of a .csv file, in UTF-8, with the names of its columns in the first line.

    Args:
        path: The path.

    Raises:
        DatasetError: The file cannot be read, its cells are not separated by commas, the header
            names a column twice, or a row has more or fewer cells than the header.
    """

    def __init__(self, path: Path) -> None:
        super().__init__(path)
        self._check_format()
        data = self._bytes(0, self._stamp[0])
        try:
            text = data.decode("utf-8-sig")
        except UnicodeDecodeError as error:
            line = data.count(b"\n", 0, error.start) + 1
            raise self._failure(f"line {line} is not UTF-8: {error.reason}") from error
        reader = csv_reader(text)
        self._rows: list[dict[str, Any]] = []
        self._lines: list[int] = []  # the last one of each row
        try:
            self.columns = self._header(next(reader, []))
            for cells in reader:
                if cells:
                    self._add(self.columns, cells, reader.line_num)
        except csv.Error as error:
            raise self._failure(f"line {reader.line_num}: {error}") from error

    def _header(self, names: list[str]) -> list[str]:
        """Check the names of the columns. Spreadsheets end rows with columns without a name."""
        twice = next((name for name in names if name and names.count(name) > 1), None)
        if twice is not None:
            raise self._failure(f"the header names the column {twice!r} twice")
        problem = separator_problem(names)
        if problem:
            raise self._failure(problem)
        return names

    def _add(self, header: Sequence[str], cells: list[str], line: int) -> None:
        if len(cells) != len(header):
            raise self._failure(
                f"line {line} has {len(cells)} cells, and the header names {len(header)} columns"
            )
        row: dict[str, Any] = {name: cell for name, cell in zip(header, cells, strict=True) if cell}
        if row.get("level", "").isdecimal():
            row["level"] = int(row["level"])
        self._rows.append(row)
        self._lines.append(line)

    def __len__(self) -> int:
        return len(self._rows)

    def place(self, index: int) -> str:
        """Return the location of a row."""
        return f"line {self._lines[index]} of {self.name}"

    def read(self, index: int) -> dict[str, Any]:
        """Return the values of a row."""
        self._check_unchanged()
        return dict(self._rows[index])

    def read_levels(self) -> Iterator[tuple[int, Any]]:
        """Yield the index and the `level` of each row with a level."""
        for index, row in enumerate(self._rows):
            if "level" in row:
                yield index, row["level"]
