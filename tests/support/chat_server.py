"""A chat-completions server for tests, with scripted replies that can be given as raw bytes.

It runs on 127.0.0.1 in a separate thread, so it can serve a policy in any event loop and a command
in another process. `FakeTime` replaces the waiting times of such a policy.
"""

from __future__ import annotations

import asyncio
import contextlib
import inspect
import json
import threading
from collections.abc import Awaitable, Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from textgym.policies.openai.connections import RateLimiter


__all__ = ["CLOSE", "ChatServer", "FakeTime", "Request", "answer", "error", "http"]

_TLS = b"\x16"  # the first byte of a TLS connection
CLOSE = b""  # closes the connection instead of replying


@dataclass(frozen=True)
class Request:
    """A request that the server received."""

    method: str
    path: str
    headers: Mapping[str, str]
    data: bytes

    @property
    def body(self) -> dict[str, Any]:
        return json.loads(self.data)


# The parts of a tuple are sent with pauses, and those of an iterator without. After either, the
# server closes the connection.
Answer = bytes | tuple[bytes, ...] | Iterator[bytes]
Handler = Callable[[Request], Answer | Awaitable[Answer]]


def http(status: int, body: Any, headers: Mapping[str, str] | None = None) -> bytes:
    """Return a complete HTTP reply. A body other than a string or bytes is sent as JSON."""
    if not isinstance(body, (str, bytes)):
        body = json.dumps(body)
    data = body if isinstance(body, bytes) else body.encode()
    lines = [f"HTTP/1.1 {status} Some reason", f"Content-Length: {len(data)}"]
    lines += [f"{name}: {value}" for name, value in (headers or {}).items()]
    return "\r\n".join([*lines, "", ""]).encode() + data


def answer(content: Any = "Hello", finish_reason: Any = "stop", **message: Any) -> bytes:
    """Return a normal reply. Further keyword arguments become keys of its message."""
    said = {"role": "assistant", "content": content, **message}
    choice = {"index": 0, "message": said, "finish_reason": finish_reason}
    return http(200, {"object": "chat.completion", "choices": [choice]})


def error(status: int, message: str = "no", headers: Any = None, **more: Any) -> bytes:
    """Return an error in OpenAI's format."""
    return http(status, {"error": {"message": message, **more}}, headers)


class ChatServer:
    """Replies to each request with a handler, or with a list of replies of which the last repeats.

    Attributes:
        requests: The requests that were received, without those for the list of models.
        models: The reply to `GET /v1/models`.
        sent: The number of bytes from iterators that were sent.
        url: The base URL.
    """

    def __init__(self, handler: Handler | Iterable[Answer]) -> None:
        self.handler: Handler = handler if callable(handler) else self._from(list(handler))
        self.requests: list[Request] = []
        self.sent = 0
        self.models: Answer = http(200, {"object": "list", "data": [{"id": "m"}]})
        self.connections = 0
        self._port = 0
        self._writers: set[asyncio.StreamWriter] = set()

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self._port}/v1"

    @property
    def open(self) -> int:
        """The number of open connections."""
        return len(self._writers)

    def __enter__(self) -> ChatServer:
        self._loop = asyncio.new_event_loop()
        self._thread = threading.Thread(target=self._loop.run_forever, daemon=True)
        self._thread.start()
        self._call(self._start())
        return self

    def __exit__(self, *_: object) -> None:
        self._call(self._stop())
        self._loop.call_soon_threadsafe(self._loop.stop)
        self._thread.join()
        self._loop.close()

    def drop_connections(self) -> None:
        """Close all open connections, as servers do with idle ones."""

        async def drop() -> None:
            for writer in list(self._writers):
                writer.transport.abort()

        self._call(drop())

    def _from(self, replies: list[Answer]) -> Handler:
        return lambda request: replies.pop(0) if len(replies) > 1 else replies[0]

    def _call(self, work: Any) -> None:
        asyncio.run_coroutine_threadsafe(work, self._loop).result(300)

    async def _start(self) -> None:
        self._server = await asyncio.start_server(
            self._serve, "127.0.0.1", self._port, limit=2**27, backlog=4096
        )
        self._port = self._server.sockets[0].getsockname()[1]

    async def _stop(self) -> None:
        self._server.close()
        tasks = asyncio.all_tasks() - {asyncio.current_task()}
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)
        for writer in list(self._writers):
            writer.transport.abort()
        await asyncio.sleep(0.01)

    async def _serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        self.connections += 1
        self._writers.add(writer)
        try:
            while request := await self._read(reader):
                reply = await self._reply(request)
                for part in (reply,) if isinstance(reply, bytes) else reply:
                    writer.write(part)
                    await writer.drain()
                    if isinstance(reply, tuple):
                        await asyncio.sleep(0.01)
                    elif isinstance(reply, Iterator):
                        self.sent += len(part)
                if reply == CLOSE or not isinstance(reply, bytes):
                    return
        except (ConnectionError, asyncio.CancelledError):
            pass
        finally:
            self._writers.discard(writer)
            writer.close()
            with contextlib.suppress(ConnectionError, asyncio.CancelledError):
                await writer.wait_closed()

    async def _reply(self, request: Request) -> Answer:
        if request.method == "TLS":
            return (http(400, "The plain HTTP request was expected"),)
        if request.method == "GET" and request.path == "/v1/models":
            return self.models
        self.requests.append(request)
        reply = self.handler(request)
        return await reply if inspect.isawaitable(reply) else reply

    async def _read(self, reader: asyncio.StreamReader) -> Request | None:
        try:
            start = await reader.readexactly(1)
            if start == _TLS:
                return Request("TLS", "", {}, b"")
            head = (start + await reader.readuntil(b"\r\n\r\n")).decode()
        except (asyncio.IncompleteReadError, ConnectionError):
            return None
        first, *lines = head.strip().split("\r\n")
        headers = dict(line.split(": ", 1) for line in lines)
        method, path, _ = first.split()
        size = int(headers.get("Content-Length", 0))
        return Request(method, path, headers, await reader.readexactly(size))


class FakeTime:
    """A clock that advances only by sleeping."""

    def __init__(self) -> None:
        self.now = 1000.0
        self.slept: list[float] = []

    def clock(self) -> float:
        return self.now

    async def sleep(self, seconds: float) -> None:
        self.slept.append(seconds)
        end = self.now + seconds
        await asyncio.sleep(0)
        self.now = max(self.now, end)

    def rate_limiter(
        self, requests_per_minute: float | None = None, jitter: float = 1.0
    ) -> RateLimiter:
        from textgym.policies.openai.connections import RateLimiter  # needs aiohttp

        return RateLimiter(
            requests_per_minute, clock=self.clock, sleep=self.sleep, jitter=lambda: jitter
        )
