"""Connections to a server that send no request: at most so many wait at a time.

A client that only opens connections would otherwise use up the process's file descriptors, and
others could not connect. Invariants: the connection that has waited longest is closed first, so a
client that sends its request at once gets its reply; a connection with a request or a session that
is served is never closed here.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from typing import Any

from aiohttp import web

__all__ = ["IdleConnections"]


class IdleConnections:
    """The connections that wait for a request.

    Args:
        most: How many there are at most.
    """

    def __init__(self, most: int = 256) -> None:
        self._most = most
        self._waiting: dict[asyncio.BaseTransport, None] = {}  # the one that came first is first

    def add(self, transport: asyncio.BaseTransport) -> None:
        """Add a connection, and close the oldest one if there are too many."""
        self._waiting[transport] = None
        if len(self._waiting) > self._most:
            oldest = next(iter(self._waiting))
            del self._waiting[oldest]
            oldest.close()

    def remove(self, transport: asyncio.BaseTransport | None) -> None:
        """Remove a connection that is closed, or whose request is served."""
        if transport is not None:
            self._waiting.pop(transport, None)

    @web.middleware
    async def middleware(self, request: web.Request, handler: Any) -> Any:
        """Let the connection of a request wait only before and after the request is served."""
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
        self._transport: asyncio.BaseTransport | None = None

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
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
