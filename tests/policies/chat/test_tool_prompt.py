"""The project's own tool prompt: the description of tools, and calls and results as text."""

from __future__ import annotations

import copy
import json
from typing import Any

import gymnasium
import pytest

import textgym
from textgym.checks.episodes import guesses, oracle, play
from textgym.errors import ExtraMissingError, UsageError
from textgym.messages import Message, assistant, assistant_calls, system, tool_result, user
from textgym.policies.chat.hermes import parse_tool_calls, with_tool_prompt

TOOL: dict[str, Any] = {
    "type": "function",
    "function": {"name": "find", "description": "Findet é.", "parameters": {"type": "object"}},
}
IMAGE: Any = [{"type": "image_url", "image_url": {"url": "data:image/png;base64,AA"}}]


def call(name: str, arguments: Any) -> Any:
    function = {"name": name, "arguments": arguments}
    return {"role": "assistant", "content": None, "tool_calls": [{"id": "1", "function": function}]}


def text(message: Message) -> str:
    return str(message["content"])


# Tools.


def test_tools_are_json_lines() -> None:
    (converted, asked) = with_tool_prompt([user("x")], [TOOL, TOOL])
    assert (converted["role"], asked) == ("system", user("x"))
    shown = text(converted).partition("<tools>\n")[2].partition("\n</tools>")[0].splitlines()
    assert [json.loads(line) for line in shown] == [TOOL, TOOL]
    assert "Findet é." in text(converted)


@pytest.mark.parametrize("role", ["system", "developer"])
def test_tools_follow_the_first_system_message(role: Any) -> None:
    first: Message = {"role": role, "content": "Be brief."}
    converted = with_tool_prompt([first, system("Be kind."), user("x")], [TOOL])
    assert [message["role"] for message in converted] == [role, "system", "user"]
    assert text(converted[0]).startswith("Be brief.\n\nYou can use tools.")
    assert converted[1:] == [system("Be kind."), user("x")]


@pytest.mark.parametrize("content", [None, "", []], ids=repr)
def test_empty_system_message_gets_only_the_tools(content: Any) -> None:
    converted = with_tool_prompt([{"role": "system", "content": content}, user("x")], [TOOL])
    assert len(converted) == 2
    assert text(converted[0]).startswith("You can use tools.")


def test_text_parts_of_a_system_message_are_joined() -> None:
    parts: Any = [{"type": "text", "text": "Be "}, {"type": "text", "text": "brief."}]
    converted = with_tool_prompt([{"role": "system", "content": parts}], [TOOL])
    assert text(converted[0]).startswith("Be brief.\n\n")


def test_tools_are_not_added_to_a_later_system_message() -> None:
    converted = with_tool_prompt([user("x"), system("Be brief.")], [TOOL])
    assert [message["role"] for message in converted] == ["system", "user", "system"]


def test_tools_precede_the_first_user_message_without_a_system_role() -> None:
    (converted,) = with_tool_prompt([user("Where?")], [TOOL], has_system=False)
    assert converted["role"] == "user"
    assert text(converted).startswith("You can use tools.")
    assert text(converted).endswith("\n\nWhere?")


def test_image_is_kept_beside_the_tools() -> None:
    asked: Message = {"role": "user", "content": IMAGE}
    converted = with_tool_prompt([asked], [TOOL], has_system=False)
    assert [message["role"] for message in converted] == ["user", "user"]
    assert converted[1] == asked


def test_conversation_is_unchanged_without_tools() -> None:
    said = [system("Be brief."), user("x"), assistant("y")]
    assert with_tool_prompt(said, []) == said


def test_empty_conversation_gets_a_tool_prompt() -> None:
    assert [message["role"] for message in with_tool_prompt([], [TOOL])] == ["system"]


# Calls and results.


def test_call_follows_the_messages_text() -> None:
    message = {**assistant_calls(("find", {"a": "é"}), ("see", {})), "content": "I look."}
    (converted,) = with_tool_prompt([message], [])
    assert converted == assistant(
        'I look.\n<tool_call>\n{"name": "find", "arguments": {"a": "é"}}\n</tool_call>\n'
        '<tool_call>\n{"name": "see", "arguments": {}}\n</tool_call>'
    )


@pytest.mark.parametrize("arguments", ['{"a": 1}', {"a": 1}, ' {"a":\n1}'], ids=repr)
def test_arguments_of_any_form_become_an_object(arguments: Any) -> None:
    (converted,) = with_tool_prompt([call("find", arguments)], [])
    assert '{"name": "find", "arguments": {"a": 1}}' in text(converted)


