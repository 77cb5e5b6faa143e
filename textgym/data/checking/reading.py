"""Rows of files, read so that one bad line does not hide the next.

The readers of `textgym.tasks` refuse what they cannot read. Here every line is tried, and what is
wrong with it is reported at its place.

Invariants: a line that cannot be read is reported once and gives no row; no content of a file
raises an exception; only one line or batch is in memory, except that a .csv file is read whole.
"""

from __future__ import annotations

import csv
import json
import math
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from textgym.data.checking.report import Place, Report
from textgym.data.checking.texts import values_in
from textgym.errors import DatasetError, ExtraMissingError, RowError, UsageError
from textgym.json_values import json_row
from textgym.tasks.csv_rows import csv_reader, separator_problem
from textgym.tasks.file_rows import begins_long_value, format_problem
from textgym.tasks.files import READERS
from textgym.tasks.rows import renamed_row

__all__ = ["read_rows"]

Row = dict[str, Any]
Raw = tuple[Place, Row, Sequence[str]]
"""The place of a row, the row, and the columns that it leaves out where its cell is empty."""

LARGE = 10_000_000  # bytes of a row
_BOM = b"\xef\xbb\xbf"


def read_rows(
    path: Path, report: Report, columns: Mapping[str, str] | None = None
) -> Iterator[tuple[Place, Row]]:
    """Yield the rows of a file with their places, and report what cannot be read.

    Args:
        path: The file.
        report: The report.
        columns: The column that each field is read from; None keeps the names.

    Raises:
        UsageError: The file is missing or cannot be opened.
        ExtraMissingError: Parquet and Arrow files need the extra `data`.
    """
    name = str(path)
    if not path.is_file():
        what = "is a folder" if path.is_dir() else "is missing"
        raise UsageError(f"{name!r} {what}; name files of rows (.jsonl, .csv, .parquet, .arrow)")
    try:
        with path.open("rb") as file:
            start = file.read(6)
    except OSError as error:
        raise UsageError(f"{name!r} cannot be read: {error.strerror}") from error
    is_columnar = path.suffix in (".parquet", ".arrow")
    problem = format_problem(start)
    if problem and not is_columnar:
        report.add("file", Place(name), problem)
        return
    read = _columnar if is_columnar else _csv if path.suffix == ".csv" else _jsonl
    is_empty, before = True, report.severe("fault")
    for place, raw, known in read(path, report):
        is_empty = False
        try:
            row = json_row(raw)
            if columns is not None:
                row = renamed_row(row, columns, known)
        except RowError as error:
            report.add("schema", place, f"field {error.field!r} {error.problem}", error.field)
        else:
            yield place, row
    if is_empty and report.severe("fault") == before:
        report.add("empty", Place(name), "has no rows")


def _jsonl(path: Path, report: Report) -> Iterator[Raw]:
    name, ends_with_cr = str(path), 0
    with path.open("rb") as file:
        if file.read(len(_BOM)) == _BOM:
            report.add("bom", Place(name), "begins with a byte-order mark, which is skipped")
        else:
            file.seek(0)
        is_first = True
        for number, line in enumerate(file, 1):
            ends_with_cr += line.endswith(b"\r\n")
            if not line.strip():
                continue
            if is_first and begins_long_value(line):
                problem = "is JSON whose objects have several lines; write one object a line"
                report.add("json", Place(name), problem)
                return
            is_first, place = False, Place(name, number)
            if len(line) > LARGE:
                report.add("row_large", place, f"has {len(line):,} bytes")
            row = _parse(line, place, report)
            if row is not None:
                yield place, row, ()
    if ends_with_cr:
        report.add("crlf", Place(name), f"{ends_with_cr:,} lines end with CR LF")


