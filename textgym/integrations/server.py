"""What the servers of environments share: sessions, limits, and who may connect.

`textgym serve` runs one of them, `openenv.server` or `nemo_gym.server`. Invariants: each session
has an environment of its own, which is closed with it; a client can neither make more sessions, nor
send longer messages, nor take longer to send and read them than the limits say, and its open
connections do not keep others out; a web page that a browser shows cannot connect.
"""

from __future__ import annotations

import asyncio
import base64
import binascii
import contextlib
import hmac
import secrets
import time
from collections.abc import AsyncIterator, Awaitable, Callable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from functools import partial
from typing import Any, TypeVar
from urllib.parse import urlsplit

import gymnasium as gym

from textgym.concurrency.calls import reset_may_block, step_may_block
from textgym.errors import ExtraMissingError, UsageError, in_one_line, install_advice
from textgym.messages import Message, ToolSchema
from textgym.registry import make, registered_id
from textgym.spaces import ConversationSpace

try:
    from aiohttp import web
except ImportError as error:
    raise ExtraMissingError(
        f"serving environments needs the extra 'http': {install_advice('http')}"
    ) from error

from textgym.integrations.connections import IdleConnections, pace  # which needs aiohttp

__all__ = [
    "FullError", "Limits", "NoEpisodeError", "Session", "Sessions", "guard", "is_loopback",
    "listening", "run",
]  # fmt: skip

T = TypeVar("T")
_LOOPBACK = ("127.0.0.1", "localhost", "::1")
_LONG = 1 << 15  # characters of an action that is read in a thread, so that others need not wait
_SWEEP_SECONDS = 5.0


@dataclass(frozen=True, slots=True)
class Limits:
    """What clients may use.

    Attributes:
        sessions: The maximum number of sessions at once.
        message_bytes: The maximum length of a message from a client.
        idle_seconds: How long a client may take to send the next whole message of a session
            before it is closed.
        request_seconds: How long a client may take to send the headers of a request, and how long
            to send its body.
        send_seconds: How long a client may take to accept a reply.
        takes_rows: Whether a client of OpenEnv may play rows of its own. Such a row can take long,
            for example by a regular expression.
    """

    sessions: int = 256
    message_bytes: int = 1 << 20
    idle_seconds: float = 600.0
    request_seconds: float = 60.0
    send_seconds: float = 30.0
    takes_rows: bool = False


class FullError(Exception):
    """There are already as many sessions as allowed."""


class NoEpisodeError(Exception):
    """A session has no running episode, or is closed."""


class Session:
    """An environment that one client uses.

    Attributes:
        env: The environment.
        messages: The conversation of the episode.
        tools: The tools of the episode.
        steps: The number of steps of the episode.
        is_running: Whether there is an episode that has not ended.
        is_closed: Whether the environment is closed.
        episode_id: The id that the client gave the episode.
        last_used: When the client last used it, on the monotonic clock.
    """

    def __init__(self, env: gym.Env[Any, Any], threads: ThreadPoolExecutor) -> None:
        self.env, self._threads = env, threads
        self._reset_may_block, self._step_may_block = reset_may_block(env), step_may_block(env)
        self._busy = asyncio.Lock()
        self.messages: list[Message] = []
        self.tools: list[ToolSchema] = []
        self.steps, self.is_running, self.is_closed = 0, False, False
        self.episode_id: str | None = None
        self.last_used = time.monotonic()

    @property
    def is_idle(self) -> bool:
        """Whether nothing is being done for the client."""
        return not self._busy.locked()

    async def reset(
        self, seed: int | None, options: dict[str, Any] | None
    ) -> tuple[list[Message], dict[str, Any]]:
        """Begin an episode; return the prompt and the info.

        Raises:
            NoEpisodeError: The session is closed.
            Exception: As `reset` of the environment.
        """
        async with self._used():
            if self.is_closed:
                raise NoEpisodeError("the session is closed")
            self.is_running = False
            call = partial(self.env.reset, seed=seed, options=options)
            self.messages, info = await self._run(call, self._reset_may_block)
            self.tools, self.steps, self.is_running = info.get("tools", []), 0, True
            return self.messages, info

    async def step(self, action: Any) -> tuple[list[Message], float, bool, bool, dict[str, Any]]:
        """Take a step; return only the new messages, and the rest as `step`.

        Raises:
            NoEpisodeError: There is no running episode.
            Exception: As `step` of the environment.
        """
        async with self._used():
            if not self.is_running:
                raise NoEpisodeError("there is no running episode: reset first")
            blocks = self._step_may_block or len(str(action)) > _LONG
            result = await self._run(partial(self.env.step, action), blocks)
            messages, reward, terminated, truncated, info = result
            new, self.messages = messages[len(self.messages) :], messages
            self.steps, self.is_running = self.steps + 1, not (terminated or truncated)
            return new, float(reward), terminated, truncated, info

    @contextlib.asynccontextmanager
    async def _used(self) -> Any:
        async with self._busy:
            self.last_used = time.monotonic()
            try:
                yield
            finally:
                self.last_used = time.monotonic()

    async def _run(self, call: Callable[[], T], may_block: bool) -> T:
        if not may_block:
            return call()
        return await asyncio.get_running_loop().run_in_executor(self._threads, call)

    async def close(self) -> None:
        """Close the environment, after what is being done for the client."""
        async with self._busy:
            self.is_running, self.is_closed = False, True
            with contextlib.suppress(Exception):  # the client is gone
                await asyncio.get_running_loop().run_in_executor(self._threads, self.env.close)


