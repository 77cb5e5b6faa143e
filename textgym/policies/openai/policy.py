"""`openai:MODEL@BASE_URL`: any server that speaks OpenAI's chat completions.

vLLM, SGLang, llama.cpp and hosted models are asked over HTTP; a server of vLLM's kind in token ids
too, over completions. What may pass (a server that is busy, starting anew or gone for a moment) is
asked again, later each time; what will not (a wrong key, model or address) is a `UsageError` at
once. The key is in no name, error or record.
"""

from __future__ import annotations

import math
import os
import re
from collections.abc import Mapping, Sequence
from typing import Any
from urllib.parse import urlsplit

from textgym.errors import (
    ContextFullError,
    PolicyFailure,
    UnknownNameError,
    UsageError,
    did_you_mean,
)
from textgym.messages import Message, ToolSchema
from textgym.policies.base import Action, Policy, Sampling, Tokens
from textgym.policies.chat.codec import Recorder
from textgym.policies.chat.vllm_parser import FamilyParser
from textgym.policies.json_codec import encode
from textgym.policies.openai.chat_completions import ChatQuestion
from textgym.policies.openai.completions import TokenQuestion
from textgym.policies.openai.connections import Connections, ConnectionTrouble
from textgym.policies.openai.rate_limit import LONGEST_WAIT, Pacer
from textgym.policies.openai.replies import (
    Answer,
    Cause,
    Problem,
    Question,
    model_ids,
    read_reply,
)
from textgym.policies.openai.request_settings import RequestForm

__all__ = ["OpenAIPolicy", "split_spec"]

_DEFAULT_URL = "https://api.openai.com/v1"
_KEY = "OPENAI_API_KEY"
_AT_URL = re.compile(r"@(?=[A-Za-z][A-Za-z0-9+.-]*://)")
_LOOKS_LIKE_HOST = re.compile(r"@(localhost|[\w.-]+:\d+|\d+(\.\d+){3})(/|$)")
_WORTH_A_RETRY = (Cause.PASSING, Cause.BUSY)
_MOST_SHOWN = 300  # characters of what a server said
_MOST_COMPARED = 1000  # models of a server, with the one that it does not have


def split_spec(text: str) -> tuple[str, str | None]:
    """Split `MODEL@BASE_URL` at the last `@` before an address; the address may be missing.

    Raises:
        UsageError: There is no model, or the address has no `http://`.

    Example:
        >>> split_spec("org/model:8b@http://127.0.0.1:8000/v1")
        ('org/model:8b', 'http://127.0.0.1:8000/v1')
        >>> split_spec("@cf/meta/llama")
        ('@cf/meta/llama', None)
    """
    *model, last = _AT_URL.split(text)
    name, url = ("@".join(model), last) if model else (last, None)
    if not name:
        raise UsageError("openai: needs a model: openai:MODEL@BASE_URL, or openai:MODEL")
    if url is None and _LOOKS_LIKE_HOST.search(name):
        raise UsageError(f"openai:{name}: an address begins with http:// or https://")
    return name, url


