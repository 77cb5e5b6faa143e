"""Which messages are the right calls, and what their look-alikes earn."""

from __future__ import annotations

import json
import random
from typing import Any

import pytest
from call_reader import read_calls

from textgym.envs.function_call import FunctionCall
from textgym.messages import assistant_calls

PLACE = {
    "type": "dict",
    "properties": {
        "city": {"type": "string"},
        "at": {"type": "array", "items": {"type": "float"}},
        "floor": {"type": "integer"},
    },
    "required": ["city"],
}
TOOLS = [
    {
        "name": "shop.order",
        "description": "Order things.",
        "parameters": {
            "type": "dict",
            "properties": {
                "item": {"type": "string"},
                "count": {"type": "integer"},
                "price": {"type": "float"},
                "gift": {"type": "boolean", "default": False},
                "sizes": {"type": "array", "items": {"type": "float"}},
                "place": PLACE,
            },
            "required": ["item", "count"],
        },
    },
    {"name": "shop.cancel", "description": "Cancel.", "parameters": {}},
]
ORDER = {
    "item": ["red cup", "cup"],
    "count": [2],
    "price": [3.0],
    "gift": ["", False],
    "sizes": [[1.0, 2.5]],
    "place": [{"city": ["St. Gallen"], "at": [[7.0, 8.5]], "floor": ["", 1]}],
}
RIGHT: dict[str, Any] = {
    "item": "red cup",
    "count": 2,
    "price": 3.0,
    "sizes": [1.0, 2.5],
    "place": {"city": "St. Gallen", "at": [7.0, 8.5]},
}
NAME = "shop_order"


def play(answer: Any, truth: Any = ({"shop.order": ORDER},), **kwargs: Any) -> tuple[float, Any]:
    env = FunctionCall(**kwargs)
    row = {"question": "Two red cups.", "function": TOOLS, "ground_truth": list(truth)}
    env.reset(options={"task": row})
    _, reward, terminated, truncated, info = env.step(answer)
    assert (terminated, truncated, info["stop_reason"]) == (True, False, "answer")
    return float(reward), info


def order(**changes: Any) -> Any:
    return assistant_calls((NAME, {**RIGHT, **changes}))


@pytest.mark.parametrize(
    "changes",
    [
        pytest.param({}, id="as expected"),
        pytest.param({"item": "Red-Cup"}, id="case and marks"),
        pytest.param({"item": "cup"}, id="another accepted value"),
        pytest.param({"price": 3}, id="an int for a float"),
        pytest.param({"sizes": [1, 2.5]}, id="an int in a list of floats"),
        pytest.param({"place": {"city": "st gallen", "at": [7, 8.5]}}, id="an int in an object"),
        pytest.param({"gift": False}, id="the default"),
        pytest.param({"gift": None}, id="a null for an optional argument"),
        pytest.param({"place": {**RIGHT["place"], "floor": 1}}, id="an optional key"),
    ],
)
def test_right_calls(changes: Any) -> None:
    reward, info = play(order(**changes))
    assert (reward, info["is_success"], info["verdict_reason"]) == (1.0, True, "")
    assert info["reward_components"] == {"names": 1.0, "matched": 1.0}


