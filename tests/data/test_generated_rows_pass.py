"""Rows that generators write have no faults: `data check` finds none in them."""

from __future__ import annotations

from pathlib import Path

import pytest

import textgym
from textgym.data.checking import check_files
from textgym.data.generating import generate_rows
from textgym.data.row_files import write_rows
from textgym.errors import UsageError

GENERATED = [id for id in textgym.ids(guests=False) if id.startswith("textgym/")]
MANY = ("textgym/MCQA-v0", "textgym/Math-v0", "textgym/MultiStep-v0")


def faults(path: Path, id: str, level: int, count: int, labels: int) -> list[str]:
    """Write rows of a level, as many as there are up to `count`, and return the faults in them."""
    try:
        rows = list(generate_rows(id, count, level=level))
    except UsageError as error:
        fewer = int(str(error).rpartition("ask for at most ")[2].replace(",", ""))
        rows = list(generate_rows(id, fewer, level=level))
    write_rows(path, rows)
    report = check_files([path], id, labels=labels)
    return [tally.kind.id for tally in report.ordered() if tally.kind.severity == "fault"]


@pytest.mark.soak
@pytest.mark.parametrize("id", GENERATED)
def test_a_thousand_rows_of_the_lowest_level_pass(id: str, tmp_path: Path) -> None:
    level = textgym.card(id).levels[0]
    assert faults(tmp_path / "rows.jsonl", id, level, 1000, 50) == []


@pytest.mark.soak
@pytest.mark.parametrize("id", MANY)
def test_ten_thousand_rows_pass(id: str, tmp_path: Path) -> None:
    level = textgym.card(id).levels[0]
    assert faults(tmp_path / "rows.jsonl", id, level, 10_000, 20) == []


@pytest.mark.slow
@pytest.mark.parametrize("id", [id for id in GENERATED if textgym.card(id).first_rung])
def test_rows_of_the_first_rung_pass(id: str, tmp_path: Path) -> None:
    assert faults(tmp_path / "rows.jsonl", id, 0, 60, 10) == []
