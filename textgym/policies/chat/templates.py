"""Rendering a conversation with a model's chat template: the one place where it is done.

Templates differ: some want tool-call arguments as a mapping and some as JSON text, some ids of nine
characters, none takes None, most take a text alone and some nothing but text parts, some drop tools
without a word. `render` gives each what it wants; where tools are dropped, the project's own tool
prompt tells of them.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from functools import lru_cache
from hashlib import sha256
from typing import Any

from textgym.errors import UsageError
from textgym.messages import Message, ToolSchema, copy_json, text_of
from textgym.policies.chat.hermes_parser import parse_tool_calls
from textgym.policies.chat.tool_prompt import with_tool_prompt
from textgym.policies.json_codec import whole_text

__all__ = ["PROBE_TOOL", "encode", "has_tagged_calls", "ignores_tools", "render"]

PROBE_TOOL: ToolSchema = {
    "type": "function",
    "function": {
        "name": "probe_tool",
        "description": "A probe.",
        "parameters": {"type": "object", "properties": {"key": {"type": "string"}}},
    },
}


def render(
    tokenizer: Any,
    messages: Sequence[Message],
    tools: Sequence[ToolSchema],
    *,
    asks: bool = True,
) -> str:
    r"""Return the text that a model reads, up to where its answer begins.

    It holds whole characters alone, for tokenizers refuse half a surrogate pair, which a model may
    write into a call's arguments as `\ud800`.

    Args:
        tokenizer: A transformers tokenizer with a chat template.
        messages: The conversation; it is not changed.
        tools: Schemas in nested form; none if empty.
        asks: Whether what an answer begins with follows the conversation.

    Raises:
        UsageError: The template refuses the conversation, or an image is in it.
    """
    template = str(tokenizer.chat_template)
    if _needs_tool_prompt(tokenizer, messages, tools):
        messages = with_tool_prompt(messages, tools, has_system=_takes_system(tokenizer, template))
        tools = ()
    as_mapping = _wants_mapping(tokenizer, template)
    prepared = [_prepared(message, as_mapping) for message in messages]
    if _wants_short_ids(tokenizer, template):
        _shorten_ids(prepared)
    try:
        return _apply(tokenizer, prepared, copy_json(list(tools)), asks)
    except UsageError:
        if not _wrap_broken_arguments(prepared):
            raise
        return _apply(tokenizer, prepared, copy_json(list(tools)), asks)


def encode(tokenizer: Any, text: str) -> list[int]:
    """Return the token ids of a rendered text; the template has put the special tokens."""
    ids: list[int] = tokenizer(text, add_special_tokens=False)["input_ids"]
    return ids


def ignores_tools(tokenizer: Any) -> bool:
    """Tell whether the template drops or refuses the tools that it is given."""
    return _drops_tools(tokenizer, str(tokenizer.chat_template))


def has_tagged_calls(tokenizer: Any) -> bool:
    """Tell whether a model that is given tools is to write calls as `tool_parser` reads them.

    It is where the project's own tool prompt tells it so, and where the template writes calls thus.
    """
    return ignores_tools(tokenizer) or _writes_tags(tokenizer, str(tokenizer.chat_template))


def _apply(
    tokenizer: Any, messages: list[dict[str, Any]], tools: list[ToolSchema], asks: bool = True
) -> str:
    if _wants_parts(tokenizer, str(tokenizer.chat_template)):
        messages = [{**message, "content": _as_parts(message["content"])} for message in messages]
    try:
        text: str = tokenizer.apply_chat_template(
            messages, tools=tools or None, tokenize=False, add_generation_prompt=asks
        )
    except Exception as error:  # Jinja's errors, and whatever a template raises
        raise UsageError(f"the model's chat template refuses this conversation: {error}") from error
    return whole_text(text)


def _prepared(message: Message, as_mapping: bool) -> dict[str, Any]:
    content = message.get("content")
    if isinstance(content, list) and any(part["type"] != "text" for part in content):
        raise UsageError("this model reads text alone, and the conversation holds an image")
    prepared: dict[str, Any] = {**message, "content": text_of(message)}
    if message["role"] == "developer":
        prepared["role"] = "system"
    if not prepared.get("tool_calls"):
        prepared.pop("tool_calls", None)
        return prepared
    prepared["tool_calls"] = copy_json(message["tool_calls"])
    for call in prepared["tool_calls"]:
        call["type"] = "function"
        call["function"]["arguments"] = _arguments(call["function"].get("arguments"), as_mapping)
    return prepared


def _arguments(given: Any, as_mapping: bool) -> Any:
    if not as_mapping:
        return given if isinstance(given, str) else json.dumps(given or {}, ensure_ascii=False)
    if not isinstance(given, str):
        return given or {}
    try:
        read = json.loads(given or "{}")
    except (ValueError, RecursionError):
        return given  # what the model wrote is no JSON: it is shown as it stands
    return read if isinstance(read, dict) else given


def _wrap_broken_arguments(messages: list[dict[str, Any]]) -> bool:
    """Make a mapping of arguments that are none, for templates that take nothing else."""
    calls = [call["function"] for message in messages for call in message.get("tool_calls", ())]
    broken = [function for function in calls if isinstance(function["arguments"], str)]
    for function in broken:
        function["arguments"] = {"arguments": function["arguments"]}
    return bool(broken)


def _shorten_ids(messages: list[dict[str, Any]]) -> None:
    """Give calls and their answers ids of nine characters, which follow from their own."""
    calls = (call for message in messages for call in message.get("tool_calls", ()))
    for item, key in [*((call, "id") for call in calls), *((m, "tool_call_id") for m in messages)]:
        if isinstance(item.get(key), str):
            item[key] = sha256(item[key].encode("utf-8", "replace")).hexdigest()[:9]


def _wants_short_ids(tokenizer: Any, template: str) -> bool:
    """Tell whether the template takes a call's id of nine characters alone, as Mistral's do."""
    takes_nine = any(_rendered_calls(tokenizer, template))
    return takes_nine and not any(_rendered_calls(tokenizer, template, "call_0"))


def _needs_tool_prompt(
    tokenizer: Any, messages: Sequence[Message], tools: Sequence[ToolSchema]
) -> bool:
    """Tell whether the template would drop tools, or calls that were made."""
    if not ignores_tools(tokenizer):
        return False
    if tools or not any(item["role"] == "tool" or item.get("tool_calls") for item in messages):
        return bool(tools)
    return not any(map(_shows_probe, _rendered_calls(tokenizer, str(tokenizer.chat_template))))


@lru_cache(maxsize=64)
def _drops_tools(tokenizer: Any, template: str) -> bool:
    asked: list[dict[str, Any]] = [{"role": "user", "content": "Hello"}]
    try:
        plain = _apply(tokenizer, asked, [])
    except UsageError:
        return False  # it cannot be told
    try:
        return _apply(tokenizer, asked, [PROBE_TOOL]) == plain
    except UsageError:
        return True  # it refuses them


@lru_cache(maxsize=64)
def _takes_system(tokenizer: Any, template: str) -> bool:
    probe = [{"role": "system", "content": "A probe."}, {"role": "user", "content": "Hello"}]
    try:
        return "A probe." in _apply(tokenizer, probe, [])
    except UsageError:
        return False


@lru_cache(maxsize=64)
def _writes_tags(tokenizer: Any, template: str) -> bool:
    """Render a call, and try whether it can be read out of the text again."""
    for text in _rendered_calls(tokenizer, template):
        start, end = text.rfind("<tool_call>"), text.rfind("</tool_call>")
        written = text[start : end + len("</tool_call>")] if 0 <= start < end else ""
        calls = [call["function"] for call in parse_tool_calls(written)[1]]
        if calls == [{"name": "probe_tool", "arguments": '{"key": "some value"}'}]:
            return True
    return False


@lru_cache(maxsize=64)
def _wants_parts(tokenizer: Any, template: str) -> bool:
    """Try both forms of a text; some templates of models that see show it as a part alone."""
    shown = []
    for content in ("A probe.", _as_parts("A probe.")):
        asked = [{"role": "user", "content": content}]
        try:
            shown.append("A probe." in tokenizer.apply_chat_template(asked, tokenize=False))
        except Exception:  # as in `_apply`
            shown.append(False)
    return shown == [False, True]


def _as_parts(text: str) -> list[dict[str, str]]:
    return [{"type": "text", "text": text}]


def _wants_mapping(tokenizer: Any, template: str) -> bool:
    """Try both forms of arguments on a template; it wants the one that it renders as JSON."""
    from_mapping, from_text = _rendered_calls(tokenizer, template)
    python_form = "{'key': 'some value'}" in from_mapping
    return not from_text or (_shows_probe(from_mapping) and not python_form)


def _shows_probe(text: str) -> bool:
    return "some value" in text


@lru_cache(maxsize=64)
def _rendered_calls(tokenizer: Any, template: str, id: str = "call000_1") -> tuple[str, str]:
    """Render a call with arguments as a mapping, and as text; "" where the template refuses."""
    rendered = []
    for arguments in ({"key": "some value"}, '{"key": "some value"}'):
        function = {"name": "probe_tool", "arguments": arguments}
        call = {"id": id, "type": "function", "function": function}
        messages: list[dict[str, Any]] = [
            {"role": "user", "content": "Hello"},
            {"role": "assistant", "content": "", "tool_calls": [call]},
            {"role": "tool", "content": "Done", "tool_call_id": id, "name": "probe_tool"},
        ]
        try:
            rendered.append(_apply(tokenizer, messages, [PROBE_TOOL]))
        except UsageError:
            rendered.append("")
    return rendered[0], rendered[1]
