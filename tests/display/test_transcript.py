"""Transcripts: malformed messages never raise, and control characters are escaped."""

from __future__ import annotations

import io
import os
import pty
import re
import sys
import unicodedata
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from textgym.display.terminal import Paint, show, visible, wants_colour
from textgym.display.transcript import (
    argument_lines,
    format_episode,
    format_messages,
    format_outcome,
    format_tools,
    type_name,
)

SGR = re.compile(r"\x1b\[[0-9;]*m")

TOOL = {
    "type": "function",
    "function": {
        "name": "forecast",
        "description": "Tell the weather.",
        "parameters": {
            "type": "object",
            "properties": {
                "city": {"type": "string", "description": "Where,\n   in English."},
                "days": {"type": "integer", "default": 1},
                "unit": {"enum": ["C", "F"]},
                "hours": {"type": "array", "items": {"type": "integer"}},
            },
            "required": ["city"],
        },
    },
}


def call(name: str = "forecast", arguments: Any = "{}", id: str = "1") -> dict[str, Any]:
    return {"id": id, "type": "function", "function": {"name": name, "arguments": arguments}}


def said(*tool_calls: Any, **message: Any) -> str:
    return format_messages([{"role": "assistant", "tool_calls": list(tool_calls), **message}])


# Messages


def test_tool_messages_show_the_call_id_if_there_are_several_calls() -> None:
    one = [
        {"role": "assistant", "content": None, "tool_calls": [call()]},
        {"role": "tool", "content": "rain", "tool_call_id": "1"},
    ]
    assert format_messages(one) == "[assistant]\n-> forecast({})\n\n[tool]\nrain"
    two = [{"role": "assistant", "tool_calls": [call(), call(id="2")]}, one[1]]
    assert format_messages(two) == (
        "[assistant]\n-> forecast({})  1\n-> forecast({})  2\n\n[tool] 1\nrain"
    )


def test_short_arguments_are_shown_on_one_line() -> None:
    assert said(call(arguments={"city": "Köln"})) == '[assistant]\n-> forecast({"city": "Köln"})'
    assert said(call(arguments='{"a":1}')) == '[assistant]\n-> forecast({"a":1})'
    assert said(call(arguments=None)) == said(call(arguments="")) == "[assistant]\n-> forecast({})"


def test_long_arguments_are_shown_on_separate_lines() -> None:
    code = "for i in range(3):\n\tprint(i)"
    assert said(call("run", {"timeout": 5, "code": code})) == (
        "[assistant]\n-> run\n   timeout: 5\n   code:\n     for i in range(3):\n     \tprint(i)"
    )
    assert "\n   text:\n     xxx" in said(call("write", {"text": "x" * 200}))


def test_arguments_that_are_invalid_json_are_shown_unchanged() -> None:
    assert said(call(arguments='{"city": ')) == '[assistant]\n-> forecast({"city": ) (not JSON)'


def test_images_are_shown_as_their_url_or_type() -> None:
    parts = [
        {"type": "text", "text": "Loo"},
        {"type": "text", "text": "k:"},
        {"type": "image_url", "image_url": {"url": "https://example.org/a.png"}},
        {"type": "image_url", "image_url": {"url": "data:image/png;base64,iVBORw0KGgo="}},
        {"type": "image_url"},
        {"type": "input_audio", "input_audio": {"data": "x"}},
        {"type": "text", "text": "What is it?"},
    ]
    assert format_messages([{"role": "user", "content": parts}]) == (
        "[user]\nLook:\n(image: https://example.org/a.png)\n(image: image/png)\n(image)\n"
        "(input_audio)\nWhat is it?"
    )


def test_reasoning_and_refusal_are_shown() -> None:
    assert said(reasoning_content="Hm.", content="B") == "[assistant]\n(thinks) Hm.\nB"
    assert said(content=None, refusal="No.") == "[assistant]\n(refuses) No."


@pytest.mark.parametrize(
    ("text", "dimmed"),
    [
        ("<think>A?</think>B", "<think>A?</think>"),
        ("B <think>or", "B <think>or"),
        ("B", ""),
        ("I used <think> tags.", ""),
    ],
)
def test_reasoning_in_tags_is_dimmed(text: str, dimmed: str) -> None:
    shown = format_messages([{"role": "assistant", "content": text}], colour=True)
    assert shown.split("\n", 1)[1] == (f"\x1b[2m{dimmed}\x1b[0m" if dimmed else "") + text.replace(
        dimmed, "", 1
    )