class OpenAIPolicy(Policy):
    """A model behind an OpenAI-compatible server.

    One object serves any number of event loops, one after the other or in several threads; in each
    it keeps its connections open. It learns how its server wants to be asked, see `RequestForm`.

    Args:
        model: What the server calls the model.
        base_url: The address under which `/chat/completions` lies; by default the environment's
            `OPENAI_BASE_URL`, else OpenAI's own.
        sampling: How tokens are drawn.
        api_key: By default the environment's `OPENAI_API_KEY`; without one, or with an empty one,
            requests carry no `Authorization`.
        concurrency: The most requests under way at once in an event loop; None for no limit.
        requests_per_minute: The most requests that begin in a minute, evenly spread; None for no
            limit.
        timeout: How many seconds a request may take. No request is tried again once this time has
            gone into its tries and the waits between them.
        connect_timeout: How many seconds connecting may take.
        retries: How often a request is tried again.
        extra_body: More fields of the request, which win over textgym's; None takes a field away.
        tool_prompt: Whether tools are told in the prompt and calls read out of the text, for a
            server that takes no tools.
        tokens: Whether the server is asked in token ids, over `/completions`: actions carry what it
            read and sampled, id for id, and tools and calls are as with `HFPolicy`.
        tokenizer: With `tokens`, the model's tokenizer, as in `find_model`; by default the model's
            name.
        tool_parser: With `tokens`, as in `HFPolicy`.
        reasoning_parser: With `tokens`, as in `HFPolicy`.
        pacer: When requests may go, in place of `requests_per_minute`.

    Raises:
        ExtraMissingError: The extra `http`, or what `tokens` needs, is not installed.
        UnknownNameError: There is no such tokenizer or parser.
        UsageError: An argument is wrong.

    Attributes:
        sampling: How tokens are drawn.
        recorder: With `tokens`, what makes prompts of conversations, and actions of tokens.
    """

    sampling: Sampling

    def __init__(
        self,
        model: str,
        base_url: str | None = None,
        sampling: Sampling | None = None,
        *,
        api_key: str | None = None,
        concurrency: int | None = None,
        requests_per_minute: float | None = None,
        timeout: float = 600.0,
        connect_timeout: float = 30.0,
        retries: int = 5,
        extra_body: Mapping[str, Any] | None = None,
        tool_prompt: bool = False,
        tokens: bool = False,
        tokenizer: str | None = None,
        tool_parser: str | None = None,
        reasoning_parser: str | None = None,
        pacer: Pacer | None = None,
    ) -> None:
        _check_numbers(
            concurrency=concurrency,
            requests_per_minute=requests_per_minute,
            timeout=timeout,
            connect_timeout=connect_timeout,
            retries=retries,
        )
        self.name = f"openai:{model}@{base_url}" if base_url else f"openai:{model}"
        self.model = model
        self.sampling = sampling or Sampling()
        self.base_url = _checked_url(base_url or os.environ.get("OPENAI_BASE_URL") or _DEFAULT_URL)
        self._key_source = _KEY if api_key is None else "api_key="
        self._key = _checked_key(api_key, self._key_source)
        self._retries = retries
        self._timeout = timeout
        self._extra_body = _checked_body(extra_body)
        _check_switches(tool_prompt=tool_prompt, tokens=tokens)
        self._tool_prompt = tool_prompt
        if tokens and tool_prompt:
            raise UsageError("with tokens=true the chat template decides on the tool prompt")
        named = (tool_parser, reasoning_parser)
        if not tokens and (tokenizer or any(named)):
            raise UsageError("tokenizer, tool_parser and reasoning_parser are for tokens=true")
        self.recorder = _recorder(self.name, tokenizer or model, named) if tokens else None
        self._pacer = pacer or Pacer(requests_per_minute)
        self._form = RequestForm()
        self._answered = False
        self._served: list[str] | None = None
        headers = {"Content-Type": "application/json", "User-Agent": "textgym"}
        if self._key:
            headers["Authorization"] = f"Bearer {self._key}"
        self._connections = Connections(headers, concurrency, timeout, connect_timeout)

    async def act(
        self,
        messages: Sequence[Message],
        tools: Sequence[ToolSchema],
        *,
        prior: Tokens | None = None,
        seed: int | None = None,
    ) -> Action:
        """Answer a conversation; see `Policy.act`.

        Raises:
            PolicyFailure: The server gave no answer in all tries, or one of more than 64 MiB.
            ContextFullError: The conversation alone fills the model's context.
            UsageError: The server refuses the request, the key, the model or the address.
        """
        question = self._question(messages, tools, prior)
        form, limited, tries, spent = self._form, True, 0, 0.0
        while True:
            settings = form.settings(self.model, self.sampling, seed, limited)
            body = self._encoded(question.fields(form) | settings)
            async with await self._connections.slot():
                await self._pacer.turn()
                begun = self._pacer.clock()
                outcome = await self._post(question, body)
            if isinstance(outcome, Answer):
                self._form = form.after(outcome.reasoning_key)
                return outcome.action
            if outcome.cause is Cause.CONTEXT:
                if not limited:
                    raise ContextFullError(f"{self.name}: {self._told(outcome.text)}")
                limited = False  # the prompt may fit where the whole answer does not
                continue
            if outcome.cause is Cause.REQUEST and (
                other := form.adapted(outcome.text, self.sampling)
            ):
                form = self._form = other
                continue
            if outcome.cause not in _WORTH_A_RETRY:
                raise await self._refusal(question, outcome)
            tries += 1
            wait = self._pause(outcome, tries)
            spent += self._pacer.clock() - begun + wait
            if tries > self._retries or wait > LONGEST_WAIT or spent > self._timeout:
                raise self._failure(outcome, tries)
            await self._pacer.sleep(wait)

    def _question(
        self, messages: Sequence[Message], tools: Sequence[ToolSchema], prior: Tokens | None
    ) -> Question:
        if self.recorder:
            return TokenQuestion(self.recorder, self.recorder.prompt(messages, tools, prior))
        if self._tool_prompt:
            return ChatQuestion.in_texts(messages, tools)
        return ChatQuestion(messages, tools)

    async def close(self) -> None:
        """Close the connections of the running event loop."""
        await self._connections.close()

    def _encoded(self, body: dict[str, Any]) -> bytes:
        if self._extra_body:
            taken_away = {name for name, value in self._extra_body.items() if value is None}
            body = {n: v for n, v in (body | self._extra_body).items() if n not in taken_away}
        try:
            return encode(body)
        except ValueError as error:
            raise UsageError(f"the conversation cannot be sent as JSON: {error}") from None

    async def _post(self, question: Question, body: bytes) -> Answer | Problem:
        try:
            reply = await self._connections.send("POST", f"{self.base_url}/{question.path}", body)
        except ConnectionTrouble as trouble:
            never_there = trouble.unreached and not self._answered
            cause = Cause.ADDRESS if trouble.lasting or never_there else Cause.PASSING
            return Problem(cause, str(trouble))
        self._answered = True
        return read_reply(reply, question)

    def _pause(self, problem: Problem, tries: int) -> float:
        """Return how long to wait before the next try; a busy server gets a rest from all."""
        wait = self._pacer.backoff(tries)
        rest = problem.retry_after
        if rest is None and problem.cause is Cause.BUSY:
            rest = wait
        if rest is not None and rest <= LONGEST_WAIT:
            self._pacer.pause(rest)
        return wait + (problem.retry_after or 0.0)

    def _failure(self, problem: Problem, tries: int) -> PolicyFailure:
        text = f"{self.name} gave no answer in {tries} tries, the last: {self._told(problem.text)}"
        if problem.cause is Cause.BUSY:
            text += " (requests_per_minute and concurrency spare a server)"
        return PolicyFailure(text)

    async def _refusal(self, question: Question, problem: Problem) -> UsageError | PolicyFailure:
        """Return the error for what another try cannot mend."""
        told = self._told(problem.text)
        match problem.cause:
            case Cause.KEY if self._key:
                return UsageError(
                    f"{self.base_url} does not take the key in {self._key_source}: {told}"
                )
            case Cause.KEY:
                return UsageError(f"{self.base_url} wants a key, and {_KEY} is not set: {told}")
            case Cause.MODEL | Cause.NOT_FOUND:
                served = await self._served_models()
                if served is not None and self.model not in served:
                    hint = self._told(did_you_mean(self.model, served[:_MOST_COMPARED]))
                    return UnknownNameError(f"{self.base_url} has no model {self.model!r}{hint}")
                if problem.cause is Cause.MODEL:
                    return UnknownNameError(f"{self.name}: {told}")
            case Cause.REQUEST:
                return UsageError(f"{self.name}: the server refuses the request: {told}")
            case Cause.LENGTH:
                return PolicyFailure(f"{self.name}: {told}")
            case Cause.TOKENS:
                return UsageError(f"{self.name} cannot be asked in token ids: {told}")
        return UsageError(
            f"no {question.kind}s at {self.base_url}/{question.path}: {told} (the base URL is "
            f"what stands before /{question.path}, such as http://127.0.0.1:8000/v1)"
        )

    async def _served_models(self) -> list[str] | None:
        """Return what the server lists as its models, or None where it lists none."""
        if self._served is None:
            async with await self._connections.slot():
                await self._pacer.turn()
                try:
                    reply = await self._connections.send("GET", f"{self.base_url}/models")
                except ConnectionTrouble:
                    return None
            self._served = model_ids(reply)
        return self._served

    def _told(self, text: str) -> str:
        """Return what a server said on one line, short and without the key."""
        text = " ".join(text.split())
        if self._key:
            text = text.replace(self._key, "(the key)")
        return text if len(text) <= _MOST_SHOWN else f"{text[:_MOST_SHOWN]}…"


