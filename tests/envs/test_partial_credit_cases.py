"""Single cases of `partial_credit=True`: what each call and each undoing pays."""

from __future__ import annotations

from typing import Any

import gymnasium
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import textgym  # noqa: F401  registers the environments
from textgym.errors import EnvironmentFailure, RowError, UsageError
from textgym.messages import assistant_calls
from textgym.registry import environment_class

MULTI_STEP = {
    "query": "Who likes hot days?",
    "synonyms": [["Hot", "Blazing"], ["Wet", "Damp"], ["Hot", "Warm"]],
    "expected_synonyms": ["Blazing", "Warm"],
    "minefield_label": "Hot",
}
SESSION = {"request": "x", "initial_count": 3, "expected_count": 12, "values": [7, 3, 12]}
WEATHER = {"city": "Oslo", "expected_answer": "snowy"}


def rewards(id: str, row: dict[str, Any], *steps: Any) -> list[float]:
    env = gymnasium.make(id, partial_credit=True)
    env.reset(options={"task": row})
    made_of = [step if isinstance(step, str) else assistant_calls(*step) for step in steps]
    return [float(env.step(message)[1]) for message in made_of]


def look(word: str) -> tuple[str, dict[str, Any]]:
    return "get_synonym_value", {"synonym": word}


def hand_in(values: Any) -> tuple[str, dict[str, Any]]:
    return "extract_synonym_values", {"synonym_values": values}


def add(count: int) -> tuple[str, dict[str, Any]]:
    return "increment_counter", {"count": count}


def ask(city: str) -> tuple[str, dict[str, Any]]:
    return "get_weather", {"city": city}


BLAZING, WARM = sum(map(ord, "Blazing")), sum(map(ord, "Warm"))


@pytest.mark.parametrize(
    ("steps", "paid"),
    [
        ([[look("Warm")], [look("Warm")], "Done."], [0.125, 0, 0]),
        ([[look("Warm")], [look("Damp")], [look("Blazing")], "Done."], [0.125, -0.125, 0.125, 0]),
        ([[look("Hot")], "Done."], [0, 0]),
        ([[hand_in([WARM])], [hand_in([])], [hand_in([WARM])], "Done."], [0.125, -0.125, 0.125, 0]),
        ([[hand_in([WARM])], [hand_in("no")], "Done."], [0.125, -0.125, 0]),
        ([[hand_in([WARM, BLAZING])], "Done."], [0.25, 0]),
        ([[hand_in([WARM, WARM])], "Done."], [0, 0]),
        ([[hand_in([BLAZING, WARM])], "Done."], [0.25, 0.75]),
        ([[look("Blazing"), look("Warm"), hand_in([BLAZING, WARM])], "Done."], [0.5, 0.5]),
    ],
)  # fmt: skip
def test_look_ups_and_submissions(steps: list[Any], paid: list[float]) -> None:
    assert rewards("textgym/MultiStep-v0", MULTI_STEP, *steps) == paid


@pytest.mark.parametrize(
    ("row", "steps", "paid"),
    [
        (SESSION, [[add(4)], [add(-4)], "Done."], [85 / 1024, -85 / 1024, 0]),
        (SESSION, [[add(9)], "Done."], [0.25, 0.75]),
        (SESSION, [[add(9)], [add(1)], "Done."], [0.25, -0.25, 0]),
        (SESSION, [[add(1)], "Done."], [0, 0]),
        ({**SESSION, "expected_count": 3, "values": [7, 3]}, ["Done."], [1]),
        ({"request": "x", "initial_count": 3, "expected_count": 7}, [[add(4)], "Ok"], [0.25, 0.75]),
    ],
)
def test_values_of_the_counter(row: Any, steps: list[Any], paid: list[float]) -> None:
    assert rewards("textgym/SessionState-v0", row, *steps) == paid


@pytest.mark.parametrize(
    ("steps", "paid"),
    [
        ([[ask("Oslo")], "Answer: snowy"], [0.125, 0.875]),
        ([[ask("Oslo")], "Answer: sunny"], [0.125, 0]),
        ([[ask("Oslo")], [ask("Rome")], [ask("Oslo")], "Hm"], [0.125, -0.125, 0, 0]),
        ([[ask("Rome"), ask("Oslo")], "Answer: snowy"], [0, 1]),
        (["Answer: snowy"], [0]),
    ],
)
def test_cities(steps: list[Any], paid: list[float]) -> None:
    assert rewards("textgym/SingleToolCall-v0", WEATHER, *steps) == paid


