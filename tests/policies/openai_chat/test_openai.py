"""The policy `openai:MODEL@BASE_URL`, against a local server that misbehaves in many ways."""

from __future__ import annotations

import asyncio
import gc
import itertools
import json
import subprocess
import sys
import traceback
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from in_process import run_command

import textgym
from textgym.errors import (
    ContextFullError,
    ExtraMissingError,
    PolicyFailure,
    UnknownNameError,
    UsageError,
)
from textgym.messages import assistant, user
from textgym.policies import Action, Sampling, make_policy

pytest.importorskip("aiohttp")

from chat_server import CLOSE, ChatServer, FakeTime, Request, answer, error, http

from textgym.policies.openai.connections import RateLimiter, read_retry_after
from textgym.policies.openai.policy import OpenAIPolicy, split_spec

KEY = "sk-very-secret-1234567890"
HELLO = [user("Hello")]


@pytest.fixture(autouse=True)
def _no_environment(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("OPENAI_API_KEY", raising=False)
    monkeypatch.delenv("OPENAI_BASE_URL", raising=False)


def policy_of(server: ChatServer, **options: Any) -> OpenAIPolicy:
    """Return a policy for model `m` of the server, whose waits take no time."""
    options.setdefault("rate_limiter", FakeTime().rate_limiter())
    sampling = Sampling.read(options.pop("sampling", None))
    return OpenAIPolicy("m", server.url, sampling, **options)


def act(policy: OpenAIPolicy, messages: Any = HELLO, tools: Any = (), **more: Any) -> Action:
    async def once() -> Action:
        try:
            return await policy.act(messages, tools, **more)
        finally:
            await policy.close()

    return asyncio.run(once())


def sent_body(
    messages: Any = HELLO, tools: Any = (), seed: int | None = None, **options: Any
) -> Any:
    """Return the request's body that the server receives for these arguments."""
    with ChatServer([answer()]) as server:
        act(policy_of(server, **options), messages, tools, seed=seed)
    return server.requests[0].body


def action_of(reply: bytes) -> Action:
    """Return the action that a reply becomes."""
    with ChatServer([reply]) as server:
        return act(policy_of(server, retries=0))


def error_of(reply: Any, kind: type[Exception], tries: int | None = None, **options: Any) -> str:
    """Return the text of the error that a reply raises, after a number of requests."""
    with ChatServer([reply]) as server:
        with pytest.raises(kind) as caught:
            act(policy_of(server, **options))
        assert type(caught.value) is kind
        assert "\n" not in str(caught.value)
        if tries is not None:
            assert len(server.requests) == tries
    return str(caught.value)


# the spec


@pytest.mark.parametrize(
    ("text", "model", "url"),
    [
        ("m@http://h/v1", "m", "http://h/v1"),
        ("org/m:8b@https://h:1/v1/", "org/m:8b", "https://h:1/v1/"),
        ("a@b@http://h", "a@b", "http://h"),
        ("m@http://h/x@y", "m", "http://h/x@y"),
        ("@cf/meta/llama", "@cf/meta/llama", None),
        ("ft:gpt:org::id", "ft:gpt:org::id", None),
    ],
)
def test_spec_is_split_at_the_last_at_sign_before_an_address(
    text: str, model: str, url: str | None, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", "key")  # which OpenAI's own address needs
    assert split_spec(text) == (model, url)
    assert make_policy(f"openai:{text}").name == f"openai:{text}"


@pytest.mark.parametrize(
    ("spec", "error_text"),
    [
        ("openai", "needs a model"),
        ("openai:", "needs a model"),
        ("openai:@http://h/v1", "needs a model"),
        ("openai:m@127.0.0.1:8000/v1", "must begin with http://"),
        ("openai:m@localhost", "must begin with http://"),
        ("openai:m@ftp://h/v1", "not a base URL"),
        ("openai:m@http://", "not a base URL"),
        ("openai:m@http://h:port/v1", "not a valid address"),
        ("openai:m@http://h/v1?key=1", "not a base URL"),
        ("openai:m@http://user:word@h/v1", "user or password"),
    ],
)
def test_invalid_spec_raises_a_clear_error(spec: str, error_text: str) -> None:
    with pytest.raises(UsageError, match=error_text) as caught:
        make_policy(spec)
    assert "word@" not in str(caught.value)


def test_trailing_slash_of_the_address_is_ignored() -> None:
    with ChatServer([answer()]) as server:
        for url in (server.url, server.url + "/"):
            act(OpenAIPolicy("m", url))
    assert [request.path for request in server.requests] == ["/v1/chat/completions"] * 2


def test_default_address_comes_from_the_environment_variable(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    assert OpenAIPolicy("m", api_key="key").base_url == "https://api.openai.com/v1"
    monkeypatch.setenv("OPENAI_BASE_URL", "http://elsewhere/v1/")
    assert OpenAIPolicy("m").base_url == "http://elsewhere/v1"
    assert OpenAIPolicy("m", "http://here/v1").base_url == "http://here/v1"


def test_without_an_address_and_a_key_nothing_is_played(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("OPENAI_API_KEY", raising=False)
    monkeypatch.delenv("OPENAI_BASE_URL", raising=False)
    with pytest.raises(UsageError, match="openai:m has no address, and OPENAI_API_KEY is not set"):
        make_policy("openai:m")


@pytest.mark.parametrize(
    ("options", "error_text"),
    [
        ({"retires": 3}, "no option 'retires'; did you mean 'retries'"),
        ({"api_key": "x"}, "no option 'api_key'"),
        ({"retries": -1}, "retries must be an integer, 0 or more, not -1"),
        ({"retries": 1.5}, "retries must be an integer"),
        ({"concurrency": 0}, "concurrency must be an integer, 1 or more"),
        ({"requests_per_minute": 0}, "requests_per_minute must be a number greater than 0"),
        ({"timeout": "long"}, "timeout must be a number"),
        ({"timeout": None}, "timeout must be a number"),
        ({"connect_timeout": True}, "connect_timeout must be a number"),
        ({"extra_body": [1]}, "extra_body must be an object"),
        ({"extra_body": {"x": {1, 2}}}, "extra_body cannot be sent"),
        ({"tool_prompt": "yes"}, "tool_prompt must be true or false, not 'yes'"),
    ],
)
def test_invalid_option_raises_a_clear_error(options: dict[str, Any], error_text: str) -> None:
    with pytest.raises(UsageError, match=error_text):
        make_policy("openai:m@http://h/v1", options=options)


def test_options_are_refused_by_policies_without_options() -> None:
    with pytest.raises(
        UnknownNameError, match="'oracle' has no option 'retries': it has no options"
    ):
        make_policy("oracle", options={"retries": 1})
    with pytest.raises(UsageError, match="options are only accepted with a policy spec"):
        make_policy(OpenAIPolicy("m", "http://h/v1"), options={"retries": 1})


def test_missing_aiohttp_names_the_extra() -> None:
    code = (
        "import sys; sys.modules['aiohttp'] = None\n"
        "import textgym\n"
        "try: textgym.make_policy('openai:m')\n"
        "except textgym.errors.ExtraMissingError as error: print(error)"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert "extra 'http' (aiohttp is missing): pip install 'textgym[http]'" in done.stdout
    assert issubclass(ExtraMissingError, UsageError)


# the request


def test_plain_request_has_no_optional_fields() -> None:
    assert sent_body() == {
        "model": "m",
        "messages": [{"role": "user", "content": "Hello"}],
        "temperature": 1.0,
        "top_p": 1.0,
        "max_tokens": 512,
    }


def test_sampling_settings_are_sent() -> None:
    narrow = {"temperature": 0, "top_p": 0.5, "top_k": 3, "min_p": 0.1}
    sampling = {**narrow, "max_tokens": 7, "stop": ["x", "y"]}
    body = sent_body(sampling=sampling)
    assert {name: body[name] for name in sampling} == sampling


def test_tools_are_sent_only_if_there_are_any() -> None:
    tool = {"type": "function", "function": {"name": "f", "parameters": {"type": "object"}}}
    assert sent_body(tools=[tool])["tools"] == [tool]


TAGGED = '<tool_call>{"name": "f", "arguments": {"a": 1}}</tool_call>'


def test_tool_prompt_describes_the_tools_to_a_server_without_tools() -> None:
    tool = {"type": "function", "function": {"name": "f", "parameters": {"type": "object"}}}
    with ChatServer([answer(f"I call.\n{TAGGED}")]) as server:
        action = act(policy_of(server, tool_prompt=True), HELLO, [tool])
    body = server.requests[0].body
    assert "tools" not in body
    assert [message["role"] for message in body["messages"]] == ["system", "user"]
    assert json.dumps(tool) in body["messages"][0]["content"]
    assert action.finish_reason == "tool_calls"
    assert action.message["content"] == "I call."
    (call,) = action.message["tool_calls"] or ()
    assert call["function"] == {"name": "f", "arguments": '{"a": 1}'}


@pytest.mark.parametrize(("tools", "tool_prompt"), [(True, False), (False, True)])
def test_calls_in_text_are_parsed_only_with_the_tool_prompt(tools: bool, tool_prompt: bool) -> None:
    tool = {"type": "function", "function": {"name": "f", "parameters": {"type": "object"}}}
    with ChatServer([answer(TAGGED)]) as server:
        policy = policy_of(server, tool_prompt=tool_prompt)
        action = act(policy, HELLO, [tool] if tools else [])
    assert action.message == {"role": "assistant", "content": TAGGED}
    assert action.finish_reason == "stop"


@pytest.mark.parametrize(
    ("seed", "sent"), [(0, 0), (7, 7), (2**31 - 1, 2**31 - 1), (2**31, 0), (2**63 - 1, 2**31 - 1)]
)
def test_seed_is_reduced_to_what_servers_accept(seed: int, sent: int) -> None:
    assert sent_body(seed=seed)["seed"] == sent


def test_extra_body_overrides_fields_and_none_removes_one() -> None:
    extra = {"min_p": 0.1, "temperature": 0.3, "top_p": None}
    body = sent_body(extra_body=extra)
    assert (body["min_p"], body["temperature"]) == (0.1, 0.3)
    assert "top_p" not in body


CALL = {"id": "c", "type": "function", "function": {"name": "f", "arguments": '{"x": 1}'}}
IMAGE = {"type": "image_url", "image_url": {"url": "data:image/png;base64,AAAA"}}


def with_arguments(arguments: Any) -> dict[str, Any]:
    return {"id": "c", "type": "function", "function": {"name": "f", "arguments": arguments}}


@pytest.mark.parametrize(
    ("message", "sent"),
    [
        ({"role": "developer", "content": "x"}, {"role": "system", "content": "x"}),
        ({"role": "user", "content": None}, {"role": "user", "content": ""}),
        ({"role": "assistant"}, {"role": "assistant", "content": ""}),
        (
            {"role": "user", "content": [{"type": "text", "text": t} for t in "ab"]},
            {"role": "user", "content": "ab"},
        ),
        (
            {"role": "user", "content": [{"type": "text", "text": "a"}, IMAGE]},
            {"role": "user", "content": [{"type": "text", "text": "a"}, IMAGE]},
        ),
        (
            {"role": "assistant", "content": None, "tool_calls": [CALL]},
            {"role": "assistant", "content": None, "tool_calls": [CALL]},
        ),
        (
            {"role": "assistant", "content": "a", "tool_calls": []},
            {"role": "assistant", "content": "a"},
        ),
        (
            {"role": "tool", "content": "r", "tool_call_id": "c"},
            {"role": "tool", "content": "r", "tool_call_id": "c"},
        ),
        (
            {"role": "assistant", "content": "a", "reasoning_content": "why"},
            {"role": "assistant", "content": "a", "reasoning_content": "why"},
        ),
        (
            {"role": "assistant", "content": "a", "reasoning_details": [1]},
            {"role": "assistant", "content": "a", "reasoning_details": [1]},
        ),
        (user("half \ud83d of"), user("half \ufffd of")),
    ],
    ids=lambda value: json.dumps(value)[:60],
)
def test_message_is_sent_in_the_form_that_servers_accept(message: Any, sent: Any) -> None:
    before = json.dumps(message)
    assert sent_body([message])["messages"] == [sent]
    assert json.dumps(message) == before


@pytest.mark.parametrize(
    ("arguments", "sent"),
    [
        ('{"x": 1}', '{"x": 1}'),
        ({"x": 1}, '{"x":1}'),
        (None, "{}"),
        ("", "{}"),
        ('{"x": ', '{"arguments":"{\\"x\\": "}'),
        ("[1]", '{"arguments":"[1]"}'),
    ],
    ids=str,
)
def test_arguments_are_sent_as_json_object_text(arguments: Any, sent: str) -> None:
    message = {"role": "assistant", "content": "", "tool_calls": [with_arguments(arguments)]}
    (call,) = sent_body([message])["messages"][0]["tool_calls"]
    assert call["function"]["arguments"] == sent


def test_long_conversation_is_sent_completely() -> None:
    text = "x" * (3 * 2**20)
    assert sent_body([user(text)])["messages"][0]["content"] == text


def test_conversation_that_is_not_json_is_a_usage_error() -> None:
    with ChatServer([answer()]) as server, pytest.raises(UsageError, match="sent as JSON"):
        act(policy_of(server), [{"role": "user", "content": "a", "x": object()}])


# the key


def test_key_from_the_environment_variable_is_sent(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", f" {KEY}\n")
    with ChatServer([answer()]) as server:
        act(policy_of(server))
        act(policy_of(server, api_key="mine"))
        act(policy_of(server, api_key=""))
    sent = [request.headers.get("Authorization") for request in server.requests]
    assert sent == [f"Bearer {KEY}", "Bearer mine", None]


def test_no_authorization_header_without_a_key() -> None:
    with ChatServer([answer()]) as server:
        act(policy_of(server))
    assert "Authorization" not in server.requests[0].headers


@pytest.mark.parametrize("key", ["sk\nX-Evil: 1", "schlüssel", "a\x00b"])
def test_key_with_invalid_characters_is_refused_without_being_shown(key: str) -> None:
    with pytest.raises(UsageError, match="the key in api_key= has a character") as caught:
        OpenAIPolicy("m", api_key=key)
    assert key not in str(caught.value)


@pytest.mark.parametrize(
    "reply",
    [
        error(401, f"wrong key {KEY}"),
        error(400, f"{KEY} {KEY}"),
        error(500, f"wrong key {KEY}"),
        error(404, f"no {KEY}"),
        http(200, f"what is {KEY}?"),
        http(302, "", {"Location": f"http://h/?key={KEY}"}),
        error(400, f"maximum context length {KEY}"),
        CLOSE,
        b"nonsense " + KEY.encode() + b"\r\n\r\n",
    ],
)
def test_no_error_shows_the_key(reply: bytes) -> None:
    with ChatServer([reply]) as server:
        policy = policy_of(server, api_key=KEY, retries=1)
        with pytest.raises(textgym.errors.TextgymError) as caught:
            act(policy)
    shown = "".join(traceback.format_exception(caught.value)) + repr(caught.value) + repr(policy)
    assert KEY not in shown
    problem: BaseException | None = caught.value
    while problem:
        assert KEY not in repr(problem) + repr(vars(problem))
        problem = problem.__cause__ or problem.__context__


# the reply


def message_of(reply: bytes) -> Any:
    return action_of(reply).message


def test_plain_reply_becomes_an_action() -> None:
    reply = {
        "choices": [
            {
                "index": 0,
                "finish_reason": "stop",
                "logprobs": None,
                "message": {
                    "role": "assistant", "content": "Hi", "refusal": None, "annotations": [],
                    "audio": None, "function_call": None, "tool_calls": None, "reasoning": None,
                },
            }
        ],
        "usage": {
            "prompt_tokens": 5,
            "completion_tokens": 2,
            "total_tokens": 7,
            "prompt_tokens_details": {"cached_tokens": 3, "audio_tokens": 0},
            "completion_tokens_details": {"reasoning_tokens": 1},
        },
    }  # fmt: skip
    action = action_of(http(200, reply))
    assert action.message == assistant("Hi")
    assert action.finish_reason == "stop"
    assert action.usage == {
        "prompt_tokens": 5, "completion_tokens": 2, "cached_tokens": 3, "reasoning_tokens": 1,
    }  # fmt: skip
    assert (action.prompt_ids, action.token_ids, action.logprobs) == (None, None, None)


@pytest.mark.parametrize("calls", [None, []])
def test_empty_tool_calls_are_left_out_of_the_message(calls: Any) -> None:
    assert message_of(answer("x", tool_calls=calls)) == assistant("x")


def test_content_may_be_null_or_parts() -> None:
    assert message_of(answer(None)) == {"role": "assistant", "content": None}
    parts = [{"type": "thinking", "thinking": []}, {"type": "text", "text": "a"}, {"text": "b"}]
    assert message_of(answer(parts)) == assistant("ab")


@pytest.mark.parametrize("key", ["reasoning", "reasoning_content"])
def test_reasoning_is_stored_under_one_key(key: str) -> None:
    said = message_of(answer("x", **{key: "because"}))
    assert said == {"role": "assistant", "content": "x", "reasoning_content": "because"}


@pytest.mark.parametrize("key", ["reasoning", "reasoning_content"])
def test_reasoning_is_sent_back_under_the_servers_key(key: str) -> None:
    with ChatServer([answer("x", **{key: "because"})]) as server:
        policy = policy_of(server)
        said = act(policy).message
        act(policy, [*HELLO, said, user("And?")])
    assert server.requests[1].body["messages"][1] == {
        "role": "assistant", "content": "x", key: "because",
    }  # fmt: skip


@pytest.mark.parametrize("arguments", ['{"x": 1}', '{"x": ', "", "[]", "null", " "])
def test_arguments_of_a_reply_stay_unchanged(arguments: str) -> None:
    action = action_of(answer(None, "tool_calls", tool_calls=[with_arguments(arguments)]))
    assert action.message["tool_calls"] == [with_arguments(arguments)]
    assert action.finish_reason == "tool_calls"


@pytest.mark.parametrize(
    ("call", "kept"),
    [
        ({"id": None, **{k: CALL[k] for k in ("type", "function")}}, ("type", "function")),
        ({"function": CALL["function"]}, ("function", "type")),
        ({**CALL, "index": 0, "extra_content": {"a": 1}}, (*CALL, "index", "extra_content")),
        ({**CALL, "type": None}, tuple(CALL)),
    ],
    ids=str,
)
def test_nulls_of_a_call_are_dropped(call: Any, kept: tuple[str, ...]) -> None:
    (read,) = message_of(answer(None, tool_calls=[call]))["tool_calls"]
    assert set(read) == set(kept)
    assert (read["type"], read["function"]) == ("function", CALL["function"])


def test_decoded_arguments_become_text() -> None:
    for given, text in (({"x": 1}, '{"x":1}'), (None, "{}"), ([1], "[1]"), (5, "5")):
        (call,) = message_of(answer(None, tool_calls=[with_arguments(given)]))["tool_calls"]
        assert call["function"]["arguments"] == text


def test_unknown_keys_of_a_reply_are_kept() -> None:
    said = message_of(answer("x", refusal="I will not", annotations=[{"url": "u"}], name="bot"))
    assert said == {
        "role": "assistant", "content": "x", "refusal": "I will not", "annotations": [{"url": "u"}],
    }  # fmt: skip


@pytest.mark.parametrize(
    ("given", "kept"),
    [
        ("stop", "stop"),
        ("length", "length"),
        ("content_filter", "content_filter"),
        (None, "stop"),
        ("eos", "stop"),
        ("tool_calls", "stop"),
        ({"type": "stop"}, "stop"),
    ],
    ids=str,
)
def test_finish_reason_of_a_text(given: Any, kept: str) -> None:
    assert action_of(answer("x", given)).finish_reason == kept


@pytest.mark.parametrize(
    ("given", "kept"),
    [("stop", "tool_calls"), ("tool_calls", "tool_calls"), ("length", "length")],
)
def test_finish_reason_of_calls(given: str, kept: str) -> None:
    assert action_of(answer(None, given, tool_calls=[CALL])).finish_reason == kept


@pytest.mark.parametrize(
    "usage", [None, [], {"prompt_tokens": "5"}, {"completion_tokens": 1.5, "prompt_tokens": -1},
              {"prompt_tokens": True}, {"prompt_tokens": 10**30}, {"prompt_tokens_details": 5}],
    ids=str,
)  # fmt: skip
def test_usage_values_that_are_not_counts_are_dropped(usage: Any) -> None:
    choice = {"message": {"content": "x"}}
    assert action_of(http(200, {"choices": [choice], "usage": usage})).usage == {}


def test_unpaired_surrogate_is_replaced() -> None:
    body = b'{"choices": [{"message": {"content": "a\\ud83d b \\ud83d\\ude00"}}]}'
    assert message_of(http(200, body)) == assistant("a\ufffd b \U0001f600")


def test_invalid_utf8_and_nan_are_tolerated() -> None:
    body = b'{"choices": [{"message": {"content": "a\xff", "x": {"y": NaN}}}]}'
    said = message_of(http(200, body))
    assert (said["content"], said["x"]) == ("a\ufffd", {"y": None})


# transient failures


BROKEN = {
    "no bytes": http(200, ""),
    "no JSON": http(200, "Traceback: boom"),
    "half JSON": http(200, '{"choices": [{"mess'),
    "a list": http(200, []),
    "null": http(200, "null"),
    "no choices": http(200, {"id": "x"}),
    "empty choices": http(200, {"choices": []}),
    "null choices": http(200, {"choices": None}),
    "a choice that is none": http(200, {"choices": ["x"]}),
    "no message": http(200, {"choices": [{"text": "x"}]}),
    "content that is no text": answer({"a": 1}),
    "calls that are no list": answer(None, tool_calls={"name": "f"}),
    "a call without a function": answer(None, tool_calls=[{"id": "x"}]),
    "a call without a name": answer(None, tool_calls=[{"function": {"name": None}}]),
    "depth": answer("x", deep=json.loads("[" * 200 + "]" * 200)),
    "depth beyond reading": http(200, "[" * 100_000 + "]" * 100_000),
    "aborted": answer("x", "abort"),
    "broken off": http(200, {"choices": [{"message": {}, "error": {"message": "overloaded"}}]}),
    "an error in a 200": http(200, {"error": {"message": "overloaded", "code": 502}}),
    "an error in words in a 200": http(200, {"error": "overloaded"}),
    "408": error(408),
    "409": error(409),
    "425": error(425),
    "429": error(429),
    "500": error(500),
    "502 with HTML": http(502, "<html>Bad gateway</html>"),
    "503": http(503, ""),
    "504": http(504, "upstream request timeout"),
    "599": error(599),
    "closed": CLOSE,
    "half an answer": (answer()[:-5],),
    "half a head": (b"HTTP/1.1 200 OK\r\nContent-Le",),
    "no HTTP": (b"\x00\x01\x02\r\n\r\n",),
    "a broken gzip": http(200, b"not gzip", {"Content-Encoding": "gzip"}),
    "a broken chunk": (b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\nzz\r\n",),
}


@pytest.mark.parametrize("reply", BROKEN.values(), ids=BROKEN)
def test_transient_failure_is_retried(reply: Any) -> None:
    with ChatServer([reply, reply, answer("right")]) as server:
        assert act(policy_of(server)).message == assistant("right")
    assert len(server.requests) == 3
    assert len({request.data for request in server.requests}) == 1


@pytest.mark.parametrize("reply", BROKEN.values(), ids=BROKEN)
def test_persistent_failure_is_a_policy_failure(reply: Any) -> None:
    error_text = error_of(reply, PolicyFailure, tries=3, retries=2)
    assert "gave no answer in 3 tries, the last: " in error_text


def test_failure_quotes_the_server_on_one_short_line() -> None:
    error_text = error_of(error(500, "the engine\n   died " + "x" * 5000), PolicyFailure, retries=0)
    assert "500: the engine died xxx" in error_text
    assert len(error_text) < 500


@pytest.mark.parametrize(
    ("body", "error_text"),
    [
        ({"error": {"message": "a"}}, "500: a"),
        ({"error": "b"}, "500: b"),
        ({"object": "error", "message": "c", "type": "BadRequestError"}, "500: c"),
        ({"detail": "d"}, "500: d"),
        ({"detail": [{"msg": "e"}]}, '500: [{"msg":"e"}]'),
        ({"error": {"code": 5}}, '500: {"code":5}'),
        ("<!DOCTYPE html><p>f</p>", "500: an HTML page"),
        ("g", "500: 'g'"),
    ],
    ids=str,
)
def test_error_message_is_found_in_every_servers_form(body: Any, error_text: str) -> None:
    assert error_text in error_of(http(500, body), PolicyFailure, retries=0)


def test_backoff_grows_up_to_a_bound() -> None:
    time = FakeTime()
    error_of(error(500), PolicyFailure, tries=9, retries=8, rate_limiter=time.rate_limiter())
    assert time.slept == [0.5, 1, 2, 4, 8, 16, 30, 30]


def test_backoff_is_random_from_zero() -> None:
    waits = [RateLimiter().backoff(4) for _ in range(200)]
    assert all(0 <= wait <= 4 for wait in waits)
    assert min(waits) < 0.5 < 3.5 < max(waits)


def test_no_retry_after_the_timeout_is_used_up() -> None:
    waits = 6  # 0.5, 1, 2, 4, 8 and 16 seconds; 30 more would be too much
    error_of(error(500), PolicyFailure, tries=waits + 1, retries=100, timeout=60.0)


@pytest.mark.parametrize("status", [429, 503])
def test_retry_after_is_respected(status: int) -> None:
    time = FakeTime()
    with ChatServer([error(status, headers={"Retry-After": "7"}), answer()]) as server:
        act(policy_of(server, rate_limiter=time.rate_limiter(jitter=0.0)))
    assert time.now == 1007


def test_too_long_retry_after_fails_at_once() -> None:
    time = FakeTime()
    reply = error(429, "daily limit", {"Retry-After": "3600"})
    error_text = error_of(reply, PolicyFailure, tries=1, rate_limiter=time.rate_limiter())
    assert "daily limit" in error_text
    assert time.slept == []


@pytest.mark.parametrize(
    ("headers", "seconds"),
    [
        ({"Retry-After": "0"}, 0),
        ({"Retry-After": "1.5"}, 1.5),
        ({"Retry-After": "-3"}, 0),
        ({"Retry-After-Ms": "250", "Retry-After": "9"}, 0.25),
        ({"Retry-After-Ms": "x", "Retry-After": "9"}, 9),
        ({"Retry-After": "Wed, 21 Oct 2015 07:28:10 GMT"}, 10),
        ({"Retry-After": "Wed, 21 Oct 2015 07:00:00 GMT"}, 0),
        ({"Retry-After": "inf"}, None),
        ({"Retry-After": "nan"}, None),
        ({"Retry-After": "Wed, 99 Oct 2015"}, None),
        ({"Retry-After": "later"}, None),
        ({}, None),
    ],
    ids=str,
)
def test_both_forms_of_retry_after_are_parsed(headers: Any, seconds: float | None) -> None:
    assert read_retry_after(headers, now=1445412480.0) == seconds


def test_busy_server_pauses_all_requests() -> None:
    """After one request is refused, other requests wait too."""
    time = FakeTime()
    starts = []

    def handler(request: Request) -> bytes:
        starts.append((request.body["seed"], time.now))
        return error(429, headers={"Retry-After": "20"}) if len(starts) == 1 else answer()

    async def several(policy: OpenAIPolicy) -> None:
        first = asyncio.create_task(policy.act(HELLO, [], seed=0))
        while not time.slept:
            await asyncio.sleep(0.001)
        await asyncio.gather(first, *[policy.act(HELLO, [], seed=seed) for seed in (1, 2)])
        await policy.close()

    with ChatServer(handler) as server:
        asyncio.run(several(policy_of(server, rate_limiter=time.rate_limiter(jitter=0.0))))
    assert starts[0] == (0, 1000)
    assert sorted(starts[1:]) == [(0, 1020), (1, 1020), (2, 1020)]


def test_endless_429_ends_in_failures_that_name_the_options() -> None:
    async def storm(policy: OpenAIPolicy) -> list[Any]:
        acts = [policy.act(HELLO, [], seed=seed) for seed in range(50)]
        found = await asyncio.gather(*acts, return_exceptions=True)
        await policy.close()
        return found

    with ChatServer([error(429)]) as server:
        found = asyncio.run(storm(policy_of(server, retries=3)))
    assert len(server.requests) == 200
    assert {type(item) for item in found} == {PolicyFailure}
    assert "requests_per_minute and concurrency reduce its load" in str(found[0])


# permanent failures


@pytest.mark.parametrize("status", [401, 403])
def test_refused_key_is_not_retried(status: int, monkeypatch: pytest.MonkeyPatch) -> None:
    error_text = error_of(error(status, "who?"), UsageError, tries=1)
    assert f"requires a key, and OPENAI_API_KEY is not set: {status}: who?" in error_text
    monkeypatch.setenv("OPENAI_API_KEY", KEY)
    error_text = error_of(error(status), UsageError, tries=1)
    assert "does not accept the key in OPENAI_API_KEY" in error_text
    assert "the key in api_key=" in error_of(error(status), UsageError, tries=1, api_key="x")


@pytest.mark.parametrize(
    "form",
    [(404, "model `m` does not exist"), (400, "m is not a valid model ID"), (404, "gone")],
    ids=str,
)
def test_unknown_model_error_names_the_nearest_one(form: tuple[int, str]) -> None:
    with ChatServer([error(*form)]) as server:
        server.models = http(200, {"data": [{"id": "llama-8b"}, {"id": "qwen"}, {}, 5]})
        policy = OpenAIPolicy("lama-8b", server.url)
        with pytest.raises(
            UnknownNameError, match="has no model 'lama-8b'; did you mean 'llama-8b'"
        ):
            act(policy)
    assert len(server.requests) == 1


def test_unknown_model_error_is_short_even_with_many_models() -> None:
    with ChatServer([error(404)]) as server:
        server.models = http(200, {"data": [{"id": f"organisation/{n}"} for n in range(500)]})
        with pytest.raises(UnknownNameError, match="organisation/0") as caught:
            act(OpenAIPolicy("x", server.url))
    assert len(str(caught.value)) < 500


@pytest.mark.parametrize(
    "models", [http(404, ""), http(200, "<html>"), http(200, {"data": 5}), CLOSE]
)
def test_unknown_model_is_an_error_without_a_list_of_models(models: bytes) -> None:
    with ChatServer([error(404, "The model `m` does not exist.")]) as server:
        server.models = models
        with pytest.raises(UnknownNameError, match="404: The model `m` does not exist"):
            act(policy_of(server))


@pytest.mark.parametrize(
    "reply",
    [
        http(404, {"detail": "Not Found"}),
        http(404, "<!DOCTYPE html><title>404</title>"),
        http(404, "404 page not found"),
        http(405, {"detail": "Method Not Allowed"}),
        http(501, "<html>Unsupported method</html>"),
        http(200, "  <!doctype html><html>A page</html>"),
        http(301, "", {"Location": "/elsewhere"}),
        http(307, "", {"Location": "http://other/v1/chat/completions"}),
    ],
)
def test_wrong_address_error_names_the_url(reply: bytes) -> None:
    with (
        ChatServer([reply]) as server,
        pytest.raises(UsageError, match="no chat completions at") as caught,
    ):
        act(policy_of(server))
    assert f"{server.url}/chat/completions" in str(caught.value)
    assert len(server.requests) == 1


def test_redirect_is_not_followed_with_the_key() -> None:
    with ChatServer([answer()]) as other:
        reply = http(307, "", {"Location": f"{other.url}/chat/completions"})
        with ChatServer([reply]) as server, pytest.raises(UsageError, match=other.url):
            act(policy_of(server, api_key=KEY))
    assert other.requests == []


def test_refused_first_connection_is_not_retried() -> None:
    with ChatServer([answer()]) as server:
        pass
    with pytest.raises(UsageError, match="connection refused") as caught:
        act(policy_of(server))
    assert server.url in str(caught.value)


def test_unknown_host_is_not_retried() -> None:
    with pytest.raises(UsageError, match=r"no chat completions at http://no-such-host\.invalid/v1"):
        act(OpenAIPolicy("m", "http://no-such-host.invalid/v1"))


def test_server_without_tls_is_not_retried() -> None:
    with ChatServer([answer()]) as server:
        url = server.url.replace("http:", "https:")
        with pytest.raises(
            UsageError, match=r"no chat completions at https://.*no secure connection"
        ):
            act(OpenAIPolicy("m", url))


@pytest.mark.parametrize(
    ("reply", "error_text"),
    [
        (error(400, "no rude words"), "refuses the request: 400: no rude words"),
        (error(402, "no credit"), "402: no credit"),
        (error(422, "no such field"), "422: no such field"),
        (error(429, "pay", code="insufficient_quota"), "429: pay"),
        (http(200, {"error": {"code": 400, "message": "bad"}}), "400: bad"),
    ],
)
def test_refused_request_is_not_retried(reply: bytes, error_text: str) -> None:
    assert error_text in error_of(reply, UsageError, tries=1)


# servers that need another request format


def picky(*fields: str, error_text: str) -> Callable[[Request], bytes]:
    def handler(request: Request) -> bytes:
        held = [field for field in fields if field in json.dumps(request.body)]
        return error(400, error_text.format(held[0])) if held else answer()

    return handler


def test_adapts_to_a_server_that_requires_max_completion_tokens() -> None:
    error_text = (
        "Unsupported parameter: '{}' is not supported. Use 'max_completion_tokens' instead."
    )
    with ChatServer(picky("max_tokens", error_text=error_text)) as server:
        policy = policy_of(server, retries=0)
        act(policy)
        act(policy)
    keys = [[k for k in request.body if k.startswith("max")] for request in server.requests]
    assert keys == [["max_tokens"], ["max_completion_tokens"], ["max_completion_tokens"]]


def test_adapts_to_a_server_that_refuses_default_settings() -> None:
    error_text = "Unsupported parameter: '{}' is not supported with this model."
    with ChatServer(picky("top_p", "temperature", error_text=error_text)) as server:
        act(policy_of(server, retries=0))
        assert set(server.requests[-1].body) == {"model", "messages", "max_tokens"}
        with pytest.raises(UsageError, match="'temperature' is not supported"):
            act(policy_of(server, sampling={"temperature": 0.5}))


def test_adapts_to_a_server_that_refuses_earlier_reasoning() -> None:
    said = {"role": "assistant", "content": "x", "reasoning_content": "because"}
    error_text = "Please remove the {} field from your message"
    with ChatServer(picky("reasoning_content", error_text=error_text)) as server:
        act(policy_of(server, retries=0), [*HELLO, said, user("And?")])
    assert server.requests[-1].body["messages"][1] == assistant("x")


def test_server_that_refuses_all_formats_gets_few_requests() -> None:
    said = {"role": "assistant", "content": "x", "reasoning_content": "because"}
    words = "max_completion_tokens, reasoning_content, temperature, top_p: all wrong"
    with ChatServer([error(400, words)]) as server, pytest.raises(UsageError, match="all wrong"):
        act(policy_of(server), [*HELLO, said])
    assert len(server.requests) == 4


# a full context


FULL = {
    "OpenAI": error(400, "This model's maximum context length is 8 tokens. However, your messages "
                         "resulted in 9 tokens.", code="context_length_exceeded"),
    "OpenAI, newer": error(400, "Your input exceeds the context window of this model."),
    "vLLM": error(400, "This model's maximum context length is 8 tokens. However, your prompt "
                       "contains at least 9 input tokens, which exceeds this limit even without "
                       "any output tokens.", type="BadRequestError", code=400),
    "vLLM, older": http(400, {"object": "error", "type": "BadRequestError", "code": 400, "message":
                              "'max_tokens' or 'max_completion_tokens' is too large: 512. This "
                              "model's maximum context length is 256 tokens and your request has "
                              "200 input tokens (512 > 256 - 200)."}),
    "SGLang": error(400, "The input (9 tokens) is longer than the model's context length "
                         "(8 tokens).", type="BadRequestError"),
    "SGLang, with the answer": error(400, "Requested token count exceeds the model's maximum "
                                          "context length of 64 tokens."),
    "llama.cpp": error(400, "request (9 tokens) exceeds the available context size (8 tokens), "
                            "try increasing it", type="exceed_context_size_error", n_ctx=8),
    "TGI": http(422, {"error": "Input validation error: `inputs` must have less than 8 tokens. "
                               "Given: 9", "error_type": "validation"}),
    "Mistral": http(400, {"message": "Prompt contains 9 tokens, too large for model with 8 maximum "
                                     "context length"}),
    "Anthropic": error(400, "prompt is too long: 9 tokens > 8 maximum"),
    "Groq": error(400, "Please reduce the length of the messages or completion."),
    "Gemini": error(400, "The input token count (9) exceeds the maximum number of tokens allowed"),
    "in a 200": http(200, {"error": {"message": "context_length_exceeded", "code": 400}}),
}  # fmt: skip


@pytest.mark.parametrize("reply", FULL.values(), ids=FULL)
def test_too_long_conversation_is_a_context_error(reply: bytes) -> None:
    error_text = error_of(reply, ContextFullError, tries=2)
    assert error_text.startswith("openai:m@")


@pytest.mark.parametrize("key", ["max_tokens", "max_completion_tokens"])
def test_token_limit_is_dropped_if_only_the_answer_does_not_fit(key: str) -> None:
    def handler(request: Request) -> bytes:
        if key == "max_completion_tokens" and "max_tokens" in request.body:
            return error(400, "use max_completion_tokens")
        full = error(400, "This model's maximum context length is 64 tokens. You requested 70")
        return full if key in request.body else answer("cut", "length")

    with ChatServer(handler) as server:
        action = act(policy_of(server, retries=0))
    assert (action.message, action.finish_reason) == (assistant("cut"), "length")
    assert not {"max_tokens", "max_completion_tokens"} & set(server.requests[-1].body)


# time


async def _for_ever(request: Request) -> bytes:
    await asyncio.Event().wait()
    return CLOSE


def test_hanging_server_times_out() -> None:
    error_text = error_by(_for_ever, timeout=0.1)
    assert "no complete reply within 0.1 s" in error_text


def test_trickling_reply_times_out() -> None:
    whole = answer("x" * 4000)
    error_text = error_by([tuple(whole[i : i + 1] for i in range(len(whole)))], timeout=0.2)
    assert "no complete reply within 0.2 s" in error_text


def error_by(handler: Any, **options: Any) -> str:
    with ChatServer(handler) as server, pytest.raises(PolicyFailure) as caught:
        act(policy_of(server, retries=0, **options))
    return str(caught.value)


def test_large_reply_is_read() -> None:
    text = "x" * (8 * 2**20)
    assert message_of(answer(text)) == assistant(text)


# connections


def connections_of(policy: OpenAIPolicy, server: ChatServer, work: Any) -> int:
    async def run() -> None:
        await work(policy)
        await policy.close()

    before = server.connections
    asyncio.run(run())
    return server.connections - before


def test_connections_are_reused() -> None:
    async def one_by_one(policy: OpenAIPolicy) -> None:
        for _ in range(10):
            await policy.act(HELLO, [])

    with ChatServer([answer()]) as server:
        assert connections_of(policy_of(server), server, one_by_one) == 1


def test_connection_closed_by_the_server_is_replaced() -> None:
    async def with_pause(policy: OpenAIPolicy) -> None:
        await policy.act(HELLO, [])
        server.drop_connections()
        await policy.act(HELLO, [])

    with ChatServer([answer()]) as server:
        assert connections_of(policy_of(server), server, with_pause) == 2


def test_restarting_server_is_retried() -> None:
    server = ChatServer([answer()])
    time = FakeTime()

    async def back(seconds: float) -> None:
        await time.sleep(seconds)
        if len(time.slept) == 3:
            server.__enter__()

    policy = policy_of(server.__enter__(), rate_limiter=RateLimiter(clock=time.clock, sleep=back))
    act(policy)
    server.__exit__()
    with pytest.raises(PolicyFailure, match="in 3 tries, the last: connection refused"):
        act(policy_like(policy, retries=2))
    time.slept.clear()
    try:
        assert act(policy).message == assistant("Hello")
    finally:
        server.__exit__()


def policy_like(policy: OpenAIPolicy, **options: Any) -> OpenAIPolicy:
    """Return another policy for the same server, as if it had been answered already."""
    other = OpenAIPolicy(
        policy.model, policy.base_url, rate_limiter=FakeTime().rate_limiter(), **options
    )
    other._answered = True
    return other


def test_one_policy_serves_several_event_loops() -> None:
    with ChatServer([answer()]) as server:
        policy = policy_of(server)
        for _ in range(3):  # without closing it
            assert asyncio.run(policy.act(HELLO, [])).message == assistant("Hello")
        del policy
        gc.collect()  # an open socket would warn, and a warning is an error
    assert server.connections == 3


def test_garbage_collected_policy_closes_its_connections() -> None:
    async def work() -> None:
        for _ in range(2):
            await policy_of(server).act(HELLO, [])
            gc.collect()  # an open session would warn, and a warning is an error
        while server.open:
            await asyncio.sleep(0.01)

    with ChatServer([answer()]) as server:
        asyncio.run(work())


def test_policy_can_be_closed_twice_and_used_again() -> None:
    async def work(policy: OpenAIPolicy) -> None:
        await policy.close()
        await policy.act(HELLO, [])
        await policy.close()
        await policy.close()
        await policy.act(HELLO, [])

    with ChatServer([answer()]) as server:
        assert connections_of(policy_of(server), server, work) == 2


def test_cancelled_request_leaks_nothing() -> None:
    async def cancelled(policy: OpenAIPolicy) -> None:
        task = asyncio.create_task(policy.act(HELLO, []))
        while not server.requests:
            await asyncio.sleep(0.001)
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task
        assert asyncio.all_tasks() == {asyncio.current_task()}

    with ChatServer(_for_ever) as server:
        connections_of(policy_of(server, concurrency=1), server, cancelled)


# limits


def test_concurrency_limit_is_kept() -> None:
    under_way = most = 0
    full = asyncio.Event()

    async def handler(request: Request) -> bytes:
        nonlocal under_way, most
        under_way += 1
        most = max(most, under_way)
        if under_way == 5:
            full.set()
        await full.wait()
        await asyncio.sleep(0)
        under_way -= 1
        return answer()

    async def many(policy: OpenAIPolicy) -> None:
        await asyncio.gather(*[policy.act(HELLO, []) for _ in range(40)])

    with ChatServer(handler) as server:
        connections_of(policy_of(server, concurrency=5), server, many)
    assert most == 5
    assert len(server.requests) == 40


def test_requests_are_all_concurrent_without_a_limit() -> None:
    started = 0
    full = asyncio.Event()

    async def handler(request: Request) -> bytes:
        nonlocal started
        started += 1
        if started == 300:
            full.set()
        await full.wait()
        return answer()

    async def many(policy: OpenAIPolicy) -> None:
        await asyncio.gather(*[policy.act(HELLO, []) for _ in range(300)])

    with ChatServer(handler) as server:
        assert connections_of(policy_of(server), server, many) == 300


def test_rate_limit_is_kept() -> None:
    time = FakeTime()
    rate_limiter = time.rate_limiter(requests_per_minute=120)
    starts = []

    async def start() -> None:
        await rate_limiter.acquire()
        starts.append(time.now)

    async def many() -> None:
        await asyncio.gather(*[start() for _ in range(20)])

    asyncio.run(many())
    assert starts == [1000 + 0.5 * n for n in range(20)]


def test_rate_limit_is_kept_after_a_pause() -> None:
    time = FakeTime()
    rate_limiter = time.rate_limiter(requests_per_minute=60)
    starts = []

    async def start() -> None:
        await rate_limiter.acquire()
        starts.append(time.now)
        if len(starts) == 2:
            rate_limiter.pause(30)

    async def many() -> None:
        await asyncio.gather(*[start() for _ in range(6)])

    asyncio.run(many())
    assert starts[:2] == [1000, 1001]
    gaps = [later - earlier for earlier, later in itertools.pairwise(starts)]
    assert starts[2] >= 1031
    assert all(gap >= 1 for gap in gaps)


def test_rate_limit_counts_retries() -> None:
    time = FakeTime()
    with ChatServer([error(500), error(500), answer()]) as server:
        act(policy_of(server, rate_limiter=time.rate_limiter(requests_per_minute=1, jitter=0.0)))
    assert time.now == 1120


# whole episodes


def test_rollout_survives_a_server_that_fails_now_and_then(tmp_path: Path) -> None:
    """Transient failures cost no episode; lasting ones are recorded as policy failures."""
    numbers: dict[str, int] = {}

    def handler(request: Request) -> bytes:
        question = request.body["messages"][-1]["content"]
        number = numbers.setdefault(question, len(numbers))
        if number % 10 == 3:
            return error(500, "boom")
        if number % 10 == 5:
            return error(400, "maximum context length")
        if number % 10 == 7:
            return answer(None, tool_calls=[with_arguments("{")])
        return answer("\\boxed{A}", "length" if number % 10 == 9 else "stop")

    with ChatServer(handler) as server:
        policy = policy_of(server, retries=1, api_key=KEY)
        run = textgym.rollout("textgym/MCQA-v0", policy, episodes=40, out=tmp_path, concurrency=1)
    episodes = {number: [t for t in run.trajectories() if t["task_index"] % 10 == number]
                for number in range(10)}  # fmt: skip
    assert {t["failure"]["boundary"] for t in episodes[3]} == {"policy"}
    assert {t["failure"]["type"] for t in episodes[3]} == {"PolicyFailure"}
    assert {t["stop_reason"] for t in episodes[5]} == {"context"}
    assert {t["stop_reason"] for t in episodes[9]} == {"max_tokens"}
    assert all(t["failure"] is None for number in (0, 1, 5, 7, 9) for t in episodes[number])
    assert run.metrics["overall"]["failures"] == 4
    recorded = json.loads((tmp_path / "run.json").read_text())
    assert recorded["policy"] == f"openai:m@{server.url}"
    assert KEY not in "".join(file.read_text() for file in tmp_path.iterdir())
    seeds = [request.body["seed"] for request in server.requests]
    assert all(0 <= seed < 2**31 for seed in seeds)


def test_same_run_sends_the_same_seeds() -> None:
    sent = []
    for _ in range(2):
        with ChatServer([answer("\\boxed{A}")]) as server:
            textgym.rollout("textgym/MCQA-v0", f"openai:m@{server.url}", episodes=10)
        sent.append(sorted(request.body["seed"] for request in server.requests))
    assert sent[0] == sent[1]
    assert len(set(sent[0])) == 10


def test_usage_error_is_not_retried_within_an_episode() -> None:
    with ChatServer([error(401)]) as server:
        run = textgym.rollout("textgym/MCQA-v0", f"openai:m@{server.url}", episodes=10)
    failures = {(t["failure"]["boundary"], t["failure"]["type"]) for t in run.trajectories()}
    assert failures == {("policy", "UsageError")}
    assert len(server.requests) == 10


def eval_with(folder: Path, *arguments: str, **environment: str) -> Any:
    return run_command(folder, "eval", "textgym/MCQA-v0", *arguments, COLUMNS="160", **environment)


def test_eval_accepts_the_spec_and_options(tmp_path: Path) -> None:
    with ChatServer([error(500), answer("\\boxed{A}")]) as server:
        spec = f"openai:org/m@{server.url}"
        options = ("--policy-set", "retries=2", "--policy-set", 'extra_body={"min_p": 0.1}')
        limits = ("--policy-set", "concurrency=1", "--policy-set", "requests_per_minute=60000")
        came = eval_with(tmp_path, "--policy", spec, "--episodes", "4", *options, *limits,
                         OPENAI_API_KEY=KEY)  # fmt: skip
    assert came.returncode == 0, came.stderr
    assert len(server.requests) == 5
    assert {request.body["min_p"] for request in server.requests} == {0.1}
    (folder,) = (tmp_path / "runs").iterdir()
    assert folder.name.startswith("MCQA-v0-m-")
    stored = "".join(file.read_text() for file in folder.iterdir())
    assert KEY not in stored + came.stdout + came.stderr


@pytest.mark.parametrize(
    ("arguments", "error_text"),
    [
        (("--policy", "openai:m", "--policy-set", "retires=1"), "did you mean 'retries'"),
        (("--policy", "openai:m", "--policy-set", "retries"), "--policy-set takes NAME=VALUE"),
        (("--policy", "openai:m", "--policy-set", "timeout=soon"), "timeout must be a number"),
        (("--policy", "openai:m", "--policy-set", "retires=1", "--dry-run"), "did you mean"),
        (("--policy", "openai:"), "needs a model"),
    ],
)
def test_eval_reports_invalid_options_on_one_line(
    tmp_path: Path, arguments: Any, error_text: str
) -> None:
    came = eval_with(tmp_path, *arguments)
    assert came.returncode == 2
    assert error_text in came.stderr
    assert came.stderr.count("\n") == 1
