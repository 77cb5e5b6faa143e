"""NeMo Gym's rows: `responses_create_params`, in the format of OpenAI's Responses API, as messages.

`input` is a string, a list of messages (with content as a string or as parts), or a list of
Responses items: message, reasoning, function_call, function_call_output. Tools in `tools` are flat
and become nested. Sampling parameters are ignored. The verifier's fields of a row keep their names,
and environments read them.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from functools import lru_cache
from typing import Any

from textgym.errors import RowError
from textgym.json_values import copy_json
from textgym.messages import (
    ROLES,
    Message,
    ToolCall,
    ToolSchema,
    message_problem,
    system,
    text_of,
    tool_result,
    user,
)

__all__ = ["has_prompt", "messages_of", "prompt_of", "tools_of"]

_PLACE = "responses_create_params"


def has_prompt(row: Mapping[str, Any]) -> bool:
    """Return whether a row has a prompt in NeMo Gym's format."""
    return row.get(_PLACE) is not None


def prompt_of(row: Mapping[str, Any]) -> list[Message]:
    """Return the prompt of a NeMo Gym row as messages.

    Raises:
        RowError: The input does not have a supported format.

    Example:
        >>> prompt_of({"responses_create_params": {"input": "What is 2 + 2?"}})
        [{'role': 'user', 'content': 'What is 2 + 2?'}]
    """
    params = row[_PLACE]
    if not isinstance(params, Mapping) or not params.get("input"):
        raise RowError(f"{_PLACE}.input", "is missing")
    messages: list[Message] = []
    if isinstance(params.get("instructions"), str) and params["instructions"]:
        messages.append(system(params["instructions"]))
    asked = messages_of(params["input"], f"{_PLACE}.input")
    if not any(message.get("content") or message.get("tool_calls") for message in asked):
        raise RowError(f"{_PLACE}.input", "contains no text")
    return [*messages, *asked]


def messages_of(value: Any, place: str) -> list[Message]:
    """Convert a string, or a list of messages and Responses items, to messages.

    Args:
        value: The value from a row.
        place: The name of its field, for errors.

    Raises:
        RowError: The value does not have a supported format.

    Example:
        >>> messages_of([{"role": "user", "content": "What is 2 + 2?"}], "prompt")
        [{'role': 'user', 'content': 'What is 2 + 2?'}]
    """
    if isinstance(value, str):
        return [user(value)]
    if not isinstance(value, list):
        raise RowError(place, f"must be a string or a list, not {type(value).__name__}")
    messages: list[Message] = []
    reasoning = ""
    for index, item in enumerate(value):
        where = f"{place}.{index}"
        if not isinstance(item, Mapping):
            raise RowError(where, f"must be a message or an item, not {type(item).__name__}")
        kind = item.get("type") or "message"
        if kind == "reasoning":
            reasoning += _joined(item.get("summary")) or _joined(item.get("content"))
        elif kind == "function_call":
            _add_call(messages, item, reasoning, where)
            reasoning = ""
        elif kind == "function_call_output":
            messages.append(
                tool_result(_joined(item.get("output")), str(item.get("call_id") or ""))
            )
        elif kind == "message":
            messages.append(_message(item, reasoning, where))
            reasoning = ""
        else:
            known = "message, reasoning, function_call, function_call_output"
            raise RowError(f"{where}.type", f"is {kind!r}; supported types are {known}")
    if not messages:
        raise RowError(place, "contains no message")
    return messages


def tools_of(row: Mapping[str, Any]) -> tuple[ToolSchema, ...] | None:
    """Return the tools of a NeMo Gym row in nested form; None if it has none.

    Raises:
        RowError: A tool has no name, or its parameters are not a valid JSON Schema.
    """
    params = row.get(_PLACE)
    tools = params.get("tools") if isinstance(params, Mapping) else None
    if not tools:
        return None
    if not isinstance(tools, list):
        raise RowError(f"{_PLACE}.tools", f"must be a list of tools, not {type(tools).__name__}")
    return tuple(_nested(item, f"{_PLACE}.tools.{i}") for i, item in enumerate(tools))


def field_of(row: Mapping[str, Any], field: str) -> Any:
    """Return a field of a row, or of the row's `metadata` if the row's own is empty.

    Example:
        >>> field_of({"metadata": {"expected_answer": "4"}}, "expected_answer")
        '4'
    """
    value, metadata = row.get(field), row.get("metadata")
    is_empty = value is None or (isinstance(value, str) and not value)
    return metadata.get(field) if is_empty and isinstance(metadata, Mapping) else value


