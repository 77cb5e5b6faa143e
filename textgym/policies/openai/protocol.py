"""What both endpoints of a server exchange: the request's format, and its reply.

Servers differ in their names for the token limit and for the reasoning of earlier turns, and some
refuse fields even at their default values. A `RequestFormat` starts with what most servers accept;
`adapted_to` reads a server's refusal and returns the format to try next.

A reply is an action, or the reason why there is none. The `ModelRequest` that was sent parses the
choice of a successful reply.

Invariants: `read_reply` raises nothing for any reply, and searches at most the first 64 KiB of an
error.
"""

from __future__ import annotations

import enum
import re
import time
from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any, ClassVar, Protocol

from textgym.json_values import decode_json, encode_json
from textgym.policies.base import Action, Sampling
from textgym.policies.openai.connections import HTTPReply, read_retry_after

__all__ = [
    "FailedRequest", "FailureCause", "InvalidReplyError", "ModelRequest", "ParsedReply",
    "RequestFormat", "as_json", "model_ids", "read_reply",
]  # fmt: skip

_MAX_SEED = 2**31 - 1  # servers read seeds as 32 or 64 bits, signed or not
_API_DEFAULTS = {"temperature": 1, "top_p": 1}  # and textgym's


@dataclass(frozen=True, slots=True)
class RequestFormat:
    """The request format that a server accepts.

    Attributes:
        max_tokens_key: The field for the maximum number of sampled tokens.
        reasoning_key: The key for the reasoning of earlier turns; None if it must not be sent.
        omitted: Fields that the server refuses even at their default.
    """

    max_tokens_key: str = "max_tokens"
    reasoning_key: str | None = "reasoning_content"
    omitted: frozenset[str] = frozenset()

    def sampling_fields(
        self, model: str, sampling: Sampling, seed: int | None, send_limit: bool = True
    ) -> dict[str, Any]:
        """Return the fields for the model and the sampling.

        Args:
            model: The server's name of the model.
            sampling: How tokens are sampled.
            seed: The seed of the sampling; its lowest 31 bits are sent.
            send_limit: Whether the token limit is sent; without it a message may fill the context.

        Example:
            >>> sent = RequestFormat().sampling_fields("m", Sampling(), seed=2**40 + 5)
            >>> sent["max_tokens"], sent["seed"], "top_k" in sent
            (512, 5, False)
        """
        fields: dict[str, Any] = {
            "model": model,
            "temperature": sampling.temperature,
            "top_p": sampling.top_p,
        }
        if send_limit:
            fields[self.max_tokens_key] = sampling.max_tokens
        if sampling.top_k:
            fields["top_k"] = sampling.top_k
        if sampling.min_p:
            fields["min_p"] = sampling.min_p
        if sampling.stop:
            fields["stop"] = sampling.stop
        if seed is not None:
            fields["seed"] = seed & _MAX_SEED
        for name in self.omitted:
            del fields[name]
        return fields

    def with_reasoning_key(self, reasoning_key: str | None) -> RequestFormat:
        """Return the format with the reasoning key of a reply, which is None without reasoning."""
        if reasoning_key in (None, self.reasoning_key) or self.reasoning_key is None:
            return self
        return replace(self, reasoning_key=reasoning_key)

    def adapted_to(self, refusal: str, sampling: Sampling) -> RequestFormat | None:
        """Return the format to try after a refusal; None if no other format would help.

        Args:
            refusal: The server's error message.
            sampling: The settings that were sent.

        Example:
            >>> initial = RequestFormat()
            >>> initial.adapted_to("use max_completion_tokens instead", Sampling()).max_tokens_key
            'max_completion_tokens'
            >>> initial.adapted_to("the messages are empty", Sampling())
        """
        words = set(re.findall(r"\w+", refusal))
        if self.max_tokens_key == "max_tokens" and "max_completion_tokens" in words:
            return replace(self, max_tokens_key="max_completion_tokens")
        if self.reasoning_key in words and not re.search("missing|must", refusal, re.IGNORECASE):
            return replace(self, reasoning_key=None)
        refused = {
            name
            for name, default in _API_DEFAULTS.items()
            if name in words - self.omitted and getattr(sampling, name) == default
        }
        return replace(self, omitted=self.omitted | refused) if refused else None


