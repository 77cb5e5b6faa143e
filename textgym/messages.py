"""Messages, which environments and policies exchange.

A message is a plain dict in the format of OpenAI's Chat Completions: `role`, `content` (a string,
None, or a list of text and image parts), and optionally `reasoning_content`, `tool_calls` and
`tool_call_id`. Unknown keys (`refusal`, `annotations`) pass through. Messages are validated once,
when they enter; after that they are only copied.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Mapping
from functools import cache
from typing import TYPE_CHECKING, Any, Literal, NotRequired

from typing_extensions import TypedDict  # pydantic refuses typing's before Python 3.12

from textgym.json_values import ATOMS, MAX_DEPTH, copy_json, is_deeper

if TYPE_CHECKING:
    from pydantic import TypeAdapter

__all__ = [
    "ROLES", "FunctionCall", "ImagePart", "Message", "TextPart", "ToolCall", "ToolSchema",
    "assistant", "assistant_calls", "copy_message", "copy_messages", "copy_plain_calls",
    "message_problem", "plain_copy", "split_reasoning", "system", "text_of", "tool_result", "user",
    "without_end_tokens",
]  # fmt: skip

Role = Literal["system", "developer", "user", "assistant", "tool"]
ROLES: frozenset[str] = frozenset(("system", "developer", "user", "assistant", "tool"))

_END_TOKENS = (
    "<|eot_id|>", "<|im_end|>", "<|endoftext|>", "<|end|>", "<|end_of_text|>", "<|eom_id|>",
    "<|return|>", "<|END_OF_TURN_TOKEN|>", "<end_of_turn>", "<eos>", "<｜end▁of▁sentence｜>",
)  # fmt: skip
_END_OF_REASONING = "</think>"
_MENTION = re.compile(
    r"""(?:(?<=[\w,;)]\ )|(?<=["'`“‘«(]))<think>(?=\ [a-z]|["'`”’»)]|[.,;:!?](?:\s|\Z)|-[a-z])""",
    re.VERBOSE,
)

ToolSchema = dict[str, Any]
"""A tool in OpenAI's nested form: `{"type": "function", "function": {"name", "parameters", …}}`."""


class TextPart(TypedDict):
    """A text part of a message's content."""

    type: Literal["text"]
    text: str


class ImageURL(TypedDict):
    """The location of an image: a web address, or a `data:` URL that contains it."""

    url: str


class ImagePart(TypedDict):
    """An image part of a message's content."""

    type: Literal["image_url"]
    image_url: ImageURL


class FunctionCall(TypedDict):
    """The name of a tool and its arguments, as a JSON string or already parsed."""

    name: str
    arguments: NotRequired[str | dict[str, Any] | None]


class ToolCall(TypedDict):
    """A tool call by the assistant."""

    id: NotRequired[str | None]
    type: NotRequired[Literal["function"]]
    function: FunctionCall


class Message(TypedDict):
    """One message of a conversation."""

    role: Role
    content: NotRequired[str | list[TextPart | ImagePart] | None]
    reasoning_content: NotRequired[str | None]
    tool_calls: NotRequired[list[ToolCall] | None]
    tool_call_id: NotRequired[str]
    name: NotRequired[str]


for _kind in (TextPart, ImageURL, ImagePart, FunctionCall, ToolCall, Message):
    setattr(_kind, "__pydantic_config__", {"extra": "allow"})  # noqa: B010


def system(content: str) -> Message:
    """Return a system message.

    Example:
        >>> system("Answer in one word.")
        {'role': 'system', 'content': 'Answer in one word.'}
    """
    return {"role": "system", "content": content}


def user(content: str) -> Message:
    """Return a user message.

    Example:
        >>> user("What is 2 + 3?")
        {'role': 'user', 'content': 'What is 2 + 3?'}
    """
    return {"role": "user", "content": content}


def assistant(content: str) -> Message:
    """Return an assistant message.

    Example:
        >>> assistant("The answer is B.")
        {'role': 'assistant', 'content': 'The answer is B.'}
    """
    return {"role": "assistant", "content": content}


def assistant_calls(*calls: tuple[str, dict[str, Any]]) -> Message:
    """Return an assistant message with tool calls, each given as a name and arguments.

    The calls have no ids; the environment adds them.

    Example:
        >>> assistant_calls(("get_weather", {"city": "Oslo"}))["tool_calls"]
        [{'type': 'function', 'function': {'name': 'get_weather', 'arguments': '{"city": "Oslo"}'}}]
    """
    tool_calls: list[ToolCall] = []
    for name, arguments in calls:
        encoded = json.dumps(arguments, ensure_ascii=False)
        tool_calls.append({"type": "function", "function": {"name": name, "arguments": encoded}})
    return {"role": "assistant", "content": None, "tool_calls": tool_calls}


def tool_result(content: str, tool_call_id: str) -> Message:
    """Return the tool message that answers a call.

    Example:
        >>> tool_result("5", "call_1")
        {'role': 'tool', 'content': '5', 'tool_call_id': 'call_1'}
    """
    return {"role": "tool", "content": content, "tool_call_id": tool_call_id}


def text_of(message: Mapping[str, Any]) -> str:
    """Return the text of a message: its content, or its text parts joined without a separator.

    Example:
        >>> text_of({"role": "user", "content": [{"type": "text", "text": "a"},
        ...                                      {"type": "text", "text": "b"}]})
        'ab'
        >>> text_of({"role": "assistant", "content": None})
        ''
    """
    content = message.get("content")
    if not content:
        return ""
    if isinstance(content, str):
        return content
    return "".join(part["text"] for part in content if part["type"] == "text")


def split_reasoning(
    text: str, *, leading_only: bool = False, opened: bool = False
) -> tuple[str, str]:
    """Split what a model wrote into its reasoning, tags included, and its answer.

    The two parts together are the text. There are two rules, for two purposes:

    - Grading (the default) must never read reasoning as an answer. Everything up to the last
      `</think>` is reasoning. A `<think>` after it opens reasoning that runs to the end of the
      text, unless it is a mention within a sentence: preceded by a word and a space, or by a
      quotation or code mark, and followed by a lower-case word or such a mark.
    - Decoding (`leading_only`) must keep what the model wrote in its message. Only a block that the
      text begins with is reasoning, up to the first `</think>`, or to the end of the text if the
      block is never closed.

    Args:
        text: What the model wrote.
        leading_only: Whether only a block at the beginning counts.
        opened: Whether the prompt ended with `<think>`, so that the text begins within reasoning.

    Returns:
        The reasoning, "" if there is none, and the answer.

    Example:
        >>> split_reasoning("<think>A or B?</think>B"), split_reasoning("B <think>or A")
        (('<think>A or B?</think>', 'B'), ('B <think>or A', ''))
        >>> split_reasoning("I used <think> tags. It is B.")
        ('', 'I used <think> tags. It is B.')
        >>> split_reasoning("B <think>or A", leading_only=True)
        ('', 'B <think>or A')
        >>> split_reasoning("A or B?</think>B", leading_only=True, opened=True)
        ('A or B?</think>', 'B')
    """
    if not opened and "think>" not in text:
        return "", text
    closed = text.find(_END_OF_REASONING) if leading_only else text.rfind(_END_OF_REASONING)
    end = closed + len(_END_OF_REASONING) if closed >= 0 else 0
    if leading_only:
        if not opened and not text.lstrip().startswith("<think>"):
            return "", text
        is_open = not end
    else:
        is_open = (opened and not end) or _opens_reasoning(text, end)
    if is_open:
        end = len(text)
    return text[:end], text[end:]


def without_end_tokens(text: str) -> str:
    """Return a text without the tokens at its end that end a model's turn.

    Example:
        >>> without_end_tokens("B<|im_end|>"), without_end_tokens("<s>B</s>")
        ('B', '<s>B</s>')
    """
    tokens = _END_TOKENS if "<s>" in text else ("</s>", *_END_TOKENS)
    parts = text.split("<")
    while len(parts) > 1 and f"<{parts[-1].rstrip()}" in tokens:
        parts.pop()
    return "<".join(parts)


def _opens_reasoning(text: str, start: int) -> bool:
    """Return whether a `<think>` after a position opens reasoning and is not only mentioned."""
    opened = text.find("<think>", start)
    while opened >= 0 and _MENTION.match(text, opened):
        opened = text.find("<think>", opened + 1)
    return opened >= 0


@cache
def _adapter() -> TypeAdapter[Message]:
    from pydantic import TypeAdapter

    return TypeAdapter(Message)


def message_problem(message: Any, roles: Iterable[str] = ROLES) -> str:
    """Return why a value is not a valid message, or "" if it is one.

    Args:
        message: Any value.
        roles: The allowed roles.

    Example:
        >>> message_problem({"role": "user", "content": "Hello"})
        ''
        >>> message_problem({"role": "user", "content": 5}, roles=["user"])
        'content: Input should be a valid string (and 1 more)'
    """
    if not isinstance(message, dict):
        return f"a message must be a dict, not {type(message).__name__}"
    role = message.get("role")
    if not isinstance(role, str) or role not in roles:
        return f"the role must be {' or '.join(sorted(roles))}, not {role!r:.100}"
    if plain_copy(message) is not None:
        return ""  # the common case needs no validator
    from pydantic import ValidationError

    try:
        _adapter().validate_python(message, strict=True)
    except ValidationError as error:
        first, *others = error.errors(include_url=False)
        more = f" (and {len(others)} more)" if others else ""
        place = ".".join(str(step) for step in first["loc"][:1]) or "message"
        return f"{place}: {first['msg']}{more}"
    return (
        f"it is nested too deeply, over {MAX_DEPTH} levels" if is_deeper(message, MAX_DEPTH) else ""
    )


def copy_message(message: Message) -> Message:
    """Return a copy that shares no mutable value with the original."""
    copied: Message = copy_json(message)
    return copied


def plain_copy(message: dict[Any, Any]) -> Message | None:
    """Return a copy of a valid message of strings and plain tool calls; None for other values.

    Example:
        >>> plain_copy({"role": "user", "content": "Hello"})
        {'role': 'user', 'content': 'Hello'}
        >>> plain_copy({"role": "user", "content": 5}) is None
        True
    """
    copied: Any = dict(message)
    for name, value in message.items():
        if name.__class__ is not str:
            return None
        if value.__class__ is str or (value is None and name == "content"):
            continue
        calls = copy_plain_calls(value) if name == "tool_calls" else None
        if calls is None:
            return None
        copied[name] = calls
    return copied if "content" in copied or "tool_calls" in copied else None


def copy_plain_calls(calls: Any) -> list[ToolCall] | None:
    """Return a copy of tool calls in OpenAI's format of only strings; None for other values."""
    if calls.__class__ is not list:
        return None
    copied: list[Any] = []
    for call in calls:
        function = call.get("function") if call.__class__ is dict else None
        if function.__class__ is not dict or "name" not in function:
            return None
        for value in function.values():
            if value.__class__ is not str:
                return None
        for value in call.values():
            if value.__class__ is not str and value is not function:
                return None
        if call.get("type", "function") != "function":
            return None
        copied.append({**call, "function": function.copy()})
    return copied


def copy_messages(messages: Iterable[Message]) -> list[Message]:
    """Return a new list of copies."""
    copies: list[Any] = list(map(dict.copy, messages))  # type: ignore[arg-type]
    for copied in copies:
        for name, value in copied.items():
            if value.__class__ not in ATOMS:
                copied[name] = copy_json(value)
    return copies
