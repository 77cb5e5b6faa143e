"""Messages: the one thing that environments and policies exchange.

A message is a plain dict in the form of OpenAI's Chat Completions: `role`, `content` (a text, None,
or a list of text and image parts), and where they apply `reasoning_content`, `tool_calls` and
`tool_call_id`. Unknown keys (`refusal`, `annotations`) pass through. Messages are checked once,
where they enter; after that they are only copied, never checked again.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import cache
from typing import TYPE_CHECKING, Any, Literal, NotRequired

from typing_extensions import TypedDict  # pydantic refuses typing's before Python 3.12

if TYPE_CHECKING:
    from pydantic import TypeAdapter

__all__ = [
    "ROLES",
    "FunctionCall",
    "ImagePart",
    "Message",
    "TextPart",
    "ToolCall",
    "ToolSchema",
    "answer_start",
    "assistant",
    "assistant_calls",
    "copier_of",
    "copy_json",
    "copy_message",
    "copy_messages",
    "message_problem",
    "system",
    "text_of",
    "tool_result",
    "user",
]

Role = Literal["system", "developer", "user", "assistant", "tool"]
ROLES: frozenset[str] = frozenset(("system", "developer", "user", "assistant", "tool"))

MAX_DEPTH = 100  # far from where Python's recursion ends, far beyond any real message
_MENTION = re.compile(
    r"""(?:(?<=[\w,;)]\ )|(?<=["'`“‘«(]))<think>(?=\ [a-z]|["'`”’»)]|[.,;:!?](?:\s|\Z)|-[a-z])""",
    re.VERBOSE,
)

ToolSchema = dict[str, Any]
"""A tool in OpenAI's nested form: `{"type": "function", "function": {"name", "parameters", …}}`."""


class TextPart(TypedDict):
    """A part of a message's content that is text."""

    type: Literal["text"]
    text: str


class ImageURL(TypedDict):
    """Where an image is: an address, or a `data:` URL that holds it."""

    url: str


class ImagePart(TypedDict):
    """A part of a message's content that is an image."""

    type: Literal["image_url"]
    image_url: ImageURL


class FunctionCall(TypedDict):
    """The tool's name and its arguments: JSON as a text, or already read."""

    name: str
    arguments: NotRequired[str | dict[str, Any] | None]


class ToolCall(TypedDict):
    """One call of a tool by the assistant."""

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
    """Return a system message."""
    return {"role": "system", "content": content}


def user(content: str) -> Message:
    """Return a user message."""
    return {"role": "user", "content": content}


def assistant(content: str) -> Message:
    """Return an assistant message.

    Example:
        >>> assistant("The answer is B.")
        {'role': 'assistant', 'content': 'The answer is B.'}
    """
    return {"role": "assistant", "content": content}


def assistant_calls(*calls: tuple[str, dict[str, Any]]) -> Message:
    """Return an assistant message that calls tools, each a name and its arguments.

    The calls have no ids: the environment gives them some.

    Example:
        >>> assistant_calls(("get_weather", {"city": "Oslo"}))["tool_calls"]
        [{'type': 'function', 'function': {'name': 'get_weather', 'arguments': '{"city": "Oslo"}'}}]
    """
    made: list[ToolCall] = []
    for name, arguments in calls:
        written = json.dumps(arguments, ensure_ascii=False)
        made.append({"type": "function", "function": {"name": name, "arguments": written}})
    return {"role": "assistant", "content": None, "tool_calls": made}


def tool_result(content: str, tool_call_id: str) -> Message:
    """Return what a tool answered to one call."""
    return {"role": "tool", "content": content, "tool_call_id": tool_call_id}


def text_of(message: Mapping[str, Any]) -> str:
    """Return a message's text: its content, or its text parts joined with nothing between.

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


def answer_start(text: str) -> int:
    """Return where the answer begins: after the last `</think>`, or at the end if one is open.

    A `<think>` opens reasoning wherever it stands, unless a sentence mentions it: a word and a
    blank, or a quotation or code mark, stands before it, and a word in lower case or such a mark
    behind it. `</think>` always closes.

    Example:
        >>> answer_start("<think>A or B?</think>B"), answer_start("B"), answer_start("B <think>or")
        (22, 0, 11)
        >>> answer_start("I used <think> tags. It is B."), answer_start("No `<think>` here: B")
        (0, 0)
    """
    if "think>" not in text:
        return 0
    closed = text.rfind("</think>")
    start = closed + len("</think>") if closed >= 0 else 0
    opened = text.find("<think>", start)
    while opened >= 0:
        if not _MENTION.match(text, opened):
            return len(text)
        opened = text.find("<think>", opened + 1)
    return start


@cache
def _adapter() -> TypeAdapter[Message]:
    from pydantic import TypeAdapter

    return TypeAdapter(Message)


def message_problem(message: Any, roles: Iterable[str] = ROLES) -> str:
    """Say what keeps a value from being a message, or return an empty text.

    Args:
        message: Any value.
        roles: The roles that are allowed.

    Example:
        >>> message_problem({"role": "user", "content": "Hello"})
        ''
        >>> message_problem({"role": "user", "content": 5}, roles=["user"])
        'content: Input should be a valid string (and 1 more)'
    """
    if not isinstance(message, dict):
        return f"a message is a dict, not {type(message).__name__}"
    role = message.get("role")
    if not isinstance(role, str) or role not in roles:
        return f"the role is {role!r:.100} where {' or '.join(sorted(roles))} is expected"
    if _is_plain(message):
        return ""  # the common case, not worth a validator
    from pydantic import ValidationError

    try:
        _adapter().validate_python(message, strict=True)
    except ValidationError as error:
        first, *others = error.errors(include_url=False)
        more = f" (and {len(others)} more)" if others else ""
        place = ".".join(str(step) for step in first["loc"][:1]) or "message"
        return f"{place}: {first['msg']}{more}"
    return (
        f"it is nested too deeply, over {MAX_DEPTH} levels"
        if _is_deeper(message, MAX_DEPTH)
        else ""
    )


def _is_plain(message: dict[Any, Any]) -> bool:
    """Tell whether a message holds texts alone, and plain tool calls of the one type that is."""
    for name, value in message.items():
        if name.__class__ is not str:
            return False
        if value.__class__ is str or (value is None and name == "content"):
            continue
        if name != "tool_calls" or not _are_plain_calls(value):
            return False
        if any(call.get("type", "function") != "function" for call in value):
            return False
    return "content" in message or "tool_calls" in message


def _is_deeper(value: Any, depth: int) -> bool:
    if isinstance(value, dict):
        return depth == 0 or any(_is_deeper(item, depth - 1) for item in value.values())
    if isinstance(value, (list, tuple)):
        return depth == 0 or any(_is_deeper(item, depth - 1) for item in value)
    return False


def copy_json(value: Any) -> Any:
    """Copy nested dicts and lists; other values are shared."""
    if isinstance(value, dict):
        return {key: copy_json(item) for key, item in value.items()}
    if isinstance(value, (list, tuple)):
        return [copy_json(item) for item in value]
    return value


def copier_of(message: Message) -> Callable[[Message], Message]:
    """Return the cheapest function that copies a message, or any other message of its shape.

    Most messages hold only texts, or texts and tool calls that hold only texts.
    """
    copier: Callable[[Message], Message] = dict.copy  # type: ignore[assignment]
    for name, value in message.items():
        if value is None or value.__class__ is str:
            continue
        if name != "tool_calls" or not _are_plain_calls(value):
            return copy_json
        copier = _copy_with_plain_calls
    return copier


def copy_message(message: Message) -> Message:
    """Return a copy that shares nothing changeable with the original."""
    return copier_of(message)(message)


def _are_plain_calls(calls: Any) -> bool:
    """Tell whether tool calls hold texts alone, in the form of OpenAI's Chat Completions."""
    if calls.__class__ is not list:
        return False
    for call in calls:
        function = call.get("function") if call.__class__ is dict else None
        if function.__class__ is not dict or "name" not in function:
            return False
        for value in function.values():
            if value.__class__ is not str:
                return False
        for value in call.values():
            if value.__class__ is not str and value is not function:
                return False
    return True


def _copy_with_plain_calls(message: Message) -> Message:
    copied, calls = message.copy(), []
    for call in message["tool_calls"] or ():
        call = call.copy()
        call["function"] = call["function"].copy()
        calls.append(call)
    copied["tool_calls"] = calls
    return copied


def copy_messages(messages: Sequence[Message]) -> list[Message]:
    """Return a fresh list of fresh copies."""
    return [copy_message(message) for message in messages]
