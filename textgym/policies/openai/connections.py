"""A policy's HTTP connections, and when its requests may start.

Connections stay open between requests, for any number of event loops. Each event loop has its own
session. It is made at the first request, and closed with the policy, with the event loop, or when
the policy is garbage-collected. A rate limit, pauses that hold back all requests, and backoff
decide when a request starts.

Invariants:

- A failure is raised as a `NoReplyError` without the HTTP library's error as its cause, because
  that error may hold headers and so the API key.
- A reply of any length, framing and compression is read up to a limit; the connection of a longer
  reply is closed.
- With a rate, requests start at least one interval apart, even after a pause. During a pause no
  request starts. Tests can replace the clock and the sleep.
"""

from __future__ import annotations

import asyncio
import contextlib
import io
import os
import random
import time
import weakref
import zlib
from collections.abc import AsyncGenerator, Awaitable, Callable, Mapping
from contextlib import AbstractAsyncContextManager, nullcontext
from dataclasses import dataclass
from email.utils import parsedate_to_datetime
from math import isfinite

from textgym.concurrency.calls import pause_seconds
from textgym.errors import ExtraMissingError, install_advice

__all__ = [
    "MAX_WAIT", "ConnectionPool", "HTTPReply", "NoReplyError", "RateLimiter", "read_retry_after",
]  # fmt: skip

MAX_WAIT = 60.0
"""The maximum wait, in seconds, that a server can ask for."""

_MIN_BACKOFF = 0.5
_MAX_BACKOFF = 30.0


class RateLimiter:
    """Decides when a policy's next request may start.

    Args:
        requests_per_minute: The maximum number of requests that start in a minute, evenly spaced;
            None for no limit.
        clock: Returns a monotonic time in seconds.
        sleep: Waits for a number of seconds.
        jitter: Returns a random number from 0 to 1.
    """

    def __init__(
        self,
        requests_per_minute: float | None = None,
        *,
        clock: Callable[[], float] = time.monotonic,
        sleep: Callable[[float], Awaitable[object]] = asyncio.sleep,
        jitter: Callable[[], float] | None = None,
    ) -> None:
        self.clock = clock
        self.sleep = sleep
        # The global generator may be seeded by the program.
        self._jitter = jitter or random.Random().random
        self._interval = 60.0 / requests_per_minute if requests_per_minute else 0.0
        self._next_start = 0.0
        self._paused_until = 0.0

    async def acquire(self) -> None:
        """Wait until a request may start."""
        while True:
            now = self.clock()
            start = max(now, self._paused_until)
            if self._interval:
                start = max(start, self._next_start)
                self._next_start = start + self._interval
            if start <= now:
                return
            await self.sleep(start - now)
            if self._paused_until <= self.clock():
                return

    def pause(self, seconds: float) -> None:
        """Let no request start for a number of seconds."""
        self._paused_until = max(self._paused_until, self.clock() + seconds)

    def backoff(self, tries: int) -> float:
        """Return a random number of seconds to wait, with a bound that grows with failed tries."""
        return pause_seconds(
            tries - 1, first=_MIN_BACKOFF, factor=2.0, longest=_MAX_BACKOFF, jitter=self._jitter
        )


def read_retry_after(headers: Mapping[str, str], now: float) -> float | None:
    """Return how many seconds a server asks to wait; None without a valid header.

    Args:
        headers: The reply's headers, a case-insensitive mapping.
        now: The current time, in seconds since 1970.

    Example:
        >>> read_retry_after({"Retry-After": "2"}, 0.0)
        2.0
        >>> read_retry_after({"Retry-After": "Thu, 01 Jan 1970 00:01:30 GMT"}, 60.0)
        30.0
        >>> read_retry_after({"Retry-After": "soon"}, 0.0)
    """
    for name, unit in (("Retry-After-Ms", 0.001), ("Retry-After", 1.0)):
        text = headers.get(name, "")
        try:
            seconds = float(text) * unit
        except ValueError:
            continue
        if isfinite(seconds):
            return max(seconds, 0.0)
    try:
        return max(parsedate_to_datetime(headers.get("Retry-After", "")).timestamp() - now, 0.0)
    except (ValueError, OverflowError, OSError):
        return None


