"""Requests to the two endpoints, `/chat/completions` in messages and `/completions` in token ids.

Messages are sent unchanged, except for what servers do not accept: `developer` becomes `system`,
text parts are joined, None becomes an empty string, and a tool call's arguments are always the text
of a JSON object. The server renders the conversation, and the reply is read as a message that every
environment accepts.

In token ids, in vLLM's form, the chat codec makes the prompt, so the server encodes no text. The
reply must have the ids of the prompt and of the completion, with a log probability for each sampled
id; any other reply is a failure.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar, cast

from textgym.json_values import decode_json, encode_json
from textgym.messages import Message, ToolSchema, message_problem, text_of
from textgym.policies.base import Action
from textgym.policies.chat.hermes import with_parsed_calls, with_tool_prompt
from textgym.policies.chat.token_codec import ChatCodec, EncodedPrompt
from textgym.policies.openai.protocol import (
    FailureCause,
    InvalidReplyError,
    ParsedReply,
    RequestFormat,
    as_json,
)

__all__ = ["ChatRequest", "CompletionRequest"]

_REASONING = ("reasoning_content", "reasoning")  # the newer name in vLLM and others
_OWN_KEYS = frozenset((*_REASONING, "role", "content", "tool_calls", "name", "tool_call_id"))


@dataclass(frozen=True, slots=True)
class ChatRequest:
    """A request with messages and tools.

    Attributes:
        messages: The conversation.
        tools: Schemas in nested form; may be empty.
        parses_tool_calls: Whether Hermes calls are parsed out of the reply's text.
    """

    messages: Sequence[Message]
    tools: Sequence[ToolSchema]
    parses_tool_calls: bool = False

    kind: ClassVar[str] = "chat completion"
    path: ClassVar[str] = "chat/completions"

    @classmethod
    def with_tool_prompt(
        cls, messages: Sequence[Message], tools: Sequence[ToolSchema]
    ) -> ChatRequest:
        """Return a request with the tools in the prompt, for a server that does not take tools."""
        return cls(with_tool_prompt(messages, tools), (), parses_tool_calls=bool(tools))

    def fields(self, request_format: RequestFormat) -> dict[str, Any]:
        """Return the messages and tools to send; they may share parts with the conversation.

        Example:
            >>> message = {"role": "developer", "content": "Be short."}
            >>> ChatRequest([message], []).fields(RequestFormat())
            {'messages': [{'role': 'system', 'content': 'Be short.'}]}
        """
        key = request_format.reasoning_key
        messages = [_message_to_send(message, key) for message in self.messages]
        return {"messages": messages, "tools": self.tools} if self.tools else {"messages": messages}

    def parse_choice(self, choice: Mapping[str, Any], usage: dict[str, int]) -> ParsedReply:
        """Parse the first of a reply's choices.

        Raises:
            InvalidReplyError: It has no valid message.
        """
        received = choice.get("message")
        if not isinstance(received, dict):
            raise InvalidReplyError("its choice has no message")
        reasoning_key = next(
            (key for key in _REASONING if isinstance(received.get(key), str)), None
        )
        message = _parse_message(received, reasoning_key)
        problem = message_problem(message, ("assistant",))
        if problem:
            raise InvalidReplyError(problem)
        reason = choice.get("finish_reason")
        if reason not in ("length", "content_filter"):
            reason = "tool_calls" if "tool_calls" in message else "stop"
        action = Action(message, reason, usage)
        return ParsedReply(
            with_parsed_calls(action) if self.parses_tool_calls else action, reasoning_key
        )


def _message_to_send(message: Message, reasoning_key: str | None) -> Mapping[str, Any]:
    """Return a message in the form that servers accept, usually the message itself."""
    content, role = message.get("content"), message["role"]
    if role != "assistant":
        if content.__class__ is str and role != "developer":
            return message
        role = "system" if role == "developer" else role
        return {**message, "role": role, "content": _content_to_send(message)}
    sent: dict[str, Any] = {**message, "content": _content_to_send(message)}
    calls = sent.pop("tool_calls", None)
    if calls:
        sent["tool_calls"] = [_call_to_send(call) for call in calls]
        sent["content"] = sent["content"] or None
    reasoning = sent.pop("reasoning_content", None)
    if reasoning is not None and reasoning_key is not None:
        sent[reasoning_key] = reasoning
    return sent


def _content_to_send(message: Message) -> Any:
    """Return the text, or the parts if there is an image among them."""
    content = message.get("content")
    if isinstance(content, list) and any(part["type"] != "text" for part in content):
        return content
    return text_of(message)


def _call_to_send(call: Mapping[str, Any]) -> dict[str, Any]:
    function = call["function"]
    arguments = _arguments(function.get("arguments"))
    return {**call, "type": "function", "function": {**function, "arguments": arguments}}


def _arguments(value: Any) -> str:
    """Return arguments as the text of a JSON object, because servers fail on broken JSON."""
    text = value if isinstance(value, str) else encode_json(value or {}).decode()
    try:
        return text if isinstance(decode_json(text.encode()), dict) else _wrapped(text)
    except ValueError:
        return _wrapped(text) if text else "{}"


def _wrapped(text: str) -> str:
    return encode_json({"arguments": text}).decode()


def _parse_message(received: Mapping[str, Any], reasoning_key: str | None) -> Message:
    """Return the message in textgym's form; unknown keys are kept."""
    content = _parse_content(received.get("content"))
    message: dict[str, Any] = {"role": "assistant", "content": content}
    for key, value in received.items():
        if value and key not in _OWN_KEYS:
            message[key] = value
    if reasoning_key:
        message["reasoning_content"] = received[reasoning_key]
    if calls := received.get("tool_calls"):
        if not isinstance(calls, list):
            raise InvalidReplyError("its tool_calls are not a list")
        message["tool_calls"] = [_parse_call(call) for call in calls]
    return cast(Message, message)


