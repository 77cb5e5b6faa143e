"""Each example in `docs/verifiers.md`, section "What each verifier accepts", is a test."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from typing import Any, NamedTuple

import pytest
from repository import DOCS
from tables import in_one_test

from textgym.verifiers import after_reasoning, check_calendar, choice, match
from textgym.verifiers.calendar import EventConstraints
from textgym.verifiers.choices import GRADING_MODES

PAGE = DOCS / "verifiers.md"
OPTIONS = {"A": "iron", "B": "zinc", "C": "vitamin C", "D": "2", "E": "12"}
CONSTRAINTS = {"0": EventConstraints(60, 0, 1440, start_from=840, start_by=840)}
EVENT = {"event_id": 0, "start_time": "14:00", "duration": 60}
TABLES = ("Short answers", "Calendars", *GRADING_MODES)


class Example(NamedTuple):
    """A piece of code in a table: the table, its row's first cell, and whether it is accepted."""

    table: str
    row: str
    text: str
    accepted: bool


def examples() -> Iterator[Example]:
    """Read the tables, which are named by the heading or the code at the start of a paragraph."""
    section = PAGE.read_text().split("## What each verifier accepts\n")[1].split("\n## ")[0]
    table = ""
    for line in section.splitlines():
        if named := re.match(r"### (.+)|`(\w+)`:", line):
            table = named[1] or named[2]
        if table in TABLES and line.startswith("| ") and "| accepted |" not in line:
            first, *_, accepted, rejected = line.strip("|").split("|")
            for cell, is_right in ((accepted, True), (rejected, False)):
                for text in re.findall(r"`([^`]+)`", cell):
                    yield Example(table, first.strip(), text, is_right)


def is_accepted(example: Example) -> bool:
    """Grade an example with its verifier."""
    if example.table == "Short answers":
        return match(example.row.strip("`"), example.text)
    if example.table == "Calendars":
        field = example.row.split("`")[1]
        shown: Any = [{**EVENT, field: json.loads(example.text)}]
        return check_calendar(CONSTRAINTS, json.dumps(shown)).correct
    [mode] = [mode for mode in GRADING_MODES if mode == example.table]
    return choice(after_reasoning(example.text), OPTIONS, mode) == "B"


@in_one_test("example", list(examples()))
def test_example_is_graded_as_the_page_says(example: Example) -> None:
    assert is_accepted(example) is example.accepted


@pytest.mark.parametrize("table", TABLES)
def test_every_table_has_examples(table: str) -> None:
    found = [example.accepted for example in examples() if example.table == table]
    assert min(found.count(True), found.count(False)) >= 7
