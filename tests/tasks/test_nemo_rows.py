"""NeMo Gym's rows: every form of input as messages, tools nested, errors that name the field."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from textgym.errors import RowError
from textgym.messages import ROLES, message_problem, system, tool_result, user
from textgym.tasks.nemo_rows import (
    field_of,
    has_prompt,
    messages_of,
    patterns_of,
    prompt_of,
    tools_of,
)

PLACE = "responses_create_params"
FLAT = {
    "type": "function",
    "name": "get_weather",
    "description": "Tell the weather.",
    "parameters": {"type": "object", "properties": {"city": {"type": "string"}}},
    "strict": True,
}
CALL = {"type": "function_call", "call_id": "c1", "name": "f", "arguments": '{"a": 1}'}
OUTPUT = {"type": "function_call_output", "call_id": "c1", "output": "5"}
ASKED = {"role": "user", "content": "Hi"}


def row(given: Any, **params: Any) -> dict[str, Any]:
    """Make a row with this input."""
    return {PLACE: {"input": given, **params}}


def thought(*texts: str) -> dict[str, Any]:
    """Make a reasoning item."""
    return {"type": "reasoning", "summary": [{"type": "summary_text", "text": t} for t in texts]}


def called(*calls: tuple[str, str, Any], **more: Any) -> dict[str, Any]:
    """Make the assistant message for these calls: id, name, arguments."""
    return {
        "role": "assistant",
        "content": None,
        **more,
        "tool_calls": [
            {"id": i, "type": "function", "function": {"name": name, "arguments": arguments}}
            for i, name, arguments in calls
        ],
    }


@pytest.mark.parametrize(
    ("given", "messages"),
    [
        pytest.param("Hi", [user("Hi")], id="text"),
        pytest.param([ASKED], [user("Hi")], id="message"),
        pytest.param([{"type": "message", **ASKED}], [user("Hi")], id="message item"),
        pytest.param(
            [{"role": "developer", "content": "Be brief."}, ASKED],
            [{"role": "developer", "content": "Be brief."}, user("Hi")],
            id="developer",
        ),
        pytest.param(
            [{"role": "system", "content": "S"}, ASKED], [system("S"), user("Hi")], id="system"
        ),
        pytest.param(
            [{"role": "user", "content": [{"type": "input_text", "text": "H"},
                                          {"type": "input_text", "text": "i"}]}],
            [user("Hi")],
            id="text parts are joined",
        ),
        pytest.param(
            [{"role": "assistant", "content": [{"type": "output_text", "text": "Hi",
                                                "annotations": []}]}],
            [{"role": "assistant", "content": "Hi"}],
            id="output_text",
        ),
        pytest.param(
            [{"role": "user", "content": [{"type": "input_text", "text": "See"},
                                          {"type": "input_image", "image_url": "data:x"}]}],
            [{"role": "user", "content": [{"type": "text", "text": "See"},
                                          {"type": "image_url", "image_url": {"url": "data:x"}}]}],
            id="input_image",
        ),
        pytest.param(
            [{"role": "user", "content": [{"type": "image_url", "image_url": {"url": "data:x"}}]}],
            [{"role": "user", "content": [{"type": "image_url", "image_url": {"url": "data:x"}}]}],
            id="image in chat form",
        ),
        pytest.param([CALL], [called(("c1", "f", '{"a": 1}'))], id="function_call"),
        pytest.param([{**CALL, "arguments": ""}], [called(("c1", "f", "{}"))], id="no arguments"),
        pytest.param(
            [CALL, {**CALL, "call_id": "c2", "name": "g"}],
            [called(("c1", "f", '{"a": 1}'), ("c2", "g", '{"a": 1}'))],
            id="parallel calls are one message",
        ),
        pytest.param([CALL, OUTPUT], [called(("c1", "f", '{"a": 1}')), tool_result("5", "c1")],
                     id="function_call_output"),
        pytest.param(
            [CALL, OUTPUT, {**CALL, "call_id": "c2"}],
            [called(("c1", "f", '{"a": 1}')), tool_result("5", "c1"),
             called(("c2", "f", '{"a": 1}'))],
            id="a call after an output is another message",
        ),
        pytest.param(
            [{**OUTPUT, "output": [{"type": "input_text", "text": "4"},
                                   {"type": "input_text", "text": "2"}]}],
            [tool_result("42", "c1")],
            id="output in parts",
        ),
        pytest.param(
            [{"role": "assistant", "content": "Wait."}, CALL],
            [called(("c1", "f", '{"a": 1}'), content="Wait.")],
            id="text beside a call",
        ),
        pytest.param(
            [thought("hm"), {"role": "assistant", "content": "Hi"}],
            [{"role": "assistant", "content": "Hi", "reasoning_content": "hm"}],
            id="reasoning before a message",
        ),
        pytest.param(
            [thought("hm"), CALL],
            [called(("c1", "f", '{"a": 1}'), reasoning_content="hm")],
            id="reasoning before a call",
        ),
        pytest.param(
            [thought("a", "b"), thought("c"), {"role": "assistant", "content": "Hi"}],
            [{"role": "assistant", "content": "Hi", "reasoning_content": "abc"}],
            id="reasoning in pieces",
        ),
        pytest.param(
            [{"type": "reasoning", "summary": [],
              "content": [{"type": "reasoning_text", "text": "hm"}]},
             {"role": "assistant", "content": "Hi"}],
            [{"role": "assistant", "content": "Hi", "reasoning_content": "hm"}],
            id="reasoning content",
        ),
        pytest.param(
            [thought("one"), CALL, thought("two"), {**CALL, "call_id": "c2"}],
            [called(("c1", "f", '{"a": 1}'), reasoning_content="one"),
             called(("c2", "f", '{"a": 1}'), reasoning_content="two")],
            id="reasoning between calls parts them",
        ),
        pytest.param(
            [called(("c1", "f", "{}")), {"role": "tool", "content": "5", "tool_call_id": "c1"}],
            [called(("c1", "f", "{}")), tool_result("5", "c1")],
            id="calls in chat form",
        ),
    ],
)  # fmt: skip
def test_input_as_messages(given: Any, messages: list[Any]) -> None:
    assert prompt_of(row(given)) == messages
    assert not any(message_problem(item, ROLES) for item in messages)


def test_instructions_are_a_system_message() -> None:
    assert prompt_of(row("Hi", instructions="S")) == [system("S"), user("Hi")]


def test_sampling_parameters_are_ignored() -> None:
    given = row("Hi", temperature=0.5, max_output_tokens=5, model="m", parallel_tool_calls=False)
    assert prompt_of(given) == [user("Hi")]
    assert tools_of(given) is None


def test_prompt_shares_no_list_with_the_row() -> None:
    given = row([called(("c1", "f", "{}"))])
    prompt: Any = prompt_of(given)
    prompt[0]["tool_calls"].clear()
    assert len(given[PLACE]["input"][0]["tool_calls"]) == 1


@pytest.mark.parametrize(
    ("params", "field"),
    [
        pytest.param("Hi", "input", id="params are a text"),
        pytest.param({}, "input", id="no input"),
        pytest.param({"input": ""}, "input", id="empty text"),
        pytest.param({"input": []}, "input", id="empty list"),
        pytest.param({"input": {"role": "user"}}, "input", id="dict"),
        pytest.param({"input": 5}, "input", id="number"),
        pytest.param({"input": [ASKED, "Hi"]}, "input.1", id="item is a text"),
        pytest.param({"input": [ASKED, {"role": "narrator", "content": ""}]}, "input.1", id="role"),
        pytest.param({"input": [{"content": "Hi"}]}, "input.0", id="no role"),
        pytest.param({"input": [{"role": "user", "content": 5}]}, "input.0", id="content"),
        pytest.param({"input": [{"type": "web_search_call"}]}, "input.0.type", id="item type"),
        pytest.param({"input": [{"type": "function_call"}]}, "input.0.name", id="call's name"),
        pytest.param({"input": [{**CALL, "arguments": [1]}]}, "input.0",
                     id="call's arguments"),
        pytest.param(
            {"input": [{"role": "user", "content": [{"type": "input_text", "text": "a"},
                                                    {"type": "input_audio"}]}]},
            "input.0.content.1",
            id="unknown part",
        ),
        pytest.param({"input": [{"role": "user", "content": ["a"]}]}, "input.0.content.0",
                     id="part is a text"),
        pytest.param({"input": [{"role": "user", "content": [{"type": "input_text"}]}]},
                     "input.0.content.0", id="text part without text"),
        pytest.param({"input": [{"role": "user", "content": [{"type": "input_image"}]}]},
                     "input.0.content.0", id="image without address"),
        pytest.param({"input": [thought("hm")]}, "input", id="only reasoning"),
    ],
)  # fmt: skip
def test_bad_input_names_its_field(params: Any, field: str) -> None:
    with pytest.raises(RowError) as caught:
        prompt_of({PLACE: params})
    assert caught.value.field.startswith(f"{PLACE}.{field}")


@pytest.mark.parametrize(
    ("given", "bears"),
    [
        pytest.param(row("Hi"), True, id="input"),
        pytest.param({PLACE: {}}, True, id="empty"),
        pytest.param({PLACE: None}, False, id="null"),
        pytest.param({"question": "?"}, False, id="flat row"),
    ],
)
def test_has_prompt(given: dict[str, Any], bears: bool) -> None:
    assert has_prompt(given) is bears


def test_flat_tools_become_nested() -> None:
    function = {key: value for key, value in FLAT.items() if key != "type"}
    assert tools_of(row("Hi", tools=[FLAT])) == ({"type": "function", "function": function},)


def test_nested_tools_stay() -> None:
    (flat,) = tools_of(row("Hi", tools=[FLAT])) or ()
    assert tools_of(row("Hi", tools=[flat])) == (flat,)


def test_tools_keep_their_order() -> None:
    given = row("Hi", tools=[{**FLAT, "name": name} for name in "cab"])
    assert [item["function"]["name"] for item in tools_of(given) or ()] == ["c", "a", "b"]


def test_tools_share_nothing_with_the_row() -> None:
    given = row("Hi", tools=[{**FLAT, "parameters": {"type": "object", "properties": {}}}])
    (nested,) = tools_of(given) or ()
    nested["function"]["parameters"]["properties"]["x"] = {}
    assert given[PLACE]["tools"][0]["parameters"]["properties"] == {}


@pytest.mark.parametrize("content", [None, "", []], ids=["null", "empty", "no parts"])
def test_a_prompt_without_text_is_refused(content: Any) -> None:
    with pytest.raises(RowError, match=r"field 'responses_create_params.input' contains no text"):
        prompt_of(row([{"role": "user", "content": content}]))


def test_a_reply_may_be_empty() -> None:
    reply = {"role": "assistant", "content": ""}
    assert messages_of([reply], "response.output") == [reply]


def test_nulls_that_a_table_adds_to_the_schemas_of_tools_are_left_out() -> None:
    arrow = pytest.importorskip("pyarrow")
    tools = [
        {**FLAT, "parameters": {"type": "object", "properties": {name: {"type": kind}}}}
        for name, kind in (("city", "string"), ("day", "integer"))
    ]
    given = row("Hi", tools=tools)
    (stored,) = arrow.Table.from_pylist([given]).to_pylist()
    assert stored[PLACE]["tools"][0]["parameters"]["properties"]["day"] is None
    assert tools_of(stored) == tools_of(given)


def test_a_null_that_a_schema_may_have_stays() -> None:
    schema = {"type": "object", "properties": {"city": {"default": None}}}
    (tool,) = tools_of(row("Hi", tools=[{**FLAT, "parameters": schema}])) or ()
    assert tool["function"]["parameters"] == schema


@pytest.mark.parametrize("parameters", [None, {}, ...], ids=["null", "empty", "none"])
def test_tool_without_parameters(parameters: Any) -> None:
    flat = {"type": "function", "name": "f"}
    if parameters is not ...:
        flat["parameters"] = parameters
    assert (tools_of(row("Hi", tools=[flat])) or ())[0]["function"]["name"] == "f"


@pytest.mark.parametrize("tools", [None, [], ...], ids=["null", "empty", "absent"])
def test_no_tools(tools: Any) -> None:
    assert tools_of(row("Hi") if tools is ... else row("Hi", tools=tools)) is None


def test_flat_row_has_no_tools() -> None:
    assert tools_of({"question": "?"}) is None


@pytest.mark.parametrize(
    ("tools", "field"),
    [
        pytest.param([FLAT, {"type": "function"}], "tools.1.name", id="no name"),
        pytest.param([{**FLAT, "name": 5}], "tools.0.name", id="name a number"),
        pytest.param(["get_weather"], "tools.0.name", id="a text"),
        pytest.param([FLAT, {**FLAT, "parameters": {"type": "map"}}], "tools.1.parameters",
                     id="no JSON Schema"),
        pytest.param([{**FLAT, "parameters": 5}], "tools.0.parameters", id="parameters a number"),
        pytest.param([{"type": "function", "function": "get_weather"}], "tools.0",
                     id="function a text"),
        pytest.param(5, "tools", id="tools a number"),
    ],
)  # fmt: skip
def test_bad_tool_names_its_field(tools: Any, field: str) -> None:
    with pytest.raises(RowError) as caught:
        tools_of(row("Hi", tools=tools))
    assert caught.value.field.startswith(f"{PLACE}.{field}")


# The verifier's fields.


@pytest.mark.parametrize(
    ("given", "expected"),
    [
        pytest.param({"answer": "4"}, "4", id="the row's own comes first"),
        pytest.param({"answer": ""}, "5", id="an empty text is none"),
        pytest.param({}, "5", id="none"),
        pytest.param({"answer": 0}, 0, id="zero is a value"),
    ],
)
def test_field_of_the_row_or_its_metadata(given: dict[str, Any], expected: Any) -> None:
    assert field_of({**given, "metadata": {"answer": "5"}}, "answer") == expected


def test_field_that_is_an_array_is_left_to_its_reader() -> None:
    options = np.array(["a", "b"])
    assert field_of({"options": options, "metadata": {}}, "options") is options


@pytest.mark.parametrize("given", ["", [], [""], None])
def test_empty_expression_is_ignored(given: Any) -> None:
    assert patterns_of({"template_metadata": {"output_regex": given}}) == ()
