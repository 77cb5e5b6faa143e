"""Rows of function calls: textgym's and BFCL's, xLAM's, and NeMo Gym's prompts, as tasks.

Invariants: a tool is offered with a name that every model can call and with types of JSON Schema;
an expected call names an offered tool and only arguments that it has.
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from textgym.errors import RowError
from textgym.json_values import copy_json
from textgym.messages import Message, ToolSchema, user
from textgym.tasks import nemo_rows
from textgym.tasks.task import Task
from textgym.verifiers.function_calls import OMITTED, ExpectedCall, exact_options

__all__ = ["FunctionCallTask", "read_call_row"]

_TYPES = {
    "dict": "object", "map": "object", "float": "number", "double": "number", "number": "number",
    "tuple": "array", "list": "array", "set": "array", "any": "string", "str": "string",
    "int": "integer", "long": "integer", "bool": "boolean", "string": "string",
    "integer": "integer", "boolean": "boolean", "array": "array", "object": "object",
    "null": "null",
}  # fmt: skip
_NO_NAME = re.compile(r"[^A-Za-z0-9_-]")
_COPY = re.compile(r"_\d+$")  # of a tool's name, where an object lists several calls of one tool
_ANY_CALL, _NO_CALL = "live_relevance", "relevance"


@dataclass(frozen=True, slots=True)
class FunctionCallTask(Task):
    """A task whose answer is the list of expected calls, as `ExpectedCall`s.

    Attributes:
        any_call: Whether any call of an offered tool is right.
        refusal: The text that is right where no tool fits; "" if any text is.
    """

    any_call: bool = False
    refusal: str = ""


def read_call_row(row: Mapping[str, Any]) -> FunctionCallTask:
    """Return the task of a row.

    Raises:
        RowError: The row is not valid; the error names the field.
    """
    functions: Any
    if "answers" in row and "ground_truth" not in row:
        functions, place = _parsed(row, "tools"), "tools"
    elif nemo_rows.has_prompt(row):
        functions, place = list(nemo_rows.tools_of(row) or ()), "responses_create_params.tools"
    else:
        place = "function"
        functions = [row[place]] if isinstance(row.get(place), Mapping) else row.get(place)
    if not isinstance(functions, (list, tuple)):
        raise RowError(place, "must be a tool or a list of tools")
    tools = {}
    for index, function in enumerate(functions):
        name, tool = _tool(function, f"{place}.{index}")
        tools[name] = tool
    names = [tool["function"]["name"] for tool in tools.values()]
    if len(set(names)) < len(functions):
        raise RowError(place, "has two tools of the same name")
    any_call = not _has_answer(row) and str(row["id"]).startswith(_ANY_CALL)
    calls = () if any_call else tuple(_expected_calls(row, tools))
    prompt = tuple(_prompt(row))
    refusal = row.get("refusal") or ""
    if not isinstance(refusal, str):
        raise RowError("refusal", f"must be a text, not {refusal!r:.100}")
    return FunctionCallTask(row["id"], prompt, calls, (*tools.values(),), row, any_call, refusal)


def _has_answer(row: Mapping[str, Any]) -> bool:
    return row.get("ground_truth") is not None or row.get("answers") is not None


def _prompt(row: Mapping[str, Any]) -> list[Message]:
    if nemo_rows.has_prompt(row):
        return nemo_rows.prompt_of(row)
    field = "query" if "query" in row and "question" not in row else "question"
    question = row.get(field)
    if isinstance(question, list) and len(question) == 1 and isinstance(question[0], list):
        question = question[0]  # BFCL's turns: there is one
    if isinstance(question, str) and question.strip():
        return [user(question)]
    if isinstance(question, list) and question:
        return nemo_rows.messages_of(question, field)
    raise RowError(field, "must be a text or a list of messages that is not empty")


def _parsed(row: Mapping[str, Any], field: str) -> list[Any]:
    """Return a list that is stored as JSON text, as in xLAM's rows, or as it is."""
    value = row.get(field)
    if isinstance(value, str):
        try:
            value = json.loads(value)
        except (ValueError, RecursionError):
            raise RowError(field, "must be JSON") from None
    if not isinstance(value, list):
        raise RowError(field, f"must be a list, not {type(value).__name__}")
    return value


