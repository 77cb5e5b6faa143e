"""`textgym/Calendar-v0`: dialogues, their generator, rows, rewards and ends."""

from __future__ import annotations

import itertools
import json
import random
import re
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

import textgym
from textgym.envs.calendar import Calendar
from textgym.envs.calendar.plans import LEVELS
from textgym.envs.calendar.schedule import arrange, keeps
from textgym.errors import OracleError, RowError, UsageError
from textgym.messages import assistant_calls
from textgym.verifiers.calendar import EventConstraints, check_calendar, read_time

TEA = {"event_name": "Tea", "duration": 30, "constraint": None}
ROW = {
    "min_time": "10:00",
    "max_time": "16:00",
    "turns": [
        {"user": "Add tea, half an hour (event id: 0).", "events": {"0": TEA}},
        {"user": "How are you?"},
        {"user": "Tea after 2pm, please.", "events": {"0": {**TEA, "constraint": "after 2pm"}}},
    ],
}
EARLY = '[{"event_id": 0, "start_time": "10:00", "duration": 30}]'
LATE = EARLY.replace("10:00", "14:00")


def begun(row: dict[str, Any] | None = None, **kwargs: Any) -> Calendar:
    env = Calendar(**kwargs)
    env.reset(options={"task": row or ROW})
    return env


def play(env: Calendar, *answers: Any) -> tuple[float, bool, bool, dict[str, Any]]:
    for answer in answers:
        _, reward, terminated, truncated, info = env.step(answer)
    return reward, terminated, truncated, info


def with_turn(**change: Any) -> dict[str, Any]:
    """Return a row whose first turn is changed."""
    return {**ROW, "turns": [{**ROW["turns"][0], **change}, *ROW["turns"][1:]]}


# A dialogue.


def test_user_turns_do_not_depend_on_answers() -> None:
    env = begun()
    said = ["Add tea, half an hour (event id: 0).", "How are you?", "Tea after 2pm, please."]
    for answer in [EARLY, "", LATE]:
        *_, last = env._conversation.messages
        assert last == {"role": "user", "content": said.pop(0)}
        observation, _, terminated, _, _ = env.step(answer)
    assert terminated
    assert observation[-1] == {"role": "assistant", "content": LATE}


def test_system_message_states_the_hours() -> None:
    observation, _ = Calendar().reset(options={"task": {**ROW, "min_time": "9am"}})
    assert "between 9am and 16:00" in str(observation[0]["content"])


def test_a_mistake_that_is_mended_costs_nothing() -> None:
    reward, terminated, _, info = play(begun(), "Gladly.", LATE, LATE)
    assert (reward, terminated, info["is_success"]) == (1.0, True, True)
    assert info["reward_components"]["turns"] == pytest.approx(2 / 3)
    assert json.loads(info["extracted_answer"])[0]["start_time"] == "14:00"


def test_a_mistake_at_the_end_costs_all() -> None:
    reward, _, _, info = play(begun(), EARLY, EARLY, EARLY)
    assert reward == 0.0
    assert info["reward_components"] == {
        "correct": 0.0, "answered": 1.0, "ids": 1.0, "duration": 1.0, "window": 1.0,
        "constraint": 0.0, "no_overlap": 1.0, "events": 0.0, "turns": pytest.approx(2 / 3),
    }  # fmt: skip


def test_a_calendar_of_an_earlier_answer_does_not_count() -> None:
    reward, _, _, info = play(begun(), LATE, LATE, "It stays as it is.")
    assert (reward, info["extracted_answer"]) == (0.0, "")
    assert info["reward_components"]["answered"] == 0.0


def test_reasoning_is_not_an_answer() -> None:
    message: Any = {"role": "assistant", "content": EARLY, "reasoning_content": LATE}
    assert play(begun(), EARLY, EARLY, message)[0] == 0.0


def test_a_message_with_tool_calls_leaves_the_user_waiting() -> None:
    env = begun()
    call: Any = {**assistant_calls(("add_event", {"id": 0})), "content": LATE}
    observation, _, terminated, truncated, _ = env.step(call)
    assert observation[-1]["role"] == "tool"
    assert not terminated
    assert not truncated
    assert play(env, EARLY, EARLY, LATE)[0] == 1.0


