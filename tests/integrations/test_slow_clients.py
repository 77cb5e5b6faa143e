"""Clients that send or read slowly are cut off by both servers, and keep nobody out."""

from __future__ import annotations

import asyncio
import contextlib
import gzip
import json
import socket
from collections.abc import Callable
from typing import Any

import gymnasium
import pytest

from textgym.integrations.nemo_gym.rows import nemo_row

aiohttp = pytest.importorskip("aiohttp", reason="the extra 'http' is not installed")

from serving import serving  # noqa: E402

from textgym.integrations.nemo_gym import server as nemo_gym  # noqa: E402
from textgym.integrations.openenv import server as openenv  # noqa: E402
from textgym.integrations.server import Limits  # noqa: E402

COUNTER = "textgym/SessionState-v0"
SERVERS = {"openenv": openenv.make_app, "nemo-gym": nemo_gym.make_app}
BODY = b"POST /reset HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Length: 100000\r\n\r\n"
CHUNKS = b"POST /reset HTTP/1.1\r\nHost: 127.0.0.1\r\nTransfer-Encoding: chunked\r\n\r\n"
UPGRADE = (
    b"GET /ws HTTP/1.1\r\nHost: 127.0.0.1\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n"
    b"Sec-WebSocket-Version: 13\r\nSec-WebSocket-Key: MDEyMzQ1Njc4OWFiY2RlZg==\r\n\r\n"
)
TRIES = 1200  # of 0.05 seconds, until a test fails


@pytest.fixture(params=SERVERS)
def make_app(request: pytest.FixtureRequest) -> Callable[..., Any]:
    return SERVERS[request.param]


def connected(url: str, first: bytes) -> socket.socket:
    connection = socket.create_connection(("127.0.0.1", int(url.rpartition(":")[2])), timeout=0.05)
    connection.sendall(first)
    return connection


def dripped(url: str, first: bytes, drop: bytes) -> bytes:
    """Send a beginning, and more and more drops until the server closes; return its reply."""
    reply = b""
    with connected(url, first) as connection, contextlib.suppress(ConnectionError):
        for _ in range(TRIES):
            connection.sendall(drop)
            with contextlib.suppress(TimeoutError):
                new = connection.recv(1 << 16)
                reply += new
                if not new:
                    return reply
        raise AssertionError("the server did not close the connection")
    return reply


@pytest.mark.parametrize(
    ("first", "drop", "status"),
    [
        (b"GET /", b"x", b""),
        (b"GET /health HTTP/1.1\r\n", b"A: b\r\n", b""),
        (b"GET /health HTTP/1.1\r\nHost: ", b"x", b""),
        (BODY, b" ", b"408"),
        (CHUNKS, b"1\r\n \r\n", b"408"),
        (BODY.replace(b"reset", b"nowhere"), b" ", b"408"),
        (BODY.replace(b"127.0.0.1", b"evil.example"), b" ", b"403"),
    ],
)
def test_a_request_that_comes_slowly_is_cut_off(
    make_app: Callable[..., Any], first: bytes, drop: bytes, status: bytes
) -> None:
    with serving(make_app, [COUNTER], limits=Limits(request_seconds=0.3)) as (url, _):
        assert dripped(url, first, drop)[9:12] == status


def test_a_message_that_comes_slowly_ends_its_session() -> None:
    with serving(openenv.make_app, [COUNTER], limits=Limits(idle_seconds=0.3)) as (url, sessions):
        frame = bytes([0x81, 0xFE, 0x20, 0, 0, 0, 0, 0])  # a text of 8,192 bytes
        assert b"the session was idle" in dripped(url, UPGRADE + frame, b" ")
        pieces = bytes([0x01, 0x80, 0, 0, 0, 0])  # an empty piece, which is not the last one
        more = bytes([0x00, 0x81, 0, 0, 0, 0, 0x20])
        assert b"the session was idle" in dripped(url, UPGRADE + pieces, more)
        assert sessions.count == 0


