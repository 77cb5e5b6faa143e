"""Rendering a conversation with a model's chat template.

Templates differ. Some expect tool-call arguments as a mapping, others as JSON text. Some accept
only call ids of nine characters. None accepts None as content; most accept only a string, a few
only text parts. Some ignore tools silently. `render` adapts the conversation to the template, and
describes tools with textgym's own tool prompt if the template ignores them.

Rendering short probe conversations shows what a template expects, once for each template.
"""

from __future__ import annotations

import copy
import json
from collections.abc import Mapping, Sequence
from functools import lru_cache
from hashlib import sha256
from typing import TYPE_CHECKING, Any

from textgym.errors import UsageError
from textgym.json_values import copy_json, replace_surrogates
from textgym.messages import Message, ToolSchema, text_of
from textgym.policies.chat.hermes import parse_tool_calls, with_tool_prompt

if TYPE_CHECKING:
    from textgym.policies.chat.pictures import PictureReader

__all__ = [
    "PROBE_TOOL", "encode", "ignores_tools", "render", "uses_hermes_calls",
    "with_template_arguments",
]  # fmt: skip

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
    add_generation_prompt: bool = True,
    pictures: PictureReader | None = None,
) -> str:
    r"""Return the text that a model reads.

    Unpaired surrogates, which a model may write into a call's arguments as `\ud800`, are replaced
    by U+FFFD because tokenizers refuse them.

    Args:
        tokenizer: A transformers tokenizer with a chat template.
        messages: The conversation; it is not changed.
        tools: Schemas in nested form; may be empty.
        add_generation_prompt: Whether the text ends with the start of an assistant message.
        pictures: The reader of pictures, if the model reads any; the text has one placeholder for
            each picture.

    Raises:
        UsageError: The template refuses the conversation, or the model cannot read a part of it.
    """
    template = str(tokenizer.chat_template)
    if _needs_tool_prompt(tokenizer, messages, tools):
        messages = with_tool_prompt(
            messages, tools, has_system=_accepts_system(tokenizer, template)
        )
        tools = ()
    as_mapping = _wants_mapping(tokenizer, template)
    prepared = [_prepared(message, as_mapping, pictures is not None) for message in messages]
    if pictures:
        prepared, tools = pictures.without_placeholders([prepared, list(tools)])
    if _wants_short_ids(tokenizer, template):
        _shorten_ids(prepared)
    try:
        return _apply(tokenizer, prepared, copy_json(list(tools)), add_generation_prompt)
    except UsageError:
        if not _wrap_broken_arguments(prepared):
            raise
        return _apply(tokenizer, prepared, copy_json(list(tools)), add_generation_prompt)


def encode(tokenizer: Any, text: str) -> list[int]:
    """Return the token ids of a rendered text, which already has its special tokens."""
    ids: list[int] = tokenizer(text, add_special_tokens=False)["input_ids"]
    return ids


def with_template_arguments(tokenizer: Any, arguments: Mapping[str, Any]) -> Any:
    """Return a tokenizer whose chat template has values for some of its variables.

    Args:
        tokenizer: A transformers tokenizer with a chat template, or a processor with one. It is not
            changed.
        arguments: The values by name, such as `{"enable_thinking": False}` for Qwen3; as they
            would be passed to `apply_chat_template`.

    Returns:
        The tokenizer, or the processor's tokenizer; a copy if it needs another template.

    Raises:
        UsageError: A name is not an identifier, a value is not JSON, or there is no template.
    """
    values = []
    for name, value in arguments.items():
        try:
            values.append((name, repr(json.loads(json.dumps(value, allow_nan=False)))))
        except (TypeError, ValueError):
            raise UsageError(f"a chat template cannot be given {name}={value!r:.80}") from None
        if not name.isidentifier():
            raise UsageError(f"a chat template has no variable {name!r:.80}")
    # A processor has a tokenizer, but some tokenizers have an attribute of this name too.
    inner: Any = getattr(tokenizer, "tokenizer", None)
    if not hasattr(inner, "apply_chat_template"):
        inner = tokenizer
    if inner.chat_template and not values:
        return inner
    template = inner.chat_template or tokenizer.chat_template
    if not isinstance(template, str):
        raise UsageError("the tokenizer must have one chat template, as a text")
    # Transformers removes the newline after a block, so that the template begins a line.
    assignments = "".join(f"{{% set {name} = {value} %}}\n" for name, value in values)
    return _with_template(inner, assignments + template)


@lru_cache(maxsize=16)  # one copy, because probes are cached for each tokenizer
def _with_template(tokenizer: Any, template: str) -> Any:
    copied = copy.copy(tokenizer)
    copied.chat_template = template
    return copied


def ignores_tools(tokenizer: Any) -> bool:
    """Return whether the template ignores or refuses the tools that it is given."""
    return _ignores_tools(tokenizer, str(tokenizer.chat_template))


def uses_hermes_calls(tokenizer: Any) -> bool:
    """Return whether the model is expected to write tool calls in Hermes form.

    That is so if textgym's own tool prompt asks for them, or if the template renders such calls.
    """
    return ignores_tools(tokenizer) or _renders_hermes_calls(
        tokenizer, str(tokenizer.chat_template)
    )


def _apply(
    tokenizer: Any,
    messages: list[dict[str, Any]],
    tools: list[ToolSchema],
    add_generation_prompt: bool = True,
) -> str:
    if _wants_parts(tokenizer, str(tokenizer.chat_template)):
        messages = [{**message, "content": _as_parts(message["content"])} for message in messages]
    try:
        text: str = tokenizer.apply_chat_template(
            messages,
            tools=tools or None,
            tokenize=False,
            add_generation_prompt=add_generation_prompt,
        )
    except Exception as error:  # Jinja's errors, and any other that a template raises
        raise UsageError(f"the model's chat template refuses this conversation: {error}") from error
    return replace_surrogates(text)


