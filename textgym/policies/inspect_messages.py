"""Messages and tools in Inspect's classes and back.

Invariants: a conversation keeps its texts, pictures, calls and ids; arguments that are not a JSON
object keep the text that the model wrote, in the form that Inspect records it.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from typing import Any, cast

from inspect_ai.model import (
    ChatMessage,
    ChatMessageAssistant,
    ChatMessageSystem,
    ChatMessageTool,
    ChatMessageUser,
    Content,
    ContentImage,
    ContentReasoning,
    ContentText,
)
from inspect_ai.tool import ToolCall, ToolInfo, ToolParams

from textgym.errors import ToolError
from textgym.messages import Message, ToolSchema, text_of
from textgym.tools import arguments_of

__all__ = ["as_chat", "as_message", "as_tools"]


def as_chat(messages: Sequence[Message]) -> list[ChatMessage]:
    """Return messages as Inspect's.

    Example:
        >>> [type(message).__name__ for message in as_chat([{"role": "user", "content": "Hello"}])]
        ['ChatMessageUser']
    """
    names: dict[str, str] = {}
    chat: list[ChatMessage] = []
    for message in messages:
        role = message["role"]
        if role == "tool":
            id = message.get("tool_call_id", "")
            text = text_of(message)
            chat.append(ChatMessageTool(content=text, tool_call_id=id, function=names.get(id)))
        elif role == "assistant":
            calls = [*map(_call, message.get("tool_calls") or ())]
            names |= {call.id: call.function for call in calls}
            chat.append(ChatMessageAssistant(content=text_of(message), tool_calls=calls or None))
        elif role == "user":
            chat.append(ChatMessageUser(content=_contents(message)))
        else:
            chat.append(ChatMessageSystem(content=text_of(message)))
    return chat


def _call(call: Mapping[str, Any]) -> ToolCall:
    name, written = call["function"]["name"], call["function"].get("arguments")
    try:
        return ToolCall(str(call.get("id") or ""), name, dict(arguments_of(name, written)))
    except ToolError as error:
        return ToolCall(str(call.get("id") or ""), name, {name: written}, parse_error=str(error))


def _contents(message: Message) -> str | list[Content]:
    content = message.get("content")
    if not isinstance(content, list):
        return content or ""
    contents: list[Content] = []
    for part in content:
        if part["type"] == "text":
            contents.append(ContentText(text=part["text"]))
        else:
            contents.append(ContentImage(image=part["image_url"]["url"]))
    return contents


def as_message(message: ChatMessageAssistant) -> Message:
    """Return one of Inspect's assistant messages as a plain one.

    Example:
        >>> call = ToolCall("a", "look", {"at": "sky"})
        >>> as_message(ChatMessageAssistant(content="", tool_calls=[call]))["tool_calls"][0]["id"]
        'a'
    """
    plain: dict[str, Any] = {"role": "assistant", "content": message.text}
    if isinstance(message.content, list):
        reasoning = [part for part in message.content if isinstance(part, ContentReasoning)]
        if reasoning:
            plain["reasoning_content"] = "".join(part.reasoning for part in reasoning)
    if message.tool_calls:
        plain["tool_calls"] = [
            {
                "id": call.id,
                "type": "function",
                "function": {"name": call.function, "arguments": _written(call)},
            }
            for call in message.tool_calls
        ]
    return cast("Message", plain)


def _written(call: ToolCall) -> str:
    """Return the arguments of a call as JSON, or as they were written if they are broken."""
    if call.parse_error:
        for value in call.arguments.values():
            if isinstance(value, str):
                return value
    return json.dumps(call.arguments, ensure_ascii=False)


def as_tools(schemas: Sequence[ToolSchema]) -> list[ToolInfo]:
    """Return tools as Inspect's, which a model may call and Inspect does not run."""
    tools = []
    for schema in schemas:
        function = schema["function"]
        parameters = {"type": "object", "properties": {}, **(function.get("parameters") or {})}
        tools.append(
            ToolInfo(
                name=function["name"],
                description=function.get("description") or function["name"],
                parameters=ToolParams.model_validate(parameters),
            )
        )
    return tools
