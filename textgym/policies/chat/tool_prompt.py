"""The tool prompt for models whose chat template takes no tools: tools, calls and results as text.

The tools stand in the system message, calls in the assistant's text in the form that
`tool_parser` reads, and what they were answered in a user message.
"""

from __future__ import annotations

import json
import re
from collections.abc import Sequence
from itertools import groupby
from typing import Any

from textgym.errors import ToolError, UsageError
from textgym.messages import Message, ToolSchema, system, text_of, user
from textgym.policies.chat.hermes_parser import name_of_call
from textgym.tools import arguments_of

__all__ = ["with_tool_prompt"]

_PROMPT = """\
You can use tools. Here they are, one a line, with their arguments as a JSON Schema:
<tools>
{}
</tools>

To use a tool, write a call on lines of its own: a JSON object with the tool's name and its \
arguments, between tags:
<tool_call>
{{"name": "tool_name", "arguments": {{"argument_name": "value"}}}}
</tool_call>
You may write several calls, each between tags of its own. What the tools answer comes in the next \
message, between <tool_response> and </tool_response>. What stands within a sentence or in a code \
block is no call."""
_TAG = re.compile("<(?=/?(?:tool_call|think)>)")
_WRITTEN = r"\\u003c"


def with_tool_prompt(
    messages: Sequence[Message], tools: Sequence[ToolSchema], *, has_system: bool = True
) -> list[Message]:
    r"""Return a conversation that tells of its tools, calls and results in texts alone.

    Args:
        messages: The conversation; it is not changed.
        tools: Schemas in nested form; without any nothing is told of tools.
        has_system: Whether the tools may stand in a system message; else the first user message
            begins with them.

    Returns:
        Messages without tool calls and without the role `tool`; those that need no change are
        shared. What the tools answered to one message is one user message.

    Raises:
        UsageError: A tool answered with an image.

    Example:
        >>> call = {"id": "1", "function": {"name": "look", "arguments": '{"far": true}'}}
        >>> said = [user("Look!"), {"role": "assistant", "content": None, "tool_calls": [call]},
        ...         {"role": "tool", "content": "Nothing.", "tool_call_id": "1"}]
        >>> for message in with_tool_prompt(said, [])[1:]:
        ...     print(message["content"])
        <tool_call>
        {"name": "look", "arguments": {"far": true}}
        </tool_call>
        <tool_response>
        Nothing.
        </tool_response>
    """
    told: list[Message] = []
    for is_result, group in groupby(messages, lambda message: message["role"] == "tool"):
        if is_result:
            told.append(user("\n".join(map(_result_text, group))))
        else:
            told += map(_with_calls, group)
    if tools:
        roles = ("system", "developer") if has_system else ("user",)
        _add_tools(told, tools, roles)
    return told


def _result_text(message: Message) -> str:
    if _has_image(message):
        raise UsageError("the tool prompt is text alone, and a tool's answer holds an image")
    return f"<tool_response>\n{text_of(message)}\n</tool_response>"


def _has_image(message: Message) -> bool:
    content = message.get("content")
    return isinstance(content, list) and any(part["type"] != "text" for part in content)


def _add_tools(told: list[Message], tools: Sequence[ToolSchema], roles: tuple[str, ...]) -> None:
    """Put the tools into the first message if it has such a role, or into one of their own."""
    prompt = _PROMPT.format("\n".join(json.dumps(item, ensure_ascii=False) for item in tools))
    if told and told[0]["role"] in roles and not _has_image(told[0]):
        texts = [text_of(told[0]), prompt]
        content = "\n\n".join(filter(None, texts if roles[0] == "system" else texts[::-1]))
        told[0] = {**told[0], "content": content}
    else:
        told.insert(0, system(prompt) if roles[0] == "system" else user(prompt))


def _with_calls(message: Message) -> Message:
    """Return an assistant message whose calls are part of its text; any other as it is."""
    calls = message.get("tool_calls")
    if not calls:
        return message
    texts = [_call_text(call["function"]) for call in calls]
    content = "\n".join(filter(None, [text_of(message), *texts]))
    said: Message = {**message, "content": content}
    del said["tool_calls"]
    return said


def _call_text(function: Any) -> str:
    """Return a call as it is written; one that the model broke as it wrote it."""
    name, given = function["name"], function.get("arguments")
    try:
        arguments = json.dumps(arguments_of(name, given), ensure_ascii=False)
    except (ToolError, RecursionError):
        if name_of_call(body := _text_within(given)) == name:
            return f"<tool_call>{body}</tool_call>"
        arguments = given
    body = f'{{"name": {json.dumps(name, ensure_ascii=False)}, "arguments": {arguments}}}'
    return f"<tool_call>\n{_TAG.sub(_WRITTEN, body)}\n</tool_call>"


def _text_within(given: str) -> str:
    """Return the text that a JSON text holds, or what is no JSON text as it is."""
    try:
        held = json.loads(given)
    except (ValueError, RecursionError):
        return given
    return held if isinstance(held, str) else given