def _recorder(name: str, tokenizer: str, parsers: tuple[str | None, str | None]) -> Recorder:
    from textgym.policies.hf import load_end_ids, load_tokenizer

    loaded = load_tokenizer(tokenizer)
    parser = FamilyParser(loaded, *parsers) if any(parsers) else None
    return Recorder(name, loaded, load_end_ids(tokenizer, loaded), parser=parser)


def _check_switches(**switches: Any) -> None:
    for name, value in switches.items():
        if not isinstance(value, bool):
            raise UsageError(f"{name} is true or false, not {value!r}")


def _check_numbers(**numbers: Any) -> None:
    for name, value in numbers.items():
        least = 0 if name == "retries" else 1 if name == "concurrency" else None
        if value is None and name in ("concurrency", "requests_per_minute"):
            continue
        if least is not None:
            right, rule = type(value) is int and value >= least, f"a whole number, {least} or more"
        else:
            is_number = isinstance(value, (int, float)) and not isinstance(value, bool)
            right, rule = is_number and 0 < value < math.inf, "a number greater than 0"
        if not right:
            raise UsageError(f"{name} is {rule}, not {value!r}")


def _checked_url(url: str) -> str:
    """Return an address without the slash at its end."""
    try:
        parts = urlsplit(url)
        host, _ = parts.hostname, parts.port
    except ValueError as error:
        raise UsageError(f"{url!r} is no address: {error}") from None
    if parts.username is not None:
        raise UsageError(f"an address with a user or password in it is not taken: set {_KEY}")
    if parts.scheme not in ("http", "https") or not host or parts.query or parts.fragment:
        raise UsageError(f"{url!r} is no base URL: it is such as http://127.0.0.1:8000/v1")
    return url.rstrip("/")


def _checked_key(given: str | None, source: str) -> str:
    key = (os.environ.get(_KEY, "") if given is None else given).strip()
    if not (key.isascii() and key.isprintable()):
        raise UsageError(f"the key in {source} has a character that no key has")
    return key


def _checked_body(extra: Mapping[str, Any] | None) -> dict[str, Any]:
    if extra is not None and not isinstance(extra, Mapping):
        raise UsageError(f"extra_body is an object of fields and values, not {extra!r}")
    body = dict(extra or {})
    try:
        encode(body)
    except ValueError as error:
        raise UsageError(f"extra_body cannot be sent as JSON: {error}") from None
    return body
