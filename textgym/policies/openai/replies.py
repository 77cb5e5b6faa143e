"""What a server answered: an action, or what was wrong.

`read_reply` never raises, whatever the server says, and no more of what is wrong is looked at than
an error's first 64 KiB. What stands in a reply that is no error is read by the question that was
asked.
"""

from __future__ import annotations

import enum
import re
import time
from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any, ClassVar, Protocol

from textgym.policies.base import Action
from textgym.policies.json_codec import decode, encode
from textgym.policies.openai.connections import Reply
from textgym.policies.openai.rate_limit import read_retry_after
from textgym.policies.openai.request_settings import RequestForm

__all__ = [
    "Answer", "BrokenReplyError", "Cause", "Problem", "Question", "as_json", "model_ids",
    "read_reply",
]  # fmt: skip

_LARGEST_COUNT = 2**53
_MOST_TOLD = 2**16  # characters
_MOST_QUOTED = 200
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


class Cause(enum.Enum):
    """Why there is no action, which says what to do about it."""

    PASSING = "may be gone the next time"
    BUSY = "the server has too much to do"
    CONTEXT = "the conversation does not fit the model"
    MODEL = "the server does not have the model"
    NOT_FOUND = "the server has neither this address nor, perhaps, this model"
    ADDRESS = "this is no such server"
    KEY = "the server does not let the caller in"
    REQUEST = "the server does not take this request"
    TOKENS = "the server does not tell which tokens it read and sampled"
    LENGTH = "the reply is longer than any model's"


@dataclass(frozen=True, slots=True)
class Answer:
    """An action, and what its reasoning was called; None where it had none."""

    action: Action
    reasoning_key: str | None


@dataclass(frozen=True, slots=True)
class Problem:
    """Why there is no action.

    Attributes:
        cause: Its kind.
        text: What the server said; of a long text the beginning.
        retry_after: How many seconds the server asks to wait; None where it asks for nothing.
    """

    cause: Cause
    text: str
    retry_after: float | None = None


class BrokenReplyError(Exception):
    """A reply that is not of the schema; the text says in what.

    Attributes:
        cause: What it comes of.
    """

    def __init__(self, text: str, cause: Cause = Cause.PASSING) -> None:
        super().__init__(text)
        self.cause = cause


class Question(Protocol):
    """A conversation as a server is asked about it.

    Attributes:
        kind: What a reply is called.
        path: Where it is asked, under the base URL.
    """

    kind: ClassVar[str]
    path: ClassVar[str]

    def fields(self, form: RequestForm) -> dict[str, Any]:
        """Return the fields of a request beside the settings."""

    def read(self, choice: Mapping[str, Any], usage: dict[str, int]) -> Answer:
        """Read the first of a reply's choices.

        Raises:
            BrokenReplyError: It is not of the schema.
        """


def read_reply(reply: Reply, question: Question) -> Answer | Problem:
    """Read what a server answered to a question.

    Example:
        >>> from textgym.policies.openai.chat_completions import ChatQuestion
        >>> data = b'{"choices": [{"message": {"content": "Hello"}, "finish_reason": "stop"}]}'
        >>> read_reply(Reply(200, {}, data), ChatQuestion([], [])).action.message
        {'role': 'assistant', 'content': 'Hello'}
        >>> reply = Reply(429, {"Retry-After": "2"}, b'{"error": "too fast"}')
        >>> problem = read_reply(reply, ChatQuestion([], []))
        >>> problem.cause.name, problem.text, problem.retry_after
        ('BUSY', '429: too fast', 2.0)
    """
    outcome = _read(reply, question)
    if isinstance(outcome, Problem):
        wait = read_retry_after(reply.headers, time.time())
        return replace(outcome, text=outcome.text[:_MOST_TOLD], retry_after=wait)
    return outcome


def _read(reply: Reply, question: Question) -> Answer | Problem:
    if 300 <= reply.status < 400:
        return Problem(Cause.ADDRESS, f"it redirects to {reply.headers.get('Location', '')!r}")
    if reply.is_cut and 200 <= reply.status < 300:
        return Problem(Cause.LENGTH, f"the reply is longer than {len(reply.data) // 2**20} MiB")
    try:
        answer = decode(reply.data)
    except ValueError:
        return _unreadable(reply)
    if not isinstance(answer, dict):
        answer = {"message": f"the reply is no JSON object: {as_json(answer)}"}
    if not 200 <= reply.status < 300:
        return _problem(reply.status, answer)
    if answer.get("error"):
        return _problem(_code_of(answer["error"]), answer)
    try:
        return question.read(_choice(answer), _usage(answer.get("usage")))
    except BrokenReplyError as error:
        return Problem(error.cause, f"the reply is no {question.kind}: {error}")


