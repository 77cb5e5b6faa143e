"""Calendars in texts: times, constraints, the calendar that counts, and its verdict."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tables import in_one_test

from textgym.verifiers.calendar import (
    EventConstraints,
    check_calendar,
    event_constraints,
    last_calendar,
    read_time,
)

TEN, FOUR = 600, 960
FREE = EventConstraints(60, TEN, FOUR)
FIELDS = ["duration", "window", "constraint", "no_overlap"]


def event(id: Any = 0, start: Any = "10:00", duration: Any = 60, **more: Any) -> dict[str, Any]:
    return {"event_id": id, "start_time": start, "duration": duration, **more}


def is_right(calendar: Any, *constraints: EventConstraints) -> bool:
    """Check a calendar against the constraints of the events 0, 1, …."""
    required = {str(id): constraint for id, constraint in enumerate(constraints)}
    return check_calendar(required, json.dumps(calendar)).correct


# Times.


@pytest.mark.parametrize(
    ("text", "minutes"),
    [
        ("10:00", 600),
        ("09:30", 570),
        ("9:30", 570),
        ("13:30", 810),
        ("1:30pm", 810),
        ("10am", 600),
        ("10 am", 600),
        ("  10am ", 600),
        ("1:30 pm", 810),
        ("10 : 30", 630),
        ("12am", 0),
        ("12pm", 720),
        ("12:30am", 30),
        ("12:30pm", 750),
        ("10AM", 600),
        ("2:15 PM", 855),
        ("２pm", 840),
        ("１３:３０", 810),
        ("٠٩:٣٠", 570),
        ("00:00", 0),
        ("24:00", 1440),
    ],
)
def test_time_is_read(text: str, minutes: int) -> None:
    assert read_time(text) == minutes


@in_one_test(
    "value",
    [
        "10", "", "noon", "2024-01-01T10:00", "10:00:30", "-10:00", "+10:00", "25:00", "24:01",
        "10:60", "13pm", "13:30pm", "am", "10:30 to 11:00", "10.30", "10:00 UTC", "half past ten",
        "100am", "²pm", "10:00\x00", 10, 10.5, None, True, [], {}, ["10:00"],
    ],
)  # fmt: skip
def test_value_that_is_not_a_time_is_refused(value: Any) -> None:
    assert read_time(value) is None


@given(st.text(alphabet="0123456789: apm٣２") | st.text() | st.integers() | st.none())
def test_any_value_is_a_time_of_the_day_or_none(value: Any) -> None:
    time = read_time(value)
    assert time is None or 0 <= time <= 1440


# Constraints.


@pytest.mark.parametrize(
    ("constraint", "right", "wrong"),
    [
        ("at 1:30pm", ["13:30"], ["13:29", "13:31", "10:00"]),
        ("before 1pm", ["12:00", "10:00"], ["12:01", "13:00"]),
        ("by 1pm", ["12:00", "10:00"], ["12:01", "15:00"]),
        ("after 11am", ["11:00", "15:00"], ["10:59"]),
        ("between 11am and 12:30pm", ["11:00", "11:30"], ["10:59", "11:31"]),
        ("Between 11:00 AND 12:30", ["11:00", "11:30"], ["10:59", "11:31"]),
        ("  at  13:30 ", ["13:30"], ["13:00"]),
        (None, ["10:00", "15:00"], ["09:59", "15:01"]),
        ("", ["10:00", "15:00"], ["09:59", "15:01"]),
    ],
)
def test_constraint_allows_and_forbids_starts(
    constraint: str | None, right: list[str], wrong: list[str]
) -> None:
    constraints = event_constraints(60, TEN, FOUR, constraint)
    assert constraints is not None
    assert [is_right([event(start=start)], constraints) for start in right] == [True] * len(right)
    assert [is_right([event(start=start)], constraints) for start in wrong] == [False] * len(wrong)


@pytest.mark.parametrize(
    "constraint",
    [
        "soon", "at", "at noon", "at 10", "between 1pm", "between 1pm and", "before 1pm and 2pm",
        "between 1pm and 2pm and 3pm", "around 2pm", "at 2pm or 3pm", "2pm", "at 25:00",
    ],
)  # fmt: skip
def test_constraint_that_cannot_be_read_is_none(constraint: str) -> None:
    assert event_constraints(60, TEN, FOUR, constraint) is None


# The calendar that counts.

GOOD = json.dumps([event()])
BAD = json.dumps([event(start="9:00")])


@pytest.mark.parametrize(
    "text",
    [
        GOOD,
        f"Here it is:\n```json\n{GOOD}\n```\nAnything else?",
        f"{BAD} No, rather {GOOD}",
        f"{GOOD}{GOOD}",
        f'{{"events": {GOOD}, "count": 1}}',
        f"[{GOOD}]",
        f"{GOOD} It ends at 11:00 [local time], see [1, 2] and []",
        f'{GOOD} Notes: [{{"text": "none"}}]',
        f"<b>{GOOD}</b>",
        GOOD.replace(",", ",\r\n"),
        json.dumps([event(event_name='[a] {b} \\" ]')]),
        json.dumps([event(guests=[{"name": "Ann"}])]),
        json.dumps([event(parts=[event(7, "9:00")])]),
        f"[{{broken {GOOD}",
    ],
    ids=lambda text: text[:30],
)
def test_last_list_of_events_is_the_calendar(text: str) -> None:
    assert check_calendar({"0": FREE}, text).correct


@pytest.mark.parametrize(
    "text",
    [
        "",
        "I cannot see your calendar.",
        f"{GOOD} {BAD}",
        "[]",
        "{}",
        json.dumps(event()),
        GOOD.replace('"', "'"),
        GOOD.replace('"', "“"),
        GOOD.replace("}]", "},]"),
        GOOD.replace("60", "060"),
        GOOD.replace("60", "NaN"),
        GOOD[:-1],
        "[1, 2, 3]",
        "- event_id: 0\n  start_time: 10:00\n  duration: 60",
        json.dumps([event(), None]),
        json.dumps([event(), {"start_time": "12:00", "duration": 30}]),
    ],
    ids=lambda text: text[:30],
)
def test_text_without_a_right_calendar_is_wrong(text: str) -> None:
    assert not check_calendar({"0": FREE}, text).correct


def test_last_calendar_is_returned_unchanged() -> None:
    assert last_calendar(f"{BAD} {GOOD}") == [event()]
    assert last_calendar("[{}] [[]]") is None


# The verdict.


def test_right_calendar_has_full_shares() -> None:
    verdict = check_calendar({"0": FREE, "1": FREE}, json.dumps([event(1, "11:00"), event(0)]))
    assert verdict.correct
    assert verdict.answered
    shares = [getattr(verdict, name) for name in ["ids", "events", *FIELDS]]
    assert shares == [1.0] * 6


@pytest.mark.parametrize(
    ("entry", "field"),
    [
        (event(duration=45), "duration"),
        (event(duration="45"), "duration"),
        (event(duration="1 hour"), "duration"),
        (event(duration=True), "duration"),
        (event(duration=None), "duration"),
        (event(start="09:30"), "window"),
        (event(start="15:30"), "window"),
        (event(start="14:00"), "constraint"),
        (event(start="12:30"), "no_overlap"),
    ],
    ids=str,
)
def test_component_shows_what_is_wrong(entry: dict[str, Any], field: str) -> None:
    constraints = {"0": EventConstraints(60, TEN, FOUR, end_by=840), "1": FREE}
    verdict = check_calendar(constraints, json.dumps([entry, event(1, "13:00")]))
    assert not verdict.correct
    assert getattr(verdict, field) < 1.0
    assert verdict.ids == 1.0


def test_overlapping_events_are_both_wrong() -> None:
    verdict = check_calendar({"0": FREE, "1": FREE, "2": FREE}, json.dumps(
        [event(0), event(1, "10:59"), event(2, "12:00")]
    ))  # fmt: skip
    assert (verdict.no_overlap, verdict.events) == (pytest.approx(1 / 3), pytest.approx(1 / 3))


def test_event_may_begin_when_another_ends() -> None:
    assert is_right([event(0), event(1, "11:00")], FREE, FREE)


@pytest.mark.parametrize(("start", "right"), [("10:00", True), ("10:30", False), ("11:00", True)])
def test_event_of_length_zero_may_not_lie_inside_another(start: str, right: bool) -> None:
    assert is_right([event(0), event(1, start, 0)], FREE, EventConstraints(0, TEN, FOUR)) is right


def test_duration_may_be_a_float() -> None:
    assert is_right([event(duration=60.0)], FREE)


def test_true_is_not_one_minute() -> None:
    assert not is_right([event(duration=True)], EventConstraints(1, TEN, FOUR))


@pytest.mark.parametrize(
    ("id", "right"),
    [(0, True), ("0", True), (0.0, False), ("00", False), (" 0", False), (None, False),
     (False, False), ([0], False), ("zero", False)],
    ids=repr,
)  # fmt: skip
def test_ids_are_compared_as_text(id: Any, right: bool) -> None:
    assert is_right([event(id)], FREE) is right


@pytest.mark.parametrize(
    ("calendar", "ids"),
    [
        ([event(0)], 1 / 2),
        ([event(0), event(2, "12:00")], 1 / 3),
        ([event(0), event(1, "12:00"), event(2, "14:00")], 2 / 3),
        ([event(0), event(1, "12:00"), event(1, "14:00")], 1 / 4),
        ([event(0), event(1, "12:00"), event("1", "12:00")], 1 / 4),
    ],
)
def test_missing_superfluous_and_repeated_ids_lower_the_share(calendar: Any, ids: float) -> None:
    verdict = check_calendar({"0": FREE, "1": FREE}, json.dumps(calendar))
    assert not verdict.correct
    assert verdict.ids == pytest.approx(ids)


def test_identical_entries_count_once() -> None:
    assert is_right([event(0), event(0)], FREE)
    assert not is_right([event(0, event_name="a"), event(0, event_name="b")], FREE)


@pytest.mark.parametrize(
    ("text", "right"),
    [("Nothing to do.", True), ("[]", True), ("", False), (" \n", False), (GOOD, False)],
)
def test_any_text_without_events_is_right_if_none_is_required(text: str, right: bool) -> None:
    verdict = check_calendar({}, text)
    assert verdict.correct is right
    assert verdict.events == float(right)
    assert verdict.answered is bool(text.strip())


json_values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | st.text(max_size=5),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=3), inner),
    max_leaves=5,
)
entries = st.fixed_dictionaries(
    {},
    optional={
        "event_id": st.sampled_from([0, 1, "0", "1", 2]) | json_values,
        "start_time": st.sampled_from(["10:00", "10:30", "11am", "2pm"]) | json_values,
        "duration": st.sampled_from([0, 30, 60, 10**400, -60]) | json_values,
    },
)


@given(st.lists(entries, max_size=4), st.dictionaries(st.sampled_from("012"), st.just(FREE)))
def test_shares_agree_with_the_verdict_for_any_entries(
    calendar: list[dict[str, Any]], constraints: dict[str, EventConstraints]
) -> None:
    verdict = check_calendar(constraints, json.dumps(calendar))
    shares = [verdict.ids, verdict.events, *(getattr(verdict, name) for name in FIELDS)]
    assert all(0.0 <= share <= 1.0 for share in shares)
    assert verdict.events <= verdict.ids
    assert verdict.correct == (verdict.answered and verdict.events == 1.0)
    if verdict.correct:
        assert shares == [1.0] * 6


def test_large_texts_are_read() -> None:
    many = json.dumps([event(id) for id in range(2_000)])
    assert check_calendar({"0": FREE}, many).ids == pytest.approx(1 / 2_000)
    assert not check_calendar({"0": FREE}, "[{" * 20_000).answered
    assert check_calendar({"0": FREE}, "[{" * 20_000 + GOOD).correct