@pytest.mark.parametrize("arguments", [None, "", "{}", {}, "null"], ids=repr)
def test_missing_arguments_become_an_empty_object(arguments: Any) -> None:
    (converted,) = with_tool_prompt([call("find", arguments)], [])
    assert '{"name": "find", "arguments": {}}' in text(converted)


@pytest.mark.parametrize(
    "body",
    [
        '{"name": "find", "arguments": {"a": 1}',
        '\n{"name": "find", "arguments": {"a": }}\n',
        '{"name": "find", "parameters": {"a": 1}}',
        '{"name": "find", "arguments": "{\\"a\\": 1}"}',
        '{"name": "find", "arguments": [1]}',
        '{"name": "find", "arguments": ' + "[" * 5000 + "}",
    ],
    ids=lambda body: body[:50],
)
def test_invalid_call_is_shown_as_the_model_wrote_it(body: str) -> None:
    said = f"<tool_call>{body}</tool_call>"
    calls: Any = parse_tool_calls(said)[1]
    assert len(calls) == 1
    (converted,) = with_tool_prompt(
        [{"role": "assistant", "content": None, "tool_calls": calls}], []
    )
    assert text(converted).replace("\n", "") == said.replace("\n", "")


@pytest.mark.parametrize("broken", ["not JSON", '{"name": "other", ', '"text"', "[1]", "5"])
def test_invalid_arguments_are_shown_in_the_call(broken: str) -> None:
    (converted,) = with_tool_prompt([call("find", broken)], [])
    assert f'{{"name": "find", "arguments": {broken}}}' in text(converted)


@pytest.mark.parametrize("tag", ["<tool_call>", "</tool_call>", "<think>", "</think>"])
def test_tag_inside_an_argument_is_escaped(tag: str) -> None:
    (converted,) = with_tool_prompt([assistant_calls(("find", {"a": tag}))], [])
    ((found),) = parse_tool_calls(text(converted))[1]
    assert json.loads(str(found["function"]["arguments"])) == {"a": tag}


def test_results_of_one_message_share_a_user_message() -> None:
    said = [
        user("x"),
        assistant_calls(("find", {}), ("find", {})),
        tool_result("one", "1"),
        tool_result("two", "2"),
        assistant_calls(("find", {})),
        tool_result("three", "3"),
        user("And?"),
    ]
    converted = with_tool_prompt(said, [])
    roles = ["user", "assistant", "user", "assistant", "user", "user"]
    assert [message["role"] for message in converted] == roles
    assert text(converted[2]) == (
        "<tool_response>\none\n</tool_response>\n<tool_response>\ntwo\n</tool_response>"
    )
    assert converted[-1] == user("And?")


def test_parts_of_a_result_are_joined() -> None:
    parts: Any = [{"type": "text", "text": "o"}, {"type": "text", "text": "ne"}]
    (converted,) = with_tool_prompt([{"role": "tool", "content": parts, "tool_call_id": "1"}], [])
    assert text(converted) == "<tool_response>\none\n</tool_response>"


def test_image_as_a_tool_result_is_refused() -> None:
    with pytest.raises(UsageError, match="has an image"):
        with_tool_prompt([{"role": "tool", "content": IMAGE, "tool_call_id": "1"}], [])


def test_other_keys_of_a_message_stay() -> None:
    message: Message = {**assistant_calls(("find", {})), "reasoning_content": "Hm."}
    (converted,) = with_tool_prompt([message], [])
    assert converted["reasoning_content"] == "Hm."
    assert "tool_calls" not in converted


def test_input_is_not_changed() -> None:
    said = [system("a"), user("b"), assistant_calls(("find", {"a": 1})), tool_result("c", "1")]
    before, tools = copy.deepcopy(said), [copy.deepcopy(TOOL)]
    with_tool_prompt(said, tools)
    assert (said, tools) == (before, [TOOL])


@pytest.mark.parametrize("id", textgym.ids(guests=False))
def test_every_environments_conversation_can_be_converted(id: str) -> None:
    try:
        env: Any = gymnasium.make(id)
    except ExtraMissingError as error:
        pytest.skip(str(error))
    for policy in (guesses, oracle):
        episode = play(env, policy(env), seed=1)
        tools = episode.steps[0][-1]["tools"]
        for messages, *_ in episode.steps[1:]:
            converted = with_tool_prompt(messages, tools)
            assert {message["role"] for message in converted} <= {"system", "user", "assistant"}
            assert not any("tool_calls" in message for message in converted)
            assert ("<tools>" in text(converted[0])) == bool(tools)
