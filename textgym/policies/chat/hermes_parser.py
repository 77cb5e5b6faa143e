r"""Parsing tool calls in Hermes form, which Qwen models write too, out of a model's text.

    <tool_call>
    {"name": "get_weather", "arguments": {"city": "Oslo"}}
    </tool_call>

What is a tool call:

- The tags are on lines of their own: only white space or another call comes before the opening tag
  and after the closing tag. So a call that is quoted in a sentence is not a call. There may be any
  white space and line breaks between the tags.
- Reasoning is not searched, and neither are fenced code blocks; a block that is never closed
  extends to the end of the text. A block may begin in a list item, in a quotation, or at the end of
  a line of text. An inline `code` span is not a call because it is not alone on its line.
- The first tag after an opening tag ends the call, and must be a closing tag. This holds even
  inside a JSON string, which must write a tag with `\u003c`. A call that is never closed, for
  example because the token limit cut the message, is not a call.
- Between the tags is a JSON object with `name`, a string, and `arguments`, an object. A call
  without arguments may omit `arguments`.
- A call with a readable name but no valid arguments is passed on, so that the environment can tell
  the model what is wrong. If the JSON is broken but begins with `{"name": "…"`, or if there are
  other keys in place of `arguments`, the arguments are the text between the tags. If `arguments` is
  not an object, it is passed on unchanged. None of these is a JSON object of arguments, so no tool
  runs. Without a readable name there is no call.

Invariants: text that is not a call stays in the content unchanged. No text raises an error, and
parsing takes linear time.
"""

from __future__ import annotations

import json
import re
from dataclasses import replace

from textgym.messages import Message, ToolCall, split_reasoning, text_of
from textgym.policies.base import Action

__all__ = ["call_name", "parse_tool_calls", "with_parsed_calls"]

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
        while not fence and (found := _call_at(answer, start)):
            call, end = found
            calls.append(call)
            kept.append(answer[kept_to:start])
            kept_to = start = end
    return ("".join([*kept, answer[kept_to:]]).strip() if calls else text), calls


def with_parsed_calls(action: Action) -> Action:
    """Return an action with the tool calls of its message's text parsed out of the text.

    Example:
        >>> said = '<tool_call>{"name": "look", "arguments": {}}</tool_call>'
        >>> action = with_parsed_calls(Action({"role": "assistant", "content": said}))
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
    """Return the name at the beginning of a call's JSON, which may be broken later; "" if none.

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
    """Return the code fence that is open after a line with a fence mark; "" if none is."""
    mark, info = line["fence"] or line["late"], line["info"] or ""
    if fence:
        is_bare = bool(line["fence"]) and not info.strip() and not line["lead"].strip("> \t")
        return "" if is_bare and mark.startswith(fence) else fence
    is_inline = mark[0] == "`" and "`" in info
    return "" if is_inline else mark


def _call_at(text: str, start: int) -> tuple[ToolCall, int] | None:
    """Return the call whose opening tag is at a position, and the position after the call."""
    found = _CALL.match(text, start)
    call = _read_call(found["body"]) if found else None
    return (call, found.end()) if found and call else None


def _read_call(body: str) -> ToolCall | None:
    """Return the call between two tags; None if its name cannot be read for certain."""
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
