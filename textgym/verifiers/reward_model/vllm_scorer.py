"""`vllm-rm:MODEL@URL`: a reward model behind a vLLM server.

`/classify` is for sequence classification models: the server renders the conversation with the
model's chat template. `/score` is for models that read a prompt and a reply as a pair of texts.

Invariants: the server is asked for its raw score, without an activation; nothing is retried here,
since rollouts and vectors retry the step.
"""

from __future__ import annotations

import json
import re
from collections.abc import Sequence
from typing import Any

import orjson

from textgym.errors import ContextFullError, RewardModelFailure, UsageError
from textgym.json_values import replace_surrogates
from textgym.messages import Message, text_of
from textgym.policies.openai.arguments import KEY_VARIABLE, checked_key, checked_url
from textgym.policies.openai.connections import ConnectionPool, HTTPReply, NoReplyError

__all__ = ["VLLMScorer"]

_ROUTES = ("/classify", "/score")
_CONNECT_TIMEOUT = 30.0  # seconds
_SHOWN = 300  # characters of an error
_CONTROL = re.compile(r"<\|[^|<>\s]{1,40}\|>|</?s>|\[/?INST\]|<(?:start|end)_of_turn>")
_TOO_LONG = re.compile(r"max(?:imum)?[ _](?:model|context)[ _]len|too long", re.IGNORECASE)


class VLLMScorer:
    """Scores conversations with a vLLM server.

    Args:
        address: `MODEL@URL`. The URL ends with `/classify`, the default, or `/score`. If the
            environment variable `OPENAI_API_KEY` is set, the requests carry it.
        cuts: Whether a conversation that exceeds the model's context loses its beginning.
        concurrency: The maximum number of concurrent requests.
        timeout: The time limit of a request, in seconds.

    Raises:
        ExtraMissingError: The extra `http` is not installed.
        UsageError: The address does not have this form.
    """

    def __init__(
        self,
        address: str,
        *,
        cuts: bool = False,
        concurrency: int | None = 64,
        timeout: float = 600.0,
    ) -> None:
        parts = re.fullmatch(r"(.+?)@(https?://.+)", address)
        if parts is None:
            raise UsageError(
                "a reward model behind a server is named as vllm-rm:MODEL@http://HOST:PORT"
            )
        self._model, url = parts[1], checked_url(parts[2])
        base, slash, last = url.rstrip("/").rpartition("/")
        named = slash + last in _ROUTES
        self._route = slash + last if named else _ROUTES[0]
        self._url = (base if named else url.rstrip("/").removesuffix("/v1")) + self._route
        self._cuts = cuts
        headers = {"Content-Type": "application/json"}
        if key := checked_key(None, KEY_VARIABLE):
            headers["Authorization"] = f"Bearer {key}"
        self._pool = ConnectionPool(headers, concurrency, timeout, _CONNECT_TIMEOUT)

    def has_control_token(self, text: str) -> bool:
        """Return whether a text contains what looks like a special token of a chat template."""
        return _CONTROL.search(text) is not None

    async def score(self, messages: Sequence[Message]) -> float:
        """Return the score of a conversation that ends with a reply.

        Raises:
            RewardModelFailure: The server did not answer with one number.
            ContextFullError: The conversation exceeds the model's context, and is not to be cut.
        """
        body = json.dumps(self._body(messages), ensure_ascii=False)
        try:
            async with await self._pool.slot():
                reply = await self._pool.send("POST", self._url, replace_surrogates(body).encode())
        except NoReplyError as error:
            problem = str(error)
        else:
            return self._read(reply)
        raise RewardModelFailure(f"{self._url}: {problem}")

    def _body(self, messages: Sequence[Message]) -> dict[str, Any]:
        body: dict[str, Any] = {"model": self._model, "use_activation": False}
        if self._cuts:
            body |= {"truncate_prompt_tokens": -1, "truncation_side": "left"}
        if self._route == "/classify":
            return body | {"messages": list(messages), "add_special_tokens": False}
        prompt = "\n\n".join(text_of(message) for message in messages[:-1])
        return body | {"queries": prompt, "documents": text_of(messages[-1])}

    def _read(self, reply: HTTPReply) -> float:
        try:
            content = orjson.loads(reply.data)
        except orjson.JSONDecodeError:
            content = None
        if reply.status != 200:
            shown = reply.data.decode("utf-8", "replace")[:_SHOWN]
            if reply.status == 400 and _TOO_LONG.search(shown):
                raise ContextFullError(shown)
            raise RewardModelFailure(f"{self._url}: HTTP {reply.status}: {shown}")
        try:
            (item,) = content["data"]
            if self._route == "/score":
                return float(item["score"])
            scores = item["probs"]
            if len(scores) == 1:
                return float(scores[0])
        except (KeyError, TypeError, ValueError):
            raise RewardModelFailure(f"{self._url}: the reply holds no score") from None
        raise RewardModelFailure(
            f"{self._url}: the model has {len(scores)} labels; a reward model has one"
        )
