"""What the scripts share: their rows, how these are written, and how errors are shown."""

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
    """Return a field's text, which is there and is not blank."""
    text = record.get(field)
    if text is None:
        raise RowError(field, "is missing")
    if not isinstance(text, str) or not text.strip():
        raise RowError(field, f"must be a text that is not blank, not {text!r}")
    return text


def texts_of(record: Row, field: str) -> list[str]:
    """Return the 2 to 26 options that a field of a record lists."""
    texts = record.get(field)
    if texts is None:
        raise RowError(field, "is missing")
    is_list = isinstance(texts, list) and all(isinstance(text, str) for text in texts)
    if not is_list or not 2 <= len(texts) <= len(ascii_uppercase):
        raise RowError(field, "must be a list of 2 to 26 texts")
    return list(texts)


def make_row(id: str, question: str, texts: list[str], right: int, category: str) -> Row:
    """Return one of textgym's flat rows; the texts are lettered in order, `right` is a place."""
    return {
        "id": id,
        "question": question,
        "options": dict(zip(ascii_uppercase, texts, strict=False)),
        "answer": ascii_uppercase[right],
        "category": category,
    }


def no_fair_choice(row: Row) -> str:
    """Say why a multiple-choice row makes no fair question, or return an empty text.

    Example:
        >>> no_fair_choice({"options": {"A": "6  km", "B": "6 KM", "C": "7"}, "answer": "B"})
        'the right text stands twice'
        >>> no_fair_choice({"options": {"A": "6", "B": "6", "C": "7"}, "answer": "C"})
        ''
    """
    texts = [normalize_text(text) for text in row["options"].values()]
    if not all(texts):
        return "an option is empty"
    right = normalize_text(row["options"][row["answer"]])
    return "the right text stands twice" if texts.count(right) > 1 else ""


def convert_all(
    records: Iterable[tuple[str, Row]],
    convert: Callable[[Row, int], Row],
    why_skip: Callable[[Row], str] = lambda row: "",
) -> tuple[list[Row], Counter[str]]:
    """Return the rows of records, which come with their places, and what was skipped, and why.

    A record that cannot be converted is refused with its place. `why_skip` says of a row why it is
    left out, or returns an empty text.
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
    what: str,
    convert: Callable[[Row, int, str], Row],
    arguments: Sequence[str] | None,
    why_skip: Callable[[Row], str] = lambda row: "",
) -> int:
    """Run a script whose arguments are .jsonl files and `--out`; return its exit code.

    Args:
        what: What the script does, in one line.
        convert: Makes a row of a record, its number in its file, from 1, and the file's stem.
        arguments: The command line's; None for this process's.
        why_skip: As in `convert_all`.
    """
    parser = argparse.ArgumentParser(description=what)
    parser.add_argument("files", nargs="+", type=Path, metavar="FILE", help="a .jsonl to read")
    parser.add_argument("--out", required=True, type=Path, help="the .jsonl file to write")
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
        raise UsageError(f"two files are named {twice!r}: their rows would share ids")
    results = {file.stem: _convert_file(file, convert, why_skip) for file in files}
    write_rows(out, (row for rows, _ in results.values() for row in rows))
    for name, (rows, skipped) in results.items():
        report(name, len(rows), skipped)


def _convert_file(
    path: Path, convert: Callable[[Row, int, str], Row], why_skip: Callable[[Row], str]
) -> tuple[list[Row], Counter[str]]:
    if not path.is_file():
        what = "is a folder; name a .jsonl file" if path.is_dir() else "is missing"
        raise DatasetError(f"file {str(path)!r} {what}")
    records = load_rows(str(path), "test")
    return convert_all(records, lambda row, number: convert(row, number, path.stem), why_skip)


def write_rows(path: Path, rows: Iterable[Row]) -> None:
    """Write rows, one JSON object a line."""
    lines = (json.dumps(row, ensure_ascii=False) + "\n" for row in rows)
    try:
        # Half a surrogate pair, which UTF-8 cannot hold, stays the \u escape that it was.
        path.write_bytes("".join(lines).encode("utf-8", "backslashreplace"))
    except OSError as error:
        raise UsageError(f"cannot write to {str(path)!r}: {error.strerror}") from error


def report(name: str, written: int, skipped: Counter[str]) -> None:
    """Print one line: how many rows were written, how many skipped, and why."""
    why = "".join(f"; {reason}: {count}" for reason, count in skipped.items())
    print(f"{name}: {written} rows written, {skipped.total()} skipped{why}")


def run(work: Callable[[], None]) -> int:
    """Do a script's work and return its exit code: 2, and one line on stderr, on wrong input."""
    try:
        work()
    except UsageError as error:
        print("error:", " ".join(str(error).split()), file=sys.stderr)
        return 2
    return 0
