"""Messages: what is one, what text it holds, and that copies share nothing."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from tables import in_one_test

from textgym.json_values import copy_json
from textgym.messages import (
    assistant,
    copy_message,
    copy_messages,
    message_problem,
    system,
    text_of,
    tool_result,
    user,
)

IMAGE = {"type": "image_url", "image_url": {"url": "data:image/png;base64,AA"}}


def says(content: Any = "", **more: Any) -> dict[str, Any]:
    """Make an assistant message."""
    return {"role": "assistant", "content": content, **more}


def calls(function: Any, **more: Any) -> dict[str, Any]:
    """Make an assistant message with one tool call."""
    return says(None, tool_calls=[{"function": function, **more}])


@pytest.mark.parametrize(
    "message",
    [
        pytest.param(says("Hello"), id="text"),
        pytest.param(says(None), id="null content"),
        pytest.param({"role": "assistant"}, id="no content"),
        pytest.param(says(np.str_("Hello")), id="numpy text"),
        pytest.param(says("\ud800"), id="surrogate"),
        pytest.param(says("\ud800", refusal=None), id="surrogate beside another key"),
        pytest.param(says([]), id="no parts"),
        pytest.param(says([{"type": "text", "text": "a"}]), id="text part"),
        pytest.param({"role": "user", "content": [IMAGE]}, id="image part"),
        pytest.param({"role": "user", "content": [{"type": "text", "text": ""}, IMAGE]}, id="both"),
        pytest.param(
            {"role": "user", "content": [{**IMAGE, "cache": 1}]}, id="unknown key in a part"
        ),
        pytest.param(says("", refusal="no", annotations=[{"a": [1]}]), id="unknown keys"),
        pytest.param(says("", reasoning_content="hm"), id="reasoning"),
        pytest.param(says("", tool_calls=None), id="null calls"),
        pytest.param(says("", tool_calls=[]), id="no calls"),
        pytest.param(calls({"name": "f"}), id="call without arguments"),
        pytest.param(calls({"name": "f", "arguments": "{]"}), id="broken JSON arguments"),
        pytest.param(calls({"name": "f", "arguments": {"a": 1}}), id="dict arguments"),
        pytest.param(calls({"name": "f", "arguments": None}), id="null arguments"),
        pytest.param(calls({"name": ""}, id=None, type="function", index=0), id="null call id"),
        pytest.param(tool_result("sunny", "call_0_0"), id="tool result"),
        pytest.param({"role": "developer", "content": "Be brief."}, id="developer"),
        pytest.param({"role": "user", "content": "Hi", "name": "Ann"}, id="named user"),
    ],
)
def test_is_a_message(message: Any) -> None:
    assert message_problem(message) == ""


@in_one_test(
    ("message", "told"),
    [
        pytest.param(None, "NoneType", id="null"),
        pytest.param("Hello", "str", id="bare text"),
        pytest.param([says()], "list", id="list"),
        pytest.param({}, "user, not None", id="empty"),
        pytest.param({"content": "Hello"}, "user, not None", id="no role"),
        pytest.param({"role": "narrator", "content": ""}, "'narrator'", id="unknown role"),
        pytest.param({"role": "Assistant", "content": ""}, "'Assistant'", id="role in capitals"),
        pytest.param({"role": 5, "content": ""}, "user, not 5", id="role is a number"),
        pytest.param({"role": ["user"], "content": ""}, "the role must be", id="unhashable role"),
        pytest.param(says(5), "content", id="number"),
        pytest.param(says(b"x"), "content", id="bytes"),
        pytest.param(says({"text": "x"}), "content", id="dict content"),
        pytest.param(says(["x"]), "content", id="part is a text"),
        pytest.param(says([{"text": "x"}]), "content", id="part without type"),
        pytest.param(says([{"type": "text"}]), "content", id="text part without text"),
        pytest.param(says([{"type": "audio", "text": "x"}]), "content", id="unknown part"),
        pytest.param(says([{"type": "image_url"}]), "content", id="image without address"),
        pytest.param(
            says([{"type": "image_url", "image_url": "x"}]), "content", id="image address a text"
        ),
        pytest.param(says("", reasoning_content=5), "reasoning_content", id="reasoning number"),
        pytest.param(says("", tool_calls={}), "tool_calls", id="calls a dict"),
        pytest.param(says("", tool_calls=["f"]), "tool_calls", id="call a text"),
        pytest.param(says("", tool_calls=[{}]), "tool_calls", id="call without function"),
        pytest.param(calls("f"), "tool_calls", id="function a text"),
        pytest.param(calls({"arguments": "{}"}), "tool_calls", id="call without name"),
        pytest.param(calls({"name": None}), "tool_calls", id="null name"),
        pytest.param(calls({"name": "f", "arguments": [1]}), "tool_calls", id="list arguments"),
        pytest.param(calls({"name": "f"}, id=7), "tool_calls", id="call id a number"),
        pytest.param(says("", tool_call_id=7), "tool_call_id", id="tool_call_id a number"),
    ],
)
def test_invalid_message_has_a_problem(message: Any, told: str) -> None:
    assert told in message_problem(message)


def test_only_the_given_roles_are_allowed() -> None:
    assert message_problem(user("Hi"), ["user"]) == ""
    assert message_problem(assistant("Hi"), ["system", "user"]) == (
        "the role must be system or user, not 'assistant'"
    )


def test_further_problems_are_counted() -> None:
    assert message_problem(says(5, reasoning_content=5)).endswith("(and 2 more)")


def test_cyclic_structure_is_not_a_message() -> None:
    message = says("", extra=None)
    message["extra"] = message
    assert "nested too deeply" in message_problem(message)


def test_very_deep_structure_is_not_a_message() -> None:
    deep: Any = 1
    for _ in range(2_000):
        deep = {"a": deep}
    assert "nested too deeply" in message_problem(says("", extra=deep))


def test_checking_changes_nothing() -> None:
    message = calls({"name": "f", "arguments": {"a": [1]}}, id=None)
    before = copy_json(message)
    message_problem(message)
    assert message == before


@pytest.mark.parametrize(
    ("content", "text"),
    [
        pytest.param("Hello", "Hello", id="text"),
        pytest.param("", "", id="empty"),
        pytest.param(None, "", id="null"),
        pytest.param([], "", id="no parts"),
        pytest.param([{"type": "text", "text": "\\boxed{"}, {"type": "text", "text": "A}"}],
                     "\\boxed{A}", id="parts joined with nothing"),
        pytest.param([{"type": "text", "text": "a"}, IMAGE, {"type": "text", "text": "b"}],
                     "ab", id="images left out"),
        pytest.param([IMAGE], "", id="only an image"),
        pytest.param(np.str_("Hello"), "Hello", id="numpy text"),
    ],
)  # fmt: skip
def test_text_of(content: Any, text: str) -> None:
    assert text_of(says(content)) == text


def test_text_of_a_message_without_content() -> None:
    assert text_of({"role": "assistant"}) == ""


def test_text_of_leaves_reasoning_out() -> None:
    assert text_of(says("B", reasoning_content="A")) == "B"


@pytest.mark.parametrize(
    ("message", "role"),
    [(system("x"), "system"), (user("x"), "user"), (assistant("x"), "assistant")],
    ids=["system", "user", "assistant"],
)
def test_makers(message: Any, role: str) -> None:
    assert message == {"role": role, "content": "x"}


def test_tool_result_names_its_call() -> None:
    assert tool_result("5", "c1") == {"role": "tool", "content": "5", "tool_call_id": "c1"}


def test_copy_shares_nothing() -> None:
    message: Any = calls({"name": "f", "arguments": {"a": [1]}})
    message["content"] = [{"type": "text", "text": "x"}]
    copied: Any = copy_message(message)
    assert copied == message
    copied["tool_calls"][0]["function"]["arguments"]["a"].append(2)
    copied["content"][0]["text"] = "y"
    copied["content"].append(IMAGE)
    assert message["tool_calls"][0]["function"]["arguments"] == {"a": [1]}
    assert message["content"] == [{"type": "text", "text": "x"}]


def test_copy_of_a_message_of_texts_is_another_dict() -> None:
    message = assistant("x")
    copy_message(message)["content"] = "y"
    assert message["content"] == "x"


def test_copied_list_is_fresh() -> None:
    messages = [user("a"), assistant("b")]
    copied = copy_messages(messages)
    copied[0]["content"] = "c"
    copied.pop()
    assert messages == [user("a"), assistant("b")]


def test_copy_json_turns_tuples_into_lists() -> None:
    assert copy_json({"a": (1, {"b": (2,)})}) == {"a": [1, {"b": [2]}]}
