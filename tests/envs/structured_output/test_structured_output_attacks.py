"""Answers that are not the record, however they are written, win nothing."""

from __future__ import annotations

import json
import random
import re
from typing import Any

import pytest

from textgym.envs.structured_output import StructuredOutput
from textgym.envs.structured_output.answers import invent, write_document
from textgym.messages import assistant, assistant_calls, text_of
from textgym.verifiers.json_schema import fits

RECORD = {"name": "Ann", "age": 30, "tags": ["a", "b"]}
SCHEMA = {
    "type": "object",
    "properties": {
        "name": {"type": "string"},
        "age": {"type": "integer"},
        "tags": {"type": "array", "items": {"type": "string"}},
    },
    "required": ["name", "age", "tags"],
    "additionalProperties": False,
}
JSON = json.dumps(RECORD)


def play(answer: Any, format: str = "json", **changes: Any) -> tuple[float, dict[str, Any]]:
    row = {"text": "…", "schema": SCHEMA, "record": RECORD, "format": format, **changes}
    env = StructuredOutput()
    env.reset(options={"task": row})
    _, reward, _, _, info = env.step(answer)
    return float(reward), info


@pytest.mark.parametrize(
    ("answer", "format"),
    [
        pytest.param(JSON, "json", id="json"),
        pytest.param(f"```json\n{JSON}\n```", "json", id="code fence"),
        pytest.param(f"<think>{{}}</think>{JSON}", "json", id="reasoning before"),
        pytest.param(JSON.replace("30", "30.0"), "json", id="30.0 is 30"),
        pytest.param(JSON.replace("Ann", "\\u0041nn"), "json", id="escapes"),
        pytest.param(json.dumps(dict(reversed(RECORD.items()))), "json", id="other order"),
        pytest.param(JSON, "yaml", id="json as yaml"),
        pytest.param("name: Ann\nage: 30\ntags: [a, b]", "yaml", id="flow list"),
        pytest.param("# mine\nname: 'Ann'\nage: 30\ntags:\n- a\n- b", "yaml", id="comment"),
        pytest.param('age = 30\nname = "Ann"\ntags = ["a", "b"]', "toml", id="toml"),
        pytest.param(write_document(RECORD, "xml"), "xml", id="xml"),
        pytest.param(assistant_calls(("record", RECORD)), "tool", id="call"),
    ],
)
def test_ways_to_write_the_record(answer: Any, format: str) -> None:
    reward, info = play(answer, format)
    assert (reward, info["problem"]) == (1.0, "")


@pytest.mark.parametrize(
    ("answer", "format"),
    [
        pytest.param("", "json", id="silence"),
        pytest.param("{}", "json", id="empty object"),
        pytest.param(f"[{JSON}]", "json", id="in a list"),
        pytest.param(f'{{"record": {JSON}}}', "json", id="in an object"),
        pytest.param(f"Here: {JSON}", "json", id="text before"),
        pytest.param(f"{JSON}\nDone.", "json", id="text after"),
        pytest.param(f"{JSON}\n{JSON}", "json", id="twice"),
        pytest.param(f"```json\n{JSON}\n```\n```json\n{JSON}\n```", "json", id="two fences"),
        pytest.param(f"<think>{JSON}</think>", "json", id="in reasoning"),
        pytest.param(f"<think>{JSON}", "json", id="in open reasoning"),
        pytest.param(JSON.replace("30", '"30"'), "json", id="number as a string"),
        pytest.param(JSON.replace("30", "30.5"), "json", id="fraction"),
        pytest.param(JSON.replace("30", "[29, 30]"), "json", id="several candidates"),
        pytest.param(JSON.replace("30", "NaN"), "json", id="NaN"),
        pytest.param(JSON.replace("30", "1e400"), "json", id="infinity"),
        pytest.param(JSON.replace("30", "true"), "json", id="true"),
        pytest.param(JSON.replace("Ann", "\u0410nn"), "json", id="Cyrillic look-alike"),
        pytest.param(JSON.replace("Ann", "Ann\u200b"), "json", id="zero-width space"),
        pytest.param(JSON.replace("Ann", "Ann "), "json", id="space at the end"),
        pytest.param(JSON.replace("Ann", "ann"), "json", id="other case"),
        pytest.param(JSON.replace('"a", "b"', '"b", "a"'), "json", id="other order of items"),
        pytest.param(JSON.replace('"name"', '"name": "Bo", "name"'), "json", id="two names"),
        pytest.param(JSON.replace('"name"', '"extra": 1, "name"'), "json", id="key more"),
        pytest.param("name: Ann\nage: 30\ntags: [a, b]\n---\n{}", "yaml", id="second document"),
        pytest.param("name: &a Ann\nage: 30\ntags: [a, b]", "yaml", id="anchor"),
        pytest.param("name: !!str Ann\nage: 30\ntags: [a, b]", "yaml", id="tag"),
        pytest.param("name: Ann\nage: 30\nage: 30\ntags: [a, b]", "yaml", id="yaml key twice"),
        pytest.param(JSON, "toml", id="json as toml"),
        pytest.param(JSON, "xml", id="json as xml"),
        pytest.param(JSON, "tool", id="text where a call is wanted"),
        pytest.param(write_document(RECORD, "xml", "person"), "xml", id="other root"),
        pytest.param(
            write_document(RECORD, "xml").replace("<age>", '<age unit="y">'), "xml", id="attribute"
        ),
        pytest.param(assistant_calls(("record", RECORD), ("record", RECORD)), "tool", id="calls"),
        pytest.param(assistant_calls(("record", {"record": RECORD})), "tool", id="wrapped call"),
        pytest.param(
            {"role": "assistant", "content": None, "reasoning_content": JSON}, "json", id="thought"
        ),
    ],
)
def test_ways_not_to_write_it(answer: Any, format: str) -> None:
    reward, info = play(answer, format)
    assert reward == 0.0
    assert info["problem"] or info["stop_reason"] != "answer"


