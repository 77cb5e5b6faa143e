"""The page of recorded answers: it is current, and every difference is confirmed."""

from __future__ import annotations

import gzip
import json
import runpy
from pathlib import Path
from typing import Any

import pytest
from repository import DOCS

RIGHT = {"question": "2 + 2?", "gold": "4", "output": r"\boxed{4}", "correct": True}


@pytest.fixture(scope="module")
def script() -> dict[str, Any]:
    with pytest.MonkeyPatch.context() as patch:
        patch.syspath_prepend(str(DOCS))
        return runpy.run_path(str(DOCS / "make_verdicts.py"))


@pytest.fixture
def stored(script: dict[str, Any]) -> dict[str, Any]:
    found: dict[str, Any] = json.loads(script["FIGURES"].read_text("utf-8"))
    return found


@pytest.mark.slow
def test_figures_are_what_the_recorded_answers_give(
    script: dict[str, Any], stored: dict[str, Any], shared: Path
) -> None:
    assert script["figures"](shared / "data" / "recorded") == stored, "run make verdicts"


def test_page_shows_the_figures_and_nothing_is_unconfirmed(
    script: dict[str, Any], stored: dict[str, Any]
) -> None:
    page = script["page"](stored)
    assert page == script["PAGE"].read_text("utf-8"), "run make verdicts"
    assert "| ours |" not in page
    assert "not read" not in page


def test_every_difference_has_two_readings_and_no_reading_is_left_over(
    script: dict[str, Any], stored: dict[str, Any]
) -> None:
    parts = [part for evaluation in stored.values() for part in evaluation.values()]
    keys = {key for part in parts for key in part["differences"]}
    readings = json.loads(script["READINGS"].read_text("utf-8"))
    assert readings.keys() == keys
    assert script["CHECKS"].keys() <= keys
    for both in readings.values():
        assert both.keys() == {"first", "second"}
        assert {reading["wrong"] for reading in both.values()} <= {"theirs", "contract"}
        assert all(reading["reading"].endswith(".") for reading in both.values())


READING = {"wrong": "theirs", "reading": "Read."}
OURS = {"wrong": "ours", "reading": "Read."}


@pytest.mark.parametrize(
    ("key", "right", "readings", "kind"),
    [
        ("svamp:24", False, {}, "theirs"),
        ("svamp:24", True, {}, "ours"),  # the check says another thing than the verdict here
        ("svamp:24", True, {"svamp:24": {"first": READING, "second": READING}}, "ours"),
        ("svamp:24", False, {"svamp:24": {"first": READING, "second": OURS}}, "ours"),
        ("new:1", True, {}, "ours"),
        ("new:1", True, {"new:1": {"first": READING}}, "ours"),
        ("new:1", True, {"new:1": {"first": READING, "second": READING}}, "theirs"),
        ("new:1", True, {"new:1": {"first": READING, "second": OURS}}, "ours"),
        ("new:1", True, {"new:1": {"first": OURS, "second": OURS}}, "ours"),
    ],
)
def test_what_is_not_confirmed_counts_as_ours(
    script: dict[str, Any], key: str, right: bool, readings: dict[str, Any], kind: str
) -> None:
    assert script["verdict_on"](key, right, readings)[0] == kind


OPTIONS = "Which? Please select from the following options: "


@pytest.mark.parametrize(
    ("question", "gold", "whole"),
    [
        (OPTIONS + "['White and Company', 'Watson and Partners']", "WhiteCompany", 0),
        (OPTIONS + "['2 hours', '2 hours and 30 minutes', '30 minutes']", "230", 1),
        (OPTIONS + "['pie-eating contest', 'lunch']", "-eatingcontest", 0),
        (OPTIONS + "['yes', 'no'] (Yes or No)", "yes", 0),
        (OPTIONS + "['2:15 P.M.', '12:15 P.M.']", "2:15P.M", None),  # left of both
        (OPTIONS + "['Brazil', 'Peru']", "Finl", None),
        (OPTIONS + "['Brazil', 'Finland']", "lFin", None),
        ("How many?", "12", None),
    ],
)
def test_gold_is_restored_only_to_the_one_option_that_it_is_left_of(
    script: dict[str, Any], question: str, gold: str, whole: int | None
) -> None:
    record = {"question": question, "gold": gold}
    restored = script["EVALUATIONS"][0].repair(record)
    if whole is None:
        assert restored is record
    else:
        assert restored["gold"] == eval(question.rpartition(": ")[2].partition("]")[0] + "]")[whole]


def write(folder: Path, *records: dict[str, Any]) -> None:
    folder.mkdir(parents=True)
    with gzip.open(folder / "small.jsonl.gz", "wt") as file:
        file.writelines(json.dumps(record) + "\n" for record in records)


def test_a_set_needs_its_files_and_a_line(script: dict[str, Any], tmp_path: Path) -> None:
    write(tmp_path / "my_set", RIGHT, {**RIGHT, "output": "It is 5."})
    mine = script["Evaluation"]("Mine", "my_set/*.jsonl.gz", "here", "textgym/Math-v0")
    (part,) = script["graded"](tmp_path, mine).values()
    assert (part.answers, part.right, part.judged, part.agreed) == (2, 1, 2, 1)
    assert part.differences == {"small:1": False}


def test_a_quotation_must_be_in_the_answer(script: dict[str, Any], tmp_path: Path) -> None:
    write(tmp_path / "my_set", RIGHT)
    (tmp_path / "my_set" / "small.jsonl.gz").rename(tmp_path / "my_set" / "svamp.jsonl.gz")
    mine = script["Evaluation"]("Mine", "my_set/*.jsonl.gz", "here", "textgym/Math-v0")
    script["CHECKS"]["svamp:0"] = script["CHECKS"]["svamp:24"]
    try:
        script["graded"](tmp_path, mine)  # the verdicts agree, so that no check is needed
        with gzip.open(tmp_path / "my_set" / "svamp.jsonl.gz", "wt") as file:
            file.write(json.dumps({**RIGHT, "correct": False}) + "\n")
        with pytest.raises(SystemExit, match="svamp:0 quotes what the answer does not say"):
            script["graded"](tmp_path, mine)
    finally:
        del script["CHECKS"]["svamp:0"]


def test_an_answer_that_cannot_be_graded_is_an_error(
    script: dict[str, Any], tmp_path: Path
) -> None:
    write(tmp_path / "my_set", RIGHT, {**RIGHT, "output": None})
    mine = script["Evaluation"]("Mine", "my_set/*.jsonl.gz", "here", "textgym/Math-v0")
    with pytest.raises(SystemExit, match="Mine: an answer cannot be graded"):
        script["graded"](tmp_path, mine)