def patterns_of(row: Mapping[str, Any]) -> tuple[str, ...]:
    """Return the regular expressions of `template_metadata.output_regex`, one or a list.

    Empty strings are left out.

    Raises:
        RowError: The value is not a string or a list of strings.

    Example:
        >>> patterns_of({"template_metadata": {"output_regex": "Choice: (.)"}})
        ('Choice: (.)',)
    """
    metadata = row.get("template_metadata")
    patterns = metadata.get("output_regex") if isinstance(metadata, Mapping) else None
    if patterns is None:
        return ()
    if isinstance(patterns, str):
        patterns = [patterns]
    if not isinstance(patterns, list) or not all(isinstance(text, str) for text in patterns):
        raise RowError("template_metadata.output_regex", "must be a string or a list of strings")
    return tuple(filter(None, patterns))


def _nested(flat: Any, place: str) -> ToolSchema:
    function = flat.get("function", flat) if isinstance(flat, Mapping) else {}
    if not isinstance(function, Mapping) or not isinstance(function.get("name"), str):
        raise RowError(f"{place}.name", "is missing")
    kept = {key: copy_json(value) for key, value in function.items() if key != "type"}
    problem = _parameters_problem(kept)
    if problem:  # a table has nulls for what only other rows or tools have
        kept = _without_nulls(kept)
        if _parameters_problem(kept):
            raise RowError(f"{place}.parameters", f"is not a valid JSON Schema: {problem}")
    return {"type": "function", "function": kept}


def _parameters_problem(function: Mapping[str, Any]) -> str:
    return _schema_problem(json.dumps(function.get("parameters") or {}, default=str))


def _without_nulls(value: Any) -> Any:
    """Return a value without the fields that are null, at any depth."""
    if isinstance(value, Mapping):
        return {key: _without_nulls(item) for key, item in value.items() if item is not None}
    return [_without_nulls(item) for item in value] if isinstance(value, list) else value


@lru_cache(1024)
def _schema_problem(text: str) -> str:
    """Return why a JSON string is not a valid JSON Schema, or "". Cached, as rows share tools."""
    import jsonschema

    try:
        jsonschema.Draft202012Validator.check_schema(json.loads(text))
    except jsonschema.SchemaError as error:
        return str(error.message)
    return ""


def _message(item: Mapping[str, Any], reasoning: str, place: str) -> Message:
    content = item.get("content")
    if isinstance(content, list):
        content = [_part(part, f"{place}.content.{i}") for i, part in enumerate(content)]
        if all(part["type"] == "text" for part in content):
            content = "".join(part["text"] for part in content)
    message: dict[str, Any] = {"role": item.get("role"), "content": content}
    for key in ("tool_calls", "tool_call_id", "name", "reasoning_content"):
        if item.get(key):
            message[key] = copy_json(item[key])
    if reasoning:
        message["reasoning_content"] = reasoning
    problem = message_problem(message, ROLES)
    if problem:
        raise RowError(place, f"is not a message: {problem}")
    return message  # type: ignore[return-value]


def _part(part: Any, place: str) -> dict[str, Any]:
    kind = part.get("type") if isinstance(part, Mapping) else None
    if kind in ("input_text", "output_text", "text") and isinstance(part.get("text"), str):
        return {"type": "text", "text": part["text"]}
    if kind in ("input_image", "image_url") and part.get("image_url"):
        image = part["image_url"]
        image_url = {"url": image} if isinstance(image, str) else image
        return {"type": "image_url", "image_url": image_url}
    raise RowError(place, "is neither a text part nor an image part")


def _add_call(messages: list[Message], item: Mapping[str, Any], reasoning: str, place: str) -> None:
    if not isinstance(item.get("name"), str):
        raise RowError(f"{place}.name", "is missing")
    arguments = item.get("arguments") or "{}"
    if not isinstance(arguments, (str, dict)):
        raise RowError(
            f"{place}.arguments", f"must be a JSON string, not {type(arguments).__name__}"
        )
    call: ToolCall = {
        "id": str(item.get("call_id") or ""),
        "type": "function",
        "function": {"name": item["name"], "arguments": arguments},
    }
    if not messages or messages[-1]["role"] != "assistant" or reasoning:
        messages.append({"role": "assistant", "content": None})
        if reasoning:
            messages[-1]["reasoning_content"] = reasoning
    messages[-1]["tool_calls"] = [*(messages[-1].get("tool_calls") or []), call]


def _joined(content: Any) -> str:
    if isinstance(content, str):
        return content
    parts = content if isinstance(content, list) else []
    texts = [part.get("text") for part in parts if isinstance(part, Mapping)]
    joined = [{"type": "text", "text": text} for text in texts if isinstance(text, str)]
    return text_of({"content": joined})