def test_max_turns_is_graded_by_the_final_requests() -> None:
    reward, terminated, truncated, info = play(begun(max_turns=2), EARLY, EARLY)
    assert (reward, terminated, truncated) == (0.0, False, True)
    assert info["reward_components"]["turns"] == pytest.approx(2 / 3)
    assert play(begun(max_turns=2), EARLY, LATE)[:3] == (1.0, False, True)


def test_a_cancelled_event_may_not_be_shown() -> None:
    row = {**ROW, "turns": [*ROW["turns"], {"user": "No tea.", "events": {"0": None}}]}
    assert play(begun(row), LATE, LATE, LATE, LATE)[0] == 0.0
    assert play(begun(row), LATE, LATE, LATE, "[]")[0] == 1.0


def test_new_hours_hold_for_all_events() -> None:
    row = {**ROW, "turns": [*ROW["turns"], {"user": "I come at 14:30.", "min_time": "14:30"}]}
    assert play(begun(row), LATE, LATE, LATE, LATE)[0] == 0.0
    assert play(begun(row), LATE, LATE, LATE, LATE.replace("14:00", "14:30"))[0] == 1.0


# Partial credit.

TWO = {**ROW, "turns": [{"user": "Tea and cake.", "events": {"0": TEA, "1": TEA}}]}


@pytest.mark.parametrize(
    ("answer", "share"),
    [
        ("", 0.0),
        ("Done.", 0.0),
        (EARLY, 0.5),
        (EARLY[:-1] + ", " + LATE[1:].replace('"event_id": 0', '"event_id": 1'), 1.0),
        (EARLY[:-1] + ", " + LATE[1:].replace('"event_id": 0', '"event_id": 2'), 1 / 3),
        (EARLY[:-1] + ", " + EARLY[1:].replace('"event_id": 0', '"event_id": 1'), 0.0),
    ],
)
def test_partial_credit_is_the_share_of_right_events(answer: str, share: float) -> None:
    reward, _, _, info = play(begun(TWO, partial_credit=True), answer)
    assert reward == pytest.approx(share)
    assert info["reward_components"]["events"] == pytest.approx(share)
    assert info["is_success"] is (share == 1.0)
    assert play(begun(TWO), answer)[0] == float(share == 1.0)


@pytest.mark.parametrize("value", [1, "yes", None])
def test_partial_credit_is_true_or_false(value: Any) -> None:
    with pytest.raises(UsageError, match="partial_credit must be true or false"):
        Calendar(partial_credit=value)


# Rows.


@pytest.mark.parametrize(
    ("row", "message"),
    [
        ({**ROW, "turns": []}, "'turns' must be a list"),
        ({**ROW, "turns": None}, "'turns' must be a list"),
        ({**ROW, "min_time": "10"}, "'min_time' must be a time such as '10:00'"),
        ({**ROW, "max_time": None}, "'max_time' must be a time"),
        ({**ROW, "max_time": "9:00"}, "'max_time' is before min_time"),
        (with_turn(user=" "), r"'turns\.0\.user' is missing"),
        (with_turn(events=[]), r"'turns\.0\.events' must be an object"),
        (with_turn(events={"0": 5}), r"'turns\.0\.events\.0' must be an object"),
        (with_turn(events={"0": {**TEA, "duration": "30"}}), r"events\.0\.duration' must be a num"),
        (with_turn(events={"0": {**TEA, "duration": True}}), r"events\.0\.duration' must be a num"),
        (with_turn(events={"0": {**TEA, "duration": -1}}), r"events\.0\.duration' must be a num"),
        (
            with_turn(events={"0": {**TEA, "constraint": "soon"}}),
            r"constraint' is 'soon'; it must",
        ),
        (with_turn(events={"0": {**TEA, "constraint": 5}}), r"constraint' is 5; it must be"),
        (with_turn(events={"7": None}), r"'turns\.0\.events\.7' is null, but there is no such"),
        (with_turn(max_time="noon"), r"'turns\.0\.max_time' must be a time"),
        ({"responses_create_params": {"input": "Hi"}}, "'exp_cal_state' must be an object"),
        (
            {"responses_create_params": {"input": "Hi"}, "exp_cal_state": {"0": TEA}},
            r"'exp_cal_state\.0\.min_time' must be a time",
        ),
        (
            {"responses_create_params": {"input": "Hi"}, "exp_cal_state": {"0": None}},
            r"'exp_cal_state\.0' must be an object",
        ),
    ],
    ids=lambda value: value[:40] if isinstance(value, str) else "",
)
def test_a_wrong_row_is_an_error_that_names_the_field(row: dict[str, Any], message: str) -> None:
    with pytest.raises(RowError, match=message):
        begun(row)