try:
    import aiohttp
except ModuleNotFoundError as error:
    raise ExtraMissingError(
        f"openai: policies need the extra 'http' ({error.name} is missing): "
        f"{install_advice('http')}"
    ) from error

_MAX_REPLY_BYTES = 64 * 2**20  # a million token ids with log probabilities need less
_MAX_ERROR_BYTES = 64 * 2**10
_COMPRESSED = ("gzip", "x-gzip", "deflate")
_ANY_HEADER = 32 + zlib.MAX_WBITS  # zlib detects gzip or zlib by itself
_LARGE_BODY = 2**20  # aiohttp warns about longer bodies that are not file objects


@dataclass(frozen=True, slots=True)
class HTTPReply:
    """A server's HTTP reply.

    Attributes:
        status: The HTTP status.
        headers: The HTTP headers.
        data: The body, at most its first 64 MiB, or 64 KiB of an error.
        is_cut: Whether the body is longer than that.
    """

    status: int
    headers: Mapping[str, str]
    data: bytes
    is_cut: bool = False


class NoReplyError(Exception):
    """There was no complete reply.

    Attributes:
        not_connected: Whether no connection to the server could be made.
        is_permanent: Whether another try would fail too.
    """

    def __init__(
        self, text: str, *, not_connected: bool = False, is_permanent: bool = False
    ) -> None:
        super().__init__(text)
        self.not_connected = not_connected
        self.is_permanent = is_permanent


@dataclass(frozen=True, slots=True)
class _LoopSession:
    """The session of one event loop."""

    session: aiohttp.ClientSession
    slots: AbstractAsyncContextManager[None]
    closer: AsyncGenerator[None, None]


class ConnectionPool:
    """Sends requests in the caller's event loop.

    Args:
        headers: The headers of every request.
        concurrency: The maximum number of concurrent requests in an event loop; None for no limit.
        timeout: The maximum number of seconds from a request's start to the end of its reply.
        connect_timeout: The maximum number of seconds for connecting.
    """

    def __init__(
        self,
        headers: Mapping[str, str],
        concurrency: int | None,
        timeout: float,
        connect_timeout: float,
    ) -> None:
        self._headers = {**headers, "Accept-Encoding": "gzip, deflate"}
        self._concurrency = concurrency
        self._timeout = aiohttp.ClientTimeout(total=timeout, sock_connect=connect_timeout)
        self._sessions: dict[asyncio.AbstractEventLoop, _LoopSession] = {}
        weakref.finalize(self, _close_all, self._sessions)

    async def slot(self) -> AbstractAsyncContextManager[None]:
        """Return the context manager to hold during a request, which limits the concurrency."""
        return (await self._loop_session()).slots

    async def send(
        self,
        method: str,
        url: str,
        body: bytes | None = None,
        headers: Mapping[str, str] | None = None,
    ) -> HTTPReply:
        """Send a request and return the reply; redirects are not followed.

        Args:
            method: The HTTP method.
            url: The URL.
            body: The body.
            headers: Further headers of this request.

        Raises:
            NoReplyError: The reply is incomplete, or there was none.
        """
        session = (await self._loop_session()).session
        data = io.BytesIO(body) if body and len(body) > _LARGE_BODY else body
        try:
            async with session.request(
                method, url, data=data, headers=headers, allow_redirects=False
            ) as response:
                return await _read(response)
        except (aiohttp.ClientError, TimeoutError, OSError, ValueError, zlib.error) as error:
            failure = _describe(error, self._timeout)
        raise failure  # outside the handler: without the error as its context

    async def close(self) -> None:
        """Close the connections of the running event loop."""
        entry = self._sessions.get(asyncio.get_running_loop())
        if entry:
            await entry.closer.aclose()

    async def _loop_session(self) -> _LoopSession:
        loop = asyncio.get_running_loop()
        entry = self._sessions.get(loop)
        if entry is None:
            session = aiohttp.ClientSession(
                connector=aiohttp.TCPConnector(limit=0),
                cookie_jar=aiohttp.DummyCookieJar(),
                auto_decompress=False,  # `_read` decompresses up to its limit
                headers=self._headers,
                timeout=self._timeout,
            )
            slots = asyncio.Semaphore(self._concurrency) if self._concurrency else nullcontext()
            entry = self._sessions[loop] = _LoopSession(
                session, slots, _close_at_end(session, self._sessions, loop)
            )
            await anext(entry.closer)
        return entry


