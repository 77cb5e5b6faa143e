"""The tool prompt for models whose chat template ignores tools: tools, calls and results as text.

The tools are described in the system message. Calls are part of the assistant's text, in the form
that `hermes_parser` parses. Tool results are user messages.
"""

from __future__ import annotations

import json
import re
from collections.abc import Sequence
from itertools import groupby
from typing import Any

from textgym.errors import ToolError, UsageError
from textgym.messages import Message, ToolSchema, system, text_of, user
from textgym.policies.chat.hermes_parser import call_name
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
_TAG_START = re.compile("<(?=/?(?:tool_call|think)>)")
_ESCAPED = r"\\u003c"


def with_tool_prompt(
    messages: Sequence[Message], tools: Sequence[ToolSchema], *, has_system: bool = True
) -> list[Message]:
    r"""Return a conversation whose tools, calls and results are plain text.

    Args:
        messages: The conversation; it is not changed.
        tools: Schemas in nested form; if empty, no tools are described.
        has_system: Whether the tools may be described in a system message; otherwise the first
            user message begins with the description.

    Returns:
        Messages without tool calls and without the role `tool`. Messages that need no change are
        shared with the input. The results of one message's calls are joined in one user message.

    Raises:
        UsageError: A tool result holds an image.

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
    converted: list[Message] = []
    for is_result, group in groupby(messages, lambda message: message["role"] == "tool"):
        if is_result:
            converted.append(user("\n".join(map(_result_text, group))))
        else:
            converted += map(_with_calls, group)
    if tools:
        roles = ("system", "developer") if has_system else ("user",)
        _add_tools(converted, tools, roles)
    return converted


def _result_text(message: Message) -> str:
    if _has_image(message):
        raise UsageError("the tool prompt is text only, and a tool result holds an image")
    return f"<tool_response>\n{text_of(message)}\n</tool_response>"


def _has_image(message: Message) -> bool:
    content = message.get("content")
    return isinstance(content, list) and any(part["type"] != "text" for part in content)


def _add_tools(
    messages: list[Message], tools: Sequence[ToolSchema], roles: tuple[str, ...]
) -> None:
    """Describe the tools in the first message if it has one of the roles, else in a new one."""
    prompt = _PROMPT.format("\n".join(json.dumps(item, ensure_ascii=False) for item in tools))
    if messages and messages[0]["role"] in roles and not _has_image(messages[0]):
        texts = [text_of(messages[0]), prompt]
        content = "\n\n".join(filter(None, texts if roles[0] == "system" else texts[::-1]))
        messages[0] = {**messages[0], "content": content}
    else:
        messages.insert(0, system(prompt) if roles[0] == "system" else user(prompt))


def _with_calls(message: Message) -> Message:
    """Return an assistant message with its calls in its text; any other message unchanged."""
    calls = message.get("tool_calls")
    if not calls:
        return message
    texts = [_call_text(call["function"]) for call in calls]
    content = "\n".join(filter(None, [text_of(message), *texts]))
    converted: Message = {**message, "content": content}
    del converted["tool_calls"]
    return converted


def _call_text(function: Any) -> str:
    """Return the text of a call; a call that the model wrote wrongly is repeated as written."""
    name, arguments = function["name"], function.get("arguments")
    try:
        arguments = json.dumps(arguments_of(name, arguments), ensure_ascii=False)
    except (ToolError, RecursionError):
        if call_name(body := _decoded_string(arguments)) == name:
            return f"<tool_call>{body}</tool_call>"
    body = f'{{"name": {json.dumps(name, ensure_ascii=False)}, "arguments": {arguments}}}'
    return f"<tool_call>\n{_TAG_START.sub(_ESCAPED, body)}\n</tool_call>"


def _decoded_string(text: str) -> str:
    """Return the value of a JSON string; any other text unchanged."""
    try:
        value = json.loads(text)
    except (ValueError, RecursionError):
        return text
    return value if isinstance(value, str) else text
