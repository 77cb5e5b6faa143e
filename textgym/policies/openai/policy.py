"""`openai:MODEL@BASE_URL`: any server with OpenAI's chat-completions API.

vLLM, SGLang, llama.cpp and hosted models are called over HTTP; servers with vLLM's completions
endpoint can be called in token ids too. Transient failures (a server that is busy, restarting or
unreachable for a moment) are retried with backoff. Permanent ones (a wrong key, model or address)
raise a `UsageError` at once.

Invariants: the API key is never part of a name, an error or a record.
"""

from __future__ import annotations

import os
import re
from collections.abc import Mapping, Sequence
from typing import Any

from textgym.errors import (
    ContextFullError,
    PolicyFailure,
    UnknownNameError,
    UsageError,
    did_you_mean,
)
from textgym.json_values import encode_json
from textgym.messages import Message, ToolSchema
from textgym.policies.base import Action, Policy, Sampling, Tokens
from textgym.policies.chat.token_codec import ChatCodec
from textgym.policies.chat.vllm_parser import make_output_parser
from textgym.policies.openai.answer_cache import AnswerCache
from textgym.policies.openai.arguments import (
    KEY_VARIABLE,
    check_numbers,
    check_switches,
    checked_body,
    checked_key,
    checked_url,
)
from textgym.policies.openai.connections import (
    MAX_WAIT,
    ConnectionPool,
    HTTPReply,
    NoReplyError,
    RateLimiter,
)
from textgym.policies.openai.protocol import (
    FailedRequest,
    FailureCause,
    ModelRequest,
    ParsedReply,
    RequestFormat,
    model_ids,
    read_reply,
)
from textgym.policies.openai.requests import ChatRequest, CompletionRequest

__all__ = ["OpenAIPolicy", "split_spec"]

_DEFAULT_URL = "https://api.openai.com/v1"
_AT_URL = re.compile(r"@(?=[A-Za-z][A-Za-z0-9+.-]*://)")
_LOOKS_LIKE_HOST = re.compile(r"@(localhost|[\w.-]+:\d+|\d+(\.\d+){3})(/|$)")
_RETRIED = (FailureCause.TRANSIENT, FailureCause.BUSY)
_MAX_SHOWN = 300  # characters of a server's message
_MAX_COMPARED = 1000  # of the server's models, to find the nearest name


