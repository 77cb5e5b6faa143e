"""Checks of tools: their schemas are true, and no argument breaks them."""

from __future__ import annotations

import json
import random
from collections.abc import Iterator
from typing import Any

from jsonschema import Draft202012Validator
from jsonschema.exceptions import SchemaError

from textgym.checks.checks import Outcome, Skipped, check_of
from textgym.checks.hostile import arguments_for
from textgym.checks.subject import Subject
from textgym.errors import in_one_line
from textgym.messages import assistant_calls, text_of

__all__ = ["tool_declaration_accuracy"]


MAX_TASKS = 3  # each of their tools is called dozens of times


@check_of(
    "runtime.tool_arguments",
    "Raise `ToolError` in the tool for arguments that it cannot handle.",
)
def tools_answer_any_arguments(subject: Subject) -> None:
    """No arguments make a step raise: a tool raises `ToolError` for what it cannot handle."""
    toolbox, env = subject.cls.toolbox(), subject.make_unwrapped()
    if not toolbox.tools and not subject.defines("call_offered_tool"):
        raise Skipped("the environment has no tools")
    rng, tried = random.Random(0), 0
    for index in subject.indices(env):
        _, info = env.reset(options={"index": index})
        if not info["tools"]:
            continue
        if tried == MAX_TASKS:
            break
        tried += 1
        known = list(values_in(env.task.row))
        for schema in info["tools"]:
            function = schema["function"]
            for arguments in arguments_for(function["parameters"], known, rng):
                try:
                    went = env.step(assistant_calls((function["name"], arguments)))
                except Exception as error:
                    call = f"{function['name']}({json.dumps(arguments):.200})"
                    raise AssertionError(f"{call} raised {in_one_line(error)}") from error
                if went[2] or went[3]:
                    env.reset(options={"index": index})
    for error_text in toolbox.unforeseen.values():
        raise AssertionError(f"{error_text:.500}: raise ToolError instead")


def values_in(value: Any) -> Iterator[Any]:
    """Yield the strings and numbers anywhere in a row."""
    if isinstance(value, dict):
        value = list(value.values())
    if isinstance(value, list):
        for item in value:
            yield from values_in(item)
    elif value is not None:
        yield value


_MAX_TASKS = 5
_NO_TOOLS = (
    "solve", "guess", "grade", "get_task", "generate", "read_row", "begin", "respond", "reset",
    "step", "close", "get_state", "set_state", "add_reward", "finish", "toolbox", "__init__",
    "__class__", "task", "state", "unwrapped", "",
)  # fmt: skip


@check_of(
    "runtime.tool_declaration_accuracy",
    "Offer valid JSON Schemas of tools that exist, and let nothing else be called.",
    any_env=True,
    fast=False,
)
def tool_declaration_accuracy(subject: Subject) -> Outcome:
    """Offered tools have valid schemas and accept arguments that fit; nothing else can be called.

    A call of a tool that the task does not offer, or of a method that is not a tool, gets a reply
    and changes nothing.
    """
    env = subject.make_unwrapped()
    offered: set[str] = set()
    known = getattr(env, "num_tasks", None)
    for index in range(_MAX_TASKS if known is None else min(_MAX_TASKS, known)):
        place = subject.reset_to(index)
        reset = {"seed": place.get("seed"), "options": {"index": index} if "index" in place else {}}
        tools = env.reset(**reset)[1].get("tools", [])
        names = [_declared(schema) for schema in tools]
        assert len(set(names)) == len(names), f"two tools have the same name: {sorted(names)}"
        offered |= {*names}
        if subject.is_text_env:
            for schema in tools:
                _check_accepted(env, reset, schema)
            for name in (*env.toolbox().tools, *_NO_TOOLS):
                if name not in names:
                    _check_refused(env, reset, name)
    if not offered and not subject.is_text_env:
        raise Skipped("the environment has no tools")
    return Outcome({"tools": sorted(offered)})


def _declared(schema: Any) -> str:
    """Check the form of a schema; return the tool's name."""
    assert _is_function(schema), f"a tool is not in OpenAI's nested function form: {schema!r:.200}"
    function = schema["function"]
    name: str = function["name"]
    parameters = function.get("parameters", {"type": "object"})
    assert function["description"].strip(), f"the tool {name!r} has no description"
    try:
        Draft202012Validator.check_schema(parameters)
    except SchemaError as error:
        raise AssertionError(
            f"the parameters of {name!r} are not a JSON Schema: {error.message}"
        ) from error
    assert parameters.get("type") == "object", f"the parameters of {name!r} are not an object"
    missing = set(parameters.get("required", ())) - parameters.get("properties", {}).keys()
    assert not missing, f"the tool {name!r} requires {sorted(missing)}, which it does not declare"
    return name


def _is_function(schema: Any) -> bool:
    if not isinstance(schema, dict) or schema.get("type") != "function":
        return False
    function = schema.get("function")
    names = "name", "description"
    return isinstance(function, dict) and all(isinstance(function.get(n), str) for n in names)


def _check_accepted(env: Any, reset: dict[str, Any], schema: Any) -> None:
    """Check that a tool exists, and does not refuse arguments that fit its schema."""
    function = schema["function"]
    name: str = function["name"]
    parameters = function.get("parameters", {})
    env.reset(**reset)
    reply = text_of(env.step(assistant_calls((name, {})))[0][-1])
    assert not reply.startswith("Error: there is no tool"), (
        f"the tool {name!r} is offered but does not exist"
    )
    values = [*values_in(env.task.row)]
    validator = Draft202012Validator(parameters)
    for arguments in arguments_for(parameters, values, random.Random(0)):
        if not validator.is_valid(arguments):
            continue
        env.reset(**reset)
        reply = text_of(env.step(assistant_calls((name, arguments)))[0][-1])
        assert not reply.startswith("Error: wrong arguments"), (
            f"{name!r} refuses arguments that fit its schema: {reply:.200}"
        )
        return


def _check_refused(env: Any, reset: dict[str, Any], name: str) -> None:
    env.reset(**reset)
    before = env.get_state()["state"]
    try:
        messages = env.step(assistant_calls((name, {})))[0]
    except Exception as error:
        raise AssertionError(f"a call of {name!r} raised {in_one_line(error)}") from error
    assert messages[-1]["role"] == "tool", f"a call of {name!r} got no reply"
    assert env.get_state()["state"] == before, f"a call of {name!r} changed the state"
    assert "Error: there is no tool" in text_of(messages[-1]), (
        f"{name!r}, which is not offered, can be called"
    )