_MAX_COUNT = 2**53
_MAX_ERROR_LENGTH = 2**16  # characters
_MAX_QUOTE_LENGTH = 200
_CONTEXT = re.compile(
    r"context[ _](length|window|size)|(prompt|input|conversation)( is|s are)? too long"
    r"|maximum (prompt|model|input|sequence) length|reduce the length of the"
    r"|input token count|greater than max_model_len"
    r"|must have less than \d+ tokens|max_new_tokens`? must be <=",
    re.IGNORECASE,
)
_UNKNOWN_MODEL = re.compile(
    r"model_not_found|not a valid model|model\b.{0,200}\b(not found|not exist)", re.IGNORECASE
)


class FailureCause(enum.Enum):
    """Why a request gave no action, which decides what the policy does."""

    TRANSIENT = "another try may succeed"
    BUSY = "the server is overloaded, or limits the rate"
    CONTEXT = "the conversation does not fit the model's context"
    MODEL = "the server does not have the model"
    NOT_FOUND = "the server does not have this path, or not this model"
    ADDRESS = "there is no such server at this address"
    KEY = "the server does not accept the key"
    REQUEST = "the server does not accept the request"
    TOKENS = "the reply does not hold the token ids of the prompt and the completion"
    LENGTH = "the reply is longer than the limit"


@dataclass(frozen=True, slots=True)
class ParsedReply:
    """An action, and the key of its reasoning in the reply, or None."""

    action: Action
    reasoning_key: str | None


@dataclass(frozen=True, slots=True)
class FailedRequest:
    """A request that gave no action.

    Attributes:
        cause: The cause.
        text: The server's message, or a description of the broken connection; cut if it is long.
        retry_after: How many seconds to wait, if the server says so.
    """

    cause: FailureCause
    text: str
    retry_after: float | None = None


class InvalidReplyError(Exception):
    """A reply that does not follow the endpoint's schema.

    Attributes:
        cause: The cause to report.
    """

    def __init__(self, text: str, cause: FailureCause = FailureCause.TRANSIENT) -> None:
        super().__init__(text)
        self.cause = cause


class ModelRequest(Protocol):
    """A request for the next message of a conversation, to one of the endpoints.

    Attributes:
        kind: The name of the endpoint's reply, for errors.
        path: The endpoint's path under the base URL.
    """

    kind: ClassVar[str]
    path: ClassVar[str]

    def fields(self, request_format: RequestFormat) -> dict[str, Any]:
        """Return the fields of the request's body, except the sampling."""

    def parse_choice(self, choice: Mapping[str, Any], usage: dict[str, int]) -> ParsedReply:
        """Parse the first of a reply's choices.

        Raises:
            InvalidReplyError: It does not follow the schema.
        """


def read_reply(reply: HTTPReply, request: ModelRequest) -> ParsedReply | FailedRequest:
    """Read a server's reply to a request.

    Example:
        >>> from textgym.policies.openai.requests import ChatRequest
        >>> data = b'{"choices": [{"message": {"content": "Hello"}, "finish_reason": "stop"}]}'
        >>> read_reply(HTTPReply(200, {}, data), ChatRequest([], [])).action.message
        {'role': 'assistant', 'content': 'Hello'}
        >>> reply = HTTPReply(429, {"Retry-After": "2"}, b'{"error": "too fast"}')
        >>> failure = read_reply(reply, ChatRequest([], []))
        >>> failure.cause.name, failure.text, failure.retry_after
        ('BUSY', '429: too fast', 2.0)
    """
    outcome = _read(reply, request)
    if isinstance(outcome, FailedRequest):
        wait = read_retry_after(reply.headers, time.time())
        return replace(outcome, text=outcome.text[:_MAX_ERROR_LENGTH], retry_after=wait)
    return outcome


def _read(reply: HTTPReply, request: ModelRequest) -> ParsedReply | FailedRequest:
    if 300 <= reply.status < 400:
        return FailedRequest(
            FailureCause.ADDRESS, f"the server redirects to {reply.headers.get('Location', '')!r}"
        )
    if reply.is_cut and 200 <= reply.status < 300:
        return FailedRequest(
            FailureCause.LENGTH, f"the reply is longer than {len(reply.data) // 2**20} MiB"
        )
    try:
        body = decode_json(reply.data)
    except ValueError:
        return _read_non_json(reply)
    if not isinstance(body, dict):
        body = {"message": f"the reply is not a JSON object: {as_json(body)}"}
    if not 200 <= reply.status < 300:
        return _read_error(reply.status, body)
    if body.get("error"):
        return _read_error(_status_of(body["error"]), body)
    try:
        return request.parse_choice(_first_choice(body), _usage(body.get("usage")))
    except InvalidReplyError as error:
        return FailedRequest(error.cause, f"the reply is not a valid {request.kind}: {error}")


