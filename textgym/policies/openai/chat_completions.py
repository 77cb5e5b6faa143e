"""A conversation as a chat-completions server is asked about it: the server renders and parses.

Messages go as they stand, but for what servers cannot read: `developer` becomes `system`, text
parts are joined, None is an empty text, and a tool call's arguments are a JSON object as a text.
What comes back is a message that every environment accepts.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar, cast

from textgym.messages import Message, ToolSchema, message_problem, text_of
from textgym.policies.base import Action
from textgym.policies.chat.hermes_parser import with_tool_calls
from textgym.policies.chat.tool_prompt import with_tool_prompt
from textgym.policies.json_codec import decode, encode
from textgym.policies.openai.replies import Answer, BrokenReplyError, as_json
from textgym.policies.openai.request_settings import RequestForm

__all__ = ["ChatQuestion"]

_REASONING = ("reasoning_content", "reasoning")  # vLLM and others renamed it
_OWN_KEYS = frozenset((*_REASONING, "role", "content", "tool_calls", "name", "tool_call_id"))


@dataclass(frozen=True, slots=True)
class ChatQuestion:
    """Messages and tools for `/chat/completions`.

    Attributes:
        messages: The conversation.
        tools: Schemas in nested form; none if empty.
        reads_calls: Whether calls are read out of the answer's text.
    """

    messages: Sequence[Message]
    tools: Sequence[ToolSchema]
    reads_calls: bool = False

    kind: ClassVar[str] = "chat completion"
    path: ClassVar[str] = "chat/completions"

    @classmethod
    def in_texts(cls, messages: Sequence[Message], tools: Sequence[ToolSchema]) -> ChatQuestion:
        """Return a question that tells of tools in the prompt, for a server that takes none."""
        return cls(with_tool_prompt(messages, tools), (), reads_calls=bool(tools))

    def fields(self, form: RequestForm) -> dict[str, Any]:
        """Return the fields of a request; they may share parts with the messages.

        Example:
            >>> told = {"role": "developer", "content": "Be short."}
            >>> ChatQuestion([told], []).fields(RequestForm())
            {'messages': [{'role': 'system', 'content': 'Be short.'}]}
        """
        messages = [_sent(message, form.reasoning_key) for message in self.messages]
        return {"messages": messages, "tools": self.tools} if self.tools else {"messages": messages}

    def read(self, choice: Mapping[str, Any], usage: dict[str, int]) -> Answer:
        """Read the first of a reply's choices.

        Raises:
            BrokenReplyError: It holds no message.
        """
        said = choice.get("message")
        if not isinstance(said, dict):
            raise BrokenReplyError("its choice has no message")
        reasoning_key = next((key for key in _REASONING if isinstance(said.get(key), str)), None)
        message = _message(said, reasoning_key)
        problem = message_problem(message, ("assistant",))
        if problem:
            raise BrokenReplyError(problem)
        reason = choice.get("finish_reason")
        if reason not in ("length", "content_filter"):
            reason = "tool_calls" if "tool_calls" in message else "stop"
        action = Action(message, reason, usage)
        return Answer(with_tool_calls(action) if self.reads_calls else action, reasoning_key)


def _sent(message: Message, reasoning_key: str | None) -> Mapping[str, Any]:
    """Return a message as servers read it; mostly itself."""
    content, role = message.get("content"), message["role"]
    if role != "assistant":
        if content.__class__ is str and role != "developer":
            return message
        sent_role = "system" if role == "developer" else role
        return {**message, "role": sent_role, "content": _sent_content(message)}
    sent: dict[str, Any] = {**message, "content": _sent_content(message)}
    calls = sent.pop("tool_calls", None)
    if calls:
        sent["tool_calls"] = [_sent_call(call) for call in calls]
        sent["content"] = sent["content"] or None
    reasoning = sent.pop("reasoning_content", None)
    if reasoning is not None and reasoning_key is not None:
        sent[reasoning_key] = reasoning
    return sent


def _sent_content(message: Message) -> Any:
    """Return a text, or the parts where an image is among them."""
    content = message.get("content")
    if isinstance(content, list) and any(part["type"] != "text" for part in content):
        return content
    return text_of(message)


def _sent_call(call: Mapping[str, Any]) -> dict[str, Any]:
    function = call["function"]
    arguments = _arguments(function.get("arguments"))
    return {**call, "type": "function", "function": {**function, "arguments": arguments}}


def _arguments(given: Any) -> str:
    """Return arguments as the text of a JSON object; servers fail on what the model broke."""
    text = given if isinstance(given, str) else encode(given or {}).decode()
    try:
        return text if isinstance(decode(text.encode()), dict) else _wrapped(text)
    except ValueError:
        return _wrapped(text) if text else "{}"


def _wrapped(text: str) -> str:
    return encode({"arguments": text}).decode()


def _message(said: Mapping[str, Any], reasoning_key: str | None) -> Message:
    """Return the message in textgym's form; keys that it does not know go along."""
    message: dict[str, Any] = {"role": "assistant", "content": _content(said.get("content"))}
    for key, value in said.items():
        if value and key not in _OWN_KEYS:
            message[key] = value
    if reasoning_key:
        message["reasoning_content"] = said[reasoning_key]
    if said.get("tool_calls"):
        message["tool_calls"] = _calls(said["tool_calls"])
    return cast(Message, message)


def _content(content: Any) -> str | None:
    """Return the text; of parts, those that are text."""
    if content is None or isinstance(content, str):
        return content
    if not isinstance(content, list):
        raise BrokenReplyError("its content is no text")
    texts = [part.get("text") for part in content if isinstance(part, dict)]
    return "".join(text for text in texts if isinstance(text, str))


def _calls(calls: Any) -> list[dict[str, Any]]:
    if not isinstance(calls, list):
        raise BrokenReplyError("its tool_calls are no list")
    return [_call(call) for call in calls]


def _call(call: Any) -> dict[str, Any]:
    """Return a call without its nulls; the arguments are what the model wrote, JSON or not."""
    function = call.get("function") if isinstance(call, dict) else None
    if not isinstance(function, dict) or not isinstance(function.get("name"), str):
        raise BrokenReplyError("a tool call names no function")
    kept = {key: value for key, value in call.items() if value is not None}
    if not isinstance(kept.get("id", ""), str):
        kept["id"] = str(kept["id"])
    arguments = function.get("arguments")
    if arguments is None:
        arguments = "{}"
    elif not isinstance(arguments, str):
        arguments = as_json(arguments)
    return {**kept, "type": "function", "function": {**function, "arguments": arguments}}
