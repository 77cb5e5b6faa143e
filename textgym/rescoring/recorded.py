"""Recorded answers of files, and the rows that an environment grades them as.

Invariants: a file is read record by record; a record that cannot be graded states its problem, and
never stops the others; a line that is not a JSON object is an error with its location.
"""

from __future__ import annotations

import gzip
import json
import re
import string
import zipfile
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from textgym.errors import DatasetError, UsageError
from textgym.rescoring.layouts import PROBLEM, TRAJECTORY, layout_of, lookup
from textgym.tasks.columnar_rows import ParquetRows

__all__ = ["RecordedAnswer", "read_records", "recorded_answers", "task_row"]

_RIGHT = frozenset(("c", "correct", "i_correct", "true", "yes", "right", "pass", "passed", "1"))
_WRONG = frozenset(("i", "incorrect", "false", "no", "wrong", "fail", "failed", "n", "0"))
_MARKED_ANSWER = re.compile(r"(?:\A|\s)#+[ \t]+(\S[^\n]*?)\s*\Z")  # as GSM8K writes it
_LETTER = re.compile(r"\(?([A-Za-z])[).:]?")


@dataclass(frozen=True, slots=True)
class RecordedAnswer:
    """One answer of a file.

    Attributes:
        place: Where it is, such as `line 7 of samples.jsonl`.
        id: Its id, or None.
        output: What the model wrote; None if the record has no text.
        recorded: The verdict in the file; None without one.
        row: The task, as far as the file has it.
        trajectory: The trajectory, in a run of textgym.
        problem: Why it cannot be graded, or "".
    """

    place: str
    id: Any
    output: str | None
    recorded: bool | None
    row: dict[str, Any] = field(default_factory=dict)
    trajectory: Any = None
    problem: str = ""


def read_records(path: str | Path) -> Iterator[tuple[str, Any]]:
    """Yield the records of a file with their places.

    Args:
        path: A .jsonl, .json or .parquet file, each of the first two also with .gz; an Inspect log
            (.eval); or the folder of a run.

    Raises:
        DatasetError: The file is missing or broken.
        ExtraMissingError: Parquet files need the extra `data`.
    """
    path = Path(path)
    if path.is_dir():
        path = path / "trajectories.jsonl"
    if not path.is_file():
        raise DatasetError(f"{str(path)!r} is missing")
    name = path.name.removesuffix(".gz")
    try:
        if name.endswith(".parquet"):
            yield from ParquetRows(path)
        elif zipfile.is_zipfile(path):
            yield from _samples_of_zip(path)
        elif name.endswith(".json"):
            yield from _records_of_json(path)
        else:
            yield from _lines(path)
    except (OSError, EOFError, zipfile.BadZipFile, NotImplementedError, ValueError) as error:
        if isinstance(error, DatasetError):
            raise
        raise DatasetError(f"{str(path)!r} cannot be read: {error}") from error


def _open(path: Path) -> Any:
    return gzip.open(path, "rb") if path.suffix == ".gz" else path.open("rb")


def _lines(path: Path) -> Iterator[tuple[str, Any]]:
    with _open(path) as lines:
        for number, line in enumerate(lines, 1):
            if not line.strip():
                continue
            place = f"line {number} of {path.name}"
            try:
                record = json.loads(line)
            except (ValueError, RecursionError) as error:
                raise DatasetError(f"{place} is not valid JSON: {error}") from None
            yield place, record


def _records_of_json(path: Path) -> Iterator[tuple[str, Any]]:
    """Yield the items of a list, or the samples of an Inspect log in JSON."""
    with _open(path) as file:
        content = json.load(file)
    records = content.get("samples") if isinstance(content, dict) else content
    if not isinstance(records, list):
        raise DatasetError(f"{str(path)!r} holds no list of records, and no samples")
    for number, record in enumerate(records):
        yield f"item {number} of {path.name}", record


def _samples_of_zip(path: Path) -> Iterator[tuple[str, Any]]:
    """Yield the samples of an Inspect log, one file each."""
    with zipfile.ZipFile(path) as log:
        names = sorted(name for name in log.namelist() if re.fullmatch(r"samples/.*\.json", name))
        if not names:
            raise DatasetError(f"{str(path)!r} holds no samples")
        for name in names:
            yield f"{name} of {path.name}", json.loads(log.read(name))


