"""Convert MMLU, or a data set with the same schema, to MCQA rows.

python datasets_scripts/mmlu.py --out mmlu.jsonl
python datasets_scripts/mmlu.py --name folder-or-file --split test --limit 100 --out mmlu.jsonl

The schema is `question`, `subject`, `choices` (strings) and `answer` (the index of the correct one,
from 0). Read the rows with `gymnasium.make("textgym/MCQA-v0", dataset="mmlu.jsonl")`. Their ids
contain the number of the question in its split, from 1. Questions with an empty choice, or whose
correct choice occurs twice, are skipped.
"""

from __future__ import annotations

import argparse
from collections.abc import Sequence
from itertools import islice
from pathlib import Path
from typing import Any

from common import (
    Row,
    convert_all,
    make_row,
    no_fair_choice,
    report,
    run,
    text_of,
    texts_of,
    write_rows,
)

from textgym.errors import (
    DatasetError,
    ExtraMissingError,
    RowError,
    UsageError,
    install_advice,
)

__all__ = ["convert", "main"]

_HUB_CONFIG = "all"
_BUILDERS = {".parquet": "parquet", ".jsonl": "json", ".json": "json", ".csv": "csv"}


def convert(record: Row, id: str) -> Row:
    """Convert one of MMLU's records to a row.

    Args:
        record: The record.
        id: The row's id.

    Raises:
        RowError: A field is missing or not valid.

    Example:
        >>> record = {"question": "Which is a metal?", "subject": "chemistry",
        ...           "choices": ["neon", "zinc", "sulphur", "argon"], "answer": 1}
        >>> row = convert(record, "mmlu-1")
        >>> row["options"]["B"], row["answer"], row["category"]
        ('zinc', 'B', 'chemistry')
    """
    texts, answer = texts_of(record, "choices"), record.get("answer")
    if type(answer) is not int or not 0 <= answer < len(texts):
        raise RowError("answer", f"must be a number from 0 to {len(texts) - 1}, not {answer!r}")
    return make_row(id, text_of(record, "question"), texts, answer, text_of(record, "subject"))


def load(name: str, config: str | None, split: str) -> Any:
    """Load a data set from the hub, or from a local folder or file.

    Args:
        name: A hub id, or a path. It is a path if it exists or has the suffix of a data file.
        config: The configuration. None is `all` on the hub, and the default of local data sets.
        split: The split. A single file is loaded as this split.

    Raises:
        DatasetError: The data set cannot be loaded.
        ExtraMissingError: The extra `data` is not installed.
    """
    try:
        import datasets
    except ModuleNotFoundError as error:
        raise ExtraMissingError(
            f"loading MMLU needs the extra 'data': {install_advice('data')}"
        ) from error
    path = Path(name)
    builder = _BUILDERS.get(path.suffix)
    if builder and not path.exists():
        raise DatasetError(f"file {name!r} is missing")
    datasets.disable_progress_bars()
    datasets.logging.set_verbosity_error()
    try:
        if builder and path.is_file():
            return datasets.load_dataset(builder, data_files={split: name}, split=split)
        config = config if config or path.exists() else _HUB_CONFIG
        return datasets.load_dataset(name, config, split=split)
    except Exception as error:
        what = f"data set {name!r} (config {config or 'default'!r}, split {split!r})"
        raise DatasetError(f"{what} cannot be loaded: {error or type(error).__name__}") from error


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the script and return its exit code."""
    parser = argparse.ArgumentParser(description="Convert MMLU to MCQA rows.")
    parser.add_argument("--name", default="cais/mmlu", help="hub id, or local folder or file")
    parser.add_argument("--config", help=f"configuration; the default on the hub is {_HUB_CONFIG}")
    parser.add_argument("--split", default="test", help="split")
    parser.add_argument("--limit", type=int, help="maximum number of questions to convert")
    parser.add_argument("--out", required=True, type=Path, help=".jsonl file to write")
    given = parser.parse_args(arguments)

    def work() -> None:
        if given.limit is not None and given.limit < 1:
            raise UsageError(f"--limit must be 1 or more, not {given.limit}")
        found = islice(load(given.name, given.config, given.split), given.limit)
        records = ((f"row {i} of {given.name}", record) for i, record in enumerate(found, 1))
        rows, skipped = convert_all(
            records,
            lambda record, number: convert(record, f"mmlu-{given.split}-{number}"),
            no_fair_choice,
        )
        write_rows(given.out, rows)
        report(given.name, len(rows), skipped)

    return run(work)


if __name__ == "__main__":
    raise SystemExit(main())