@pytest.mark.parametrize(
    "changes",
    [
        pytest.param({"item": "red cups"}, id="another text"),
        pytest.param({"item": "red сup"}, id="a look-alike letter"),
        pytest.param({"item": ["red cup", "cup"]}, id="all accepted values"),
        pytest.param({"item": ""}, id="an empty text"),
        pytest.param({"item": None}, id="a null for a required argument"),
        pytest.param({"count": "2"}, id="a text for an integer"),
        pytest.param({"count": 2.0}, id="a float for an integer"),
        pytest.param({"count": 3}, id="another number"),
        pytest.param({"price": "3.0"}, id="a text for a float"),
        pytest.param({"price": float("nan")}, id="not a number"),
        pytest.param({"price": True}, id="true for a number"),
        pytest.param({"gift": True}, id="not the default"),
        pytest.param({"gift": 0}, id="0 for false"),
        pytest.param({"gift": "false"}, id="a text for a boolean"),
        pytest.param({"gift": ""}, id="an empty text for a boolean"),
        pytest.param({"sizes": [2.5, 1.0]}, id="another order"),
        pytest.param({"sizes": [1.0, 2.5, 2.5]}, id="a longer list"),
        pytest.param({"sizes": [True, 2.5]}, id="true in a list"),
        pytest.param({"sizes": [1.0, 2.5] * 30_000}, id="an enormous list"),
        pytest.param({"sizes": "[1.0, 2.5]"}, id="a list as a text"),
        pytest.param({"place": {"city": "St. Gallen"}}, id="a key is missing"),
        pytest.param({"place": {**RIGHT["place"], "zip": 9000}}, id="another key"),
        pytest.param({"place": [RIGHT["place"]]}, id="an object in a list"),
        pytest.param({"place": json.dumps(RIGHT["place"])}, id="an object as a text"),
        pytest.param({"note": "x"}, id="an unknown argument"),
        pytest.param({"note": None}, id="an unknown argument that is null"),
    ],
)
def test_look_alikes_of_right_calls(changes: Any) -> None:
    reward, info = play(order(**changes))
    assert (reward, info["is_success"], info["verdict_reason"]) == (0.0, False, "wrong")


def raw_call(name: str, arguments: Any) -> Any:
    call = {"id": "a", "type": "function", "function": {"name": name, "arguments": arguments}}
    return {"role": "assistant", "content": None, "tool_calls": [call]}


@pytest.mark.parametrize(
    ("answer", "text"),
    [
        pytest.param(raw_call(NAME, "{broken"), "not valid JSON", id="broken JSON"),
        pytest.param(raw_call(NAME, "[1]"), "must be a JSON object", id="a list"),
        pytest.param(raw_call(NAME, "[" * 500 + "]" * 500), "levels deep", id="deep"),
        pytest.param(raw_call(NAME, '{"count": ' + "9" * 5000 + "}"), "JSON", id="long number"),
        pytest.param(raw_call(NAME, " " * 200_000), "more than", id="long text"),
        pytest.param(raw_call("shop.order", json.dumps(RIGHT)), "no tool", id="the row's name"),
        pytest.param(raw_call("other", "{}"), "no tool", id="another tool"),
    ],
)
def test_calls_that_cannot_be_read_end_the_episode(answer: Any, text: str) -> None:
    env = FunctionCall()
    row = {"question": "Cups.", "function": TOOLS, "ground_truth": [{"shop.order": ORDER}]}
    env.reset(options={"task": row})
    observation, reward, terminated, *_ = env.step(answer)
    assert (reward, terminated) == (0.0, True)
    assert text in str(observation[-1]["content"])


TWO = ({"shop.order": ORDER}, {"shop.order": {**ORDER, "count": [5]}}, {"shop.cancel": {}})
FIRST, SECOND, THIRD = (NAME, RIGHT), (NAME, {**RIGHT, "count": 5}), ("shop_cancel", {})


@pytest.mark.parametrize(
    ("calls", "reward", "matched"),
    [
        pytest.param([FIRST, SECOND, THIRD], 1.0, 1.0, id="all"),
        pytest.param([THIRD, SECOND, FIRST], 1.0, 1.0, id="another order"),
        pytest.param([FIRST, SECOND], 0.0, 2 / 3, id="one is missing"),
        pytest.param([FIRST, FIRST, THIRD], 0.0, 2 / 3, id="one twice in place of another"),
        pytest.param([FIRST, SECOND, THIRD, THIRD], 0.0, 3 / 4, id="one twice"),
        pytest.param([FIRST, SECOND, THIRD, ("other", {})], 0.0, 3 / 4, id="another tool, too"),
        pytest.param([FIRST, SECOND, THIRD] * 25, 0.0, 3 / 65, id="more calls than are allowed"),
    ],
)
def test_parallel_calls(calls: Any, reward: float, matched: float) -> None:
    got, info = play(assistant_calls(*calls), TWO)
    assert got == reward
    assert info["reward_components"]["matched"] == pytest.approx(matched)


