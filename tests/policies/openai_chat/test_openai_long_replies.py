"""Replies of any length, framing and compression: no more than a limit is read."""

from __future__ import annotations

import gzip
import itertools
import json
import tracemalloc
import zlib
from collections.abc import Callable, Iterator
from typing import Any

import pytest

from textgym.errors import ContextFullError, PolicyFailure, UnknownNameError, UsageError
from textgym.messages import assistant

pytest.importorskip("aiohttp")

from chat_server import ChatServer, answer, http
from test_openai import act, policy_of

from textgym.policies.openai.connections import HTTPReply
from textgym.policies.openai.protocol import FailedRequest, read_reply
from textgym.policies.openai.requests import ChatRequest

KIB, MIB = 2**10, 2**20
WORDS = b"model " * (KIB * 64 // 6)  # the worst for what looks for "model ... not found"


def head(status: int, *headers: str) -> bytes:
    return "\r\n".join([f"HTTP/1.1 {status} Some reason", *headers, "", ""]).encode()


def with_length(status: int) -> Iterator[bytes]:
    yield head(status, f"Content-Length: {2**40}")
    yield b'{"error": {"message": "'
    yield from itertools.repeat(WORDS)


def in_chunks(status: int) -> Iterator[bytes]:
    yield head(status, "Transfer-Encoding: chunked")
    yield from itertools.repeat(b"%x\r\n" % len(WORDS) + WORDS + b"\r\n")


def until_it_closes(status: int) -> Iterator[bytes]:
    yield head(status, "Connection: close")
    yield from itertools.repeat(WORDS)


def packed(status: int) -> Iterator[bytes]:
    """Send an endless compressed body, a thousandth of its decompressed size."""
    packer = zlib.compressobj(9, wbits=31)
    yield head(status, "Content-Encoding: gzip", "Connection: close")
    yield packer.compress(b" " * MIB) + packer.flush(zlib.Z_SYNC_FLUSH)
    yield from itertools.repeat(packer.compress(b" " * MIB) + packer.flush(zlib.Z_FULL_FLUSH))


ENDLESS = [with_length, in_chunks, until_it_closes, packed]


@pytest.mark.parametrize("reply", ENDLESS, ids=lambda reply: reply.__name__)
@pytest.mark.parametrize("status", [302, 400, 404, 500])
def test_endless_error_is_cut_after_its_beginning(
    status: int, reply: Callable[[int], Iterator[bytes]]
) -> None:
    kind = {302: UsageError, 400: UsageError, 404: UsageError, 500: PolicyFailure}[status]
    with ChatServer(lambda request: reply(status)) as server:
        policy = policy_of(server, retries=0)
        tracemalloc.start()
        with pytest.raises(kind) as caught:
            act(policy)
        peak = tracemalloc.get_traced_memory()[1]
        tracemalloc.stop()
    assert server.sent < 32 * MIB  # mostly what the system holds between the two
    assert peak < 16 * MIB
    assert len(str(caught.value)) < 600
    assert server.open == 0


@pytest.mark.parametrize("reply", ENDLESS, ids=lambda reply: reply.__name__)
def test_endless_reply_is_a_policy_failure_without_retries(
    reply: Callable[[int], Iterator[bytes]],
) -> None:
    with ChatServer(lambda request: reply(200)) as server:
        with pytest.raises(PolicyFailure, match="the reply is longer than 64 MiB"):
            act(policy_of(server))
        assert len(server.requests) == 1
    assert server.sent < 128 * MIB


def test_endless_list_of_models_is_ignored() -> None:
    reply = http(404, {"error": {"message": "The model `m` does not exist"}})
    with ChatServer([reply]) as server:
        server.models = in_chunks(200)
        with pytest.raises(UnknownNameError, match="does not exist"):
            act(policy_of(server))


def test_cause_is_found_in_the_beginning_of_a_long_error() -> None:
    error_text = "This model's maximum context length is 9 tokens"
    body = json.dumps({"error": {"message": error_text, "input": "x" * MIB}})
    with ChatServer([http(400, body)]) as server, pytest.raises(ContextFullError, match="9 tokens"):
        act(policy_of(server))


def test_long_html_page_is_reported_as_a_page() -> None:
    page = "<!DOCTYPE html>" + "<p>bad gateway</p>" * MIB
    with ChatServer([http(502, page)]) as server, pytest.raises(PolicyFailure) as caught:
        act(policy_of(server, retries=0))
    assert str(caught.value).endswith("502: an HTML page")


@pytest.mark.parametrize("length", [64 * KIB - 1, 64 * KIB, 64 * KIB + 1])
def test_error_near_the_size_limit_is_read(length: int) -> None:
    parts = '{"error": {"message": "the engine died", "input": "', '"}}'
    body = ("x" * (length - len("".join(parts)))).join(parts)
    with ChatServer([http(500, body)]) as server, pytest.raises(PolicyFailure) as caught:
        act(policy_of(server, retries=0))
    assert ("500: the engine died" in str(caught.value)) == (length <= 64 * KIB)
    assert "the engine died" in str(caught.value)


def test_connection_is_reused_after_a_short_error() -> None:
    with ChatServer([http(500, {"error": "x" * 1000}), answer()]) as server:
        act(policy_of(server))
        assert server.connections == 1


# Compression.


def compressed(reply: bytes, encoding: str, pack: Callable[[bytes], bytes]) -> bytes:
    body = reply.split(b"\r\n\r\n", 1)[1]
    return http(200, pack(body), {"Content-Encoding": encoding})


@pytest.mark.parametrize(
    ("encoding", "pack"),
    [("gzip", gzip.compress), ("GZIP", gzip.compress), ("deflate", zlib.compress),
     ("identity", bytes)],
)  # fmt: skip
def test_compressed_reply_is_read(encoding: str, pack: Callable[[bytes], bytes]) -> None:
    text = "é" * MIB
    with ChatServer([compressed(answer(text), encoding, pack)]) as server:
        assert act(policy_of(server)).message == assistant(text)
        assert server.requests[0].headers["Accept-Encoding"] == "gzip, deflate"


@pytest.mark.parametrize(
    ("pack", "error_text"),
    [
        pytest.param(lambda body: gzip.compress(body)[:-12], "connection broke", id="half"),
        pytest.param(lambda body: b"\x1f\x8b\x08" + b"\xff" * 99, "decompressed", id="no gzip"),
        pytest.param(lambda body: b"", "an empty body", id="empty"),
    ],
)
def test_reply_that_cannot_be_decompressed_is_retried(
    pack: Callable[[bytes], bytes], error_text: str
) -> None:
    broken = compressed(answer("x" * 5000), "gzip", pack)
    with ChatServer([broken]) as server, pytest.raises(PolicyFailure, match=error_text):
        act(policy_of(server, retries=0))
    with ChatServer([broken, answer("right")]) as server:
        assert act(policy_of(server)).message == assistant("right")


# Errors about a long reply.


@pytest.mark.parametrize(
    "body",
    [
        pytest.param({"error": {"message": "x" * MIB, "code": 500}}, id="message"),
        pytest.param({"error": "x" * MIB}, id="text"),
        pytest.param({"error": {"input": ["x" * MIB]}}, id="object"),
        pytest.param({"error": {"message": "x", "code": ["x" * MIB]}}, id="code"),
        pytest.param({"choices": [{"error": "x" * MIB}]}, id="broken off"),
    ],
)
@pytest.mark.parametrize("status", [200, 500])
def test_failure_text_is_cut(body: Any, status: int) -> None:
    reply = HTTPReply(status, {}, json.dumps(body).encode())
    failure = read_reply(reply, ChatRequest([], []))
    assert isinstance(failure, FailedRequest)
    assert len(failure.text) <= 64 * KIB


def test_unknown_model_is_compared_with_part_of_a_long_list(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    from textgym.policies.openai import policy as openai

    compared: list[int] = []

    def nearest(name: str, known: list[str]) -> str:
        compared.append(len(known))
        return ""

    monkeypatch.setattr(openai, "did_you_mean", nearest)
    reply = http(404, {"error": {"message": "The model `m` does not exist"}})
    with ChatServer([reply]) as server:
        server.models = http(200, {"data": [{"id": f"model-{n}"} for n in range(5000)]})
        with pytest.raises(UnknownNameError, match="has no model 'm'"):
            act(policy_of(server))
    assert compared == [1000]