def model_ids(reply: Reply) -> list[str] | None:
    """Return the models that a server lists, or None where the reply is no such list.

    Example:
        >>> model_ids(Reply(200, {}, b'{"data": [{"id": "a"}, {"id": "b"}]}'))
        ['a', 'b']
    """
    try:
        answer = decode(reply.data)
    except ValueError:
        return None
    listed = answer.get("data") if isinstance(answer, dict) else None
    if reply.status != 200 or not isinstance(listed, list):
        return None
    ids = [item.get("id") for item in listed if isinstance(item, dict)]
    return [id for id in ids if isinstance(id, str)]


def as_json(value: Any) -> str:
    """Return a value as JSON, for a text.

    Example:
        >>> as_json({"a": 1})
        '{"a":1}'
    """
    try:
        return encode(value).decode()
    except ValueError:
        return "(nested too deeply to be shown)"


def _unreadable(reply: Reply) -> Problem:
    """Say what a reply is that is no JSON, or no longer since it was cut."""
    start = reply.data[:_MOST_QUOTED].decode("utf-8", "replace")
    is_html = start.lstrip().lower().startswith(("<!doctype", "<html"))
    if reply.is_cut and not is_html:
        text = reply.data.decode("utf-8", "replace")
        return Problem(_cause(reply.status, text), f"{reply.status}: {text}")
    said = "an HTML page" if is_html else f"{start!r}, which is no JSON" if start else "nothing"
    if 200 <= reply.status < 300:
        return Problem(Cause.ADDRESS if is_html else Cause.PASSING, f"it answered {said}")
    return Problem(_cause(reply.status, start), f"{reply.status}: {said}")


def _problem(status: int, answer: Mapping[str, Any]) -> Problem:
    """Read the forms in which servers tell an error."""
    error = answer.get("error") or answer
    if not isinstance(error, dict):
        error = {"message": error}
    told = error.get("message") or error.get("detail") or error
    text = (told if isinstance(told, str) else as_json(told))[:_MOST_TOLD]
    labels = [str(error.get(name))[:_MOST_TOLD] for name in ("code", "type")]
    return Problem(_cause(status, " ".join([text, *labels])), f"{status}: {text}")


def _code_of(error: Any) -> int:
    """Return the status that an error within a 200 stands for."""
    code = error.get("code") if isinstance(error, dict) else None
    return code if isinstance(code, int) and 400 <= code < 600 else 500


def _cause(status: int, said: str) -> Cause:
    if status in (401, 403):
        return Cause.KEY
    if status == 429:
        return Cause.REQUEST if "insufficient_quota" in said else Cause.BUSY
    if _CONTEXT.search(said):
        return Cause.CONTEXT
    if _UNKNOWN_MODEL.search(said):
        return Cause.MODEL
    if status == 404:
        return Cause.NOT_FOUND
    if status in (405, 501):
        return Cause.ADDRESS
    if status in (408, 409, 425) or status >= 500:
        return Cause.PASSING
    return Cause.REQUEST


def _choice(answer: Mapping[str, Any]) -> Mapping[str, Any]:
    """Return the first of a reply's choices, which was not broken off."""
    choices = answer.get("choices")
    if not isinstance(choices, list) or not choices:
        raise BrokenReplyError("it has no choices")
    choice = choices[0]
    if not isinstance(choice, dict):
        raise BrokenReplyError("its choice is no object")
    error, reason = choice.get("error"), choice.get("finish_reason")
    if error or reason in ("abort", "error"):
        raise BrokenReplyError(f"the server broke it off: {as_json(error or reason)}")
    return choice


def _usage(usage: Any) -> dict[str, int]:
    """Return what is counted, by textgym's names; what is no count is left out."""
    if not isinstance(usage, dict):
        return {}
    asked, answered = usage.get("prompt_tokens_details"), usage.get("completion_tokens_details")
    found = {
        "prompt_tokens": usage.get("prompt_tokens"),
        "completion_tokens": usage.get("completion_tokens"),
        "cached_tokens": asked.get("cached_tokens") if isinstance(asked, dict) else None,
        "reasoning_tokens": answered.get("reasoning_tokens")
        if isinstance(answered, dict)
        else None,
    }
    return {
        name: count
        for name, count in found.items()
        if type(count) is int and 0 <= count < _LARGEST_COUNT
    }