def test_a_row_without_a_calendar_has_no_oracle() -> None:
    full = {**TEA, "duration": 300}
    env = begun(with_turn(events={"0": full, "1": full}))
    with pytest.raises(OracleError, match="found no calendar"):
        env.solve()


def test_oracle_keeps_shown_events() -> None:
    env = begun()
    env.step(LATE.replace("14:00", "15:15"))
    assert json.loads(str(env.solve()["content"]))[0]["start_time"] == "15:15"


@pytest.mark.parametrize("id", ["0", "7", "07", "lunch", "٣"])
def test_the_oracle_writes_ids_that_compare_as_text(id: str) -> None:
    env = begun({**ROW, "turns": [{"user": "Lunch.", "events": {id: TEA}}]})
    assert play(env, env.solve())[0] == 1.0


# Finding a calendar.

times = st.integers(0, 8)
wishes = st.builds(
    lambda duration, opens, end, first, last: EventConstraints(
        duration, opens, end, first, last, end
    ),
    st.integers(0, 3), times, times, times, times,
)  # fmt: skip


def is_possible(wanted: list[EventConstraints]) -> bool:
    """Try all starts."""
    for starts in itertools.product(range(9), repeat=len(wanted)):
        spans = [(start, start + w.duration) for start, w in zip(starts, wanted, strict=True)]
        if all(map(keeps, wanted, starts)) and not any(
            a < d and c < b for (a, b), (c, d) in itertools.combinations(spans, 2)
        ):
            return True
    return False


@given(st.lists(wishes, max_size=4), st.dictionaries(st.sampled_from("0123"), times))
def test_a_calendar_is_found_where_there_is_one(
    wanted: list[EventConstraints], before: dict[str, int]
) -> None:
    named = {str(i): wish for i, wish in enumerate(wanted)}
    starts = arrange(named, before)
    assert (starts is not None) == is_possible(wanted)
    if starts:
        calendar = [
            {"event_id": id, "start_time": f"0:{start:02d}", "duration": named[id].duration}
            for id, start in starts.items()
        ]
        assert check_calendar(named, json.dumps(calendar)).correct


def test_events_stay_where_they_are_if_they_can() -> None:
    hour = EventConstraints(60, 600, 960)
    fixed = EventConstraints(60, 600, 960, 720, 720)
    before = {"0": 900, "1": 720}
    assert arrange({"0": hour, "1": hour, "2": fixed}, before) == {"0": 900, "1": 600, "2": 720}


def test_a_search_that_is_too_large_is_given_up() -> None:
    """Thirty events, and one minute too little for them."""
    tight = {str(i): EventConstraints(7 + i % 5, i % 3, 269, end_by=200 + i) for i in range(30)}
    assert arrange(tight) is None
    assert arrange({str(i): EventConstraints(0, 0, 10) for i in range(1_000)}) is None


# What is generated.


def tasks(level: int, count: int = 60) -> list[Any]:
    env = Calendar(level=level)
    return [env.get_task(index) for index in range(count)]


LEVELS_AND_FIRST_RUNG = (0, *LEVELS)


@pytest.mark.parametrize("level", LEVELS)
def test_a_level_has_the_events_and_turns_that_it_is_said_to_have(level: int) -> None:
    events = {1: (2, 2), 2: (3, 3), 3: (4, 5), 4: (4, 6), 5: (7, 8)}[level]
    for task in tasks(level):
        assert events[0] <= len(task.answer) <= events[1]
        assert len(task.turns) <= 21


