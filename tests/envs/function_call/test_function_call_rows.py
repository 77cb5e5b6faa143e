"""Rows of BFCL, xLAM and NeMo Gym as tasks."""

from __future__ import annotations

import json
from typing import Any

import pytest

from textgym.envs.function_call import FunctionCall
from textgym.errors import OracleError, RowError
from textgym.messages import assistant_calls

SUM = {
    "name": "math.sum",
    "description": "Add.",
    "parameters": {
        "type": "dict",
        "properties": {"a": {"type": "float"}, "b": {"type": "tuple", "items": {"type": "any"}}},
        "required": ["a"],
    },
}
OTHER = {**SUM, "name": "math.other"}
ROW: dict[str, Any] = {
    "id": "parallel_0",
    "question": "Add.",
    "function": SUM,
    "ground_truth": {"math.sum_1": {"a": [1.5], "b": [""]}, "math.sum_2": {"a": [2], "b": [""]}},
}
CALLS = assistant_calls(("math_sum", {"a": 2}), ("math_sum", {"a": 1.5}))


def reward_of(row: dict[str, Any], answer: Any) -> float:
    env = FunctionCall()
    env.reset(options={"task": row})
    return float(env.step(answer)[1])


def test_names_and_types_are_those_that_models_can_read() -> None:
    env = FunctionCall()
    _, info = env.reset(options={"task": ROW})
    function = info["tools"][0]["function"]
    assert function["name"] == "math_sum"
    assert function["parameters"] == {
        "type": "object",
        "properties": {
            "a": {"type": "number"},
            "b": {"type": "array", "items": {"type": "string"}},
        },
        "required": ["a"],
    }


@pytest.mark.parametrize(
    "question",
    ["Add.", [{"role": "user", "content": "Add."}], [[{"role": "user", "content": "Add."}]]],
)
def test_rows_of_bfcl(question: Any) -> None:
    row = {**ROW, "question": question}
    assert reward_of(row, CALLS) == 1.0
    listed = [{"math.sum": {"a": [1.5]}}, {"math.sum": {"a": [2]}}]
    assert reward_of({**row, "ground_truth": listed}, CALLS) == 1.0


@pytest.mark.parametrize(
    ("id", "call", "text"),
    [
        ("irrelevance_3", 0.0, 1.0),
        ("live_irrelevance_3-0-1", 0.0, 1.0),
        ("relevance_3", 0.0, 1.0),
        ("live_relevance_3-0-1", 1.0, 0.0),
    ],
)
def test_rows_of_bfcl_without_accepted_values(id: str, call: float, text: float) -> None:
    row = {"id": id, "question": "Add.", "function": [SUM]}
    assert reward_of(row, assistant_calls(("math_sum", {"a": 7}))) == call
    assert reward_of(row, assistant_calls(("other", {"a": 7}))) == 0.0
    assert reward_of(row, "No tool fits.") == text


def test_a_row_with_one_tool_may_misspell_its_name() -> None:
    row = {**ROW, "ground_truth": [{"maths.sum": {"a": [1]}}]}
    assert reward_of(row, assistant_calls(("math_sum", {"a": 1}))) == 1.0


def test_a_row_without_tools_wants_a_text() -> None:
    assert reward_of({"id": "irrelevance_0", "question": "?", "function": []}, "No.") == 1.0


def test_any_call_has_no_oracle() -> None:
    env = FunctionCall()
    env.reset(options={"task": {"id": "live_relevance_0", "question": "?", "function": [SUM]}})
    with pytest.raises(OracleError):
        env.solve()


XLAM = {
    "id": 7,
    "query": "Find cups.",
    "tools": json.dumps(
        [
            {
                "name": "find",
                "description": "Find.",
                "parameters": {
                    "text": {"type": "str", "description": "What."},
                    "tags": {"type": "List[str], optional", "description": "Tags."},
                    "page": {"type": "int", "description": "Page.", "default": 1},
                },
            }
        ]
    ),
    "answers": json.dumps([{"name": "find", "arguments": {"text": "cups", "tags": ["new"]}}]),
}


def test_rows_of_xlam() -> None:
    env = FunctionCall()
    _, info = env.reset(options={"task": XLAM})
    parameters = info["tools"][0]["function"]["parameters"]
    assert parameters["required"] == ["text"]
    assert parameters["properties"]["tags"]["items"] == {"type": "string"}
    assert env.step(env.solve())[1] == 1.0
    assert reward_of(XLAM, assistant_calls(("find", {"text": "cups"}))) == 0.0
    assert reward_of({**XLAM, "answers": "[]"}, "No tool fits.") == 1.0


def test_rows_with_a_prompt_of_nemo_gym() -> None:
    tool = {"type": "function", "name": "add", "parameters": {"properties": {"a": {}}}}
    row = {
        "responses_create_params": {"input": "Add 1.", "tools": [tool]},
        "ground_truth": [{"add": {"a": [1]}}],
    }
    assert reward_of(row, assistant_calls(("add", {"a": 1}))) == 1.0


@pytest.mark.parametrize(
    ("changes", "field"),
    [
        ({"function": []}, "ground_truth.0"),
        ({"function": "x"}, "function"),
        ({"function": [SUM, SUM]}, "function"),
        ({"function": [{"description": "x"}]}, "function.0.name"),
        ({"question": " "}, "question"),
        ({"question": 3}, "question"),
        ({"ground_truth": None}, "ground_truth"),
        ({"ground_truth": [3]}, "ground_truth.0"),
        ({"function": [SUM, OTHER], "ground_truth": [{"math.product": {}}]}, "ground_truth.0"),
        ({"ground_truth": [{"math.sum": []}]}, "ground_truth.0.math.sum"),
        ({"ground_truth": [{"math.sum": {"a": 1}}]}, "ground_truth.0.math.sum.a"),
        ({"ground_truth": [{"math.sum": {"c": [1]}}]}, "ground_truth.0.math.sum.c"),
    ],
)
def test_rows_that_cannot_be_read(changes: Any, field: str) -> None:
    with pytest.raises(RowError) as error:
        FunctionCall().reset(options={"task": {**ROW, **changes}})
    assert f"'{field}'" in str(error.value)


@pytest.mark.parametrize(
    ("changes", "field"), [({"tools": "{"}, "tools"), ({"answers": "3"}, "answers")]
)
def test_rows_of_xlam_that_cannot_be_read(changes: Any, field: str) -> None:
    with pytest.raises(RowError) as error:
        FunctionCall().reset(options={"task": {**XLAM, **changes}})
    assert f"'{field}'" in str(error.value)
