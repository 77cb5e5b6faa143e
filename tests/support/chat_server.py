"""A chat-completions server for tests, which answers as it is told to, byte for byte if need be.

It runs on 127.0.0.1 in a thread of its own, so that a policy in any event loop, and a command in
another process, can ask it. `FakeTime` spares such a policy its waits.
"""

from __future__ import annotations

import asyncio
import contextlib
import inspect
import json
import threading
from collections.abc import Awaitable, Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from textgym.policies.openai.rate_limit import RateLimiter

__all__ = ["CLOSE", "ChatServer", "FakeTime", "Request", "answer", "error", "http"]

_TLS = b"\x16"  # how a secure connection begins
CLOSE = b""  # in place of an answer: the connection is closed


@dataclass(frozen=True)
class Request:
    """What the server was asked."""

    method: str
    path: str
    headers: Mapping[str, str]
    data: bytes

    @property
    def body(self) -> dict[str, Any]:
        return json.loads(self.data)


# The parts of a tuple are sent with a pause between them, those of an iterator without; then the
# server closes.
Answer = bytes | tuple[bytes, ...] | Iterator[bytes]
Handler = Callable[[Request], Answer | Awaitable[Answer]]


def http(status: int, body: Any, headers: Mapping[str, str] | None = None) -> bytes:
    """Return a whole HTTP reply; a body that is no text or bytes is sent as JSON."""
    if not isinstance(body, (str, bytes)):
        body = json.dumps(body)
    data = body if isinstance(body, bytes) else body.encode()
    lines = [f"HTTP/1.1 {status} Some reason", f"Content-Length: {len(data)}"]
    lines += [f"{name}: {value}" for name, value in (headers or {}).items()]
    return "\r\n".join([*lines, "", ""]).encode() + data


def answer(content: Any = "Hello", finish_reason: Any = "stop", **message: Any) -> bytes:
    """Return an ordinary reply; more keys go into its message."""
    said = {"role": "assistant", "content": content, **message}
    choice = {"index": 0, "message": said, "finish_reason": finish_reason}
    return http(200, {"object": "chat.completion", "choices": [choice]})


def error(status: int, message: str = "no", headers: Any = None, **more: Any) -> bytes:
    """Return an error in OpenAI's form."""
    return http(status, {"error": {"message": message, **more}}, headers)


class ChatServer:
    """Answers each request by a handler, or with the replies of a list, the last one for ever.

    Attributes:
        requests: What was asked for, without the lists of models.
        models: What `GET /v1/models` is answered.
        sent: How many bytes of iterators it could send.
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
        """How many connections are open."""
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
        """Close every connection that is open, as a server does with idle ones."""

        async def drop() -> None:
            for writer in list(self._writers):
                writer.transport.abort()

        self._call(drop())

    def _from(self, replies: list[Answer]) -> Handler:
        return lambda request: replies.pop(0) if len(replies) > 1 else replies[0]

    def _call(self, work: Any) -> None:
        asyncio.run_coroutine_threadsafe(work, self._loop).result(30)

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
    """A clock that only sleeping moves."""

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
        return RateLimiter(
            requests_per_minute, clock=self.clock, sleep=self.sleep, jitter=lambda: jitter
        )