@pytest.mark.parametrize("level", LEVELS_AND_FIRST_RUNG)
def test_the_oracle_is_right_after_every_turn(level: int) -> None:
    env = Calendar(level=level)
    for index in range(20):
        env.reset(options={"index": index})
        ended = False
        while not ended:
            _, reward, terminated, truncated, info = env.step(env.solve())
            ended = terminated or truncated
        assert (reward, terminated, info["reward_components"]["turns"]) == (1.0, True, 1.0)


def test_level_0_is_one_turn_whose_values_are_all_that_is_right() -> None:
    env = Calendar(level=0)
    for index in range(20):
        env.reset(options={"index": index})
        (turn,) = env.task.row["turns"]
        told = re.fullmatch(
            r'Add "(.+)" \(event id: (\d+)\) at (\d\d:\d\d) for (\d+) minutes\.', turn["user"]
        )
        assert told
        event = {
            "event_id": int(told[2]),
            "event_name": told[1],
            "start_time": told[3],
            "duration": int(told[4]),
        }
        start = textgym.get_state(env)
        assert play(env, json.dumps([event]))[0] == 1.0
        for other in (
            {"event_id": event["event_id"] + 1},
            {"start_time": told[3][:3] + f"{(int(told[3][3:]) + 15) % 60:02}"},
            {"duration": event["duration"] + 15},
        ):
            textgym.set_state(env, start)
            assert play(env, json.dumps([{**event, **other}]))[0] == 0.0
        for text in (turn["user"], "", "[]", json.dumps([event, {**event, "event_id": 99}])):
            textgym.set_state(env, start)
            assert play(env, text)[0] == 0.0


TIME = re.compile(r"\b(\d{1,2}:\d{2}(?: ?[ap]m)?|\d{1,2} ?[ap]m|noon)\b")
WORDS = {
    "a quarter of an hour": 15, "half an hour": 30, "three quarters of an hour": 45,
    "an hour": 60, "an hour and a quarter": 75, "an hour and a half": 90,
}  # fmt: skip
LENGTH = re.compile(rf"\b(\d+) minutes\b|({'|'.join(sorted(WORDS, key=len, reverse=True))})")


def said_times(text: str) -> list[int]:
    return [720 if time == "noon" else read_time(time) or 0 for time in TIME.findall(text)]


def said_length(text: str) -> int:
    [(number, words)] = LENGTH.findall(text)
    return int(number) if number else WORDS[words]


def told(constraint: str | None) -> list[int]:
    words = (constraint or "").split()
    return [time for time in map(read_time, words) if time is not None]


def check_said(text: str, old: Any, new: Any) -> None:
    """Compare the words about one event with how they change it."""
    if new is None:
        assert re.search(r"cancel|delete|drop|remove|take it out", text)
    elif old is None:
        assert f'"{new["event_name"]}"' in text
        rest = text.replace(new["event_name"], "")
        assert said_length(rest) == new["duration"]
        assert said_times(rest) == told(new["constraint"])
    elif new["duration"] != old["duration"]:
        assert new["constraint"] == old["constraint"]
        sign = {"long": 1, "add": 1, "shor": -1, "off": -1}
        by = re.search(r"(long)er|(add) .* to|(shor)ter|(off) the", text)
        size = said_length(text)
        expected = old["duration"] + sign[str(by[by.lastindex or 0])] * size if by else size
        assert new["duration"] == expected
    elif by := re.search(r"(earlier|later) than I", text):
        size = said_length(text) * (1 if by[1] == "later" else -1)
        assert told(new["constraint"]) == [told(old["constraint"])[0] + size]
    elif new["constraint"] is None:
        assert re.search(r"any time|wherever|whatever", text)
        assert not TIME.search(text)
    else:
        assert new["constraint"] != old["constraint"]
        assert said_times(text) == told(new["constraint"])
        word = new["constraint"].split()[0]
        assert re.search(
            {
                "at": r"(start|begin|kick off) at (\S+( [ap]m)?)(?! or later)",
                "before": r"(over|end|later than|finish)( by)? ",
                "after": r"or later|no earlier|after",
                "between": r"between .* and ",
            }[word],
            text,
        )