class Sessions:
    """Makes environments for clients, up to a limit.

    Args:
        ids: The environments that are served.
        env_kwargs: Their keyword arguments; an id has the arguments of one environment.
        limits: What clients may use.

    Raises:
        UsageError: An environment cannot be made with these arguments, or has no messages.

    Attributes:
        samples: One environment of each id, which is not played.
        connections: The connections that have neither a whole request nor a session.
    """

    def __init__(
        self,
        ids: Sequence[str],
        env_kwargs: Mapping[str, Any] | None = None,
        limits: Limits = Limits(),
    ) -> None:
        self.limits, self.connections = limits, IdleConnections()
        names = [registered_id(id) for id in ids]
        kwargs = dict(env_kwargs or {})
        shared = {name: value for name, value in kwargs.items() if name not in names}
        self._kwargs = {name: {**shared, **kwargs.get(name, {})} for name in names}
        self.samples: dict[str, gym.Env[Any, Any]] = {}
        for name in names:
            env = self.samples[name] = self._make(name)
            if not isinstance(env.observation_space, ConversationSpace):
                raise UsageError(f"{name} cannot be served: its observations are not messages")
        self._threads = ThreadPoolExecutor(limits.sessions, "textgym-serve")
        self._open: set[Session] = set()
        self._reserved = 0
        self.on_idle: Callable[[Session], Awaitable[None]] = self.close
        """Called with a session that was idle for too long."""

    def _make(self, id: str) -> gym.Env[Any, Any]:
        return make(id, disable_env_checker=True, **self._kwargs[id])

    @property
    def count(self) -> int:
        """The number of open sessions."""
        return len(self._open) + self._reserved

    async def open(self, id: str) -> Session:
        """Return a new session of an environment.

        Raises:
            FullError: There are already as many as allowed.
            Exception: The environment could not be made.
        """
        if self.count >= self.limits.sessions:
            raise FullError(f"there are already {self.count} sessions, which is the limit")
        self._reserved += 1
        try:
            loop = asyncio.get_running_loop()
            env = await loop.run_in_executor(self._threads, self._make, id)
        finally:
            self._reserved -= 1
        session = Session(env, self._threads)
        self._open.add(session)
        return session

    async def close(self, session: Session) -> None:
        """Close a session."""
        if session in self._open:
            self._open.discard(session)
            await session.close()

    async def sweep(self) -> None:
        """Close idle sessions, until cancelled."""
        while True:
            await asyncio.sleep(min(_SWEEP_SECONDS, self.limits.idle_seconds / 2))
            oldest = time.monotonic() - self.limits.idle_seconds
            idle = [one for one in self._open if one.is_idle and one.last_used < oldest]
            await asyncio.gather(*map(self.on_idle, idle), return_exceptions=True)

    async def lifetime(self, app: web.Application) -> Any:
        """Sweep while an application runs, and then close everything."""
        sweeping = asyncio.create_task(self.sweep())
        yield
        sweeping.cancel()
        for session in [*self._open]:
            await self.close(session)
        for env in self.samples.values():
            env.close()
        self._threads.shutdown(wait=False)


