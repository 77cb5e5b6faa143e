"""`textgym/SessionState-v0`: the counter, its tools' hostile arguments, rows and levels."""

from __future__ import annotations

import json
import random
import re
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from textgym.envs.session_state import SessionState
from textgym.errors import RowError
from textgym.messages import assistant_calls

ROW = {"request": "Add 4.", "initial_count": 3, "expected_count": 7}


def begun(row: dict[str, Any] | None = None, **kwargs: Any) -> SessionState:
    env = SessionState(**kwargs)
    env.reset(options={"task": {**ROW, **(row or {})}})
    return env


def adding(*counts: Any) -> Any:
    return assistant_calls(*(("increment_counter", {"count": count}) for count in counts))


def raw(arguments: Any, name: str = "increment_counter") -> Any:
    call = {"function": {"name": name, "arguments": arguments}}
    return {"role": "assistant", "tool_calls": [call]}


def told(env: SessionState, message: Any) -> list[str]:
    """Step a message and return what its calls were answered."""
    observation = env.step(message)[0]
    return [item["content"] for item in observation[-len(message["tool_calls"]) :]]


def end(env: SessionState, text: str = "Done.") -> tuple[float, dict[str, Any]]:
    _, reward, terminated, _, info = env.step(text)
    assert terminated
    return reward, info


def test_prompt_states_the_request_but_no_count() -> None:
    env = SessionState()
    observation, info = env.reset(options={"task": {**ROW, "initial_count": 5123}})
    assert [message["role"] for message in observation] == ["user"]
    assert observation[0]["content"].endswith(" Add 4.")
    assert "5123" not in json.dumps([observation, info])
    names = [tool["function"]["name"] for tool in info["tools"]]
    assert names == ["get_counter_value", "increment_counter"]


def test_calls_of_one_message_are_carried_out_in_order() -> None:
    env = begun()
    message = adding(1, 3)
    message["tool_calls"] += raw("{}", "get_counter_value")["tool_calls"]
    assert told(env, message) == ['{"success": true}', '{"success": true}', '{"count": 7}']
    reward, info = end(env, "The counter is at 999.")
    assert reward == 1.0
    assert info["reward_components"] == {"correct": 1.0}
    assert (info["final_count"], info["extracted_answer"]) == (7, "7")
    assert info["answer_sought"] is False


@pytest.mark.parametrize("counts", [[], [3], [8], [4, 4], [-4]], ids=str)
def test_another_count_earns_nothing(counts: list[int]) -> None:
    env = begun()
    if counts:
        env.step(adding(*counts))
    assert end(env, "The counter is at 7.")[0] == 0.0


@pytest.mark.parametrize("count", [4, "4", 4.0, " 4 "], ids=repr)
def test_a_whole_number_may_be_written_in_other_ways(count: Any) -> None:
    env = begun()
    assert told(env, adding(count)) == ['{"success": true}']
    assert end(env)[0] == 1.0


@pytest.mark.parametrize(
    "arguments",
    [
        pytest.param('{"count": 0.5}', id="a fraction"),
        pytest.param('{"count": "four"}', id="a word"),
        pytest.param('{"count": [4]}', id="a list"),
        pytest.param('{"count": null}', id="an explicit null"),
        pytest.param('{"n": 4}', id="another name"),
        pytest.param('{"count": 4, "by": 1}', id="one too many"),
        pytest.param('{"count": 4', id="broken JSON"),
        pytest.param("[4]", id="no object"),
        pytest.param("", id="nothing"),
        pytest.param(None, id="none"),
        pytest.param('{"count": NaN}', id="no number"),
        pytest.param('{"count": 1e999}', id="infinity"),
        pytest.param('{"count": 1' + "0" * 19 + "}", id="more than it holds"),
        pytest.param('{"count": 1' + "0" * 5000 + "}", id="more than Python reads"),
        pytest.param('{"count": "1' + "0" * 4000 + '"}', id="a text of 4,000 digits"),
        pytest.param("[" * 10_000, id="nested deeply"),
        pytest.param('{"count": "' + "4" * 10_000_000 + '"}', id="10 MB"),
    ],
)
def test_argument_that_is_not_an_integer_changes_nothing(arguments: str | None) -> None:
    env = begun()
    assert told(env, raw(arguments))[0].startswith("Error: ")
    env.step(adding(4))
    assert end(env)[0] == 1.0


@pytest.mark.parametrize("name", ["reset", "grade", "finish", "begin", "solve", "__init__", ""])
def test_methods_that_are_not_tools_cannot_be_called(name: str) -> None:
    env = begun()
    assert told(env, raw("{}", name))[0].startswith("Error: there is no tool")
    assert end(env)[1]["final_count"] == 3