@pytest.mark.parametrize("level", LEVELS_AND_FIRST_RUNG)
def test_user_messages_match_the_requested_events(level: int) -> None:
    """Read each turn's words again, without the generator, and compare them with its changes."""
    for task in tasks(level):
        known: dict[str, Any] = {}
        hours = [task.row["min_time"], task.row["max_time"]]
        for turn in task.row["turns"]:
            changes = turn.get("events", {})
            parts = re.split(
                r" (?=Also: |One more thing: |And while you are at it: )", turn["user"]
            )
            assert len(parts) == max(1, len(changes))
            for text, (id, new) in zip(parts, changes.items(), strict=False):
                assert re.search(rf"\bevent(?: id:)? {id}\b", text)
                assert new is not None or id in known
                check_said(text, known.get(id), new)
            for place, name in enumerate(["min_time", "max_time"]):
                if name in turn:
                    assert said_times(turn["user"]) == [read_time(turn[name])]
                    assert (turn[name] > hours[place]) == (name == "min_time")
                    hours[place] = turn[name]
            known.update(changes)


def test_event_is_shifted_only_from_a_stated_time() -> None:
    """Else "later than I said" could mean later than either of two times."""
    shifts = 0
    for task in tasks(5, 200):
        shifted = set()
        for turn in task.row["turns"]:
            for id in turn.get("events", {}):
                if re.search(rf"\(?event(?: id:)? {id}\b.* (earlier|later) than I", turn["user"]):
                    assert id not in shifted
                    shifts += 1
                    shifted.add(id)
                elif "than I" not in turn["user"] and said_times(turn["user"]):
                    shifted.discard(id)
    assert shifts > 20


def test_words_are_varied() -> None:
    rows = [task.row for level in LEVELS for task in tasks(level)]
    firsts = {row["turns"][0]["user"] for row in rows}
    names = {
        event["event_name"]
        for row in rows
        for turn in row["turns"]
        for event in turn.get("events", {}).values()
        if event
    }
    assert len(firsts) == len(rows)
    assert len(names) > 700


@pytest.mark.parametrize("level", LEVELS_AND_FIRST_RUNG)
def test_no_dialogue_is_drawn_twice(level: int) -> None:
    rows = [json.dumps(task.row["turns"]) for task in tasks(level, 150)]
    assert len(set(rows)) == len(rows)


def test_events_must_often_be_moved_for_others() -> None:
    """Whoever never moves an event that is right where it stands fails on most hard tasks."""
    assert sum(map(can_stay, tasks(5))) < 30
    assert sum(map(can_stay, tasks(1))) > 30


def can_stay(task: Any) -> bool:
    """Play without moving what is right, each new event as early as it can."""
    starts: dict[str, int] = {}
    for turn in task.turns:
        wanted = turn.wishes
        starts = {id: at for id, at in starts.items() if id in wanted and keeps(wanted[id], at)}
        for id in sorted(wanted, key=lambda id: id not in starts):
            others = {other: at for other, at in starts.items() if other != id}
            free = (
                at
                for at in [starts.get(id, 0), *range(0, 1440, 15)]
                if keeps(wanted[id], at)
                and not any(
                    at < start + wanted[other].duration and start < at + wanted[id].duration
                    for other, start in others.items()
                )
            )
            at = next(free, None)
            if at is None:
                return False
            starts[id] = at
    return True


def test_a_guess_is_a_calendar_and_differs() -> None:
    env = begun()
    rng = random.Random(1)
    said = [str(env.guess(rng)["content"]) for _ in range(50)]
    assert all(isinstance(json.loads(text), list) for text in said)
    assert len(set(said)) == 50


@given(st.lists(st.text(max_size=20) | st.sampled_from([EARLY, LATE, "[]"]), max_size=4))
def test_any_answers_lead_to_the_end_in_three_turns(answers: list[str]) -> None:
    env = begun()
    for turn, answer in enumerate(answers[:3], start=1):
        _, reward, terminated, truncated, _ = env.step(answer)
        assert (terminated, truncated) == (turn == 3, False)
        assert reward == float(turn == 3 and answer == LATE)