async def _close_at_end(
    session: aiohttp.ClientSession,
    sessions: dict[asyncio.AbstractEventLoop, _LoopSession],
    loop: asyncio.AbstractEventLoop,
) -> AsyncGenerator[None, None]:
    """Close the session when the generator is closed; `asyncio.run` closes the remaining ones."""
    try:
        yield
    finally:
        del sessions[loop]
        await session.close()


def _close_all(sessions: dict[asyncio.AbstractEventLoop, _LoopSession]) -> None:
    """Close the sessions of all event loops, each in its own loop; can be called in any thread."""
    for loop, entry in list(sessions.items()):
        with contextlib.suppress(RuntimeError):  # the loop is closed, and its session with it
            asyncio.run_coroutine_threadsafe(entry.closer.aclose(), loop)


async def _read(response: aiohttp.ClientResponse) -> HTTPReply:
    is_error = not 200 <= response.status < 300
    limit = _MAX_ERROR_BYTES if is_error else _MAX_REPLY_BYTES
    body = await _read_body(response, limit)
    is_cut = len(body) > limit
    if is_cut:
        response.close()
        del body[limit:]
    return HTTPReply(response.status, response.headers, bytes(body), is_cut)


async def _read_body(response: aiohttp.ClientResponse, limit: int) -> bytearray:
    """Return the decompressed body; of a longer body, a little more than the limit."""
    compressed = response.headers.get("Content-Encoding", "").lower() in _COMPRESSED
    decompressor = zlib.decompressobj(_ANY_HEADER) if compressed else None
    body = bytearray()
    while len(body) <= limit and (part := await response.content.readany()):
        body += decompressor.decompress(part, limit + 1 - len(body)) if decompressor else part
    if decompressor and len(body) <= limit and body and not decompressor.eof:
        raise aiohttp.ClientPayloadError
    return body


def _describe(error: Exception, timeout: aiohttp.ClientTimeout) -> NoReplyError:
    """Return an error with a description, without a reference to the original error."""
    match error:
        case aiohttp.ConnectionTimeoutError():
            text = f"no connection within {timeout.sock_connect:g} s"
            return NoReplyError(text, not_connected=True)
        case TimeoutError():
            return NoReplyError(f"no complete reply within {timeout.total:g} s")
        case aiohttp.ClientSSLError():
            text = f"no secure connection: {error.os_error}"
            return NoReplyError(text, not_connected=True, is_permanent=True)
        case aiohttp.ClientConnectorError():
            cause = error.os_error
            number = cause.errno or 0
            text = os.strerror(number).lower() if number > 0 else str(cause)
            text = text or type(cause).__name__
            return NoReplyError(text, not_connected=True)
        case aiohttp.ServerDisconnectedError():
            return NoReplyError("the server closed the connection before it answered")
        case zlib.error():
            return NoReplyError(f"the reply cannot be decompressed: {error}")
        case aiohttp.ClientPayloadError():
            return NoReplyError("the connection broke before the end of the reply")
        case aiohttp.ClientResponseError():
            return NoReplyError(f"the reply is not valid HTTP: {error.message}")
        case _:
            return NoReplyError(f"{type(error).__name__}: {error}")
