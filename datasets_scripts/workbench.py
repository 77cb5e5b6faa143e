"""Convert WorkBench's queries, and NeMo Gym's rows, to WorkplaceAssistant rows.

python datasets_scripts/workbench.py queries/*.csv --database databases --out workbench.jsonl

A .csv file contains WorkBench's queries (github.com/olly-styles/WorkBench), with `query`, `answer`
(a list of calls such as `calendar.delete_event.func(event_id="00000256")`), `base_template` and
`domains`. A .jsonl file contains NeMo Gym's `workplace_assistant` rows, which are not converted.
Each row gets the field `no_op`, which is true if its calls do not change WorkBench's databases, so
that doing nothing is correct. Read the rows with `gymnasium.make("textgym/WorkplaceAssistant-v0",
dataset="workbench.jsonl", database="databases")`. The ids of queries contain the number of the
query in its file, from 1.
"""

from __future__ import annotations

import argparse
import ast
import csv
from collections import Counter
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

from common import Row, report, run, text_of, write_rows

from textgym.envs.office.workplace import WorkplaceAssistant
from textgym.errors import DatasetError, RowError, UsageError
from textgym.tasks.files import load_rows

__all__ = ["convert", "main", "read_call"]

_NOW = "2023-11-30 23:59:00"
_CSV_ENDING = "_queries_and_answers"


def convert(record: Row, number: int, category: str) -> Row:
    r"""Convert one of WorkBench's queries to a row.

    Args:
        record: The record.
        number: The number of the record in its file, from 1.
        category: The name of the file without its suffix and `_queries_and_answers`.

    Raises:
        RowError: A field is missing or not valid.

    Example:
        >>> record = {"query": "Cancel my first meeting", "base_template": "Cancel my {} meeting",
        ...           "domains": "['calendar']",
        ...           "answer": "['calendar.delete_event.func(event_id=\"00000256\")']"}
        >>> row = convert(record, 3, "calendar")
        >>> row["id"], row["ground_truth"]
        ('calendar-3', [{'name': 'calendar_delete_event', 'arguments': {'event_id': '00000256'}}])
    """
    return {
        "id": f"{category}-{number}",
        "query": text_of(record, "query"),
        "now": _NOW,
        "ground_truth": [read_call(text) for text in _list_of(record, "answer")],
        "category": category,
        "domains": _list_of(record, "domains"),
        "template": text_of(record, "base_template"),
    }


def _list_of(record: Row, field: str) -> list[str]:
    text = text_of(record, field)
    try:
        found = ast.literal_eval(text)
    except (ValueError, SyntaxError):
        found = None
    if not isinstance(found, list) or not all(isinstance(item, str) for item in found):
        raise RowError(field, f"must be a list of strings, not {text[:100]!r}")
    return found


def read_call(text: str) -> dict[str, Any]:
    """Return the name and arguments of a call.

    Args:
        text: The call, such as `email.delete_email.func(email_id="00000001")`.

    Raises:
        RowError: It is not a call with named arguments, each a Python literal.

    Example:
        >>> read_call('email.delete_email.func(email_id="00000001")')
        {'name': 'email_delete_email', 'arguments': {'email_id': '00000001'}}
    """
    try:
        call = ast.parse(text, mode="eval").body
        if not isinstance(call, ast.Call) or call.args or not all(w.arg for w in call.keywords):
            raise ValueError("not a call with named arguments")
        name = ast.unparse(call.func).removesuffix(".func").replace(".", "_")
        arguments = {word.arg: ast.literal_eval(word.value) for word in call.keywords}
    except (ValueError, SyntaxError):
        raise RowError("answer", f"contains {text[:100]!r}, which is not a call") from None
    return {"name": name, "arguments": arguments}


def _records(path: Path) -> Iterator[tuple[str, Row]]:
    """Yield the rows of a file, each with its location."""
    if path.suffix == ".jsonl":
        yield from load_rows(str(path), "test")
        return
    if not path.is_file():
        what = "is a folder; pass a .csv or .jsonl file" if path.is_dir() else "is missing"
        raise DatasetError(f"file {str(path)!r} {what}")
    with path.open(encoding="utf-8-sig", newline="") as lines:
        for number, record in enumerate(csv.DictReader(lines), 1):
            place = f"query {number} of {path}"
            try:
                yield place, convert(record, number, path.stem.removesuffix(_CSV_ENDING))
            except RowError as error:
                raise RowError(error.field, error.problem, where=place) from None


def _rows(path: Path, env: WorkplaceAssistant) -> Iterator[Row]:
    for number, (place, row) in enumerate(_records(path), 1):
        row = {"id": f"{path.stem}-{number}", **row}
        try:
            env.reset(options={"task": row})
        except RowError as error:
            raise RowError(error.field, error.problem, where=place) from None
        yield {**row, "no_op": env.step("")[1] == 1}  # an empty answer is correct


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the script and return its exit code."""
    parser = argparse.ArgumentParser(
        description="Convert WorkBench's queries to WorkplaceAssistant rows."
    )
    parser.add_argument(
        "files", nargs="+", type=Path, metavar="FILE", help=".csv or .jsonl file to read"
    )
    parser.add_argument("--database", required=True, help="folder with WorkBench's databases")
    parser.add_argument("--out", required=True, type=Path, help=".jsonl file to write")
    given = parser.parse_args(arguments)

    def work() -> None:
        if given.out.resolve() in [file.resolve() for file in given.files]:
            raise UsageError(f"--out {str(given.out)!r} is one of the files to read")
        env = WorkplaceAssistant(database=given.database)
        found = {file: list(_rows(file, env)) for file in given.files}
        write_rows(given.out, (row for rows in found.values() for row in rows))
        for file, rows in found.items():
            report(f"{file.stem} ({sum(row['no_op'] for row in rows)} no_op)", len(rows), Counter())

    return run(work)


if __name__ == "__main__":
    raise SystemExit(main())