def _tool(function: Any, place: str) -> tuple[str, ToolSchema]:
    """Return the name of a tool in the row, and the tool as it is offered."""
    function = function.get("function", function) if isinstance(function, Mapping) else {}
    name = function.get("name")
    if not isinstance(name, str) or not name:
        raise RowError(f"{place}.name", "is missing")
    parameters = function.get("parameters")
    if not isinstance(parameters, Mapping):
        parameters = {}
    if not isinstance(parameters.get("properties"), Mapping):
        parameters = _flat_parameters(parameters)
    schema = _schema(parameters, f"{place}.parameters")
    schema["type"] = "object"
    offered = _NO_NAME.sub("_", name)[:64]
    about = {"name": offered, "description": str(function.get("description") or "")}
    return name, {"type": "function", "function": {**about, "parameters": schema}}


def _flat_parameters(parameters: Mapping[str, Any]) -> dict[str, Any]:
    """Return xLAM's parameters as JSON Schema: names with `type`, `description` and `default`.

    A parameter is optional if its type says so, or if it has a default.
    """
    properties, required = {}, []
    for name, about in parameters.items():
        if not isinstance(about, Mapping):
            continue
        kind = str(about.get("type", ""))
        if "optional" not in kind and "default" not in about:
            required.append(name)
        properties[name] = {**about, "type": kind.split(",")[0].strip()}
    return {"properties": properties, "required": required}


def _schema(value: Mapping[str, Any], place: str) -> dict[str, Any]:
    """Return a schema with JSON Schema's types, at any depth. Other types are left out."""
    schema = {key: copy_json(item) for key, item in value.items() if key != "optional"}
    kind = schema.pop("type", None)
    if isinstance(kind, str):
        base, _, inner = kind.rstrip("]").partition("[")
        if (known := _TYPES.get(base.strip().lower())) is not None:
            schema["type"] = known
        if inner.strip().lower() in _TYPES and "items" not in schema:
            schema["items"] = {"type": _TYPES[inner.strip().lower()]}
    required = schema.get("required")
    if not isinstance(required, list) or not all(isinstance(name, str) for name in required):
        schema.pop("required", None)
    properties = schema.get("properties")
    if isinstance(properties, dict):
        for name, item in properties.items():
            if not isinstance(item, Mapping):
                raise RowError(f"{place}.properties.{name}", "must be an object")
            properties[name] = _schema(item, f"{place}.properties.{name}")
    if isinstance(schema.get("items"), Mapping):
        schema["items"] = _schema(schema["items"], f"{place}.items")
    return schema


def _expected_calls(row: Mapping[str, Any], tools: Mapping[str, ToolSchema]) -> list[ExpectedCall]:
    if row.get("ground_truth") is None and row.get("answers") is not None:
        return [
            _expected(tools, item.get("name"), _exact(item.get("arguments")), f"answers.{index}")
            for index, item in enumerate(_parsed(row, "answers"))
            if isinstance(item, Mapping)
        ]
    truth = row.get("ground_truth")
    if truth is None:
        if _NO_CALL in str(row["id"]):
            return []
        raise RowError("ground_truth", "is missing")
    if isinstance(truth, Mapping):
        truth = [{name: accepted} for name, accepted in truth.items()]
    calls = []
    for index, item in enumerate(truth if isinstance(truth, list) else [truth]):
        place = f"ground_truth.{index}"
        if not isinstance(item, Mapping) or len(item) != 1:
            raise RowError(place, "must be an object with the name of one tool")
        name, accepted = next(iter(item.items()))
        calls.append(_expected(tools, _without_copy(str(name), tools), accepted, place))
    return calls


def _exact(arguments: Any) -> Any:
    if not isinstance(arguments, Mapping):
        return arguments
    return {name: exact_options(value) for name, value in arguments.items()}


def _without_copy(name: str, tools: Mapping[str, ToolSchema]) -> str:
    """Return the name of a tool in an object, where several calls of it have numbers.

    A row with one tool is about that one, because some of BFCL's misspell its name.
    """
    if name in tools:
        return name
    return next(iter(tools)) if len(tools) == 1 else _COPY.sub("", name)


def _expected(
    tools: Mapping[str, ToolSchema], name: Any, accepted: Any, place: str
) -> ExpectedCall:
    if not isinstance(name, str) or name not in tools:
        raise RowError(place, f"calls {name!r:.100}, which is not among the tools")
    function: Any = tools[name]["function"]
    parameters = function["parameters"].get("properties", {})
    if not isinstance(accepted, Mapping):
        raise RowError(f"{place}.{name}", "must be an object of arguments")
    for argument, options in accepted.items():
        if not isinstance(options, list) or not options:
            raise RowError(f"{place}.{name}.{argument}", "must be a list of accepted values")
        if argument not in parameters and OMITTED not in options:
            raise RowError(f"{place}.{name}.{argument}", "is not an argument of the tool")
    required = frozenset(function["parameters"].get("required", ()))
    return ExpectedCall(function["name"], accepted, parameters, required)