def split_spec(text: str) -> tuple[str, str | None]:
    """Split `MODEL@BASE_URL` at the last `@` before an address; the address may be missing.

    Raises:
        UsageError: The model is missing, or the address does not begin with `http://`.

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
        raise UsageError(f"openai:{name}: the address must begin with http:// or https://")
    return name, url


class OpenAIPolicy(Policy):
    """A model behind an OpenAI-compatible server.

    An object serves any number of event loops, one after another or in several threads, and keeps
    their connections open. It adapts its requests to the server, see `RequestFormat`.

    Args:
        model: The server's name of the model.
        base_url: The address above `/chat/completions`; by default the environment variable
            `OPENAI_BASE_URL`, or else OpenAI's own address.
        sampling: How tokens are sampled.
        api_key: By default the environment variable `OPENAI_API_KEY`. If it is missing or empty,
            requests have no `Authorization` header.
        concurrency: The maximum number of concurrent requests in an event loop; None for no limit.
        requests_per_minute: The maximum number of requests that start in a minute, evenly spaced;
            None for no limit.
        timeout: The maximum number of seconds for a request. A request is not retried once its
            tries and the waits between them have taken this long.
        connect_timeout: The maximum number of seconds for connecting.
        retries: The maximum number of tries after the first.
        extra_body: Additional fields of the request's body, which override textgym's; None removes
            a field.
        tool_prompt: Whether tools are described in the prompt and calls are parsed out of the text,
            for a server that does not accept tools.
        tokens: Whether the server is called in token ids, over `/completions`. Actions then have
            the exact tokens, and tools and calls are handled as by `HFPolicy`.
        tokenizer: With `tokens`, the model's tokenizer, or its name as in `find_model`; by default
            the model's name.
        end_ids: With a tokenizer object, the ids at which the model ends a message, besides the
            tokenizer's own. With a name, they are read from the model's files.
        tool_parser: With `tokens`, as in `HFPolicy`.
        reasoning_parser: With `tokens`, as in `HFPolicy`.
        cache: A folder that keeps the server's answers. A request that was answered is not sent
            again, even in later runs; each repeat has an answer of its own, by its seed. None keeps
            nothing.
        rate_limiter: Decides when requests may start, in place of `requests_per_minute`.

    Raises:
        ExtraMissingError: The extra `http`, or one that `tokens` needs, is not installed.
        UnknownNameError: There is no such tokenizer or parser.
        UsageError: An argument is invalid, or there is neither an address nor a key.

    Attributes:
        sampling: How tokens are sampled.
        codec: With `tokens`, encodes prompts and decodes actions; otherwise None.
        version: The version of the weights, which actions carry; None until you set it.
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
        tokenizer: Any = None,
        end_ids: Sequence[int] = (),
        tool_parser: str | None = None,
        reasoning_parser: str | None = None,
        cache: str | os.PathLike[str] | None = None,
        rate_limiter: RateLimiter | None = None,
    ) -> None:
        check_numbers(
            concurrency=concurrency,
            requests_per_minute=requests_per_minute,
            timeout=timeout,
            connect_timeout=connect_timeout,
            retries=retries,
        )
        self.name = f"openai:{model}@{base_url}" if base_url else f"openai:{model}"
        self.model = model
        self.version: str | None = None
        self.sampling = sampling or Sampling()
        self.base_url = checked_url(base_url or os.environ.get("OPENAI_BASE_URL") or _DEFAULT_URL)
        self._key_source = KEY_VARIABLE if api_key is None else "api_key="
        self._key = checked_key(api_key, self._key_source)
        if self.base_url == _DEFAULT_URL and not self._key:
            raise UsageError(
                f"openai:{model} has no address, and {KEY_VARIABLE} is not set: write the address "
                f"of a server, as in openai:{model}@http://127.0.0.1:8000/v1, or set the key"
            )
        self._retries = retries
        self._timeout = timeout
        self._extra_body = checked_body(extra_body)
        check_switches(tool_prompt=tool_prompt, tokens=tokens)
        self._tool_prompt = tool_prompt
        if tokens and tool_prompt:
            raise UsageError("with tokens=true the chat template decides on the tool prompt")
        if not tokens and (tokenizer or end_ids or tool_parser or reasoning_parser):
            raise UsageError(
                "tokenizer, end_ids, tool_parser and reasoning_parser need tokens=true"
            )
        self.codec = (
            _make_codec(self.name, tokenizer or model, end_ids, tool_parser, reasoning_parser)
            if tokens
            else None
        )
        self._rate_limiter = rate_limiter or RateLimiter(requests_per_minute)
        self._cache = None if cache is None else AnswerCache(cache)
        self._format = RequestFormat()
        self._answered = False
        self._served: list[str] | None = None
        headers = {"Content-Type": "application/json", "User-Agent": "textgym"}
        if self._key:
            headers["Authorization"] = f"Bearer {self._key}"
        self._connections = ConnectionPool(headers, concurrency, timeout, connect_timeout)

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
            PolicyFailure: No try gave an answer, or the answer is longer than 64 MiB.
            ContextFullError: The conversation fills the model's context.
            UsageError: The request, key, model or address is not accepted.
        """
        request = self._make_request(messages, tools, prior)
        request_format, send_limit, tries, spent = self._format, True, 0, 0.0
        version = self.version
        while True:
            fields = request_format.sampling_fields(self.model, self.sampling, seed, send_limit)
            body = self._encode_body(request.fields(request_format) | fields)
            started = self._rate_limiter.clock()
            outcome: ParsedReply | FailedRequest | None = self._kept(request, body, seed)
            if outcome is None:
                async with await self._connections.slot():
                    await self._rate_limiter.acquire()
                    started = self._rate_limiter.clock()
                    outcome = await self._post(request, body, seed)
            if isinstance(outcome, ParsedReply):
                self._format = request_format.with_reasoning_key(outcome.reasoning_key)
                outcome.action.policy_version = version
                return outcome.action
            if outcome.cause is FailureCause.CONTEXT:
                if not send_limit:
                    raise ContextFullError(f"{self.name}: {self._shorten(outcome.text)}")
                send_limit = False  # the prompt may fit even if max_tokens more do not
                continue
            if outcome.cause is FailureCause.REQUEST and (
                adapted := request_format.adapted_to(outcome.text, self.sampling)
            ):
                request_format = self._format = adapted
                continue
            if outcome.cause not in _RETRIED:
                raise await self._permanent_error(request, outcome)
            tries += 1
            wait = self._pause(outcome, tries)
            spent += self._rate_limiter.clock() - started + wait
            if tries > self._retries or wait > MAX_WAIT or spent > self._timeout:
                raise self._policy_failure(outcome, tries)
            await self._rate_limiter.sleep(wait)

    def _make_request(
        self, messages: Sequence[Message], tools: Sequence[ToolSchema], prior: Tokens | None
    ) -> ModelRequest:
        if self.codec:
            return CompletionRequest(self.codec, self.codec.encode_prompt(messages, tools, prior))
        if self._tool_prompt:
            return ChatRequest.with_tool_prompt(messages, tools)
        return ChatRequest(messages, tools)

    async def close(self) -> None:
        """Close the connections of the running event loop."""
        await self._connections.close()

    def _encode_body(self, body: dict[str, Any]) -> bytes:
        if self._extra_body:
            removed = {name for name, value in self._extra_body.items() if value is None}
            body = {n: v for n, v in (body | self._extra_body).items() if n not in removed}
        try:
            return encode_json(body)
        except ValueError as error:
            raise UsageError(f"the conversation cannot be sent as JSON: {error}") from None

    def _kept(self, request: ModelRequest, body: bytes, seed: int | None) -> ParsedReply | None:
        """Return the answer that the cache has for a request; None if it has none."""
        if self._cache is None:
            return None
        data = self._cache.get(self._cache.key(self._url(request), body, seed))
        outcome = None if data is None else read_reply(HTTPReply(200, {}, data), request)
        return outcome if isinstance(outcome, ParsedReply) else None

    def _url(self, request: ModelRequest) -> str:
        return f"{self.base_url}/{request.path}"

    async def _post(
        self, request: ModelRequest, body: bytes, seed: int | None
    ) -> ParsedReply | FailedRequest:
        try:
            reply = await self._connections.send("POST", self._url(request), body)
        except NoReplyError as error:
            is_wrong_address = error.not_connected and not self._answered
            is_permanent = error.is_permanent or is_wrong_address
            cause = FailureCause.ADDRESS if is_permanent else FailureCause.TRANSIENT
            return FailedRequest(cause, str(error))
        self._answered = True
        outcome = read_reply(reply, request)
        if self._cache is not None and isinstance(outcome, ParsedReply):
            self._cache.put(self._cache.key(self._url(request), body, seed), reply.data)
        return outcome

    def _pause(self, failure: FailedRequest, tries: int) -> float:
        """Return the wait before the next try; if the server is busy, all requests pause."""
        wait = self._rate_limiter.backoff(tries)
        rest = failure.retry_after
        if rest is None and failure.cause is FailureCause.BUSY:
            rest = wait
        if rest is not None and rest <= MAX_WAIT:
            self._rate_limiter.pause(rest)
        return wait + (failure.retry_after or 0.0)

    def _policy_failure(self, failure: FailedRequest, tries: int) -> PolicyFailure:
        text = (
            f"{self.name} gave no answer in {tries} tries, the last: {self._shorten(failure.text)}"
        )
        if failure.cause is FailureCause.BUSY:
            text += " (requests_per_minute and concurrency reduce its load)"
        return PolicyFailure(text)

    async def _permanent_error(
        self, request: ModelRequest, failure: FailedRequest
    ) -> UsageError | PolicyFailure:
        message = self._shorten(failure.text)
        match failure.cause:
            case FailureCause.KEY if self._key:
                return UsageError(
                    f"{self.base_url} does not accept the key in {self._key_source}: {message}"
                )
            case FailureCause.KEY:
                return UsageError(
                    f"{self.base_url} requires a key, and {KEY_VARIABLE} is not set: {message}"
                )
            case FailureCause.MODEL | FailureCause.NOT_FOUND:
                served = await self._served_models()
                if served is not None and self.model not in served:
                    hint = self._shorten(did_you_mean(self.model, served[:_MAX_COMPARED]))
                    return UnknownNameError(f"{self.base_url} has no model {self.model!r}{hint}")
                if failure.cause is FailureCause.MODEL:
                    return UnknownNameError(f"{self.name}: {message}")
            case FailureCause.REQUEST:
                return UsageError(f"{self.name}: the server refuses the request: {message}")
            case FailureCause.LENGTH:
                return PolicyFailure(f"{self.name}: {message}")
            case FailureCause.TOKENS:
                return UsageError(f"{self.name} cannot be called in token ids: {message}")
        return UsageError(
            f"no {request.kind}s at {self.base_url}/{request.path}: {message} (the base URL is "
            f"the part before /{request.path}, such as http://127.0.0.1:8000/v1)"
        )

    async def _served_models(self) -> list[str] | None:
        """Return the models in the server's list; None if there is no such list."""
        if self._served is None:
            async with await self._connections.slot():
                await self._rate_limiter.acquire()
                try:
                    reply = await self._connections.send("GET", f"{self.base_url}/models")
                except NoReplyError:
                    return None
            self._served = model_ids(reply)
        return self._served

    def _shorten(self, text: str) -> str:
        """Return a server's message on one line, shortened and without the key."""
        text = " ".join(text.split())
        if self._key:
            text = text.replace(self._key, "(the key)")
        return text if len(text) <= _MAX_SHOWN else f"{text[:_MAX_SHOWN]}…"


def _make_codec(
    name: str,
    tokenizer: Any,
    end_ids: Sequence[int],
    tool_parser: str | None,
    reasoning_parser: str | None,
) -> ChatCodec:
    from textgym.policies.models import eos_token_ids, load_eos_token_ids, load_tokenizer

    if isinstance(tokenizer, str):
        if end_ids:
            raise UsageError("end_ids needs a tokenizer object, not a name")
        loaded = load_tokenizer(tokenizer)
        ends = load_eos_token_ids(tokenizer, loaded)
    else:
        loaded, ends = tokenizer, eos_token_ids(end_ids, tokenizer)
    parser = make_output_parser(lambda: loaded, tool_parser, reasoning_parser)
    return ChatCodec(name, loaded, ends, parser=parser)