def recorded_answers(
    records: Iterable[tuple[str, Any]], columns: Mapping[str, str]
) -> Iterator[RecordedAnswer]:
    """Yield the answers of records.

    Args:
        records: The records with their places.
        columns: Which value of a record is the `question`, `answer`, `options`, `output`,
            `recorded` or `id`, or another field of the task's row, as a path (`doc.question`).

    Raises:
        UsageError: A column is not in the first record.
        DatasetError: A record is not a JSON object.
    """
    filters: dict[str, Any] = {}
    for number, (place, record) in enumerate(records):
        if not isinstance(record, Mapping):
            raise DatasetError(f"{place} is a JSON {type(record).__name__}, not an object")
        chosen = {name: lookup(record, path) for name, path in columns.items()}
        if number == 0 and None in chosen.values():
            path = next(path for name, path in columns.items() if chosen[name] is None)
            raise UsageError(f"the first record has no {path!r}; it has {', '.join(record)}")
        # lm-evaluation-harness repeats a sample for each of its filters.
        if filters.setdefault("first", record.get("filter")) != record.get("filter"):
            continue
        for fields in layout_of(record).read(record):
            yield _answer(place, {**fields, **chosen})


def _answer(place: str, fields: dict[str, Any]) -> RecordedAnswer:
    output, problem = fields.pop("output", None), fields.pop(PROBLEM, "")
    recorded, trajectory = fields.pop("recorded", None), fields.pop(TRAJECTORY, None)
    if not isinstance(output, str):
        output, problem = None, problem or "it holds no text of a model"
    id = fields.pop("id", None)
    return RecordedAnswer(place, id, output, _verdict(recorded), fields, trajectory, problem)


def _verdict(value: Any) -> bool | None:
    """Read a recorded verdict; None if the value is not a verdict, or a partial score."""
    if isinstance(value, bool):
        return value
    if isinstance(value, (int, float)):
        return bool(value) if value in (0, 1) else None
    word = value.strip().lower() if isinstance(value, str) else ""
    return True if word in _RIGHT else False if word in _WRONG else None


def task_row(fields: Mapping[str, Any]) -> dict[str, Any]:
    """Return the row of a task from the fields of a record.

    Options in a list get letters. An answer that is the number, the letter in brackets or the text
    of an option becomes its letter. A question that is a list of messages is used as the prompt.

    Example:
        >>> task_row({"question": "Which is a metal?", "options": ["neon", "zinc"], "answer": 1})
        ... # doctest: +NORMALIZE_WHITESPACE
        {'question': 'Which is a metal?', 'answer': 'B', 'options': {'A': 'neon', 'B': 'zinc'},
         'expected_answer': 'B'}
    """
    row = {name: value for name, value in fields.items() if value is not None}
    options = _lettered(row.pop("options", None))
    if options:
        row["options"] = options
    question = row.get("question")
    if isinstance(question, list):
        row["responses_create_params"] = {"input": question}
    if row.get("answer") is not None:
        row["answer"] = _gold(row["answer"], options)
        row["expected_answer"] = row["answer"]
    return row


def _lettered(options: Any) -> Any:
    """Return options by letter; None for fewer than two, which leave nothing to choose."""
    if isinstance(options, Mapping) and {"text", "label"} <= options.keys():
        options = dict(zip(options["label"], options["text"], strict=False))
    elif isinstance(options, list) and all(isinstance(item, str) for item in options):
        options = dict(zip(string.ascii_uppercase, options, strict=False))
    return options if isinstance(options, (Mapping, list)) and len(options) > 1 else None


def _gold(answer: Any, options: Any) -> Any:
    if isinstance(answer, (int, float)) and not isinstance(answer, bool):
        letters = [*options] if isinstance(options, Mapping) else []
        is_place = answer in range(len(letters))
        return letters[int(answer)] if is_place else str(answer)
    if not isinstance(answer, str):
        return answer
    marked = _MARKED_ANSWER.search(answer)
    answer = marked[1] if marked else answer.strip()
    if not isinstance(options, Mapping):
        return answer
    letter = _LETTER.fullmatch(answer)
    if letter and letter[1].upper() in options:
        return letter[1].upper()
    same = [name for name, text in options.items() if text == answer]
    if len(same) == 1:
        return same[0]
    return _gold(int(answer), options) if answer.isdecimal() else answer
