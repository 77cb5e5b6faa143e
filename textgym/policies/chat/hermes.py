r"""Tool calls in Hermes form, which Qwen models write too: parsing them, and describing tools.

For models whose chat template ignores tools, `with_tool_prompt` turns a conversation into plain
text: the system message describes the tools, calls are part of the assistant's text, and tool
results are user messages. `parse_tool_calls` reads calls out of a model's text:

    <tool_call>
    {"name": "get_weather", "arguments": {"city": "Oslo"}}
    </tool_call>

These are tool calls:

- The tags are on lines of their own: only white space or another call comes before the opening tag
  and after the closing tag. So a call that is quoted in a sentence is not a call. White space and
  line breaks between the tags are allowed.
- Reasoning is not searched, and neither are fenced code blocks; a block that is never closed
  extends to the end of the text. A block may begin in a list item, in a quotation, or at the end of
  a line of text. An inline `code` span is not a call because its line has other text.
- The first tag after an opening tag ends the call, and must be a closing tag. This holds even
  inside a JSON string, which must write a tag with `\u003c`. A call that is never closed, for
  example because the token limit cut the message, is not a call.
- Between the tags is a JSON object with `name`, a string, and `arguments`, an object. A call
  without arguments may omit `arguments`.
- A call with a readable name but no valid arguments is passed on, so that the environment can
  report the error to the model. If the JSON is broken but begins with `{"name": "…"`, or if it has
  other keys in place of `arguments`, the arguments are the text between the tags. If `arguments` is
  not an object, it is passed on unchanged. None of these is a JSON object of arguments, so no tool
  runs. A text without a readable name is not a call.

Invariants: text that is not a call stays in the content unchanged. No text raises an error, and
parsing takes linear time.
"""

from __future__ import annotations

import json
import re
from collections.abc import Sequence
from dataclasses import replace
from itertools import groupby
from typing import Any

from textgym.errors import ToolError, UsageError
from textgym.messages import Message, ToolCall, ToolSchema, split_reasoning, system, text_of, user
from textgym.policies.base import Action
from textgym.tools import arguments_of

__all__ = ["call_name", "parse_tool_calls", "with_parsed_calls", "with_tool_prompt"]


_OPENING = "<tool_call>"
_CLOSING = "</tool_call>"
_LINE = re.compile(
    r"^[ \t]*+(?:(?P<call><tool_call>)"
    r"|(?P<lead>(?:(?:[-*+]|\d{1,9}[.)])[ \t]++|>[ \t]*+)*+)(?P<fence>`{3,}|~{3,})(?P<info>.*)"
    r"|[^`\n]*+(?P<late>`{3,}+)[ \t]*+\w*+[ \t]*+$)",
    re.M,
)
_CALL = re.compile(
    r"<tool_call>(?P<body>[^<]*+(?:<(?!/?tool_call>)[^<]*+)*+)</tool_call>"
    r"(?:\s*+(?=<tool_call>)|[ \t\r]*+(?:\n|\Z))"
)
_NAME = re.compile(r'\s*+\{\s*+"name"\s*+:\s*+("(?:[^"\\]|\\.)*+")\s*+(?:[,}]|\Z)', re.S)


def parse_tool_calls(text: str) -> tuple[str, list[ToolCall]]:
    r"""Return a text without its tool calls, and the calls in order.

    Example:
        >>> text = 'I look.\n<tool_call>{"name": "get_weather", "arguments": {"city": "Oslo"}}'
        >>> parse_tool_calls(text + "</tool_call>")[1]
        [{'type': 'function', 'function': {'name': 'get_weather', 'arguments': '{"city": "Oslo"}'}}]
        >>> parse_tool_calls(text)[1]
        []
    """
    reasoning, answer = split_reasoning(text)
    last_closing = max(answer.rfind(_CLOSING), 0)
    if answer.find(_OPENING, 0, last_closing) < 0:
        return text, []
    calls: list[ToolCall] = []
    kept = [reasoning]
    kept_to, fence = 0, ""
    for line in _LINE.finditer(answer, 0, last_closing):
        if line.start() < kept_to:
            continue  # within a call
        if not line["call"]:
            fence = _fence_after(fence, line)
            continue
        start = line.start("call")
        while not fence and (match := _CALL.match(answer, start)):
            call = _read_call(match["body"])
            if not call:
                break
            calls.append(call)
            kept.append(answer[kept_to:start])
            kept_to = start = match.end()
    return ("".join([*kept, answer[kept_to:]]).strip() if calls else text), calls


