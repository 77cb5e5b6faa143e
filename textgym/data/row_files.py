"""Files of rows, .jsonl or .parquet.

A column of a Parquet file has one type, and rows of JSON data have no fixed fields. So a field
becomes a column of strings, integers, floats or booleans only if every row has it with a value of
this type, or null. All other fields become columns of JSON texts, of Arrow's type `arrow.json`,
which readers decode.

Invariants: rows come back from either format as they were written; a file is written whole or not
at all; the same rows give the same bytes.
"""

from __future__ import annotations

import contextlib
import tempfile
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import chain, islice
from pathlib import Path
from typing import IO, Any

from textgym.errors import RowError, UsageError, in_one_line
from textgym.json_values import decode_line, encode_line
from textgym.tasks.rows import data_library
from textgym.whole_file import whole_file

__all__ = ["check_rows_file", "write_rows"]

Row = Mapping[str, Any]

_BATCH_SIZE = 1000  # rows of a row group
_JSON = "json"


def check_rows_file(path: str | Path) -> None:
    """Check that rows can be written in the format of a path, before work that takes long.

    Raises:
        UsageError: The path does not end in .jsonl or .parquet.
        ExtraMissingError: Parquet files need the extra `data`.
    """
    suffix = Path(path).suffix
    if suffix not in (".jsonl", ".parquet"):
        raise UsageError(f"rows are written to a .jsonl or .parquet file, not to {str(path)!r}")
    if suffix == ".parquet":
        data_library("pyarrow.parquet")


def write_rows(path: str | Path, rows: Iterable[Row], *, nested: bool = False) -> int:
    """Write rows to a file, and return how many there are.

    Args:
        path: The file, whose suffix is its format.
        rows: The rows, which are JSON data.
        nested: Whether lists and objects become nested columns of a Parquet file, as trainers read
            them. All rows must then have the same fields with values of the same types.

    Raises:
        UsageError: The file cannot be written.
        RowError: A Parquet file has no column with the name of a field.
        ExtraMissingError: Parquet files need the extra `data`.

    Example:
        >>> import tempfile
        >>> rows = [{"id": "a", "options": {"A": "2"}}, {"id": "b", "options": {"B": "3"}}]
        >>> with tempfile.TemporaryDirectory() as folder:
        ...     write_rows(f"{folder}/rows.jsonl", rows)
        ...     print(Path(f"{folder}/rows.jsonl").read_text(), end="")
        2
        {"id":"a","options":{"A":"2"}}
        {"id":"b","options":{"B":"3"}}
    """
    check_rows_file(path)
    with whole_file(path) as file:
        if Path(path).suffix == ".jsonl":
            return _write_lines(file, rows)
        if nested:
            return _write_nested(file, rows)
        with tempfile.TemporaryFile(dir=Path(path).parent) as draft:
            return _write_columns(file, rows, draft)


def _write_lines(file: IO[bytes], rows: Iterable[Row]) -> int:
    count = 0
    for count, row in enumerate(rows, 1):  # noqa: B007
        file.write(encode_line(row))
    return count


def _write_nested(file: IO[bytes], rows: Iterable[Row]) -> int:
    batches = _batches(rows)
    first = next(batches, [])
    schema, count = _record_batch(first).schema, 0
    with data_library("pyarrow.parquet").ParquetWriter(file, schema) as writer:
        for batch in chain([first], batches):
            writer.write_batch(_record_batch(batch, schema))
            count += len(batch)
    return count


def _record_batch(rows: list[Row], schema: Any = None) -> Any:
    try:
        return data_library("pyarrow").RecordBatch.from_pylist(rows, schema)
    except (ValueError, TypeError) as error:  # an unpaired surrogate, another type
        raise UsageError(f"rows do not fit into a .parquet file: {in_one_line(error)}") from error


def _write_columns(file: IO[bytes], rows: Iterable[Row], draft: IO[bytes]) -> int:
    """Write rows as columns, whose types are known when all rows are in the draft."""
    arrow, parquet = data_library("pyarrow"), data_library("pyarrow.parquet")
    columns, count = _Columns(), 0
    for count, row in enumerate(rows, 1):
        columns.add(row, f"row {count}")
        draft.write(encode_line(row))
    types = {"text": arrow.string(), "int": arrow.int64(), "float": arrow.float64(),
             "bool": arrow.bool_(), _JSON: arrow.json_()}  # fmt: skip
    kinds = columns.kinds()
    schema = arrow.schema([(name, types[kind]) for name, kind in kinds.items()])
    draft.seek(0)
    with parquet.ParquetWriter(file, schema) as writer:
        for batch in _batches(map(decode_line, draft)):
            cells = [_cells(batch, name, kind) for name, kind in kinds.items()]
            arrays = [arrow.array(*pair) for pair in zip(cells, schema.types, strict=True)]
            writer.write_batch(arrow.record_batch(arrays, schema=schema))
    return count


class _Columns:
    """The fields of rows, how often each was there, and the kinds of its values."""

    def __init__(self) -> None:
        self._rows = 0
        self._present = Counter[str]()
        self._kinds = defaultdict[str, set[str]](set)

    def add(self, row: Row, place: str) -> None:
        """Count the fields of a row.

        Raises:
            RowError: A name of a field cannot be a name of a column.
        """
        self._rows += 1
        self._present.update(row.keys())
        for name, value in row.items():
            if _kind(name) != "text":
                raise RowError(name, "has a name that Parquet cannot hold", where=place)
            if value is not None:
                self._kinds[name].add(_kind(value))

    def kinds(self) -> dict[str, str]:
        """Return the kind of each column.

        Raises:
            UsageError: There is no column.
        """
        if not self._present:
            raise UsageError("rows without fields cannot be written to a .parquet file")
        return {
            name: self._kinds[name].pop()
            if count == self._rows and len(self._kinds[name]) == 1
            else _JSON
            for name, count in self._present.items()
        }


def _kind(value: Any) -> str:
    """Return the kind of the column that can hold a value."""
    if isinstance(value, bool):
        return "bool"
    if isinstance(value, int) and -(1 << 63) <= value < 1 << 63:
        return "int"
    if isinstance(value, float):
        return "float"
    if isinstance(value, str):
        with contextlib.suppress(UnicodeEncodeError):  # an unpaired surrogate
            value.encode()
            return "text"
    return _JSON


def _cells(rows: Sequence[Row], name: str, kind: str) -> list[Any]:
    """Return the cells of a column. A field that is missing is a null, a null is a JSON text."""
    if kind != _JSON:
        return [row[name] for row in rows]
    return [encode_line(row[name]).decode().rstrip() if name in row else None for row in rows]


def _batches(rows: Iterable[Row]) -> Iterator[list[Row]]:
    remaining = iter(rows)
    while batch := [*islice(remaining, _BATCH_SIZE)]:
        yield batch