def test_idle_sessions_are_closed_together() -> None:
    """Their clients do not answer, for which the server waits ten seconds each."""
    with contextlib.ExitStack() as stack:
        limits = Limits(idle_seconds=1)
        url, sessions = stack.enter_context(serving(openenv.make_app, [COUNTER], limits=limits))
        clients = [stack.enter_context(connected(url, UPGRADE)) for _ in range(12)]
        clients[-1].settimeout(60)
        while b"the session was idle" not in clients[-1].recv(1 << 16):
            pass
        asyncio.run(until(lambda: sessions.count == 0))


def test_a_client_that_goes_before_its_reply_is_not_an_error(
    make_app: Callable[..., Any], caplog: pytest.LogCaptureFixture
) -> None:
    async def leave(request: Any) -> Any:
        request.transport.abort()
        return aiohttp.web.json_response({})

    def with_leaving(*args: Any) -> Any:
        app = make_app(*args)
        app.router.add_get("/leave", leave)
        return app

    with serving(with_leaving, [COUNTER]) as (url, _):
        assert dripped(url, b"GET /leave HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n", b"G") == b""
    assert not caplog.records


def test_a_client_that_keeps_the_connection_of_no_session_is_idle() -> None:
    with contextlib.ExitStack() as stack:
        limits = Limits(sessions=1)
        url, sessions = stack.enter_context(serving(openenv.make_app, [COUNTER], limits=limits))
        player = stack.enter_context(connected(url, UPGRADE))
        asyncio.run(until(lambda: sessions.count == 1))
        for _ in range(20):
            stack.enter_context(connected(url, UPGRADE))  # is refused, and does not close
        asyncio.run(until(lambda: len(sessions.connections) == 20))
        player.sendall(bytes([0x81, 0x90, 0, 0, 0, 0]) + b'{"type":"close"}')
        asyncio.run(until(lambda: len(sessions.connections) == 21))


async def until(condition: Callable[[], bool]) -> None:
    for _ in range(TRIES // 3):
        if condition():
            return
        await asyncio.sleep(0.05)
    raise AssertionError("it did not happen")


def test_a_reply_that_is_not_read_is_cut_off() -> None:
    limits = Limits(message_bytes=64 << 20, send_seconds=0.3)
    row = nemo_row(gymnasium.make(COUNTER, split="test").unwrapped, 0)
    body = json.dumps({**row, "response": {"output": []}, "more": "x" * (32 << 20)}).encode()
    head = f"POST /verify HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Length: {len(body)}\r\n\r\n"
    replies: list[Any] = []

    async def remember(request: Any, reply: Any) -> None:
        replies.append(reply)

    def make_app(*args: Any) -> Any:
        app = nemo_gym.make_app(*args)
        app.on_response_prepare.append(remember)
        return app

    with contextlib.ExitStack() as stack:
        url, sessions = stack.enter_context(serving(make_app, [COUNTER], limits=limits))
        connection = stack.enter_context(connected(url, head.encode()))
        connection.settimeout(60)
        connection.sendall(body)
        asyncio.run(until(lambda: bool(replies) and len(sessions.connections) == 0))
        received = 0
        while new := connection.recv(1 << 20):
            received += len(new)
        assert 0 < received < len(body)


@pytest.mark.parametrize("rest", [b"zzz\r\n", b"1\r\na\r\nzzz\r\n", b"1\r\nab\r\n"])
def test_broken_chunks_are_refused(make_app: Callable[..., Any], rest: bytes) -> None:
    with serving(make_app, [COUNTER], limits=Limits(request_seconds=0.3)) as (url, _):
        assert dripped(url, CHUNKS + rest, b" ")[9:12] in (b"400", b"408")


def test_a_body_that_is_long_only_when_it_is_unpacked_is_refused(
    make_app: Callable[..., Any],
) -> None:
    limits, packed = Limits(message_bytes=10_000), gzip.compress(b" " * (10 << 20))
    head = BODY.replace(b"100000", str(len(packed)).encode() + b"\r\nContent-Encoding: gzip")
    with serving(make_app, [COUNTER], limits=limits) as (url, _):
        for body, status in ((packed, b"413"), (b"\0" * len(packed), b"400")):
            with connected(url, head + body) as connection:
                connection.settimeout(60)
                assert connection.recv(1 << 16)[9:12] == status
