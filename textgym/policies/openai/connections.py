"""A policy's HTTP connections: kept open between requests, of any number of event loops.

Each event loop has a session of its own, made when it is first needed, and closed when the policy
or the loop is, or when nothing holds the policy any more. What goes wrong on the way is a
`ConnectionTrouble` in words; no error of the HTTP library, which may hold headers and so a key,
gets out or hangs on to it.

Invariants: of a reply no more is held than a limit, whatever its length, its framing and its
compression; the connection of a reply that is longer is closed.
"""

from __future__ import annotations

import asyncio
import contextlib
import io
import os
import weakref
import zlib
from collections.abc import AsyncGenerator, Mapping
from contextlib import AbstractAsyncContextManager, nullcontext
from dataclasses import dataclass

from textgym.errors import ExtraMissingError

try:
    import aiohttp
except ModuleNotFoundError as error:
    raise ExtraMissingError(
        f"openai: policies need the extra 'http' ({error.name} is missing): "
        "pip install 'textgym[http]'"
    ) from error

__all__ = ["ConnectionTrouble", "Connections", "Reply"]

_LARGEST_REPLY = 64 * 2**20  # a million token ids with log probabilities need less
_LARGEST_ERROR = 64 * 2**10
_PACKED = ("gzip", "x-gzip", "deflate")
_EITHER_HEADER = 32 + zlib.MAX_WBITS  # as zlib says that it is to tell gzip from zlib itself
_LARGE_BODY = 2**20  # aiohttp wants more than this as a file


@dataclass(frozen=True, slots=True)
class Reply:
    """What a server answered.

    Attributes:
        status: The HTTP status.
        headers: The HTTP headers.
        data: The body, or its beginning: 64 MiB, and of an error 64 KiB.
        is_cut: Whether the body is longer than that.
    """

    status: int
    headers: Mapping[str, str]
    data: bytes
    is_cut: bool = False


class ConnectionTrouble(Exception):
    """No whole reply came.

    Attributes:
        unreached: No connection to the server could be made.
        lasting: It will not be otherwise the next time.
    """

    def __init__(self, text: str, *, unreached: bool = False, lasting: bool = False) -> None:
        super().__init__(text)
        self.unreached = unreached
        self.lasting = lasting


@dataclass(frozen=True, slots=True)
class _Open:
    """What an event loop holds."""

    session: aiohttp.ClientSession
    slots: AbstractAsyncContextManager[None]
    keeper: AsyncGenerator[None, None]


class Connections:
    """Sends requests, in the event loop that it is called in.

    Args:
        headers: What every request carries.
        concurrency: The most requests under way at once in an event loop; None for no limit.
        timeout: How many seconds a request may take from its start to the reply's end.
        connect_timeout: How many seconds connecting may take.
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
        self._open: dict[asyncio.AbstractEventLoop, _Open] = {}
        weakref.finalize(self, _close_all, self._open)

    async def slot(self) -> AbstractAsyncContextManager[None]:
        """Return what is to be held while a request is under way."""
        return (await self._opened()).slots

    async def send(self, method: str, url: str, body: bytes | None = None) -> Reply:
        """Send a request and return the reply; redirects are not followed.

        Raises:
            ConnectionTrouble: The reply broke off, or none came.
        """
        session = (await self._opened()).session
        data = io.BytesIO(body) if body and len(body) > _LARGE_BODY else body
        try:
            async with session.request(method, url, data=data, allow_redirects=False) as response:
                return await _read(response)
        except ConnectionTrouble as error:
            trouble = error
        except (aiohttp.ClientError, TimeoutError, OSError, ValueError, zlib.error) as error:
            trouble = _trouble(error, self._timeout)
        raise trouble

    async def close(self) -> None:
        """Close the connections of the running event loop."""
        held = self._open.get(asyncio.get_running_loop())
        if held:
            await held.keeper.aclose()

    async def _opened(self) -> _Open:
        loop = asyncio.get_running_loop()
        held = self._open.get(loop)
        if held is None:
            session = aiohttp.ClientSession(
                connector=aiohttp.TCPConnector(limit=0),
                cookie_jar=aiohttp.DummyCookieJar(),
                auto_decompress=False,  # `_read` does it within its limits
                headers=self._headers,
                timeout=self._timeout,
            )
            slots = asyncio.Semaphore(self._concurrency) if self._concurrency else nullcontext()
            held = self._open[loop] = _Open(session, slots, _keep(session, self._open, loop))
            await anext(held.keeper)
        return held


async def _keep(
    session: aiohttp.ClientSession,
    opened: dict[asyncio.AbstractEventLoop, _Open],
    loop: asyncio.AbstractEventLoop,
) -> AsyncGenerator[None, None]:
    """Wait for the loop's end: `asyncio.run` ends the generators that are left."""
    try:
        yield
    finally:
        del opened[loop]
        await session.close()


def _close_all(opened: dict[asyncio.AbstractEventLoop, _Open]) -> None:
    """Close the connections of all event loops, each in its own; called in any thread."""
    for loop, held in list(opened.items()):
        with contextlib.suppress(RuntimeError):  # the loop is closed, and so is what it held
            asyncio.run_coroutine_threadsafe(held.keeper.aclose(), loop)


async def _read(response: aiohttp.ClientResponse) -> Reply:
    is_error = not 200 <= response.status < 300
    most = _LARGEST_ERROR if is_error else _LARGEST_REPLY
    body = await _beginning(response, most)
    is_cut = len(body) > most
    if is_cut:
        response.close()
        del body[most:]
    return Reply(response.status, response.headers, bytes(body), is_cut)


async def _beginning(response: aiohttp.ClientResponse, most: int) -> bytearray:
    """Return a body, decompressed; of one that is longer than so many bytes, a little more."""
    packed = response.headers.get("Content-Encoding", "").lower() in _PACKED
    unpacker = zlib.decompressobj(_EITHER_HEADER) if packed else None
    body = bytearray()
    while len(body) <= most and (part := await response.content.readany()):
        body += unpacker.decompress(part, most + 1 - len(body)) if unpacker else part
    if unpacker and len(body) <= most and body and not unpacker.eof:
        raise aiohttp.ClientPayloadError
    return body


def _trouble(error: Exception, timeout: aiohttp.ClientTimeout) -> ConnectionTrouble:
    """Say in words what went wrong, without the error itself."""
    match error:
        case aiohttp.ConnectionTimeoutError():
            text = f"no connection within {timeout.sock_connect:g} s"
            return ConnectionTrouble(text, unreached=True)
        case TimeoutError():
            return ConnectionTrouble(f"no whole reply within {timeout.total:g} s")
        case aiohttp.ClientSSLError():
            text = f"no secure connection: {error.os_error}"
            return ConnectionTrouble(text, unreached=True, lasting=True)
        case aiohttp.ClientConnectorError():
            cause = error.os_error
            number = cause.errno or 0
            text = os.strerror(number).lower() if number > 0 else str(cause)
            text = text or type(cause).__name__
            return ConnectionTrouble(text, unreached=True)
        case aiohttp.ServerDisconnectedError():
            return ConnectionTrouble("the server closed the connection before it answered")
        case zlib.error():
            return ConnectionTrouble(f"the reply cannot be decompressed: {error}")
        case aiohttp.ClientPayloadError():
            return ConnectionTrouble("the reply broke off before its end")
        case aiohttp.ClientResponseError():
            return ConnectionTrouble(f"the reply is no HTTP: {error.message}")
        case _:
            return ConnectionTrouble(f"{type(error).__name__}: {error}")