@pytest.mark.parametrize(
    ("message", "shown"),
    [
        ({}, "[?]"),
        ("Hello", "[?]\nHello"),
        (None, "[?]"),
        ({"role": None, "content": 5}, "[]\n5"),
        ({"role": ["user"], "content": {"a": 1}}, '[["user"]]\n{"a": 1}'),
        ({"role": "user", "content": ["a", None, 3, {"text": 4}]}, "[user]\na3\n(?)"),
        ({"role": "assistant", "tool_calls": "x"}, "[assistant]"),
        ({"role": "assistant", "tool_calls": [None]}, "[assistant]\n-> ?({})"),
        ({"role": "assistant", "content": 10**5000}, "[assistant]\n(int)"),
    ],
)
def test_malformed_messages_are_shown_as_far_as_possible(message: Any, shown: str) -> None:
    assert format_messages([message]) == shown


# Tools and schemas


def test_tools_are_shown_with_their_arguments() -> None:
    assert format_tools([TOOL]).split("\n") == [
        "[tools]",
        "forecast: Tell the weather.",
        "  city (string, required): Where, in English.",
        "  days (integer, default 1)",
        '  unit ("C" or "F", optional)',
        "  hours (array of integer, optional)",
    ]


def test_a_flat_tool_schema_is_accepted() -> None:
    assert format_tools([{"type": "function", "name": "stop"}]) == "[tools]\nstop"


@pytest.mark.parametrize(
    ("schema", "name"),
    [
        ({"type": ["string", "null"]}, "string or null"),
        ({"const": 3}, "3"),
        ({"oneOf": [{"type": "integer"}, {"type": "integer"}]}, "integer"),
        ({"$ref": "#/$defs/Side"}, '"left" or "right"'),
        ({"$ref": "#/$defs/Loop"}, ""),
        ({"type": "array"}, "array"),
        ({"description": "anything"}, ""),
        ({"type": 3}, ""),
        (True, ""),
    ],
)
def test_types_are_described_in_words(schema: Any, name: str) -> None:
    definitions = {"Side": {"enum": ["left", "right"]}, "Loop": {"$ref": "#/$defs/Loop"}}
    assert type_name(schema, definitions) == name


@pytest.mark.parametrize("parameters", [None, 3, {}, {"properties": []}, {"properties": {"a": 1}}])
def test_malformed_parameters_are_no_error(parameters: Any) -> None:
    assert [line[0] for line in argument_lines(parameters)] in ([], ["a"])


# The outcome


def test_the_outcome_omits_missing_keys() -> None:
    assert format_outcome(None, {}) == "[end]\nreward: none"
    assert format_outcome(0.25, {"stop_reason": "time"}) == "[end]\nreward: 0.25\nstop reason: time"


def test_an_episode_starts_with_tools_and_ends_with_the_outcome() -> None:
    text = format_episode([{"role": "user", "content": "?"}], [TOOL], (1.0, {"is_success": True}))
    assert re.findall(r"^\[\w+\]$", text, re.MULTILINE) == ["[tools]", "[user]", "[end]"]


# Control and invisible characters


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("\x1b]0;title\x07", "\\x1b]0;title\\x07"),
        ("one\rtwo", "one\\rtwo"),
        ("\x9b2J", "\\x9b2J"),
        ("\u202eabc\u2066", "\\u202eabc\\u2066"),
        ("a\u200bb\ufeff", "a\\u200bb\\ufeff"),
        ("\ud800", "\\ud800"),
        ("\U000e0041", "\\U000e0041"),
        ("a\nb\tc", "a\nb\tc"),
        ("👨\u200d👩 نامه\u200cای é", "👨\u200d👩 نامه\u200cای é"),
    ],
)
def test_control_and_invisible_characters_are_escaped(text: str, shown: str) -> None:
    assert visible(text) == shown


LETTERS = st.one_of(
    st.characters(codec=None),
    st.sampled_from("\x1b\r\x07\x08\x00\x7f\x9b\x85\u202e\u2066\u2028\u200f\ud800\n\t [];m0"),
)
TEXTS = st.text(LETTERS, max_size=20)
VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | TEXTS,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(TEXTS, inner, max_size=3),
    max_leaves=8,
)