def with_parsed_calls(action: Action) -> Action:
    """Return an action with the tool calls parsed out of its message's text.

    Example:
        >>> text = '<tool_call>{"name": "look", "arguments": {}}</tool_call>'
        >>> action = with_parsed_calls(Action({"role": "assistant", "content": text}))
        >>> action.finish_reason, action.message["content"], len(action.message["tool_calls"])
        ('tool_calls', None, 1)
    """
    if action.message.get("tool_calls"):
        return action
    content, calls = parse_tool_calls(text_of(action.message))
    if not calls:
        return action
    message: Message = {**action.message, "content": content or None, "tool_calls": calls}
    reason = "tool_calls" if action.finish_reason == "stop" else action.finish_reason
    return replace(action, message=message, finish_reason=reason)


def call_name(body: str) -> str:
    """Return the name at the beginning of a call's JSON, which may be broken; "" without a name.

    Example:
        >>> call_name('{"name": "get_weather", "arguments": {"city": "Os')
        'get_weather'
        >>> call_name('{"arguments": {}, "name": "get_weather"}')
        ''
    """
    match = _NAME.match(body)
    try:
        return str(json.loads(match[1])) if match else ""
    except ValueError:  # a broken escape
        return ""


def _fence_after(fence: str, line: re.Match[str]) -> str:
    """Return the code fence that is open after a line with a fence mark, or ""."""
    mark, info = line["fence"] or line["late"], line["info"] or ""
    if fence:
        is_bare = bool(line["fence"]) and not info.strip() and not line["lead"].strip("> \t")
        return "" if is_bare and mark.startswith(fence) else fence
    is_inline = mark[0] == "`" and "`" in info
    return "" if is_inline else mark


def _read_call(body: str) -> ToolCall | None:
    """Return the call between two tags; None without a readable name."""
    if not body.lstrip().startswith("{"):
        return None
    try:
        parsed = json.loads(body)
        name = parsed.get("name")
        default = {} if parsed.keys() == {"name"} else body
        arguments = json.dumps(parsed.get("arguments", default), ensure_ascii=False)
    except (ValueError, RecursionError):
        name, arguments = call_name(body), body
    if not isinstance(name, str) or not name:
        return None
    return {"type": "function", "function": {"name": name, "arguments": arguments}}


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
        UsageError: A tool result has an image.

    Example:
        >>> call = {"id": "1", "function": {"name": "look", "arguments": '{"far": true}'}}
        >>> messages = [user("Look!"), {"role": "assistant", "content": None, "tool_calls": [call]},
        ...             {"role": "tool", "content": "Nothing.", "tool_call_id": "1"}]
        >>> for message in with_tool_prompt(messages, [])[1:]:
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
        raise UsageError("the tool prompt is text only, and a tool result has an image")
    return f"<tool_response>\n{text_of(message)}\n</tool_response>"


def _has_image(message: Message) -> bool:
    content = message.get("content")
    return isinstance(content, list) and any(part["type"] != "text" for part in content)


def _add_tools(
    messages: list[Message], tools: Sequence[ToolSchema], roles: tuple[str, ...]
) -> None:
    """Describe the tools in the first message if it has one of the roles, else in a new message."""
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
    """Return the text of a call; an invalid call is repeated as the model wrote it."""
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
