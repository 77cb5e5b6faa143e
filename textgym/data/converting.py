"""Data sets in the formats of NeMo Gym and of trainers, and back.

| format | a row |
| --- | --- |
| `rows` | the row itself |
| `nemo-gym` | NeMo Gym's row: `responses_create_params`, and the row in `textgym_row` |
| `trl` | `prompt`, `answer`, and the columns of `textgym.training.trl.Episodes.dataset` |
| `verl` | the columns of verl's own data sets, for the agent loop `textgym` |
| `skyrl` | the columns of SkyRL's own data sets, for the environment `textgym` |

In the formats of trainers, `textgym_row` holds the row as JSON text; in verl's format it is in
`extra_info`. textgym's adapters play the task at `task_index` of the data set, so the data set must
not be moved.

Invariants: converting a row to any format and back returns the same row; NeMo Gym's own rows and
rows of other suites are read without conversion; a row that does not fit a format is refused and
never changed.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import Any

from textgym.data.row_files import check_rows_file, write_rows
from textgym.errors import RowError, UnknownNameError, UsageError, did_you_mean
from textgym.integrations.exported import exported
from textgym.integrations.nemo_gym.rows import nemo_row, refusal
from textgym.json_values import decode_line, encode_line, json_text
from textgym.tasks import nemo_rows
from textgym.tasks.files import load_rows
from textgym.tasks.named import is_dataset_name, named_dataset
from textgym.tasks.rows import Rows
from textgym.tasks.task import Task
from textgym.training.tasks import TaskRef, TaskRow, skyrl_record, task_rows
from textgym.training.trl.samples import trl_record
from textgym.training.verl.samples import verl_record

__all__ = ["FORMATS", "convert", "own_row"]

Row = dict[str, Any]

_ROW = "textgym_row"


def convert(
    source: str, out: str | Path, format: str, *, env: str | None = None, split: str = "train"
) -> int:
    """Convert a data set, and return the number of rows.

    Args:
        source: A path, the name of a data set, or a hub id.
        out: The file, .jsonl or .parquet.
        format: One of `FORMATS`.
        env: The environment that makes the prompts of the rows; None for the environment of a data
            set with a name. `rows` needs none, and neither do NeMo Gym's own rows for `nemo-gym`.
        split: The split of a data set with a name or on a hub.

    Raises:
        UsageError: An argument is invalid, the environment is missing, the other suite cannot play
            it, or the file cannot be written.
        RowError: A row cannot be read, or does not fit the format.
    """
    if format not in FORMATS:
        raise UnknownNameError(f"there is no format {format!r}{did_you_mean(format, FORMATS)}")
    check_rows_file(out)
    if os.path.exists(source) and os.path.exists(out) and os.path.samefile(source, out):
        raise UsageError(f"{str(out)!r} is the data set itself: write to another file")
    rows = load_rows(source, split)
    if format == "rows":
        return write_rows(out, (own_row(row, place) for place, row in rows))
    kwargs: Row = {}
    if env is None and is_dataset_name(source):
        env, kwargs = named_dataset(source).env, dict(named_dataset(source).env_kwargs)
    kwargs["dataset"] = source
    if format in _RECORDS:
        return write_rows(out, _prompts(rows, format, env, split, kwargs), nested=True)
    return write_rows(out, _nemo_rows(rows, env, split, kwargs))


def own_row(row: Row, place: str = "") -> Row:
    """Return the row that a row of another format carries, or else the row itself.

    Args:
        row: The row.
        place: Its location, for errors.

    Raises:
        RowError: It carries something else.

    Example:
        >>> own_row({"prompt": [], "answer": "4", "textgym_row": '{"question": "2 + 2?"}'})
        {'question': '2 + 2?'}
        >>> own_row({"question": "2 + 2?"})
        {'question': '2 + 2?'}
    """
    carried = _carried(row)
    if isinstance(carried, str):
        try:
            carried = decode_line(carried.encode())
        except (ValueError, RecursionError) as error:
            raise RowError(_ROW, f"is not valid JSON: {error}", where=place) from None
    if carried is None:
        return row
    if not isinstance(carried, Mapping):
        kind = type(carried).__name__
        raise RowError(_ROW, f"must be a row (an object), not a {kind}", where=place)
    return dict(carried)


def _carried(row: Row) -> Any:
    if nemo_rows.has_prompt(row):
        return row.get(_ROW)
    extra = row.get("extra_info")
    return (extra if isinstance(extra, Mapping) else row).get(_ROW) if "prompt" in row else None


def _plain(rows: Rows) -> Iterator[tuple[str, Row]]:
    """Yield rows, each with its location, which environments can read.

    Raises:
        UsageError: A row carries the row of an environment.
    """
    for place, row in rows:
        if _carried(row) is not None:
            raise UsageError(f"{place} carries a row in {_ROW!r}: convert it to rows first")
        yield place, row


def _nemo_rows(rows: Rows, env: str | None, split: str, kwargs: Row) -> Iterator[Row]:
    if env is None:
        for place, row in _plain(rows):
            if not nemo_rows.has_prompt(row):
                raise UsageError(f"{place} has no prompt: name its environment with --env")
            yield row
        return
    with exported(env, None, refusal, split=split, **kwargs) as (made, _):
        for index, (_, row) in enumerate(_plain(rows)):
            converted = nemo_row(made, index)  # reads the row, which may be broken
            yield row if nemo_rows.has_prompt(row) else {**converted, _ROW: row}


def _prompts(rows: Rows, format: str, env: str | None, split: str, kwargs: Row) -> Iterator[Row]:
    if env is None:
        raise UsageError(f"{format} needs prompts: name the environment of the rows with --env")
    with exported(env, None, lambda env: "", split=split, **kwargs) as (made, _):
        (first,) = task_rows(env, 1, split=split, env_kwargs=kwargs)
        for index, (place, row) in enumerate(_plain(rows)):
            task = made.get_task(index)
            prompt = _text_messages(task, place)
            answer = task.answer if isinstance(task.answer, str) else json_text(task.answer)
            yield _RECORDS[format](
                {**first, "task_index": index, "prompt": prompt[-1]["content"]},
                prompt,
                answer,
                encode_line(row).decode().rstrip(),
            )


def _text_messages(task: Task, place: str) -> list[dict[str, str]]:
    """Return a prompt as trainers' data sets hold it.

    Raises:
        RowError: There is no message, or one has more than a role and a text.
    """
    if not task.messages:
        raise RowError("prompt", "has no message", where=place)
    messages = []
    for number, message in enumerate(task.messages):
        if {*message} != {"role", "content"} or not isinstance(message["content"], str):
            problem = "has more than a role and a text, which files of prompts cannot hold"
            raise RowError(f"prompt.{number}", problem, where=place)
        messages.append({"role": message["role"], "content": message["content"]})
    return messages


def _trl_record(ref: TaskRow, prompt: list[dict[str, str]], answer: str, row: str) -> Row:
    task = TaskRef(ref["env_id"], ref["split"], ref["task_index"])
    record = trl_record(task, prompt[0]["content"])
    (named,) = record["prompt"]
    whole = [{**named, "role": prompt[0]["role"]}, *prompt[1:]]
    return {**record, "prompt": whole, "answer": answer, _ROW: row}


def _verl_record(ref: TaskRow, prompt: list[dict[str, str]], answer: str, row: str) -> Row:
    record = verl_record(ref, ref["task_index"], prompt, answer)
    return {**record, "extra_info": {**record["extra_info"], _ROW: row}}


def _skyrl_record(ref: TaskRow, prompt: list[dict[str, str]], answer: str, row: str) -> Row:
    reward_spec = {"method": "rule", "ground_truth": answer}
    return {**skyrl_record(ref, prompt), "reward_spec": reward_spec, _ROW: row}


_RECORDS: dict[str, Callable[[TaskRow, list[dict[str, str]], str, str], Row]] = {
    "trl": _trl_record,
    "verl": _verl_record,
    "skyrl": _skyrl_record,
}
FORMATS = ("rows", "nemo-gym", *_RECORDS)
"""The names of the formats."""