def test_counter_cannot_exceed_its_limit() -> None:
    env = begun()
    for _ in range(3):
        env.step(adding(10**18 - 10, "9" * 18, -(10**18)))
    state = env.get_state()
    json.dumps(state)
    assert abs(state["state"]["count"]) <= 10**18


def test_max_turns_grades_the_current_counter() -> None:
    env = begun(max_turns=1)
    _, reward, terminated, truncated, info = env.step(adding(4))
    assert (reward, terminated, truncated, info["stop_reason"]) == (1.0, False, True, "max_turns")


def test_a_row_offers_only_its_tools() -> None:
    tools = [{"type": "function", "name": "get_counter_value", "parameters": {"type": "object"}}]
    row = {"responses_create_params": {"input": "Add 4.", "tools": tools}}
    env = begun(row)
    assert told(env, adding(4)) == [
        "Error: there is no tool 'increment_counter'; the tools are: get_counter_value"
    ]


def test_a_row_may_begin_where_it_must_end() -> None:
    env = begun({"expected_count": 3})
    assert end(env)[0] == 1.0


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"initial_count": None}, "'initial_count' must be an integer"),
        ({"expected_count": "7"}, "'expected_count' must be an integer.*'7'"),
        ({"expected_count": True}, "'expected_count' must be an integer"),
        ({"initial_count": 3.0}, "'initial_count' must be an integer"),
        ({"expected_count": 10**19}, "at most 18 digits"),
        ({"request": ""}, "'request' is missing"),
        ({"request": 5}, "'request' is missing"),
        ({"responses_create_params": {"input": 5}}, "responses_create_params.input"),
    ],
    ids=str,
)
def test_a_wrong_row_is_an_error_that_names_the_field(change: dict[str, Any], message: str) -> None:
    with pytest.raises(RowError, match=message):
        begun(change)


# The generator.


def reckon(request: str, count: int) -> int:
    """Carry out a generated request, read apart from how it was made."""
    text = request.lower().removesuffix(" then tell me what it holds.").removesuffix(".")
    for phrase in text.split("; then "):
        numbers = [int(number) for number in re.findall(r"\d+", phrase)]
        if phrase == "double it":
            count *= 2
        elif phrase.startswith("raise it to"):
            count = next(n for n in range(count + 1, count + 100) if n % numbers[0] == 0)
        elif phrase.startswith("if it is even"):
            count += numbers[0] if count % 2 == 0 else -numbers[1]
        else:
            size = numbers[0]
            if "times" in phrase:
                size *= numbers[1]
            elif "sum" in phrase:
                size += numbers[1]
            elif "half" in phrase:
                size //= 2
            elif "weeks" in phrase:
                size *= 7
            elif "remainder" in phrase:
                size %= numbers[1]
            adds = ("add ", "please add ", "increase it by ", "raise it by ")
            assert phrase.startswith((*adds, "take away "))
            count += size if phrase.startswith(adds) else -size
    return count


@pytest.mark.parametrize("level", [0, *SessionState.card.levels])
def test_generated_rows_are_right_and_change_the_counter(level: int) -> None:
    env = SessionState()
    rng = random.Random(level)
    for _ in range(500):
        row = env.generate(rng, level)
        assert reckon(row["request"], row["initial_count"]) == row["expected_count"], row
        assert row["expected_count"] != row["initial_count"]


@pytest.mark.parametrize("times", [0, 2, -1])
def test_level_0_asks_for_one_addition_of_the_only_number(times: int) -> None:
    env = SessionState(level=0, max_turns=3)
    for index in range(20):
        observation, _ = env.reset(options={"index": index})
        (number,) = map(int, re.findall(r"\d+", str(observation[0]["content"])))
        env.step(adding(times * number))
        assert env.step(adding((1 - times) * number))[1] == 0.0  # not yet
        assert end(env)[0] == 1.0
        env.reset(options={"index": index})
        env.step(adding(times * number))
        assert end(env)[0] == 0.0


@pytest.mark.parametrize("level", [4, 5])
def test_upper_levels_require_reading_the_counter(level: int) -> None:
    """The same request asks for another sum of changes where the counter begins elsewhere."""
    env = SessionState()
    rng = random.Random(level)
    for _ in range(200):
        request = env.generate(rng, level)["request"]
        assert len({reckon(request, start) - start for start in range(1, 60)}) > 1, request


@given(st.lists(st.one_of(st.integers(), st.floats(), st.text(), st.none(), st.booleans())))
def test_any_counts_are_data(counts: list[Any]) -> None:
    env = begun(max_turns=100)
    for count in counts[:20]:
        env.step(adding(count))
    state = json.loads(json.dumps(env.get_state()))
    assert abs(state["state"]["count"]) <= 10**18
    assert end(env)[0] in (0.0, 1.0)
