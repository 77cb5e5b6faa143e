"""Parsing of what a person types in `textgym play` into assistant messages.

A line is a message. A line with only three quotation marks begins and ends a message of several
lines. A line that begins with a slash is a tool call or a command. Input that cannot be parsed is a
`UsageError`. Wrong tool arguments are not: like those of a model, they go to the environment.
"""

from __future__ import annotations

import json
import shlex
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from textgym.errors import UnknownNameError, UsageError, did_you_mean
from textgym.messages import Message, ToolSchema, assistant

__all__ = ["HELP", "read_input"]

_COMMANDS = ("help", "tools", "quit")
HELP = '''\
a line            your message, as a model would write it
"""               on a line of its own: begin or end a longer message
/NAME key=value   call a tool; quote values with spaces; values may be JSON
/NAME {"key": 1}  call a tool with JSON arguments
/tools            show the tools and their arguments
/tools PART       show the tools with this in their names
/help             show this help
/quit             leave, like Ctrl-D'''

_FENCE = '"""'


def read_input(
    ask: Callable[[str], str], tools: Sequence[ToolSchema], turn: int
) -> Message | str | None:
    """Read the next message or command.

    Args:
        ask: Shows a prompt and returns one line; raises EOFError at the end of the input.
        tools: The available tools.
        turn: How many messages were entered before, for the ids of tool calls.

    Returns:
        A message, a command with its argument, or None for an empty line.

    Raises:
        UsageError: The input cannot be parsed; the message says why.
        EOFError: The input has ended.

    Example:
        >>> tool = {"type": "function", "function": {"name": "look", "parameters": {}}}
        >>> lines = iter(["I say B.", "/look drawer=3", "/quit"])
        >>> read_input(lambda prompt: next(lines), [tool], 0)
        {'role': 'assistant', 'content': 'I say B.'}
        >>> read_input(lambda prompt: next(lines), [tool], 1)["tool_calls"][0]["function"]
        {'name': 'look', 'arguments': '{"drawer": 3}'}
        >>> read_input(lambda prompt: next(lines), [tool], 2)
        'quit'
    """
    line = ask("> ")
    if line.strip() == _FENCE:
        lines = []
        while (line := ask("| ")).strip() != _FENCE:
            lines.append(line)
        return assistant("\n".join(lines))
    if not line.strip():
        return None
    if not line.startswith("/"):
        return assistant(line)
    name, _, rest = line[1:].partition(" ")
    schemas = {tool["function"]["name"]: tool["function"] for tool in tools}
    if name in schemas:
        return _call(name, _arguments(name, rest.strip(), schemas[name]), turn)
    if name in _COMMANDS:
        return f"tools {rest}".strip() if name == "tools" else name
    hint = did_you_mean(name, [*schemas, *_COMMANDS])
    raise UnknownNameError(
        f"there is no tool or command {name!r}{hint} "
        f"(to send a message that begins with /, put it between two lines of {_FENCE})"
    )


def _call(name: str, arguments: str, turn: int) -> Message:
    function: Any = {"name": name, "arguments": arguments}
    call: Any = {"id": f"call_{turn}_0", "type": "function", "function": function}
    return {"role": "assistant", "content": None, "tool_calls": [call]}


def _arguments(name: str, text: str, function: Mapping[str, Any]) -> str:
    """Return the arguments of a call as JSON, from JSON or from `key=value` pairs."""
    if text.startswith("{"):
        try:
            json.loads(text)
        except (ValueError, RecursionError) as error:
            raise UsageError(f"the arguments of {name!r} are not valid JSON: {error}") from None
        return text
    try:
        words = shlex.split(text)
    except ValueError as error:
        raise UsageError(f"the arguments of {name!r} cannot be parsed: {error}") from None
    properties = (function.get("parameters") or {}).get("properties") or {}
    given: dict[str, Any] = {}
    for word in words:
        key, separator, value = word.partition("=")
        if not separator or not key:
            raise UsageError(f"arguments of {name!r} must be key=value, not {word!r}")
        if key in given:
            raise UsageError(f"argument {key!r} of {name!r} is given twice")
        is_text = (properties.get(key) or {}).get("type") == "string"
        given[key] = value if is_text else _value(value)
    return json.dumps(given, ensure_ascii=False)


def _value(text: str) -> Any:
    try:
        return json.loads(text)
    except (ValueError, RecursionError):
        return text
