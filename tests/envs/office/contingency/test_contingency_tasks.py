"""Contingency: what is drawn can be done, only by what the tools say, and gives nothing away."""

from __future__ import annotations

import contextlib
import json
import math
import re
from collections import Counter, defaultdict
from functools import cache
from typing import Any

import pytest
from desk_reader import CONDITIONS, READINGS, DeskReader, play_contingency

import textgym
from textgym.envs.office.contingency import Contingency
from textgym.envs.office.contingency.contingency_env import LEVELS
from textgym.envs.office.contingency.steps import KINDS
from textgym.messages import assistant_calls, text_of

Call = tuple[str, dict[str, Any]]
CHANGING = {"book_seats", "move_booking", "cancel_booking", "place_order", "change_order"}
SOME = pytest.mark.parametrize("n", [10, pytest.param(500, marks=pytest.mark.soak)])
FEW = pytest.mark.parametrize("n", [10, pytest.param(100, marks=pytest.mark.soak)])
"""For tests that play a task once for each call of its solution, and more."""
OTHER_VALUES = {"version": "zzzz"}  # of arguments that are not numbers


@cache
def rows(level: int, n: int, split: str = "train") -> list[dict[str, Any]]:
    env = Contingency(level=level, split=split)
    return [dict(env.get_task(index).row) for index in range(n)]


def reward_of(env: Contingency, calls: list[Call]) -> float:
    """Return the reward for some calls from the start of the episode, which is restored."""
    state, reward = textgym.get_state(env), 0.0
    if calls:
        env.step(assistant_calls(*calls))
    _, reward, *_ = env.step("It is done.")
    textgym.set_state(env, state)
    return float(reward)


def changes_of(env: Contingency) -> list[Call]:
    """Return the oracle's calls that change something, of the episode that has begun."""
    state, kept = textgym.get_state(env), []
    observation, *_ = env.step(assistant_calls(*env.task.answer))
    results = [text_of(message) for message in observation[-len(env.task.answer) :]]
    for call, result in zip(env.task.answer, results, strict=True):
        if call[0] in CHANGING and not result.startswith("Error"):
            kept.append(call)
    textgym.set_state(env, state)
    return kept


@pytest.mark.parametrize("level", [0, *LEVELS])
@SOME
def test_a_second_reader_solves_every_task(level: int, n: int) -> None:
    env = Contingency(level=level)
    assert [index for index in range(n) if play_contingency(env, index) != 1] == []


def test_level_0_is_one_order_with_few_tools() -> None:
    env = Contingency(level=0)
    for index in range(50):
        _, info = env.reset(options={"index": index})
        assert [schema["function"]["name"] for schema in info["tools"]] == [
            "find_customers", "place_order", "search_items"
        ]  # fmt: skip
        ((name, given),) = env.task.answer
        assert name == "place_order"
        assert [str(value) for value in given.values()] == re.findall(
            r"\d+", text_of(env.task.messages[-1])
        )


def test_every_wording_and_every_condition_is_read() -> None:
    seen: Counter[str] = Counter()
    conditions: Counter[str] = Counter()
    env = Contingency(level=3)
    for index in range(600):
        reader = DeskReader(env, index)
        for place, text in enumerate(reader.parts):
            plain = re.sub(r" \((?:or )?\S+ if [^()]*\)", "", text)
            seen.update(form for forms in READINGS.values() for form in forms
                        if re.fullmatch(form, plain))  # fmt: skip
            if place:
                found = re.findall(r"(if [^()]*)\)", text)
                conditions.update(kind for kind, form in CONDITIONS.items() for said in found
                                  if re.fullmatch(form, said))  # fmt: skip
                assert len(found) == 1, text
    assert seen.keys() == {form for forms in READINGS.values() for form in forms}
    assert conditions.keys() == CONDITIONS.keys()
    assert len(KINDS) == len(READINGS)