def is_loopback(host: str) -> bool:
    """Return whether only this machine can connect to a host.

    Example:
        >>> is_loopback("127.0.0.1"), is_loopback("0.0.0.0")
        (True, False)
    """
    return host in _LOOPBACK


def guard(host: str, token: str) -> Any:
    """Return a middleware that refuses clients that may not connect.

    Args:
        host: The address that the server listens on. If only this machine can connect to it, the
            request must name this machine, so that a web page cannot reach it by a name of its own.
        token: What a client must send: as a bearer token, or as the password in the URL. "" if it
            need not.
    """

    @web.middleware
    async def check(request: web.Request, handler: Any) -> Any:
        origin = request.headers.get("Origin")
        try:
            is_other_site = origin is not None and urlsplit(origin).netloc != request.host
            named = urlsplit(f"//{request.host}").hostname
        except ValueError:
            return _refusal(400, "the Host or Origin header is malformed")
        if is_other_site:
            return _refusal(403, "web pages of other sites may not connect")
        if is_loopback(host) and named not in _LOOPBACK:
            return _refusal(403, f"this server answers as {host}, not as {request.host:.100}")
        sent = _sent_token(request).encode(errors="replace")
        if token and not hmac.compare_digest(sent, token.encode()):
            return _refusal(401, "the token is missing or wrong: send it as a bearer token")
        return await handler(request)

    return check


def _sent_token(request: web.Request) -> str:
    scheme, _, value = request.headers.get("Authorization", "").partition(" ")
    if scheme.lower() == "basic":
        with contextlib.suppress(binascii.Error, UnicodeDecodeError):
            return base64.b64decode(value, validate=True).decode().partition(":")[2]
        return ""
    return value if scheme.lower() == "bearer" else ""


def _refusal(status: int, why: str) -> web.Response:
    return web.json_response({"error": why}, status=status)


@contextlib.asynccontextmanager
async def listening(
    app: web.Application, sessions: Sessions, host: str, port: int, *, handle_signals: bool = False
) -> AsyncIterator[int]:
    """Serve an application while the context is open; yield the port.

    Args:
        app: The application.
        sessions: The sessions that the application makes.
        host: The address to listen on.
        port: The port; 0 for a free one.
        handle_signals: Whether SIGINT and SIGTERM raise `aiohttp.web.GracefulExit`.

    Raises:
        UsageError: The address cannot be listened on.
    """
    limits, connections = sessions.limits, sessions.connections
    app.middlewares.append(pace(limits.request_seconds, limits.send_seconds))
    app.middlewares.append(connections.middleware)
    runner = web.AppRunner(
        app,
        access_log=None,
        handle_signals=handle_signals,
        keepalive_timeout=limits.request_seconds,  # also limits the time for the headers
        lingering_time=limits.request_seconds,  # for the rest of a body that is refused
    )
    await runner.setup()
    assert runner.server is not None
    try:
        try:
            server = await connections.listen(runner.server, host, port)
        except OSError as error:
            raise UsageError(f"cannot listen on {host}:{port}: {in_one_line(error)}") from None
        try:
            yield server.sockets[0].getsockname()[1]
        finally:
            server.close()
    finally:
        await runner.cleanup()


def run(
    make_app: Callable[[Sessions, str, str], web.Application],
    sessions: Sessions,
    host: str,
    port: int,
    token: str,
    on_start: Callable[[str, str], None],
) -> None:
    """Run a server until it is interrupted.

    Args:
        make_app: Returns the application for sessions, a host and a token.
        sessions: Makes the environments.
        host: The address to listen on.
        port: The port; 0 for a free one.
        token: See `guard`. If others can connect and it is "", a new one is made.
        on_start: Called with the URL and the token when the server listens.

    Raises:
        UsageError: The address cannot be listened on.
    """
    token = token or ("" if is_loopback(host) else secrets.token_urlsafe(24))

    async def main() -> None:
        app, name = make_app(sessions, host, token), f"[{host}]" if ":" in host else host
        async with listening(app, sessions, host, port, handle_signals=True) as bound:
            on_start(f"http://{name}:{bound}", token)
            await asyncio.Event().wait()

    with contextlib.suppress(KeyboardInterrupt, web.GracefulExit):
        asyncio.run(main())
