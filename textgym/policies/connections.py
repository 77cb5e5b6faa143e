"""A policy's HTTP connections: kept open between requests, of any number of event loops.

Each event loop has a session of its own, made when it is first needed, and closed when the policy
or the loop is, or when nothing holds the policy any more. What goes wrong on the way is a
`ConnectionTrouble` in words; no error of the HTTP library, which may hold headers and so a key,
gets out or hangs on to it.
"""

from __future__ import annotations

import asyncio
import contextlib
import io
import os
import weakref
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

_LARGEST_REPLY = 64 * 2**20
_LARGE_BODY = 2**20  # aiohttp wants more than this as a file


@dataclass(frozen=True, slots=True)
class Reply:
    """What a server answered."""

    status: int
    headers: Mapping[str, str]
    data: bytes


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
        self._headers = dict(headers)
        self._concurrency = concurrency
        self._timeout = aiohttp.ClientTimeout(total=timeout, sock_connect=connect_timeout)
        self._open: dict[asyncio.AbstractEventLoop, _Open] = {}
        weakref.finalize(self, _close_all, self._open)

    async def slot(self) -> AbstractAsyncContextManager[None]:
        """Return what is to be held while a request is under way."""
        return (await self._opened()).slots

    async def send(self, method: str, url: str, body: bytes | None = None) -> Reply:
        """Send a request and return the whole reply; redirects are not followed.

        Raises:
            ConnectionTrouble: No whole reply came.
        """
        session = (await self._opened()).session
        data = io.BytesIO(body) if body and len(body) > _LARGE_BODY else body
        try:
            async with session.request(method, url, data=data, allow_redirects=False) as response:
                return Reply(response.status, response.headers, await _read(response))
        except ConnectionTrouble as error:
            trouble = error
        except (aiohttp.ClientError, TimeoutError, OSError, ValueError) as error:
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


async def _read(response: aiohttp.ClientResponse) -> bytes:
    parts, size = [], 0
    while part := await response.content.readany():
        size += len(part)
        if size > _LARGEST_REPLY:
            raise ConnectionTrouble(
                f"the reply is longer than {_LARGEST_REPLY // 2**20} MiB", lasting=True
            )
        parts.append(part)
    return b"".join(parts)


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
        case aiohttp.ClientPayloadError():
            return ConnectionTrouble("the reply broke off before its end")
        case aiohttp.ClientResponseError():
            return ConnectionTrouble(f"the reply is no HTTP: {error.message}")
        case _:
            return ConnectionTrouble(f"{type(error).__name__}: {error}")