def mail(subject: str) -> tuple[str, dict[str, Any]]:
    return "email_send_email", {"recipient": "kim@home.org", "subject": subject, "body": "Hello"}


@pytest.mark.parametrize(
    ("steps", "paid"),
    [
        ([[mail("A")], [mail("B")], "Done."], [0.25, 0.25, 0.5]),
        ([[mail("A")], [mail("A")], "Done."], [0.25, -0.25, 0]),
        ([[mail("C")], [mail("A"), mail("B")], "Done."], [0, 0.25, 0]),
        (["Done."], [0]),
    ],
)
def test_changes_of_databases(steps: list[Any], paid: list[float]) -> None:
    reference = [{"name": name, "arguments": sent} for name, sent in (mail("A"), mail("B"))]
    row = {"query": "x", "now": "2023-11-30 09:30:00", "world": 7, "ground_truth": reference}
    assert rewards("textgym/WorkplaceAssistant-v0", row, *steps) == paid


def test_a_reference_that_changes_nothing_is_paid_at_the_end() -> None:
    row = {"query": "x", "now": "2023-11-30 09:30:00", "world": 7, "ground_truth": []}
    assert rewards("textgym/WorkplaceAssistant-v0", row, "Done.") == [1]
    assert rewards("textgym/WorkplaceAssistant-v0", row, [mail("A")], "Done.") == [0, 0]


@pytest.mark.parametrize(
    ("values", "problem"),
    [
        ([7], "must end with expected_count, 12"),
        ([], "must end with expected_count, 12"),
        ("7, 12", "must be a list of integers"),
        ([True, 12], "must be a list of integers"),
        (None, "must be a list of integers"),
    ],
)
def test_values_that_do_not_fit_are_refused(values: Any, problem: str) -> None:
    with pytest.raises(RowError, match=f"'values' {problem}"):
        rewards("textgym/SessionState-v0", {**SESSION, "values": values})


def test_the_argument_must_be_a_bool() -> None:
    with pytest.raises(UsageError, match="partial_credit must be True or False, not 'yes'"):
        gymnasium.make("textgym/MultiStep-v0", partial_credit="yes")


def test_a_step_that_raises_is_paid_when_it_is_taken_again() -> None:
    env: Any = environment_class("textgym/SessionState-v0")(partial_credit=True)
    env.reset(options={"task": SESSION})
    progress = env.progress

    def fail() -> float:
        raise EnvironmentFailure("down")

    env.progress = fail
    with pytest.raises(EnvironmentFailure):
        env.step(assistant_calls(add(9)))
    env.progress = progress
    assert env.get_state()["paid"] == 0.0
    assert env.step(assistant_calls(add(9)))[1] == 0.25


@settings(deadline=None, derandomize=True, database=None)
@given(st.lists(st.sampled_from([4, -4, 9, 1]), max_size=4), st.integers(-12, 12))
def test_doing_and_undoing_pays_nothing_in_the_end(before: list[int], count: int) -> None:
    steps = [[add(number)] for number in before]
    cycle = [[add(count)], [add(-count)]]
    paid = rewards("textgym/SessionState-v0", SESSION, *steps, *cycle, *cycle, *cycle)
    assert sum(paid) == sum(paid[: len(steps)])
    assert sum(paid[len(steps) :: 2]) <= 3 * 0.25


def test_undoing_a_wrong_change_of_a_database_pays_its_cost_back() -> None:
    def put(where: str) -> list[tuple[str, dict[str, Any]]]:
        change = {"task_id": id, "field": "list_name", "new_value": where}
        return [("project_management_update_task", change)]

    env: Any = environment_class("textgym/WorkplaceAssistant-v0")()
    sent = {"name": mail("A")[0], "arguments": mail("A")[1]}
    row = {"query": "x", "now": "2023-11-30 09:30:00", "world": 7, "ground_truth": [sent]}
    env.reset(options={"task": row})
    task = next(iter(env.table("project_tasks")))
    id, now = task["task_id"], task["list_name"]
    other = "Backlog" if now == "Completed" else "Completed"
    steps = [[mail("A")], put(other), put(now), put(other), put(now), "Done."]
    paid = rewards("textgym/WorkplaceAssistant-v0", row, *steps)
    assert paid == [0.5, -0.5, 0.5, -0.5, 0.5, 0.5]
