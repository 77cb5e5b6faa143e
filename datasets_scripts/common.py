"""Shared code of the scripts: making and writing rows, and reporting errors."""

from __future__ import annotations

import argparse
import json
import sys
from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from pathlib import Path
from string import ascii_uppercase
from typing import Any

from textgym.errors import DatasetError, RowError, UsageError
from textgym.tasks.files import load_rows
from textgym.verifiers.exact import normalize_text

__all__ = [
    "Row",
    "convert_all",
    "main_of_files",
    "make_row",
    "no_fair_choice",
    "report",
    "run",
    "text_of",
    "texts_of",
    "write_rows",
]

Row = dict[str, Any]


def text_of(record: Row, field: str) -> str:
    """Return the string of a field, which must not be missing or blank."""
    text = record.get(field)
    if text is None:
        raise RowError(field, "is missing")
    if not isinstance(text, str) or not text.strip():
        raise RowError(field, f"must be a non-blank string, not {text!r}")
    return text


def texts_of(record: Row, field: str) -> list[str]:
    """Return the 2 to 26 options in a field of a record."""
    texts = record.get(field)
    if texts is None:
        raise RowError(field, "is missing")
    is_list = isinstance(texts, list) and all(isinstance(text, str) for text in texts)
    if not is_list or not 2 <= len(texts) <= len(ascii_uppercase):
        raise RowError(field, "must be a list of 2 to 26 strings")
    return list(texts)


def make_row(id: str, question: str, texts: list[str], right: int, category: str) -> Row:
    """Return a flat row. Options get letters in order; `right` is the index of the correct one."""
    return {
        "id": id,
        "question": question,
        "options": dict(zip(ascii_uppercase, texts, strict=False)),
        "answer": ascii_uppercase[right],
        "category": category,
    }


def no_fair_choice(row: Row) -> str:
    """Return why a multiple-choice row should be skipped, or "".

    Example:
        >>> no_fair_choice({"options": {"A": "6  km", "B": "6 KM", "C": "7"}, "answer": "B"})
        'the correct option occurs twice'
        >>> no_fair_choice({"options": {"A": "6", "B": "6", "C": "7"}, "answer": "C"})
        ''
    """
    texts = [normalize_text(text) for text in row["options"].values()]
    if not all(texts):
        return "an option is empty"
    right = normalize_text(row["options"][row["answer"]])
    return "the correct option occurs twice" if texts.count(right) > 1 else ""


def convert_all(
    records: Iterable[tuple[str, Row]],
    convert: Callable[[Row, int], Row],
    why_skip: Callable[[Row], str] = lambda row: "",
) -> tuple[list[Row], Counter[str]]:
    """Convert records, each given with its location.

    Args:
        records: Locations and records.
        convert: Makes a row from a record and its number, from 1.
        why_skip: Returns why a row should be skipped, or "".

    Returns:
        The rows, and the number of skipped records by reason.

    Raises:
        RowError: A record is not valid; the error names its location.
    """
    rows: list[Row] = []
    skipped: Counter[str] = Counter()
    for number, (place, record) in enumerate(records, 1):
        try:
            row = convert(record, number)
        except RowError as error:
            raise RowError(error.field, error.problem, where=place) from None
        if reason := why_skip(row):
            skipped[reason] += 1
        else:
            rows.append(row)
    return rows, skipped


def main_of_files(
    description: str,
    convert: Callable[[Row, int, str], Row],
    arguments: Sequence[str] | None,
    why_skip: Callable[[Row], str] = lambda row: "",
) -> int:
    """Run a script whose arguments are .jsonl files and `--out`; return its exit code.

    Args:
        description: What the script does, in one line.
        convert: Makes a row from a record, its number in the file, from 1, and the file's stem.
        arguments: The command line; None for `sys.argv`.
        why_skip: As in `convert_all`.
    """
    parser = argparse.ArgumentParser(description=description)
    parser.add_argument("files", nargs="+", type=Path, metavar="FILE", help=".jsonl file to read")
    parser.add_argument("--out", required=True, type=Path, help=".jsonl file to write")
    given = parser.parse_args(arguments)
    return run(lambda: _convert_files(given.files, given.out, convert, why_skip))


def _convert_files(
    files: Sequence[Path],
    out: Path,
    convert: Callable[[Row, int, str], Row],
    why_skip: Callable[[Row], str],
) -> None:
    if out.resolve() in [file.resolve() for file in files]:
        raise UsageError(f"--out {str(out)!r} is one of the files to read")
    stems = Counter(file.stem for file in files)
    if stems.total() > len(stems):
        twice = stems.most_common(1)[0][0]
        raise UsageError(f"two files are named {twice!r}, so their rows would have the same ids")
    results = {file.stem: _convert_file(file, convert, why_skip) for file in files}
    write_rows(out, (row for rows, _ in results.values() for row in rows))
    for name, (rows, skipped) in results.items():
        report(name, len(rows), skipped)


def _convert_file(
    path: Path, convert: Callable[[Row, int, str], Row], why_skip: Callable[[Row], str]
) -> tuple[list[Row], Counter[str]]:
    if not path.is_file():
        what = "is a folder; pass a .jsonl file" if path.is_dir() else "is missing"
        raise DatasetError(f"file {str(path)!r} {what}")
    records = load_rows(str(path), "test")
    return convert_all(records, lambda row, number: convert(row, number, path.stem), why_skip)


def write_rows(path: Path, rows: Iterable[Row]) -> None:
    """Write rows as JSON lines."""
    lines = (json.dumps(row, ensure_ascii=False) + "\n" for row in rows)
    try:
        # UTF-8 cannot encode a lone surrogate, so it remains a \u escape.
        path.write_bytes("".join(lines).encode("utf-8", "backslashreplace"))
    except OSError as error:
        raise UsageError(f"cannot write to {str(path)!r}: {error.strerror}") from error


def report(name: str, written: int, skipped: Counter[str]) -> None:
    """Print the number of written rows and of skipped ones, with the reasons."""
    why = "".join(f"; {reason}: {count}" for reason, count in skipped.items())
    print(f"{name}: {written} rows written, {skipped.total()} skipped{why}")


def run(work: Callable[[], None]) -> int:
    """Run a script and return its exit code. Invalid input gives 2 and one line on stderr."""
    try:
        work()
    except UsageError as error:
        print("error:", " ".join(str(error).split()), file=sys.stderr)
        return 2
    return 0