@pytest.mark.parametrize("arguments", ["", "{", "[]", "null", '"x"', JSON * 2, None, {}, "99"])
def test_arguments_that_are_not_the_record(arguments: Any) -> None:
    call: Any = assistant_calls(("record", {}))
    call["tool_calls"][0]["function"]["arguments"] = arguments
    reward, info = play(call, "tool")
    assert reward == 0.0
    assert info["problem"]


def test_a_call_of_another_tool_can_be_corrected_once() -> None:
    env = StructuredOutput()
    env.reset(options={"task": {"text": "…", "schema": SCHEMA, "record": RECORD, "format": "tool"}})
    observation, _, terminated, truncated, _ = env.step(assistant_calls(("save", RECORD)))
    assert text_of(observation[-1]).startswith("Error: there is no tool 'save'")
    assert not terminated
    assert not truncated
    assert env.step(assistant_calls(("record", RECORD)))[1:3] == (1.0, True)


def test_an_invented_document_fits_the_schema_and_earns_nothing() -> None:
    rng, valid = random.Random(0), 0
    for level in range(1, 6):
        env = StructuredOutput(level=level)
        for index in range(60):
            env.reset(options={"index": index})
            valid += fits(invent(rng, env.task.schema), env.task.schema)
            _, reward, _, _, info = env.step(env.guess(rng))
            assert reward == 0.0
            assert info["reward_components"]["leaf_share"] < 1.0
    assert valid == 300


def test_copies_of_the_prompt_and_of_its_parts_earn_nothing() -> None:
    for level in range(1, 6):
        env = StructuredOutput(level=level)
        for index in range(25):
            messages, info = env.reset(options={"index": index})
            text = text_of(messages[0])
            schema = json.dumps(env.task.schema)
            example = dict.fromkeys(re.findall(r'"(\w+)": \{', text), text[:50])
            for answer in (text, schema, f"```\n{schema}\n```", json.dumps(example)):
                env.reset(options={"index": index})
                assert env.step(answer)[1] == 0.0
            for tool in info["tools"]:
                env.reset(options={"index": index})
                call = assistant_calls((tool["function"]["name"], {"text": text}))
                assert env.step(call)[1] == 0.0


def test_leaves_that_do_not_belong_there_lower_the_share() -> None:
    share = "leaf_share"
    assert play('{"name": "Ann"}')[1]["reward_components"][share] == 0.25
    more = json.dumps({"name": "Ann", **{f"x{number}": 0 for number in range(9)}})
    assert play(more)[1]["reward_components"][share] == 0.1
    assert play(json.dumps(RECORD | {"age": [29, 30]}))[1]["reward_components"][share] == 0.6


@pytest.mark.parametrize("format", ["json", "yaml", "toml", "csv", "xml"])
@pytest.mark.parametrize("piece", ["[", '{"a":', "a: [", "- ", "<a>", "a,", "a = {", "&a *a ", "9"])
def test_a_million_characters_are_graded(format: str, piece: str) -> None:
    flat = {"record": {"a": 1}, "schema": {"type": "object"}}
    reward, info = play(assistant(piece * (1_000_000 // len(piece))), format, **flat)
    assert (reward, info["problem"]) == (0.0, "there are more than 100000 characters")