def either(*strategies: Any) -> Any:
    return st.one_of(VALUES, *strategies)


PARTS = st.fixed_dictionaries(
    {},
    optional={
        "type": either(st.sampled_from(["text", "image_url"])),
        "text": either(TEXTS),
        "image_url": either(st.fixed_dictionaries({"url": either(TEXTS)})),
    },
)
CALLS = st.fixed_dictionaries(
    {},
    optional={
        "id": either(TEXTS),
        "function": either(
            st.fixed_dictionaries(
                {},
                optional={
                    "name": either(TEXTS),
                    "arguments": either(st.dictionaries(TEXTS, either(TEXTS), max_size=3)),
                },
            )
        ),
    },
)
MESSAGES = either(
    st.fixed_dictionaries(
        {},
        optional={
            "role": either(st.sampled_from(["user", "assistant", "tool"])),
            "content": either(TEXTS, st.lists(either(PARTS), max_size=3)),
            "reasoning_content": either(TEXTS),
            "refusal": either(TEXTS),
            "tool_calls": either(st.lists(either(CALLS), max_size=3)),
            "tool_call_id": either(TEXTS),
        },
    )
)
TOOLS = either(
    st.lists(
        either(
            st.fixed_dictionaries(
                {
                    "function": either(
                        st.fixed_dictionaries(
                            {},
                            optional={
                                "name": either(TEXTS),
                                "description": either(TEXTS),
                                "parameters": either(
                                    st.fixed_dictionaries(
                                        {"properties": st.dictionaries(TEXTS, VALUES, max_size=3)},
                                        optional={"required": VALUES},
                                    )
                                ),
                            },
                        )
                    )
                }
            )
        ),
        max_size=2,
    )
)
INFOS = st.dictionaries(
    st.sampled_from(["reward_components", "is_success", "stop_reason", "extracted_answer"]), VALUES
)


def hidden(text: str) -> list[str]:
    """Return the characters that must not reach a terminal."""
    return [
        letter
        for letter in text
        if letter not in "\n\t\u200c\u200d"
        and (unicodedata.category(letter) in ("Cc", "Cs", "Zl", "Zp") or letter in BIDI)
    ]


BIDI = "\u061c\u200e\u200f\u202a\u202b\u202c\u202d\u202e\u2066\u2067\u2068\u2069"


@given(st.lists(MESSAGES, max_size=3), TOOLS, st.none() | st.tuples(VALUES, INFOS))
def test_no_value_raises_or_is_left_unescaped(messages: Any, tools: Any, outcome: Any) -> None:
    plain = format_episode(messages, tools, outcome)
    assert hidden(plain) == []
    coloured = format_episode(messages, tools, outcome, colour=True)
    assert SGR.sub("", coloured) == plain


# Colours


def test_colours_are_closed_on_every_line() -> None:
    assert Paint(True)("one\n\ntwo", "dim") == "\x1b[2mone\x1b[0m\n\n\x1b[2mtwo\x1b[0m"


@pytest.mark.parametrize(
    ("environment", "wanted"),
    [({}, True), ({"NO_COLOR": ""}, True), ({"NO_COLOR": "1"}, False), ({"TERM": "dumb"}, False)],
)
def test_colours_are_only_for_terminals_that_want_them(
    monkeypatch: pytest.MonkeyPatch, environment: dict[str, str], wanted: bool
) -> None:
    monkeypatch.delenv("NO_COLOR", raising=False)
    monkeypatch.setenv("TERM", "xterm")
    for name, value in environment.items():
        monkeypatch.setenv(name, value)
    ours, theirs = pty.openpty()
    with os.fdopen(theirs, "w") as terminal:
        assert wants_colour(terminal) is wanted
    os.close(ours)
    assert wants_colour(io.StringIO()) is False


def test_characters_that_the_encoding_lacks_are_escaped() -> None:
    raw = io.BytesIO()
    stream = io.TextIOWrapper(raw, encoding="ascii")
    show("é 漢", stream)
    stream.flush()
    assert raw.getvalue() == b"\\xe9 \\u6f22\n"


def test_without_standard_output_there_are_no_colours(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "stdout", None)
    assert wants_colour() is False
