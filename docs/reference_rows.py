"""The rows of reference models: what each earns at a level of an environment, in one JSON file.

A row is what a model earned with a number of solved examples (shots) in the prompt; or, if it could
not be played, the reason. Invariants: the file has one row for each model, environment, level and
number of shots; a row that failed never replaces one with results; a writer that is killed, or two
that write at once, lose no row of the file.
"""

from __future__ import annotations

import fcntl
import json
import os
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any, NamedTuple

import textgym
from textgym.errors import UsageError
from textgym.whole_file import whole_file

__all__ = ["FILE", "Cell", "Row", "Rows", "cell_of", "chance_of", "merge", "read", "suite"]

FILE = Path(__file__).resolve().parent / "reference_models.json"
KEY = ("model", "id", "level", "shots")

Row = dict[str, Any]
Rows = list[Row]


class Cell(NamedTuple):
    """What a row is about, besides its model."""

    id: str
    level: int
    shots: int


def read(path: Path = FILE) -> Rows:
    """Return the rows of a file; none if there is no file.

    Raises:
        UsageError: The file does not hold rows.
    """
    if not path.exists():
        return []
    try:
        rows: Rows = json.loads(path.read_text(encoding="utf-8"))["rows"]
        for row in rows:
            _key(row)
    except (ValueError, TypeError, KeyError) as error:
        raise UsageError(f"{str(path)!r} does not hold rows of reference models: {error}") from None
    return rows


def merge(fresh: Iterable[Row], path: Path = FILE) -> Rows:
    """Merge rows into a file, and return all of its rows.

    A row replaces the one of the same model, environment, level and shots. A row that failed only
    replaces another one that failed.

    Args:
        fresh: The new rows.
        path: The file, which may not exist.
    """
    with _locked(path.parent):
        rows = {_key(row): row for row in read(path)}
        for row in fresh:
            old = rows.get(_key(row))
            if old is None or "failed" in old or "failed" not in row:
                rows[_key(row)] = row
        merged = [rows[key] for key in sorted(rows)]
        lines = ",\n".join(json.dumps(row, ensure_ascii=False) for row in merged)
        with whole_file(path) as file:
            file.write(f'{{"rows": [\n{lines}\n]}}\n'.encode())
    return merged


def cell_of(row: Mapping[str, Any]) -> Cell:
    """Return what a row is about."""
    return Cell(row["id"], row["level"], row["shots"])


def chance_of(id: str, level: int) -> float:
    """Return what the best policy that ignores the task earns at a level, by the card."""
    card = textgym.card(id)
    return card.chance if level else card.first_rung_chance


def suite() -> list[str]:
    """Return the ids of the environments of the suite."""
    return [id for id in textgym.ids(guests=False) if id.startswith("textgym/")]


def _key(row: Mapping[str, Any]) -> tuple[str, str, int, int]:
    model, id, level, shots = (row[name] for name in KEY)
    return str(model), str(id), int(level), int(shots)


@contextmanager
def _locked(folder: Path) -> Iterator[None]:
    """Keep other writers out of a folder until the block ends."""
    held = os.open(folder, os.O_RDONLY)
    try:
        fcntl.flock(held, fcntl.LOCK_EX)
        yield
    finally:
        os.close(held)