def _prepared(message: Message, as_mapping: bool, reads_pictures: bool) -> dict[str, Any]:
    content = message.get("content")
    kinds = {part["type"] for part in content} if isinstance(content, list) else set()
    if unread := kinds - {"text", *(["image_url"] if reads_pictures else ())}:
        readable = "text and pictures" if reads_pictures else "only text"
        raise UsageError(
            f"this policy reads {readable}, and the conversation has a part of type "
            f"{min(unread)!r:.60}"
        )
    prepared: dict[str, Any] = {**message, "content": text_of(message)}
    if isinstance(content, list) and "image_url" in kinds:
        prepared["content"] = [
            {"type": "text", "text": part["text"]} if part["type"] == "text" else {"type": "image"}
            for part in content
        ]
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


def _arguments(value: Any, as_mapping: bool) -> Any:
    if not as_mapping:
        return value if isinstance(value, str) else json.dumps(value or {}, ensure_ascii=False)
    if not isinstance(value, str):
        return value or {}
    try:
        parsed = json.loads(value or "{}")
    except (ValueError, RecursionError):
        return value  # the model wrote no valid JSON: it is shown unchanged
    return parsed if isinstance(parsed, dict) else value


def _wrap_broken_arguments(messages: list[dict[str, Any]]) -> bool:
    """Wrap arguments that are not a mapping, for strict templates; return whether any was."""
    calls = [call["function"] for message in messages for call in message.get("tool_calls", ())]
    broken = [function for function in calls if isinstance(function["arguments"], str)]
    for function in broken:
        function["arguments"] = {"arguments": function["arguments"]}
    return bool(broken)


def _shorten_ids(messages: list[dict[str, Any]]) -> None:
    """Replace the ids of calls and results by nine characters derived from them."""
    calls = [call for message in messages for call in message.get("tool_calls", ())]
    for owners, key in ((calls, "id"), (messages, "tool_call_id")):
        for owner in owners:
            if isinstance(owner.get(key), str):
                owner[key] = sha256(owner[key].encode("utf-8", "replace")).hexdigest()[:9]


def _wants_short_ids(tokenizer: Any, template: str) -> bool:
    """Return whether the template accepts only call ids of nine characters, as Mistral's do."""
    accepts_nine = any(_rendered_calls(tokenizer, template))
    return accepts_nine and not any(_rendered_calls(tokenizer, template, "call_0"))


def _needs_tool_prompt(
    tokenizer: Any, messages: Sequence[Message], tools: Sequence[ToolSchema]
) -> bool:
    """Return whether the template would leave out the tools, or earlier calls and their results."""
    if not ignores_tools(tokenizer):
        return False
    if tools or not any(item["role"] == "tool" or item.get("tool_calls") for item in messages):
        return bool(tools)
    return not any(map(_shows_probe, _rendered_calls(tokenizer, str(tokenizer.chat_template))))


@lru_cache(maxsize=64)
def _ignores_tools(tokenizer: Any, template: str) -> bool:
    probe: list[dict[str, Any]] = [{"role": "user", "content": "Hello"}]
    try:
        plain = _apply(tokenizer, probe, [])
    except UsageError:
        return False  # unknown: the template refuses even the probe
    try:
        return _apply(tokenizer, probe, [PROBE_TOOL]) == plain
    except UsageError:
        return True  # the template refuses tools


@lru_cache(maxsize=64)
def _accepts_system(tokenizer: Any, template: str) -> bool:
    probe = [{"role": "system", "content": "A probe."}, {"role": "user", "content": "Hello"}]
    try:
        return "A probe." in _apply(tokenizer, probe, [])
    except UsageError:
        return False


@lru_cache(maxsize=64)
def _renders_hermes_calls(tokenizer: Any, template: str) -> bool:
    """Render a call, and check that it can be parsed out of the text again."""
    for text in _rendered_calls(tokenizer, template):
        start, end = text.rfind("<tool_call>"), text.rfind("</tool_call>")
        written = text[start : end + len("</tool_call>")] if 0 <= start < end else ""
        calls = [call["function"] for call in parse_tool_calls(written)[1]]
        if calls == [{"name": "probe_tool", "arguments": '{"key": "some value"}'}]:
            return True
    return False


@lru_cache(maxsize=64)
def _wants_parts(tokenizer: Any, template: str) -> bool:
    """Return whether the template shows text only as parts, as for some vision models."""
    shown = []
    for content in ("A probe.", _as_parts("A probe.")):
        probe = [{"role": "user", "content": content}]
        try:
            shown.append("A probe." in tokenizer.apply_chat_template(probe, tokenize=False))
        except Exception:  # as in `_apply`
            shown.append(False)
    return shown == [False, True]


def _as_parts(content: str | list[dict[str, str]]) -> list[dict[str, str]]:
    return [{"type": "text", "text": content}] if isinstance(content, str) else content


def _wants_mapping(tokenizer: Any, template: str) -> bool:
    """Return whether arguments must be a mapping: whether the template renders one as JSON."""
    from_mapping, from_text = _rendered_calls(tokenizer, template)
    python_form = "{'key': 'some value'}" in from_mapping
    return not from_text or (_shows_probe(from_mapping) and not python_form)


def _shows_probe(text: str) -> bool:
    return "some value" in text


@lru_cache(maxsize=64)
def _rendered_calls(tokenizer: Any, template: str, id: str = "call000_1") -> tuple[str, str]:
    """Render a call with its arguments as a mapping and as text; "" if the template refuses."""
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
