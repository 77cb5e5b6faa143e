"""Equality of states: when two runs leave a table the same."""

from __future__ import annotations

import copy
from datetime import datetime
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from textgym.verifiers.state import Changes, Row, equal_state, new_changes, read_instant

ROWS: list[Row] = [
    {"id": "1", "name": "Tea", "at": "2023-12-01 10:00:00", "status": "Lost", "note": None},
    {"id": "2", "name": "Milk", "at": "2023-12-02 10:00:00", "status": "Won", "note": ""},
]
NEW: Row = {"id": "3", "name": "Jam", "at": "2023-12-03 10:00:00", "status": "Won", "note": None}


def same(one: Changes, other: Changes) -> bool:
    return equal_state(ROWS, one, other, id_column="id", times=("at",), case_sensitive=("status",))


def changing(place: int, **values: str | None) -> Changes:
    return {"changed": {str(place): {**ROWS[place], **values}}, "added": []}


def adding(*rows: Row) -> Changes:
    return {"changed": {}, "added": list(rows)}


SAME: dict[str, tuple[Changes, Changes]] = {
    "nothing": (new_changes(), new_changes()),
    "an undone change": (changing(0), new_changes()),
    "different case": (changing(0, name="TEA"), new_changes()),
    "a time in another format": (changing(0, at="2023-12-01T10:00"), new_changes()),
    "a time in words": (changing(0, at="December 1, 2023 10:00 AM"), new_changes()),
    "other ids of new rows": (adding(NEW), adding({**NEW, "id": "4"})),
    "another order of new rows": (
        adding(NEW, {**NEW, "name": "Ham"}),
        adding({**NEW, "name": "Ham"}, NEW),
    ),
    "deleted in both": (
        {"changed": {"1": None}, "added": []},
        {"changed": {"1": None}, "added": []},
    ),
}
DIFFERENT: dict[str, tuple[Changes, Changes]] = {
    "another value": (changing(0, name="Coffee"), new_changes()),
    "another time": (changing(0, at="2023-12-01 10:01:00"), new_changes()),
    "the case of a status": (changing(0, status="lost"), new_changes()),
    "a new row twice": (adding(NEW, NEW), adding(NEW)),
    "a missing new row": (new_changes(), adding(NEW)),
    "a deleted row": ({"changed": {"0": None}, "added": []}, new_changes()),
    "another deleted row": (
        {"changed": {"0": None}, "added": []},
        {"changed": {"1": None}, "added": []},
    ),
    "a deleted row against a changed one": (
        {"changed": {"0": None}, "added": []},
        changing(0, name="x"),
    ),
    "another id of an old row": (changing(0, id="9"), new_changes()),
    "an empty text instead of none": (changing(0, note=""), new_changes()),
    "a deleted row that was added again": (
        {"changed": {"0": None}, "added": [ROWS[0]]},
        new_changes(),
    ),
}


@pytest.mark.parametrize("case", SAME)
def test_runs_that_leave_the_same_state(case: str) -> None:
    one, other = SAME[case]
    assert same(one, other)
    assert same(other, one)


@pytest.mark.parametrize("case", DIFFERENT)
def test_runs_that_leave_different_states(case: str) -> None:
    one, other = DIFFERENT[case]
    assert not same(one, other)
    assert not same(other, one)


VALUES = st.sampled_from(["Tea", "tea", "2023-12-01", "2023-12-01 00:00", "", None])
A_ROW = st.fixed_dictionaries(dict.fromkeys(ROWS[0], VALUES))
RUNS = st.fixed_dictionaries(
    {
        "changed": st.dictionaries(st.sampled_from("01"), st.none() | A_ROW),
        "added": st.lists(A_ROW, max_size=3),
    }
)


@given(RUNS, RUNS, RUNS)
def test_equality_is_an_equivalence_relation(one: Any, two: Any, three: Any) -> None:
    assert same(one, copy.deepcopy(one))
    assert same(one, two) == same(two, one)
    assert not (same(one, two) and same(two, three)) or same(one, three)


@given(st.text(max_size=60))
def test_any_text_is_an_instant_without_zone_or_none(text: str) -> None:
    instant = read_instant(text)
    assert instant is None or instant.tzinfo is None


@given(st.datetimes())
def test_instant_in_iso_format_is_read_back(instant: datetime) -> None:
    assert read_instant(str(instant)) == instant


@pytest.mark.parametrize(
    "text", ["", "10", "10:00", "noon", "tomorrow", "2023-13-01", "2023-02-30 10:00", "9" * 50]
)
def test_text_that_is_not_an_instant_is_refused(text: str) -> None:
    assert read_instant(text) is None


def test_instant_with_a_zone_is_converted_to_utc() -> None:
    assert read_instant("2023-12-01T10:00:00+02:00") == datetime(2023, 12, 1, 8)
    assert (
        read_instant("0001-01-01T00:00:00+23:00") is not None
    )  # in UTC this is before the first year
