"""Hermes tool calls in a model's text: calls, quotations, and invalid calls that are passed on."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tables import in_one_test

from textgym.envs.session_state import SessionState
from textgym.messages import Message, assistant, assistant_calls, user
from textgym.policies import Action
from textgym.policies.chat.hermes import (
    call_name,
    parse_tool_calls,
    with_parsed_calls,
    with_tool_prompt,
)

LOOK = '{"name": "look", "arguments": {"far": true}}'
CALL = f"<tool_call>{LOOK}</tool_call>"
PRETTY = json.dumps(json.loads(LOOK), indent=4)


def tagged(body: str) -> str:
    return f"<tool_call>{body}</tool_call>"


def calls_in(text: str) -> list[tuple[str, Any]]:
    """Return the calls parsed from a text, each as a name and its arguments."""
    calls = [call["function"] for call in parse_tool_calls(text)[1]]
    return [(function["name"], function["arguments"]) for function in calls]


# What is a call.


@pytest.mark.parametrize(
    "text",
    [
        pytest.param(CALL, id="one line"),
        pytest.param(f"<tool_call>\n{LOOK}\n</tool_call>", id="three lines"),
        pytest.param(f"\n \t<tool_call> \n\n {LOOK}\t\n</tool_call> \n\n", id="white space"),
        pytest.param(f"<tool_call>\r\n{LOOK}\r\n</tool_call>\r\n", id="carriage returns"),
        pytest.param(tagged(PRETTY), id="pretty"),
        pytest.param(f"<think>Shall I?</think>{CALL}", id="behind reasoning"),
        pytest.param(f"<think>{CALL}</think>\n{CALL}", id="in reasoning and behind"),
        pytest.param(f"I used <think> tags.\n{CALL}", id="behind a tag that is mentioned"),
        pytest.param(tagged('{"arguments": {"far": true}, "name": "look"}'), id="order"),
        pytest.param(tagged('{"id": 1, "name": "look", "arguments": {"far": true}}'), id="keys"),
        pytest.param(f"```\ncode\n```\n{CALL}", id="behind a code block"),
        pytest.param(f"`code`\n```one line```\n{CALL}", id="behind inline code"),
        pytest.param(f"- ```\n  code\n  ```\n{CALL}", id="behind a code block in a list"),
        pytest.param(f"> ```\n> code\n> ```\n{CALL}", id="behind a code block in a citation"),
        pytest.param(f"See: ```\ncode\n```\n{CALL}", id="behind a code block behind prose"),
        pytest.param(f"Here ```code``` stands.\n{CALL}", id="behind inline code in prose"),
        pytest.param(f"Here:\n<tool_call>\n{CALL}", id="behind an opening tag"),
    ],
)  # fmt: skip
def test_complete_tags_on_their_own_lines_are_a_call(text: str) -> None:
    assert calls_in(text) == [("look", '{"far": true}')]


@pytest.mark.parametrize("between", ["", " ", "\n", "\n\n \n", "\nand\n"], ids=repr)
def test_several_calls_are_parsed_in_order(between: str) -> None:
    calls = [f'<tool_call>{{"name": "t{n}", "arguments": {{}}}}</tool_call>' for n in range(3)]
    assert calls_in(between.join(calls)) == [("t0", "{}"), ("t1", "{}"), ("t2", "{}")]


@pytest.mark.parametrize(
    "arguments",
    [
        {},
        {"text": "日本 é 🙂 \u2028"},
        {"text": 'a "quoted" {brace} } \\ </tool> \n'},
        {"deep": {"deeper": [{"deepest": [[], {}]}]}},
        {"number": -1.5e10, "nothing": None, "yes": True},
        {"code": "```\nprint()\n```", "think": "x"},
    ],
    ids=str,
)
def test_arguments_keep_their_values(arguments: dict[str, Any]) -> None:
    body = json.dumps({"name": "look", "arguments": arguments}, ensure_ascii=False)
    ((_, found),) = calls_in(f"<tool_call>{body}</tool_call>")
    assert json.loads(found) == arguments


def test_call_may_omit_empty_arguments() -> None:
    assert calls_in('<tool_call>{"name": "look"}</tool_call>') == [("look", "{}")]


@pytest.mark.parametrize(
    ("text", "content"),
    [
        (f"I look.\n{CALL}\nThat is all.", "I look.\nThat is all."),
        (f"{CALL}\n\n{CALL}", ""),
        (f"<think>Hm.</think>\n{CALL}", "<think>Hm.</think>"),
        (f"a\n{CALL}\nb\n{CALL}\nc", "a\nb\nc"),
        (f"Say `{CALL}`\n{CALL}", f"Say `{CALL}`"),
    ],
    ids=["around", "nothing", "reasoning", "between", "a quotation"],
)
def test_text_beside_calls_stays_in_the_content(text: str, content: str) -> None:
    assert parse_tool_calls(text)[0] == content


# What is not a call.


@in_one_test(
    "text",
    [
        pytest.param(f"such as {CALL}", id="behind prose"),
        pytest.param(f"{CALL} is how one calls it", id="before prose"),
        pytest.param(f"One writes {CALL} for it.", id="in prose"),
        pytest.param(f"`{CALL}`", id="inline code"),
        pytest.param(f"> {CALL}", id="a citation"),
        pytest.param(f"- {CALL}", id="a list"),
        pytest.param(f"```\n{CALL}\n```", id="a code block"),
        pytest.param(f"```json\n{CALL}\n```\nand", id="a code block of a language"),
        pytest.param(f"~~~~\n```\n{CALL}\n~~~\n{CALL}\n~~~~", id="a code block with others in it"),
        pytest.param(f"  ```\n  {CALL}\n  ```", id="a code block that is set in"),
        pytest.param(f"```\n{CALL}", id="a code block that is never closed"),
        pytest.param(f"````\n```\n{CALL}", id="a fence that is too short"),
        pytest.param(f"- ```json\n  {CALL}\n  ```", id="a code block in a list"),
        pytest.param(f"1. ```\n   {CALL}\n   ```", id="a code block in a numbered list"),
        pytest.param(f"> ```\n{CALL}", id="a code block in a citation"),
        pytest.param(f"Such as: ```json\n{CALL}\n```", id="a code block behind prose"),
        pytest.param(f"```\n- ```\n{CALL}\n```", id="a list in a code block"),
        pytest.param(f"```\nmark = ```\n{CALL}\n```", id="a fence behind code in a code block"),
        pytest.param(f"<think>{CALL}</think>", id="reasoning"),
        pytest.param(f"<think>\n{CALL}\n</think>\nNo.", id="reasoning on lines"),
        pytest.param(f"<think>\n{CALL}", id="reasoning that is never closed"),
        pytest.param(f"<tool_call>{LOOK}", id="never closed"),
        pytest.param(f"<tool_call>{LOOK}</tool_cal", id="cut in the tag"),
        pytest.param(f"<tool_call>{LOOK}<tool_call>", id="closed by an opening tag"),
        pytest.param(f"{LOOK}</tool_call>", id="never opened"),
        pytest.param(LOOK, id="no tags"),
        pytest.param(f"<Tool_Call>{LOOK}</Tool_Call>", id="other tags"),
        pytest.param("<tool_call></tool_call>", id="empty"),
        pytest.param("<tool_call>look</tool_call>", id="no JSON"),
        pytest.param(tagged('"look"'), id="a text"),
        pytest.param(f"<tool_call>[{LOOK}]</tool_call>", id="a list"),
        pytest.param(tagged('{"name": 5, "arguments": {}}'), id="a name of numbers"),
        pytest.param(tagged('{"name": "", "arguments": {}}'), id="an empty name"),
        pytest.param(tagged('{"function": "look", "arguments": {}}'), id="no name"),
        pytest.param(tagged('{"arguments": {"a": }, "name": "look"}'), id="name last"),
        pytest.param(tagged('{"name": "lo"ok", "arguments": {}}'), id="a broken name"),
        pytest.param(tagged('{"name": "\\x", "arguments": {}}'), id="no such escape"),
        pytest.param("<tool_call>{'name': 'look', 'arguments': {}}</tool_call>", id="Python"),
        pytest.param("<tool_call>" + "[" * 10_000 + "</tool_call>", id="brackets"),
        pytest.param("", id="nothing"),
    ],
)  # fmt: skip
def test_quotations_and_calls_without_a_name_stay_text(text: str) -> None:
    assert parse_tool_calls(text) == (text, [])


# Invalid calls that are passed on so that the model learns what is wrong.


@pytest.mark.parametrize(
    ("body", "error_text"),
    [
        ('{"name": "increment_counter", "arguments": {"count": 4}', "not valid JSON: Expecting"),
        ('{"name": "increment_counter", "arguments": {"count": 4}}}', "not valid JSON: Extra data"),
        ('{"name": "increment_counter", "arguments": {"count": four}}', "not valid JSON"),
        ('{"name": "increment_counter", "arguments": {"count": "4}', "not valid JSON"),
        ('{ "name" : "increment_counter" ,', "not valid JSON"),
        ('{"name": "increment_counter", "arguments": ' + "[" * 9_000 + "}", "not valid JSON"),
        ('{"name": "increment_counter", "arguments": "{\\"count\\": 4}"}', "JSON object, not str"),
        ('{"name": "increment_counter", "arguments": [4]}', "must be a JSON object, not list"),
        ('{"name": "increment_counter", "parameters": {"count": 4}}', "JSON object, not str"),
        ('{"name": "increment_counter", "count": 4}', "JSON object, not str"),
        ('{"name": "increment_counter", "arguments": {"n": 4}}', "count: Field required"),
        ('{"name": "no_tool", "arguments": {}}', "there is no tool 'no_tool'"),
    ],
    ids=lambda text: text[:70],
)
def test_invalid_call_runs_no_tool_and_gets_an_error_result(body: str, error_text: str) -> None:
    env = SessionState()
    row = {"request": "x", "initial_count": 1, "expected_count": 5}
    env.reset(options={"task": row})
    action = with_parsed_calls(Action(assistant(f"<tool_call>\n{body}\n</tool_call>")))
    observation, _, terminated, _, _ = env.step(action.message)
    assert error_text in str(observation[-1]["content"])
    assert not terminated
    assert env.state == {"count": 1}


@pytest.mark.parametrize(
    ("body", "name"),
    [
        (LOOK, "look"),
        ('\n{"name":"lo\\u006fk"}', "look"),
        ('{"name": "look"', "look"),
        ('{"name": "look" "arguments"', ""),
        ('{"name": "look', ""),
        ('x {"name": "look"}', ""),
        ("", ""),
    ],
)
def test_call_name_is_read_from_the_beginning_of_the_body(body: str, name: str) -> None:
    assert call_name(body) == name


# Actions.


def test_action_gets_its_calls_and_finish_reason() -> None:
    action = with_parsed_calls(Action(assistant(f"I look.\n{CALL}"), token_ids=[1, 2]))
    function = {"name": "look", "arguments": '{"far": true}'}
    assert action.message == {
        "role": "assistant",
        "content": "I look.",
        "tool_calls": [{"type": "function", "function": function}],
    }
    assert (action.finish_reason, action.token_ids) == ("tool_calls", [1, 2])


def test_message_cut_by_length_keeps_its_complete_calls() -> None:
    action = with_parsed_calls(Action(assistant(f"{CALL}\n<tool_call>{LOOK[:9]}"), "length"))
    assert len(action.message["tool_calls"] or ()) == 1
    assert action.message["content"] == f"<tool_call>{LOOK[:8]}"
    assert action.finish_reason == "length"


@pytest.mark.parametrize(
    "message",
    [
        assistant("No call."),
        assistant(f"`{CALL}`"),
        {"role": "assistant", "content": None},
        {**assistant_calls(("see", {})), "content": CALL},
    ],
    ids=["text", "quotation", "nothing", "calls already"],
)
def test_action_without_calls_is_unchanged(message: Message) -> None:
    action = Action(message)
    assert with_parsed_calls(action) is action


# All texts.

pieces = st.sampled_from(
    ["<tool_call>", "</tool_call>", LOOK, CALL, "\n", " ", '"', "\\", "{", "}", "[", ",", "```",
     "~~~", "`", "<think>", "</think>", '{"name": "x"', '"arguments": ', "é", "\ud800", "text"]
)  # fmt: skip


@given(st.lists(pieces, max_size=30).map("".join))
def test_any_text_can_be_parsed(text: str) -> None:
    content, calls = parse_tool_calls(text)
    if not calls:
        assert content == text
    for call in calls:
        assert call["function"]["name"]
        assert isinstance(call["function"]["arguments"], str)
    assert len(calls) <= text.count("</tool_call>")


values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | st.text() | pieces,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(), inner, max_size=3),
    max_leaves=8,
)
whole_calls = st.tuples(st.text(min_size=1) | pieces, st.dictionaries(st.text() | pieces, values))


@settings(max_examples=50)  # each of up to four calls
@given(st.lists(whole_calls, min_size=1, max_size=4))
def test_rendered_calls_are_parsed_again(calls: list[tuple[str, dict[str, Any]]]) -> None:
    (_, converted) = with_tool_prompt([user("x"), assistant_calls(*calls)], [])
    found = calls_in(str(converted["content"]))
    assert [(name, json.loads(arguments)) for name, arguments in found] == calls


@pytest.mark.parametrize(
    "piece",
    [
        "<tool_call>", "<tool_call>\n", "</tool_call>", CALL, f"{CALL}\n", "\n", " ", "```\n", "`",
        "<tool_call>{", '<tool_call>{"name": "x"', '<tool_call>{"name":"x",]</tool_call>',
        '<tool_call>{"name":"x",]</tool_call>\n', '<tool_call>{"name": "', '\\"',
        '<tool_call>"</tool_call>\n',
        "<think>", f"<think>{CALL}</think>", "```\n~~~\n", "\n ",
    ],
    ids=lambda text: repr(text)[:30],
)  # fmt: skip
def test_long_texts_are_parsed_in_linear_time(piece: str) -> None:
    """If the time grew with the square of the length, this would take hours."""
    text = piece * (1_000_000 // len(piece))
    content, calls = parse_tool_calls(text)
    assert bool(calls) == (content != text)
