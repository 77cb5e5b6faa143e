"""Connections to a server: how many may be idle, and how long requests and replies may take.

A connection is idle if it has neither a whole request nor a session. A client that only opens
connections, or sends requests byte by byte, would otherwise use up the process's file descriptors,
and others could not connect. Invariants: the connection that has been idle longest is closed first,
so a client that sends its request at once gets its reply; others are never closed here.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from typing import Any

from aiohttp import web

from textgym.errors import in_one_line

__all__ = ["IdleConnections", "pace"]


def pace(request_seconds: float, send_seconds: float) -> Any:
    """Return a middleware that limits how long a client takes; handlers find the whole body.

    Args:
        request_seconds: How long it may take to send the body of a request.
        send_seconds: How long it may take to accept the reply.
    """

    @web.middleware
    async def limit(request: web.Request, handler: Any) -> Any:
        try:
            async with asyncio.timeout(request_seconds):
                await request.read()
        except TimeoutError:
            text = f"the body of the request took longer than {request_seconds:g} s"
            return web.json_response({"error": text}, status=408)
        except (web.RequestPayloadError, ConnectionError) as error:
            text = f"the body of the request cannot be read: {in_one_line(error)}"
            return web.json_response({"error": text}, status=400)
        response = await handler(request)
        try:
            async with asyncio.timeout(send_seconds):
                await response.prepare(request)
                await response.write_eof()
        except (TimeoutError, ConnectionError):  # the client does not read, or is gone
            if request.transport is not None:
                request.transport.abort()
        return response

    return limit


class IdleConnections:
    """The idle connections.

    Args:
        most: How many there are at most.
    """

    def __init__(self, most: int = 256) -> None:
        self._most = most
        self._idle: dict[asyncio.Transport, None] = {}  # the first one was added first

    def __len__(self) -> int:
        return len(self._idle)

    def add(self, transport: asyncio.Transport) -> None:
        """Add a connection, and close the one that was added first if there are too many."""
        self._idle[transport] = None
        if len(self._idle) > self._most:
            oldest = next(iter(self._idle))
            del self._idle[oldest]
            oldest.abort()  # `close` would wait until the client has read all

    def remove(self, transport: asyncio.Transport | None) -> None:
        """Remove a connection that is closed, or whose request is handled."""
        if transport is not None:
            self._idle.pop(transport, None)

    @web.middleware
    async def middleware(self, request: web.Request, handler: Any) -> Any:
        """Count the connection of a request as idle until the handler is called, and afterwards.

        It belongs behind a middleware that reads the body, such as `pace`.
        """
        transport = request.transport
        self.remove(transport)
        try:
            return await handler(request)
        finally:
            if transport is not None and not transport.is_closing():
                self.add(transport)

    async def listen(
        self, make_protocol: Callable[[], asyncio.Protocol], host: str, port: int
    ) -> asyncio.Server:
        """Start a server whose connections are counted.

        Args:
            make_protocol: Returns the protocol of a connection.
            host: The address to listen on.
            port: The port; 0 for a free one.

        Raises:
            OSError: The address cannot be listened on.
        """
        loop = asyncio.get_running_loop()
        return await loop.create_server(lambda: _Counted(make_protocol(), self), host, port)


class _Counted(asyncio.Protocol):
    """Passes everything on to another protocol, and counts its connection."""

    def __init__(self, protocol: asyncio.Protocol, connections: IdleConnections) -> None:
        self._protocol, self._connections = protocol, connections
        self._transport: asyncio.Transport | None = None

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        assert isinstance(transport, asyncio.Transport)
        self._transport = transport
        self._connections.add(transport)
        self._protocol.connection_made(transport)

    def connection_lost(self, exc: Exception | None) -> None:
        self._connections.remove(self._transport)
        self._protocol.connection_lost(exc)

    def data_received(self, data: bytes) -> None:
        self._protocol.data_received(data)

    def eof_received(self) -> bool | None:
        return self._protocol.eof_received()

    def pause_writing(self) -> None:
        self._protocol.pause_writing()

    def resume_writing(self) -> None:
        self._protocol.resume_writing()
