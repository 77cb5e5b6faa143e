"""The scripts' command line: `main` converts files, or a split from the hub, to rows."""

from __future__ import annotations

import argparse
import json
import logging
import os
import sys
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import replace
from itertools import islice
from pathlib import Path
from typing import Any

from textgym.errors import DatasetError, UsageError
from textgym.tasks.files import load_rows
from textgym.tasks.named import NamedDataset, convert_records, hub_records, named_dataset
from textgym.whole_file import whole_file

__all__ = ["Row", "convert", "main", "parser_of", "report", "run"]

Row = dict[str, Any]


def main(name: str, arguments: Sequence[str] | None = None, *, task_field: str = "") -> int:
    """Run the script of a data set and return its exit code.

    Args:
        name: The name of the data set.
        arguments: The command line; None for `sys.argv`.
        task_field: The field in which a record gets the name of its file, without the suffix.
    """

    def work() -> None:
        dataset = named_dataset(name)
        convert(dataset, parser_of(dataset).parse_args(arguments), task_field)

    return run(work)


def parser_of(dataset: NamedDataset) -> argparse.ArgumentParser:
    """Return the parser of the options that all scripts have."""
    description = f"Convert {dataset.title} to rows of {dataset.env}."
    parser = argparse.ArgumentParser(description=description)
    default = "test" if "test" in dataset.splits else next(iter(dataset.splits))
    parser.add_argument(
        "files", nargs="*", type=Path, metavar="FILE",
        help=".jsonl, .json, .csv or .parquet file of the split; without files, it is loaded from"
        " the hub",
    )  # fmt: skip
    parser.add_argument("--split", default=default, help=f"split; default: {default}")
    parser.set_defaults(published=False, examples=None)
    if dataset.evaluation:
        parser.add_argument(
            "--published", action="store_true",
            help=f"with the prompt and settings of {dataset.evaluation.by}",
        )  # fmt: skip
    if dataset.evaluation and dataset.evaluation.examples:
        parser.add_argument(
            "--examples", nargs="+", type=Path, metavar="FILE",
            help="files with the records of the worked examples; without files, they are loaded"
            " from the hub",
        )  # fmt: skip
    parser.add_argument("--limit", type=int, metavar="N", help="convert only the first N records")
    parser.add_argument("--out", required=True, type=Path, help=".jsonl file to write")
    return parser


def convert(
    dataset: NamedDataset,
    given: argparse.Namespace,
    task_field: str = "",
    complete: Callable[[Row], Row] = lambda row: row,
) -> None:
    """Convert records to a file of rows, and print how many were written and left out.

    Args:
        dataset: The data set.
        given: The options, see `parser_of`.
        task_field: As in `main`.
        complete: Returns a row with further fields.

    Raises:
        UsageError: An option is not valid, or a file cannot be read, converted or written.
    """
    if given.published:
        dataset = dataset.as_published()
    elif given.examples:
        raise UsageError("--examples needs --published")
    if given.limit is not None and given.limit < 1:
        raise UsageError(f"--limit must be 1 or more, not {given.limit}")
    if given.out.resolve() in [file.resolve() for file in (*given.files, *(given.examples or ()))]:
        raise UsageError(f"--out {str(given.out)!r} is one of the files to read")
    records: Iterable[tuple[str, Mapping[str, Any]]]
    if given.files:
        records = _records_of(given.files, task_field)
    else:
        os.environ.setdefault("HF_HUB_VERBOSITY", "error")  # no warning about each retry
        records = hub_records(dataset, given.split)
    if given.files or given.limit:  # the number of records is not the published one
        dataset = replace(dataset, splits={given.split: {"source": given.split, "rows": None}})
    examples = _records_of(given.examples, task_field) if given.examples else None
    written = 0
    with _warnings_on_stdout(), whole_file(given.out) as file:
        records = islice(records, given.limit)
        for row in convert_records(dataset, given.split, records, examples):
            line = json.dumps(complete(row), ensure_ascii=False) + "\n"
            # UTF-8 cannot encode a lone surrogate, so it remains a \u escape.
            file.write(line.encode("utf-8", "backslashreplace"))
            written += 1
    report(f"{dataset.name} ({given.split})", written)


def _records_of(files: Sequence[Path], task_field: str) -> Iterator[tuple[str, Row]]:
    """Yield the records of files, each with its location."""
    for file in files:
        if not file.is_file():
            what = "is a folder; pass a file" if file.is_dir() else "is missing"
            raise DatasetError(f"file {str(file)!r} {what}")
        for place, record in _json_records(file) or load_rows(file, "test"):
            yield place, {task_field: file.stem, **record} if task_field else record


def _json_records(file: Path) -> list[tuple[str, Row]]:
    """Return the records of a JSON list, or of `examples` in an object; else an empty list."""
    if file.suffix != ".json":
        return []
    try:
        content = json.loads(file.read_bytes())
    except (OSError, ValueError, RecursionError):  # JSON lines, or an error that has a line
        return []
    found = content.get("examples") if isinstance(content, dict) else content
    if not isinstance(found, list) or not all(isinstance(record, dict) for record in found):
        return []
    return [(f"record {number} of {file}", record) for number, record in enumerate(found, 1)]


@contextmanager
def _warnings_on_stdout() -> Iterator[None]:
    """Print what `convert_records` warns of: the records that are left out, and their number."""
    logger, handler = (
        logging.getLogger(convert_records.__module__),
        logging.StreamHandler(sys.stdout),
    )
    logger.addHandler(handler)
    try:
        yield
    finally:
        logger.removeHandler(handler)


def report(name: str, written: int) -> None:
    """Print the number of written rows."""
    print(f"{name}: {written} rows written")


def run(work: Callable[[], None]) -> int:
    """Run a script and return its exit code. Invalid input gives 2 and one line on stderr."""
    try:
        work()
    except UsageError as error:
        print("error:", " ".join(str(error).split()), file=sys.stderr)
        return 2
    return 0