def model_ids(reply: HTTPReply) -> list[str] | None:
    """Return the ids of the models in a server's list; None if the reply has no such list.

    Example:
        >>> model_ids(HTTPReply(200, {}, b'{"data": [{"id": "a"}, {"id": "b"}]}'))
        ['a', 'b']
    """
    try:
        body = decode_json(reply.data)
    except ValueError:
        return None
    listed = body.get("data") if isinstance(body, dict) else None
    if reply.status != 200 or not isinstance(listed, list):
        return None
    ids = [model.get("id") for model in listed if isinstance(model, dict)]
    return [id for id in ids if isinstance(id, str)]


def as_json(value: Any) -> str:
    """Return a value as JSON, for a message.

    Example:
        >>> as_json({"a": 1})
        '{"a":1}'
    """
    try:
        return encode_json(value).decode()
    except ValueError:
        return "(nested too deeply to show)"


def _read_non_json(reply: HTTPReply) -> FailedRequest:
    """Describe a reply that is not JSON, perhaps because it was cut."""
    start = reply.data[:_MAX_QUOTE_LENGTH].decode("utf-8", "replace")
    is_html = start.lstrip().lower().startswith(("<!doctype", "<html"))
    if reply.is_cut and not is_html:
        text = reply.data.decode("utf-8", "replace")
        return FailedRequest(_cause(reply.status, text), f"{reply.status}: {text}")
    if is_html:
        body = "an HTML page"
    else:
        body = f"{start!r}, which is not JSON" if start else "an empty body"
    if 200 <= reply.status < 300:
        cause = FailureCause.ADDRESS if is_html else FailureCause.TRANSIENT
        return FailedRequest(cause, f"the server answered with {body}")
    return FailedRequest(_cause(reply.status, start), f"{reply.status}: {body}")


def _read_error(status: int, body: Mapping[str, Any]) -> FailedRequest:
    error = body.get("error") or body
    if not isinstance(error, dict):
        error = {"message": error}
    message = error.get("message") or error.get("detail") or error
    text = (message if isinstance(message, str) else as_json(message))[:_MAX_ERROR_LENGTH]
    labels = [str(error.get(name))[:_MAX_ERROR_LENGTH] for name in ("code", "type")]
    return FailedRequest(_cause(status, " ".join([text, *labels])), f"{status}: {text}")


def _status_of(error: Any) -> int:
    """Return the HTTP status of an error in the body of a reply with status 200."""
    code = error.get("code") if isinstance(error, dict) else None
    return code if isinstance(code, int) and 400 <= code < 600 else 500


def _cause(status: int, message: str) -> FailureCause:
    if status in (401, 403):
        return FailureCause.KEY
    if status == 429:
        return FailureCause.REQUEST if "insufficient_quota" in message else FailureCause.BUSY
    if _CONTEXT.search(message):
        return FailureCause.CONTEXT
    if _UNKNOWN_MODEL.search(message):
        return FailureCause.MODEL
    if status == 404:
        return FailureCause.NOT_FOUND
    if status in (405, 501):
        return FailureCause.ADDRESS
    if status in (408, 409, 425) or status >= 500:
        return FailureCause.TRANSIENT
    return FailureCause.REQUEST


def _first_choice(body: Mapping[str, Any]) -> Mapping[str, Any]:
    """Return the first choice of a reply, after checking that it is complete."""
    choices = body.get("choices")
    if not isinstance(choices, list) or not choices:
        raise InvalidReplyError("it has no choices")
    choice = choices[0]
    if not isinstance(choice, dict):
        raise InvalidReplyError("its choice is not an object")
    error, reason = choice.get("error"), choice.get("finish_reason")
    if error or reason in ("abort", "error"):
        raise InvalidReplyError(f"the server aborted it: {as_json(error or reason)}")
    return choice


def _usage(usage: Any) -> dict[str, int]:
    """Return the token counts by textgym's names, without values that are not counts."""
    if not isinstance(usage, dict):
        return {}
    prompt = usage.get("prompt_tokens_details")
    completion = usage.get("completion_tokens_details")
    counts = {
        "prompt_tokens": usage.get("prompt_tokens"),
        "completion_tokens": usage.get("completion_tokens"),
        "cached_tokens": prompt.get("cached_tokens") if isinstance(prompt, dict) else None,
        "reasoning_tokens": completion.get("reasoning_tokens")
        if isinstance(completion, dict)
        else None,
    }
    return {
        name: count
        for name, count in counts.items()
        if type(count) is int and 0 <= count < _MAX_COUNT
    }
