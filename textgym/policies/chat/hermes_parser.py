r"""Reading tool calls out of a model's text, where they stand between tags.

    <tool_call>
    {"name": "get_weather", "arguments": {"city": "Oslo"}}
    </tool_call>

What is a call, and what is not:

- The tags stand on lines of their own: nothing but white space, or another call, is before the
  opening and after the closing one. So a call that a sentence quotes is none. Between the tags
  there may be any white space and line breaks.
- Reasoning is not searched, nor are fenced code blocks, which go to the end where they are never
  closed. A block may begin in a list, in a citation, or at the end of a sentence's line. An inline
  `code` span is not alone on its line.
- The first tag after an opening one ends a call, and must be a closing one, even within a text in
  the JSON, where a tag is written with `\u003c`. What is never closed, as where the token limit cut
  the message, is no call.
- Between the tags stands a JSON object with a `name` that is a text and `arguments` that are an
  object, which a call without arguments may leave out.
- Where only the name can be read for certain, the call is handed on so that the environment tells
  the model what is wrong: JSON that is broken but begins with `{"name": "…"` as it stands, an
  object without `arguments` but with something else as a text, arguments of another type as they
  are. None of these is a JSON object, so no tool runs. Without a name it is no call.

What is no call stays in the content as it was. No text raises, and the time is linear in it.
"""

from __future__ import annotations

import json
import re
from dataclasses import replace

from textgym.messages import Message, ToolCall, answer_start, text_of
from textgym.policies.base import Action

__all__ = ["name_of_call", "parse_tool_calls", "with_tool_calls"]

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
    searched_from = answer_start(text)
    answer = text[searched_from:]
    last_closing = max(answer.rfind(_CLOSING), 0)
    if answer.find(_OPENING, 0, last_closing) < 0:
        return text, []
    calls: list[ToolCall] = []
    kept = [text[:searched_from]]
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


def with_tool_calls(action: Action) -> Action:
    """Return an action whose message has the tool calls that its text holds.

    Example:
        >>> said = '<tool_call>{"name": "look", "arguments": {}}</tool_call>'
        >>> action = with_tool_calls(Action({"role": "assistant", "content": said}))
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


def name_of_call(body: str) -> str:
    """Return the name that what stands between the tags begins with, or "" where it has none.

    Example:
        >>> name_of_call('{"name": "get_weather", "arguments": {"city": "Os')
        'get_weather'
        >>> name_of_call('{"arguments": {}, "name": "get_weather"}')
        ''
    """
    match = _NAME.match(body)
    try:
        return str(json.loads(match[1])) if match else ""
    except ValueError:  # a broken escape
        return ""


def _fence_after(fence: str, line: re.Match[str]) -> str:
    """Return the fence that is open after a line with such a mark; "" for none."""
    mark, info = line["fence"] or line["late"], line["info"] or ""
    if fence:
        is_bare = bool(line["fence"]) and not info.strip() and not line["lead"].strip("> \t")
        return "" if is_bare and mark.startswith(fence) else fence
    is_inline = mark[0] == "`" and "`" in info
    return "" if is_inline else mark


def _call_at(text: str, start: int) -> tuple[ToolCall, int] | None:
    """Return the call whose opening tag is at a place, and where what follows it begins."""
    found = _CALL.match(text, start)
    call = _read_call(found["body"]) if found else None
    return (call, found.end()) if found and call else None


def _read_call(body: str) -> ToolCall | None:
    """Return the call that stands between two tags; None where there is no name for certain."""
    if not body.lstrip().startswith("{"):
        return None
    try:
        given = json.loads(body)
        name = given.get("name")
        bare = {} if given.keys() == {"name"} else body
        arguments = json.dumps(given.get("arguments", bare), ensure_ascii=False)
    except (ValueError, RecursionError):
        name, arguments = name_of_call(body), body
    if not isinstance(name, str) or not name:
        return None
    return {"type": "function", "function": {"name": name, "arguments": arguments}}