@pytest.mark.parametrize("level", [0, *LEVELS])
@FEW
def test_a_call_left_out_or_changed_or_one_more_loses(level: int, n: int) -> None:
    env = Contingency(level=level)
    for index in range(n):
        env.reset(options={"index": index})
        calls = changes_of(env)
        assert reward_of(env, calls) == 1
        for place, (name, given) in enumerate(calls):
            before, after = calls[:place], calls[place + 1 :]
            assert reward_of(env, before + after) == 0
            for key, value in given.items():
                other = value + 1 if isinstance(value, int) else _other(key, value)
                assert reward_of(env, [*before, (name, {**given, key: other}), *after]) == 0, key
        stocked = [row for row in env.desk.rows("items") if int(row["in_stock"] or 0) > 11]
        item = str(stocked[index % len(stocked)]["item_id"])
        customer = str(env.desk.rows("customers")[0]["customer_id"])
        more = ("place_order", {"customer_id": customer, "item_id": item, "quantity": 1})
        assert reward_of(env, [*calls, more]) == 0


def _other(key: str, value: str) -> str:
    """Return another value of an argument: a version that is none, or the id one higher."""
    return OTHER_VALUES.get(key) or str(int(value) + 1)


@pytest.mark.parametrize("n", [30, pytest.param(120, marks=pytest.mark.slow)])
def test_swapped_calls_lose_where_order_matters(n: int) -> None:
    dependent = 0
    for level in LEVELS[1:]:
        env = Contingency(level=level)
        for index in range(n):
            env.reset(options={"index": index})
            calls = changes_of(env)
            for place in range(len(calls) - 1):
                (first, _), (second, given) = calls[place : place + 2]
                swapped = [*calls]
                swapped[place : place + 2] = calls[place + 1], calls[place]
                if first == "book_seats" and second == "place_order" and "booking_id" in given:
                    dependent += 1
                    assert reward_of(env, swapped) == 0
    assert dependent > n / 6


def test_doing_all_twice_or_more_than_three_times_the_calls_loses() -> None:
    env = Contingency(level=2)
    look = ("read_policy", {"topic": "luggage"})
    for index in range(60):
        env.reset(options={"index": index})
        calls = list(env.task.answer)
        spare = 2 * len(calls)
        assert reward_of(env, [*calls, *[look] * spare]) == 1
        assert reward_of(env, [*calls, *[look] * (spare + 1)]) == 0
        changes = changes_of(env)
        state = textgym.get_state(env)
        observation, *_ = env.step(assistant_calls(*changes, *changes))
        repeated = [text_of(message) for message in observation[-len(changes) :]]
        textgym.set_state(env, state)
        again = [said for said in repeated if not said.startswith("Error")]
        assert reward_of(env, [*changes, *changes]) == (not again)


@pytest.mark.parametrize("n", [200, pytest.param(500, marks=pytest.mark.slow)])
@pytest.mark.parametrize("level", LEVELS)
def test_in_half_of_the_tasks_no_surprise_happens(level: int, n: int) -> None:
    drawn = rows(level, n)
    calm = sum(not row["surprises"] for row in drawn)
    assert abs(calm - n / 2) < 4 * math.sqrt(n / 4)
    assert {len(row["kinds"]) for row in drawn} == {level}


def test_the_kind_of_a_step_does_not_tell_whether_a_surprise_happens() -> None:
    found: dict[str, list[bool]] = defaultdict(list)
    for row in rows(1, 3000):
        found[row["kinds"][0]].append(bool(row["surprises"]))
    assert found.keys() == KINDS.keys()
    for kind, surprises in found.items():
        share = sum(surprises) / len(surprises)
        assert abs(share - 0.5) < 4 * math.sqrt(0.25 / len(surprises)), kind


@pytest.mark.parametrize("level", [1, pytest.param(3, marks=pytest.mark.slow)])
def test_the_words_of_a_request_do_not_tell_whether_a_surprise_happens(level: int) -> None:
    counts: dict[bool, Counter[str]] = {True: Counter(), False: Counter()}
    for row in rows(level, 3000):
        counts[bool(row["surprises"])].update(_words(row))
    totals = {key: sum(counts[key].values()) + len(counts[True] | counts[False]) for key in counts}

    def score(row: dict[str, Any]) -> float:
        return sum(
            math.log((counts[True][word] + 1) / totals[True])
            - math.log((counts[False][word] + 1) / totals[False])
            for word in _words(row)
        )

    tested = rows(level, 500, "test")
    right = sum((score(row) > 0) == bool(row["surprises"]) for row in tested)
    assert abs(right / 500 - 0.5) < 4 * math.sqrt(0.25 / 500)