def _parse_content(content: Any) -> str | None:
    """Return the text; of a list of parts, the text parts joined."""
    if content is None or isinstance(content, str):
        return content
    if not isinstance(content, list):
        raise InvalidReplyError("its content is not text")
    texts = [part.get("text") for part in content if isinstance(part, dict)]
    return "".join(text for text in texts if isinstance(text, str))


def _parse_call(call: Any) -> dict[str, Any]:
    """Return a call without its nulls; the arguments are unchanged, even if they are not JSON."""
    function = call.get("function") if isinstance(call, dict) else None
    if not isinstance(function, dict) or not isinstance(function.get("name"), str):
        raise InvalidReplyError("a tool call does not name a function")
    kept = {key: value for key, value in call.items() if value is not None}
    if not isinstance(kept.get("id", ""), str):
        kept["id"] = str(kept["id"])
    arguments = function.get("arguments")
    if arguments is None:
        arguments = "{}"
    elif not isinstance(arguments, str):
        arguments = as_json(arguments)
    return {**kept, "type": "function", "function": {**function, "arguments": arguments}}


_MAX_TOKEN_ID = 2**31


@dataclass(frozen=True, slots=True)
class CompletionRequest:
    """A request with the token ids of a prompt.

    Attributes:
        codec: Decodes the sampled tokens as an action.
        prompt: The encoded prompt.
    """

    codec: ChatCodec
    prompt: EncodedPrompt

    kind: ClassVar[str] = "completion"
    path: ClassVar[str] = "completions"

    def fields(self, request_format: RequestFormat) -> dict[str, Any]:
        """Return the fields of the request's body, except the sampling.

        They include the token limit as null, because servers without one sample 16 tokens.
        """
        fields: dict[str, Any] = {
            "prompt": self.prompt.ids,
            "logprobs": 0,  # only of the sampled tokens
            "return_token_ids": True,
            request_format.max_tokens_key: None,
        }
        if not self.codec.skip_special_tokens:
            fields["skip_special_tokens"] = False
        return fields

    def parse_choice(self, choice: Mapping[str, Any], usage: dict[str, int]) -> ParsedReply:
        """Parse the first of a reply's choices.

        Raises:
            InvalidReplyError: It does not have the tokens that were read and sampled.
        """
        prompt_ids, sampled = choice.get("prompt_token_ids"), choice.get("token_ids")
        if prompt_ids is None or sampled is None:
            raise InvalidReplyError("it has no token ids in vLLM's form", FailureCause.TOKENS)
        if prompt_ids != self.prompt.ids:
            raise InvalidReplyError(
                "its prompt_token_ids are not the ids that were sent", FailureCause.TOKENS
            )
        if not isinstance(sampled, list) or not all(map(_is_id, sampled)):
            raise InvalidReplyError(f"its token_ids are not token ids: {as_json(sampled)}")
        text, reason = choice.get("text"), choice.get("finish_reason")
        if not isinstance(text, str):
            raise InvalidReplyError("it has no text")
        if reason not in ("stop", "length"):
            raise InvalidReplyError(
                f"its finish_reason is neither stop nor length: {as_json(reason)}"
            )
        if not sampled and reason == "length":
            raise InvalidReplyError("it has no tokens, and the message is not finished")
        action = self.codec.decode_action(
            self.prompt, sampled, text, _logprobs(choice, len(sampled)), finished=reason == "stop"
        )
        action.usage = usage | action.usage
        return ParsedReply(action, None)


def _is_id(value: Any) -> bool:
    return type(value) is int and 0 <= value < _MAX_TOKEN_ID


def _logprobs(choice: Mapping[str, Any], count: int) -> list[float]:
    received = choice.get("logprobs")
    if received is None:
        raise InvalidReplyError("it has no log probabilities", FailureCause.TOKENS)
    values = received.get("token_logprobs") if isinstance(received, dict) else None
    if not isinstance(values, list) or len(values) != count or not all(map(_is_number, values)):
        raise InvalidReplyError(f"it does not have one log probability for each of {count} tokens")
    return [float(value) for value in values]


def _is_number(value: Any) -> bool:
    return isinstance(value, (int, float)) and not isinstance(value, bool) and math.isfinite(value)
