"""The examples of `docs/verifiers.md`, section "What each verifier accepts": each is a test."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from typing import Any, NamedTuple

import pytest
from repository import DOCS

from textgym.verifiers.calendar import Wanted, verify
from textgym.verifiers.choices import GRADING_MODES, find_choice
from textgym.verifiers.exact import same_answer
from textgym.verifiers.extract import after_reasoning

PAGE = DOCS / "verifiers.md"
OPTIONS = {"A": "iron", "B": "zinc", "C": "vitamin C", "D": "2", "E": "12"}
WISH = {"0": Wanted(60, 0, 1440, start_from=840, start_by=840)}
EVENT = {"event_id": 0, "start_time": "14:00", "duration": 60}
TABLES = ("Short answers", "Calendars", *GRADING_MODES)


class Example(NamedTuple):
    """One piece of code of a table: the table, its line's first cell, and whether it is taken."""

    table: str
    line: str
    text: str
    taken: bool


def examples() -> Iterator[Example]:
    """Read the tables; one is named by the heading, or by the code that a paragraph begins with."""
    section = PAGE.read_text().split("## What each verifier accepts\n")[1].split("\n## ")[0]
    table = ""
    for line in section.splitlines():
        if named := re.match(r"### (.+)|`(\w+)`:", line):
            table = named[1] or named[2]
        if table in TABLES and line.startswith("| ") and "| taken |" not in line:
            first, *_, taken, not_taken = line.strip("|").split("|")
            for cell, is_taken in ((taken, True), (not_taken, False)):
                for text in re.findall(r"`([^`]+)`", cell):
                    yield Example(table, first.strip(), text, is_taken)


def is_taken(example: Example) -> bool:
    """Grade an example as its verifier does."""
    if example.table == "Short answers":
        return same_answer(example.line.strip("`"), example.text)
    if example.table == "Calendars":
        field = example.line.split("`")[1]
        shown: Any = [{**EVENT, field: json.loads(example.text)}]
        return verify(WISH, json.dumps(shown)).correct
    [mode] = [mode for mode in GRADING_MODES if mode == example.table]
    return find_choice(after_reasoning(example.text), OPTIONS, mode) == "B"


@pytest.mark.parametrize("example", list(examples()), ids=lambda example: ascii(example[:3]))
def test_example_is_graded_as_the_page_says(example: Example) -> None:
    assert is_taken(example) is example.taken


@pytest.mark.parametrize("table", TABLES)
def test_every_table_is_read(table: str) -> None:
    found = [example.taken for example in examples() if example.table == table]
    assert min(found.count(True), found.count(False)) >= 7
