"""A session with an OpenEnv server, over a WebSocket.

Invariants: a session is one connection, used from one thread at a time; an error of the server is
an `EnvironmentFailure`, except for an action that it does not accept.
"""

from __future__ import annotations

import asyncio
import contextlib
import json
import weakref
from collections.abc import Mapping
from typing import Any
from urllib.parse import urlsplit, urlunsplit

from textgym.concurrency import event_loops
from textgym.errors import EnvironmentFailure, ExtraMissingError, install_advice
from textgym.integrations.validation import is_finite
from textgym.messages import message_problem

try:
    import aiohttp
except ImportError as error:
    raise ExtraMissingError(
        f"OpenEnv servers need the extra 'http': {install_advice('http')}"
    ) from error

__all__ = ["LIST_TOOLS", "OpenEnvSession", "RefusedActionError"]

LIST_TOOLS = "list_tools"  # the type of an action

_MAX_REPLY = 100 << 20  # bytes, the limit of OpenEnv's own client
_CONNECT_SECONDS = 10.0
_REFUSALS = ("VALIDATION_ERROR", "INVALID_JSON")


class RefusedActionError(Exception):
    """The server does not accept an action."""


class OpenEnvSession:
    """A session.

    Args:
        url: The server's URL; `http://:TOKEN@HOST:PORT` sends a token.
        timeout: The maximum number of seconds for a reply.

    Attributes:
        history: The data of the last `reset`, and the actions after it, as JSON; empty if there is
            no episode.
    """

    def __init__(self, url: str, timeout: float) -> None:
        self._url, self._timeout = url, timeout
        self.history: list[str] = []
        self._socket: aiohttp.ClientWebSocketResponse | None = None
        self._end: weakref.finalize[Any, Any] | None = None

    @property
    def is_open(self) -> bool:
        """Whether there is a connection."""
        return self._socket is not None and not self._socket.closed

    def action_schema(self) -> dict[str, Any]:
        """Return the JSON Schema of the server's actions; {} if it names none.

        Raises:
            EnvironmentFailure: The server cannot be reached.
        """
        schema: dict[str, Any] = event_loops.run(self._action_schema())
        return schema

    async def _action_schema(self) -> dict[str, Any]:
        async with _http(self._timeout) as http:
            try:
                async with http.get(f"{self._url}/schema") as response:
                    body = await response.json(content_type=None) if response.ok else {}
            except (aiohttp.ClientError, TimeoutError, OSError, ValueError) as error:
                raise EnvironmentFailure(f"no reply from {self._place}: {error!r}") from None
        action = body.get("action") if isinstance(body, dict) else None
        return action if isinstance(action, dict) else {}

    @property
    def _place(self) -> str:
        """The URL without a token."""
        parts = urlsplit(self._url)
        return urlunsplit(parts._replace(netloc=parts.netloc.rpartition("@")[2]))

    def reset(self, data: Mapping[str, Any]) -> dict[str, Any]:
        """Begin an episode, and return the data of the reply.

        Raises:
            EnvironmentFailure: The server failed, or there was no reply. The session is closed.
        """
        self.history = []
        reply: dict[str, Any] = event_loops.run(self._ask({"type": "reset", "data": dict(data)}))
        self.history = [json.dumps(data)]
        return reply

    def step(self, action: Mapping[str, Any]) -> dict[str, Any]:
        """Take a step, and return the data of the reply.

        Raises:
            RefusedActionError: The server does not accept the action. The episode is as before.
            EnvironmentFailure: The server failed, or there was no reply. The session is closed.
        """
        reply: dict[str, Any] = event_loops.run(self._ask({"type": "step", "data": dict(action)}))
        if action.get("type") != LIST_TOOLS:  # which changes nothing
            self.history.append(json.dumps(action))
        return reply

    async def _ask(self, message: Mapping[str, Any]) -> dict[str, Any]:
        try:
            async with asyncio.timeout(self._timeout):
                socket, replies = await self._connected()
                await socket.send_str(json.dumps(message))
                text = await replies.get()
            reply = json.loads(text)
        except (aiohttp.ClientError, TypeError, TimeoutError, OSError, ValueError) as error:
            await self._close()
            text = f"no reply from {self._place}: {type(error).__name__}: {error}"
            raise EnvironmentFailure(text[:300]) from None
        data = reply.get("data") if isinstance(reply, dict) else None
        if not isinstance(data, dict):
            await self._close()
            raise EnvironmentFailure(f"{self._place} does not follow OpenEnv's protocol")
        if reply.get("type") == "error":
            why = f"{data.get('message', 'an error')}"[:300]
            if data.get("code") in _REFUSALS and message["type"] == "step":
                raise RefusedActionError(why)
            await self._close()
            raise EnvironmentFailure(f"{self._place} answered {data.get('code', 'ERROR')}: {why}")
        if problem := _problem(data):
            await self._close()
            raise EnvironmentFailure(f"{self._place} gave {problem}")
        return data

    async def _connected(self) -> tuple[aiohttp.ClientWebSocketResponse, asyncio.Queue[Any]]:
        if self._socket is None or self._socket.closed:
            await self._close()
            http = _http(self._timeout)
            try:
                self._socket = await http.ws_connect(f"{self._url}/ws", max_msg_size=_MAX_REPLY)
            except BaseException:
                await http.close()
                raise
            self._replies: asyncio.Queue[Any] = asyncio.Queue()
            reading = asyncio.create_task(_read(self._socket, self._replies))
            self._end = weakref.finalize(self, _end, self._socket, http, reading)
        return self._socket, self._replies

    async def _close(self) -> None:
        if self._end is not None and (ended := self._end.detach()):
            _, _, (socket, http, reading), _ = ended
            await _closed(socket, http, reading)
        self._socket, self.history = None, []

    def close(self) -> None:
        """Close the connection."""
        event_loops.run(self._close())


def _http(timeout: float) -> aiohttp.ClientSession:
    limits = aiohttp.ClientTimeout(total=timeout, sock_connect=_CONNECT_SECONDS)
    return aiohttp.ClientSession(timeout=limits)


async def _read(socket: aiohttp.ClientWebSocketResponse, replies: asyncio.Queue[Any]) -> None:
    """Pass on what the server sends, and answer its pings while no reply is awaited."""
    async for message in socket:
        replies.put_nowait(message.data)
    replies.put_nowait(None)  # the connection has ended


def _problem(data: Mapping[str, Any]) -> str:
    """Return what is wrong with the data of a reply; "" if nothing is."""
    reward = data.get("reward")
    if reward is not None and not is_finite(reward):
        return f"the reward {reward!r:.100}, which is not a finite number"
    observation = data.get("observation")
    messages = observation.get("messages") if isinstance(observation, dict) else None
    for message in messages if isinstance(messages, list) else ():
        if problem := message_problem(message):
            return f"a message that cannot be read: {problem}"
    return ""


def _end(
    socket: aiohttp.ClientWebSocketResponse,
    http: aiohttp.ClientSession,
    reading: asyncio.Task[None],
) -> None:
    """Close the connection of a session that was collected."""
    event_loops.start(_closed(socket, http, reading))


async def _closed(
    socket: aiohttp.ClientWebSocketResponse,
    http: aiohttp.ClientSession,
    reading: asyncio.Task[None],
) -> None:
    reading.cancel()
    with contextlib.suppress(asyncio.CancelledError, Exception):
        await reading
    await socket.close()
    await http.close()