@pytest.mark.parametrize(
    ("answer", "reward", "why"),
    [
        pytest.param("No tool can do that.", 1.0, "", id="a text"),
        pytest.param("", 0.0, "empty", id="silence"),
        pytest.param("<think>No tool fits.", 0.0, "empty", id="only reasoning"),
        pytest.param(order(), 0.0, "wrong", id="a call"),
        pytest.param(raw_call("other", "{}"), 0.0, "wrong", id="a call of another tool"),
        pytest.param({**order(), "content": "No tool fits."}, 0.0, "wrong", id="both"),
    ],
)
def test_no_tool_fits(answer: Any, reward: float, why: str) -> None:
    got, info = play(answer, ())
    assert (got, info["verdict_reason"]) == (reward, why)


@pytest.mark.parametrize(
    ("answer", "reward"),
    [
        ("no tool fits", 1.0),
        ("No tool fits.", 1.0),
        ("`no tool fits`", 1.0),
        ("It is done.", 0.0),
        ("no tool fits, or one does", 0.0),
        ("one tool fits", 0.0),
    ],
)
def test_the_text_that_a_row_names(answer: str, reward: float) -> None:
    env = FunctionCall()
    row = {"question": "Hm.", "function": TOOLS, "ground_truth": [], "refusal": "no tool fits"}
    env.reset(options={"task": row})
    assert env.step(answer)[1] == reward


@pytest.mark.parametrize("answer", ["", "It is done.", json.dumps([FIRST])])
def test_a_text_in_place_of_a_call_earns_nothing(answer: str) -> None:
    assert play(answer)[0] == 0.0


@pytest.mark.parametrize(
    ("calls", "reward"),
    [
        ([FIRST, SECOND, THIRD], 1.0),
        ([FIRST, SECOND], 0.333),
        ([FIRST], 0.167),
        ([FIRST] * 3, 0.0),
        ([FIRST, ("other", {}), ("other", {})], 0.0),
        ([(NAME, {**RIGHT, "count": n}) for n in range(60)], 0.0),
    ],
)
def test_partial_credit(calls: Any, reward: float) -> None:
    got, info = play(assistant_calls(*calls), TWO, partial_credit=True)
    assert got == pytest.approx(reward, abs=0.001)
    assert info["is_success"] == (reward == 1.0)


@pytest.mark.parametrize("level", [0, *FunctionCall.card.levels])
@pytest.mark.parametrize("count", [25, pytest.param(1000, marks=pytest.mark.slow)])
def test_a_second_solver_reads_every_task(level: int, count: int) -> None:
    env = FunctionCall(level=level)
    for index in range(count):
        env.reset(options={"index": index})
        calls = read_calls(dict(env.task.row))
        message = assistant_calls(*calls) if calls else "No tool fits."
        assert env.step(message)[1] == 1.0, env.task.row


@pytest.mark.parametrize("level", [0, *FunctionCall.card.levels])
def test_any_wrong_value_of_the_oracle_loses(level: int) -> None:
    env, rng = FunctionCall(level=level), random.Random(level)
    for index in range(15):
        env.reset(options={"index": index})
        calls = read_calls(dict(env.task.row))
        if not calls:
            continue
        name, arguments = rng.choice(calls)
        key = rng.choice(list(arguments))
        arguments[key] = "x" if arguments[key] is not True else False
        assert env.step(assistant_calls(*calls))[1] == 0.0, (name, key)


def test_level_0_has_four_tools_with_one_argument() -> None:
    env, things = FunctionCall(level=0), set()
    for index in range(50):
        env.reset(options={"index": index})
        ((name, arguments),) = read_calls(dict(env.task.row))
        things.add(name)
        tools = {tool["name"]: tool["parameters"] for tool in env.task.row["function"]}
        assert [*map(len, (tools, *(tool["properties"] for tool in tools.values())))] == [
            4, 1, 1, 1, 1,
        ]  # fmt: skip
        assert arguments["recipient"] in str(env.task.messages[0]["content"])
        for tool in tools:
            env.reset(options={"index": index})
            assert env.step(assistant_calls((tool, arguments)))[1] == float(tool == name)
    assert things == {"send_email", "send_fax", "send_letter", "send_postcard"}
