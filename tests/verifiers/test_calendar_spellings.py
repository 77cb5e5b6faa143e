"""Spellings of times, durations and calendars that are accepted, and look-alikes that are not."""

from __future__ import annotations

import json
from typing import Any

import pytest
from tables import in_one_test

from textgym.verifiers.calendar import EventConstraints, check_calendar
from textgym.verifiers.extract import after_reasoning

FROM_TWO_TO_THREE = {"0": EventConstraints(60, 600, 960, start_from=840, start_by=840)}
TIMES = [
    "14:00", "14:0", " 14:00 ", "14 : 00", "14:00\n", "14：00", "１４:００", "14:00:00",
    "14:00:00.000",
    "2pm", "2PM", "2 pm", "2 PM", "02pm", "02 PM", "2:00pm", "2:00 pm", "2:00 PM", "2:00PM",
    "02:00 pm",
    "02:00PM", "2:00:00 PM", "2:00:00pm", "2p.m.", "2 p.m.", "2 P.M.", "2 p.m", "2 pm.",
    "2:00 p.m.",
    "2:00 P.M.", "2:00 p. m.", "02:00 p.m.", "2:00\u00a0pm", "2:00\u202fPM", "2:00\u2009p.m.",
    "２pm",
    "2 : 00 pm",
]  # fmt: skip
DURATIONS = [
    60, 60.0, 6e1, "60", " 60 ", "60.0", "60.00", "60 min", "60min", "60 min.", "60 mins", "60mins",
    "60 minutes", "60 Minutes", "60minutes", "60 MIN", "60.0 minutes", "60\u00a0min", "６０",
    "60 minute",
    "60\u202fminutes", "060",
]  # fmt: skip
ENTRY = {"event_id": 0, "event_name": "Tea", "start_time": "14:00", "duration": 60}
GOOD = json.dumps([ENTRY])
OTHER = json.dumps([{**ENTRY, "start_time": "10:00"}])
TEXTS = [
    GOOD, f"```json\n{GOOD}\n```", f"```\n{GOOD}\n```", f"Here it is: {GOOD}", f"{GOOD}\nFine?",
    f"{OTHER} becomes {GOOD}", f"{GOOD}{GOOD}", json.dumps([ENTRY], indent=2), GOOD.replace(" ",
    ""),
    f'{{"calendar": {GOOD}}}', json.dumps([{**ENTRY, "event_id": "0"}]), f"**{GOOD}**",
    json.dumps([{**ENTRY, "end_time": "15:00"}]), json.dumps([ENTRY, ENTRY]),
    json.dumps([dict(reversed(ENTRY.items()))]), f"I used <think> tags. {GOOD}", f"[{GOOD}]",
]  # fmt: skip
NO_TIMES = [
    "", " ", "2", "14", "1400", "14.00", "14-00", "14,00", "14h", "14h00", "14:00h", "140:0",
    "014:00",
    "14:000", "14:60", "14:00:30", "14:00:60", "14:00:0", "14:00:00:00", "14:00.", "14:", ":14",
    "25:00", "24:01", "-14:00", "+14:00", "14:00 pm", "14 pm", "14:00 am", "2:00", "2 am", "2 a.m.",
    "02:00", "2:00 AM", "2:60 pm", "2::00 pm", "2 p", "2 m", "2 pmm", "2 ppm", "2pm2", "2p m m",
    "two pm", "noon", "14:00 UTC", "14:00Z", "T14:00", "2024-01-01T14:00", "14:00+02:00",
    "at 14:00",
    "14:00 or 10:00", "14:00-15:00", "14:00 to 15:00", "10:00 14:00", "2pm or 3pm", "not 14:00",
    "~14:00", "14:01", "13:59", "15:00", 14, 1400, 840, 14.0, None, True, ["14:00"], {"hour": 14},
]  # fmt: skip
NO_DURATIONS = [
    "", " ", "6", "600", "61", 61, 59, 0, -60, "-60", "+60", "60-", "60 or 90", "60, 90", "60/90",
    "60-90", "60 90", "6 0", "60 h", "60 hours", "60 s", "60 seconds", "60 m", "1", 1, "1h", "1 h",
    "1 hour", "1:00", "01:00", "1.0", "PT60M", "PT1H", "sixty", "an hour", "60 minutess", "60 mint",
    "min 60", "60 min 5", "60%", "60!", "6e1", "0x3c", "1e999", "nan", "NaN", "inf", ".60", "60.5",
    "60..0", "60,0", "not 60", "~60", "≈ 60", True, False, None, [60], {"minutes": 60}, "[60]",
]  # fmt: skip
NO_TEXTS = [
    "", "{}", "[]", GOOD[:-1], GOOD[1:], GOOD.replace('"', "'"), GOOD.replace("}]", "},]"), OTHER,
    f"{GOOD} or {OTHER}", f"{GOOD}\nEarlier: {OTHER}",
    json.dumps([ENTRY, {**ENTRY, "event_id": 1}]),
    json.dumps([ENTRY, {**ENTRY, "start_time": "10:00"}]), f"<think>{GOOD}</think>",
    f"<think>{GOOD}",
    json.dumps([ENTRY, {**ENTRY, "start_time": "2pm"}]), json.dumps([{**ENTRY, "event_id": 1}]),
    json.dumps(ENTRY), json.dumps([{**ENTRY, "event_id": "00"}]), "0 Tea 14:00 60 min",
]  # fmt: skip


def is_right(text: str) -> bool:
    return check_calendar(FROM_TWO_TO_THREE, after_reasoning(text)).correct


def shown(**fields: Any) -> str:
    return json.dumps([{**ENTRY, **fields}])


@in_one_test("time", TIMES)
def test_time_is_accepted(time: str) -> None:
    assert is_right(shown(start_time=time))


@in_one_test("time", NO_TIMES)
def test_look_alike_of_a_time_is_rejected(time: Any) -> None:
    assert not is_right(shown(start_time=time))


@pytest.mark.parametrize("duration", DURATIONS, ids=ascii)
def test_duration_is_accepted(duration: Any) -> None:
    assert is_right(shown(duration=duration))


@in_one_test("duration", NO_DURATIONS)
def test_look_alike_of_a_duration_is_rejected(duration: Any) -> None:
    assert not is_right(shown(duration=duration))


@pytest.mark.parametrize("text", TEXTS, ids=ascii)
def test_calendar_is_accepted(text: str) -> None:
    assert is_right(text)


@pytest.mark.parametrize("text", NO_TEXTS, ids=ascii)
def test_look_alike_of_a_calendar_is_rejected(text: str) -> None:
    assert not is_right(text)
