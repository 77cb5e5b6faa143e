"""Any reply of a server gives a valid action or a documented error."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Iterator
from typing import Any

import gymnasium
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from textgym.errors import ContextFullError, PolicyFailure, UsageError
from textgym.messages import user
from textgym.spaces import ActionSpace

pytest.importorskip("aiohttp")

from chat_server import ChatServer, FakeTime, http

from textgym.json_values import decode_json, encode_json
from textgym.policies.openai.policy import OpenAIPolicy
from textgym.policies.openai.protocol import RequestFormat
from textgym.policies.openai.requests import ChatRequest

ENV = gymnasium.make("textgym/MCQA-v0")
HALF = st.sampled_from(["\ud800", "a\udfffb", "\ud83d\ude00"])
TEXTS = st.text(max_size=20) | HALF
VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | TEXTS,
    lambda inner: (
        st.lists(inner, max_size=4)
        | st.dictionaries(st.sampled_from(["text", "type", "x", "error", "id"]), inner, max_size=4)
    ),
    max_leaves=12,
)


def shape(**fields: Any) -> st.SearchStrategy[Any]:
    """Return objects in which each field is valid, of any value, or missing."""
    return st.fixed_dictionaries({}, optional={k: v | VALUES for k, v in fields.items()}) | VALUES


FUNCTIONS = shape(name=TEXTS, arguments=TEXTS)
CALLS = shape(id=TEXTS, type=st.just("function"), function=FUNCTIONS, index=st.integers())
MESSAGES = shape(
    role=st.just("assistant"),
    content=TEXTS,
    reasoning=TEXTS,
    reasoning_content=TEXTS,
    tool_calls=st.lists(CALLS, max_size=3),
    refusal=TEXTS,
    name=TEXTS,
    tool_call_id=TEXTS,
)
CHOICES = shape(message=MESSAGES, finish_reason=st.sampled_from(["stop", "length", "error"]))
COUNTS = st.integers(0, 2**70)
USAGES = shape(prompt_tokens=COUNTS, completion_tokens=COUNTS, prompt_tokens_details=VALUES)
ERRORS = shape(message=TEXTS, code=st.integers(390, 610), type=TEXTS)
ANSWERS = shape(
    choices=st.lists(CHOICES, max_size=2), usage=USAGES, error=ERRORS, detail=VALUES, message=TEXTS
)
STATUSES = st.sampled_from([200, 200, 200, 200, 204, 299, 302, 400, 401, 404, 418, 422, 429, 500])
HEADERS = st.sampled_from([{}, {"Retry-After": "1"}, {"Retry-After": "x"}, {"Location": "/"}])


class FuzzedServer:
    """A policy, and its server whose reply can be set."""

    def __init__(self, server: ChatServer, runner: asyncio.Runner) -> None:
        self.reply = b""
        server.handler = lambda request: self.reply
        self.policy = OpenAIPolicy(
            "m",
            server.url,
            retries=1,
            timeout=60,
            api_key="secret-key",
            rate_limiter=FakeTime().rate_limiter(),
        )
        self.runner = runner

    def act(self, reply: bytes) -> Any:
        self.reply = reply
        try:
            return self.runner.run(self.policy.act([user("Hello")], []))
        except (PolicyFailure, ContextFullError, UsageError) as error:
            error_text = str(error)
        assert "\n" not in error_text
        assert "secret-key" not in error_text
        return None


@pytest.fixture(scope="module")
def fuzzed() -> Iterator[FuzzedServer]:
    with ChatServer([b""]) as server, asyncio.Runner() as runner:
        yield FuzzedServer(server, runner)


def check(action: Any) -> None:
    """Check that the outcome is a documented error, or an action that can be stepped and stored."""
    if action is None:
        return
    assert action.message in ActionSpace()
    assert action.finish_reason in ("stop", "length", "tool_calls", "content_filter")
    assert all(type(count) is int for count in action.usage.values())
    ENV.reset(options={"index": 0})
    observation, *_ = ENV.step(action.message)
    json.loads(json.dumps(observation, allow_nan=False).encode())
    body = ChatRequest(observation, []).fields(RequestFormat())
    for message in decode_json(encode_json(body))["messages"]:
        for call in message.get("tool_calls") or ():
            assert isinstance(json.loads(call["function"]["arguments"]), dict)


@settings(max_examples=150, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(status=STATUSES, answer=ANSWERS, headers=HEADERS)
def test_any_json_reply_is_an_action_or_a_documented_error(
    fuzzed: FuzzedServer, status: int, answer: Any, headers: dict[str, str]
) -> None:
    check(fuzzed.act(http(status, json.dumps(answer), headers)))


@settings(max_examples=100, deadline=None)
@given(status=STATUSES, body=st.binary(max_size=200))
def test_any_body_is_an_action_or_a_documented_error(
    fuzzed: FuzzedServer, status: int, body: bytes
) -> None:
    check(fuzzed.act(http(status, body)))


@settings(max_examples=60, deadline=None)
@given(data=st.binary(min_size=1, max_size=200))
def test_invalid_http_is_a_documented_error(fuzzed: FuzzedServer, data: bytes) -> None:
    check(fuzzed.act((data,)))  # type: ignore[arg-type]


@settings(max_examples=60, deadline=None)
@given(cut=st.integers(0, 400), at=st.integers(0, 400), byte=st.integers(0, 255))
def test_damaged_reply_is_an_action_or_a_documented_error(
    fuzzed: FuzzedServer, cut: int, at: int, byte: int
) -> None:
    choice = {"message": {"content": "Hello", "tool_calls": []}, "finish_reason": "stop"}
    reply = bytearray(http(200, {"choices": [choice]}, {"Retry-After": "1"}))
    reply[at % len(reply)] = byte
    check(fuzzed.act((bytes(reply[: cut % len(reply)]) or b"x",)))  # type: ignore[arg-type]


@settings(max_examples=150, deadline=None)
@given(VALUES)
def test_encoded_json_can_be_decoded(value: Any) -> None:
    try:
        sent = encode_json(value)
    except ValueError:
        return
    read = decode_json(sent)
    assert decode_json(encode_json(read)) == read