def _words(row: dict[str, Any]) -> set[str]:
    """Return the words of a request, and about how long it is."""
    return {*re.findall(r"[\w:]+", row["query"]), f"length {len(row['query']) // 20}"}


class Straight(DeskReader):
    """Looks up all that it needs, but takes the usual course whatever the tools say."""

    def _book(self, told: dict[str, str]) -> bool:
        return self._book_asked(told)

    def _book_up_to(self, told: dict[str, str]) -> bool:
        return self._book_asked(told)

    def _book_asked(self, told: dict[str, str]) -> bool:
        customer = self._customer(told["who"])["customer_id"]
        rows = self._departures(told["town"], told["day"])
        (row,) = [row for row in rows if row["time"] == told["time"].zfill(5)]
        assert isinstance(self._try(told, row, int(row["listed_price"]), customer), dict)
        return False

    def _book_cheapest(self, told: dict[str, str]) -> bool:
        customer = self._customer(told["who"])["customer_id"]
        rows = self._departures(told["town"], told["day"])[:5]
        row = min(rows, key=lambda row: int(row["listed_price"]))
        self._try(told, row, int(row["listed_price"]), customer)
        return False

    def _move(self, told: dict[str, str]) -> bool:
        booking = self._booking(self._customer(told["who"])["customer_id"], told["town"])
        rows = self._departures(told["town"], booking["date"])
        (new,) = [row for row in rows if row["time"] == told["time"].zfill(5)]
        listed = self._pages("list_bookings", "bookings", customer_id=booking["customer_id"])
        (known,) = [row for row in listed if row["booking_id"] == booking["booking_id"]]
        self.trip = booking["customer_id"], booking["booking_id"]
        self._move_to(known, new)
        return False

    def _cancel(self, told: dict[str, str]) -> bool:
        booking = self.call("get_booking", booking_id=told["id"])
        self._cancel_with(booking, int(booking["paid"]))
        return False

    def _cancel_by_policy(self, told: dict[str, str]) -> bool:
        super()._cancel_by_policy({**told, "percent": "100"})
        return False

    def _order(self, told: dict[str, str], trip: tuple[str, str] | None = None) -> bool:
        super()._order({**told, "other": told["item"]}, trip)
        return False

    def _order_by_policy(self, told: dict[str, str]) -> bool:
        customer, item = self._customer(told["who"]), self._item(told["item"])
        self._place(customer["customer_id"], item["item_id"], _number(told))
        return False

    def _raise(self, told: dict[str, str]) -> bool:
        customer = self._customer(told["who"])["customer_id"]
        orders = self._pages("list_orders", "orders", customer_id=customer)
        (row,) = [row for row in orders if row["item"] == told["item"]]
        id, version = row["order_id"], row["version"]
        said = self.call("change_order", order_id=id, version=version, quantity=_number(told))
        assert said == "The order was changed."
        return False


def _number(told: dict[str, str]) -> int:
    return ["zero", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten",
            "eleven"].index(told["n"])  # fmt: skip


@SOME
@pytest.mark.parametrize("level", LEVELS)
def test_the_usual_course_wins_only_where_no_surprise_happens(level: int, n: int) -> None:
    env = Contingency(level=level)
    for index in range(n):
        reader = Straight(env, index)
        with contextlib.suppress(AssertionError):  # a tool refused what is usual
            for text in reader.parts:
                reader.carry_out(text)
        assert reader.end() == (not env.task.row["surprises"]), index


def test_an_episode_holds_only_its_changes() -> None:
    env = Contingency(level=5)
    for index in range(20):
        env.reset(options={"index": index})
        env.step(assistant_calls(*env.task.answer))
        assert len(json.dumps(env.state)) < 8000
        other = Contingency(level=5)
        other.reset(options={"index": index})
        assert other.desk is env.desk


def test_no_desk_is_in_two_splits() -> None:
    worlds = [
        {row["world"] for row in rows(1, 200, split)} for split in ("train", "validation", "test")
    ]
    assert all(len(found) == 16 for found in worlds)
    assert not (worlds[0] & worlds[1])
    assert not (worlds[0] & worlds[2])
    assert not (worlds[1] & worlds[2])