def _parse(line: bytes, place: Place, report: Report) -> Row | None:
    """Return the row of a line; None if it cannot be read, which is reported."""
    if line.startswith(_BOM):
        report.add("encoding_bom", place, "begins with a byte-order mark")
        line = line[len(_BOM) :]
    try:
        text = line.decode("utf-8").strip()
    except UnicodeDecodeError as error:
        report.add("encoding_utf8", place, f"byte {error.start + 1} of the line is not UTF-8")
        return None
    doubled: list[str] = []

    def as_object(pairs: list[tuple[str, Any]]) -> Row:
        value = dict(pairs)
        if len(value) < len(pairs):
            names = [name for name, _ in pairs]
            doubled.extend(name for name in value if names.count(name) > 1)
        return value

    try:
        row = json.loads(text, object_pairs_hook=as_object)
    except (ValueError, RecursionError) as error:
        is_cut = not line.endswith(b"\n") and text.startswith("{") and not text.endswith("}")
        problem = _problem(error)
        report.add("cut_line" if is_cut else "json", place, problem)
        return None
    if not isinstance(row, dict):
        report.add("not_object", place, f"is a JSON {type(row).__name__}, not an object")
        return None
    if doubled:
        report.add("key_doubled", place, f"has the field {doubled[0]!r} twice", doubled[0])
    if "NaN" in text:
        for field in _nan_fields(row):
            report.add("json_nan", place, "is NaN, which is read as null", field)
    return row


def _problem(error: Exception) -> str:
    if isinstance(error, json.JSONDecodeError):
        return f"is not valid JSON: {error.msg} at column {error.colno}"
    return f"is not valid JSON: {error}"


def _nan_fields(row: Row) -> Iterator[str]:
    for path, value in values_in(row):
        if isinstance(value, float) and math.isnan(value):
            yield ".".join(map(str, path))


def _csv(path: Path, report: Report) -> Iterator[Raw]:
    name, bad = str(path), set()
    data = path.read_bytes()
    try:
        text = data.decode("utf-8-sig")
    except UnicodeDecodeError:
        for number, line in enumerate(data.removeprefix(_BOM).split(b"\n"), 1):
            try:
                line.decode("utf-8")
            except UnicodeDecodeError as error:
                problem = f"byte {error.start + 1} of the line is not UTF-8"
                report.add("encoding_utf8", Place(name, number), problem)
                bad.add(number)
        text = data.decode("utf-8-sig", "replace")
    if data.startswith(_BOM):
        report.add("bom", Place(name), "begins with a byte-order mark, which is skipped")
    reader = csv_reader(text)
    header: list[str] = []
    while True:
        first = reader.line_num + 1
        try:
            cells = next(reader)
        except StopIteration:
            return
        except csv.Error as error:
            report.add("cells", Place(name, reader.line_num), f"cannot be read: {error}")
            continue
        if not cells or not bad.isdisjoint(range(first, reader.line_num + 1)):
            continue
        place = Place(name, reader.line_num)
        if not header:
            header = cells
            problem = separator_problem(header)
            if problem:
                report.add("cells", place, problem)
                return
            for column in sorted({cell for cell in header if header.count(cell) > 1}):
                report.add("key_doubled", place, f"names the column {column!r} twice", column)
        elif len(cells) != len(header):
            problem = f"has {len(cells)} cells, and the header names {len(header)} columns"
            report.add("cells", place, problem)
        else:
            row: Row = {column: cell for column, cell in zip(header, cells, strict=True) if cell}
            if row.get("level", "").isdecimal():
                row["level"] = int(row["level"])
            yield place, row, header


def _columnar(path: Path, report: Report) -> Iterator[Raw]:
    name, noted = str(path), set[str]()
    try:
        rows = READERS[path.suffix](path)
    except ExtraMissingError:
        raise
    except DatasetError as error:
        report.add("file", Place(name), str(error))
        return
    for index in range(len(rows)):
        place = Place(name, index, "row")
        try:
            row = rows.read(index)
        except RowError as error:
            report.add("schema", place, f"field {error.field!r} {error.problem}", error.field)
            continue
        except DatasetError as error:
            report.add("file", place, str(error))
            return
        for field in _nan_fields(row):
            if field not in noted:
                noted.add(field)
                report.add("nan", place, "is NaN, which is read as null", field)
        yield place, row, ()
