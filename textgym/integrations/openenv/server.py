"""An OpenEnv server: clients of OpenEnv play textgym's environments over WebSocket sessions.

It speaks the protocol of openenv-core 0.3, without that package. The first environment is at the
root, and each one also at its id: `GenericEnvClient(base_url="http://HOST:PORT/textgym/MCQA-v0")`.

Invariants: each connection is a session, with an environment of its own; a client gets an
answer to any message, and other clients notice nothing; a failure is an error, and never a reward.
"""

from __future__ import annotations

import asyncio
import contextlib
import json
from collections.abc import Mapping
from typing import Any

from aiohttp import WSCloseCode, WSMsgType, web

import textgym
from textgym.core.text_env import TextEnv
from textgym.errors import InvalidActionError, TextgymError, UsageError, in_one_line
from textgym.integrations.server import FullError, NoEpisodeError, Session, Sessions, guard
from textgym.messages import Message, assistant_calls, text_of

__all__ = ["make_app"]

_HEARTBEAT_SECONDS = 30.0
_OPTIONS = ("index", "level", "task")  # of `reset`, besides `seed`
_TEXT = {"type": ["string", "null"]}
ACTION = {
    "type": "object",
    "title": "An assistant message, or a call of a tool",
    "properties": {
        "content": _TEXT,
        "tool_calls": {"type": "array", "items": {"type": "object"}},
        "type": {"enum": ["list_tools", "call_tool"]},
        "tool_name": {"type": "string"},
        "arguments": {"type": "object"},
    },
}
OBSERVATION = {
    "type": "object",
    "properties": {
        "messages": {"type": "array", "items": {"type": "object"}},
        "tools": {"type": "array", "items": {"type": "object"}},
        "truncated": {"type": "boolean"},
        "info": {"type": "object"},
    },
}
STATE = {
    "type": "object",
    "properties": {
        "episode_id": _TEXT, "step_count": {"type": "integer"}, "task_id": _TEXT,
    },
}  # fmt: skip


class _BadMessageError(Exception):
    """A message of a client that cannot be read, with the protocol's code for it."""

    def __init__(self, code: str, text: str) -> None:
        super().__init__(text)
        self.code = code


def make_app(sessions: Sessions, host: str = "127.0.0.1", token: str = "") -> web.Application:
    """Return the server's application.

    Args:
        sessions: Makes the environments.
        host: The address that it will listen on, see `guard`.
        token: What clients must send, see `guard`; "" for nothing.

    Example:
        >>> app = make_app(Sessions(["textgym/MCQA-v0"]))
        >>> sorted({resource.canonical for resource in app.router.resources()})[:3]
        ['/health', '/metadata', '/reset']
    """
    limit = sessions.limits.message_bytes
    sockets: dict[Session, web.WebSocketResponse] = {}

    async def end_idle(session: Session) -> None:
        socket = sockets.get(session)
        await sessions.close(session)
        if socket is not None:
            with contextlib.suppress(ConnectionError, TimeoutError):
                await _send(socket, _error("SESSION_ERROR", "the session was idle"), 1.0)
            await socket.close()

    sessions.on_idle = end_idle
    app = web.Application(middlewares=[guard(host, token)], client_max_size=limit)
    app.cleanup_ctx.append(sessions.lifetime)
    ids = [*sessions.samples]
    for place, id in [("", ids[0]), *((f"/{id}", id) for id in ids)]:
        server = _Server(id, sessions, sockets)
        app.router.add_get(f"{place}/ws", server.play)
        app.router.add_get(f"{place}/health", server.health)
        app.router.add_get(f"{place}/metadata", server.metadata)
        app.router.add_get(f"{place}/schema", server.schema)
        app.router.add_post(f"{place}/reset", server.refuse_step)
        app.router.add_post(f"{place}/step", server.refuse_step)
    return app


class _Server:
    """The handlers of one environment."""

    def __init__(
        self, id: str, sessions: Sessions, sockets: dict[Session, web.WebSocketResponse]
    ) -> None:
        self._id, self._sessions, self._sockets = id, sessions, sockets

    async def health(self, request: web.Request) -> web.Response:
        return web.json_response({"status": "healthy"})

    async def metadata(self, request: web.Request) -> web.Response:
        env = self._sessions.samples[self._id].unwrapped
        about = env.card.summary if isinstance(env, TextEnv) else ""
        version = textgym.__version__
        return web.json_response({"name": self._id, "description": about, "version": version})

    async def schema(self, request: web.Request) -> web.Response:
        return web.json_response({"action": ACTION, "observation": OBSERVATION, "state": STATE})

    async def refuse_step(self, request: web.Request) -> web.Response:
        why = "episodes need a session: connect to /ws, as OpenEnv's clients do"
        return web.json_response({"error": why}, status=409)

    async def play(self, request: web.Request) -> web.WebSocketResponse:
        """Serve a connection until it is closed or idle for too long."""
        limits = self._sessions.limits
        patience = limits.send_seconds
        socket = web.WebSocketResponse(
            heartbeat=_HEARTBEAT_SECONDS, max_msg_size=limits.message_bytes, compress=False
        )
        await socket.prepare(request)
        try:
            session = await self._sessions.open(self._id)
        except FullError as error:
            await _send(socket, _error("CAPACITY_REACHED", str(error)), patience)
            await self._hang_up(request, socket, WSCloseCode.TRY_AGAIN_LATER)
            return socket
        except Exception as error:
            await _send(socket, _error("FACTORY_ERROR", in_one_line(error)), patience)
            await self._hang_up(request, socket, WSCloseCode.INTERNAL_ERROR)
            return socket
        self._sockets[session] = socket
        try:
            async for message in socket:
                if message.type is not WSMsgType.TEXT:
                    await _send(socket, _error("INVALID_JSON", "send text, not bytes"), patience)
                    continue
                reply = await _reply(session, message.data, limits.takes_rows)
                if reply is None:
                    break
                await _send(socket, reply, patience)
        except (ConnectionError, TimeoutError):  # the client is gone, or does not read
            if request.transport is not None:
                request.transport.abort()
        finally:
            del self._sockets[session]
            await self._sessions.close(session)
            await self._hang_up(request, socket, WSCloseCode.OK)
        return socket

    async def _hang_up(
        self, request: web.Request, socket: web.WebSocketResponse, code: WSCloseCode
    ) -> None:
        """Close a connection without a session. It counts as idle until the client answers."""
        if request.transport is not None:
            self._sessions.connections.add(request.transport)
        await socket.close(code=code)


async def _send(socket: web.WebSocketResponse, reply: dict[str, Any], seconds: float) -> None:
    text = json.dumps(reply, default=str)  # in ASCII, because a text can have lone surrogates
    async with asyncio.timeout(seconds):
        await socket.send_str(text)


async def _reply(session: Session, text: str, takes_rows: bool) -> dict[str, Any] | None:
    """Return the reply to a client's message; None if it closes the session."""
    try:
        try:
            message = json.loads(text)
        except (ValueError, RecursionError) as error:
            raise _BadMessageError("INVALID_JSON", f"Invalid JSON: {error}") from None
        if not isinstance(message, dict) or not isinstance(message.get("type"), str):
            problem = "a message must be an object with a type: reset, step, state or close"
            raise _BadMessageError("UNKNOWN_TYPE", problem)
        kind, data = message["type"], message.get("data", {})
        if kind == "close":
            return None
        if kind == "state":
            return {"type": "state", "data": _state(session)}
        if not isinstance(data, dict):
            raise _BadMessageError("VALIDATION_ERROR", "data must be an object")
        if kind == "reset":
            if data.get("task") is not None and not takes_rows:
                problem = "this server takes no rows of clients: start it with --client-rows"
                raise _BadMessageError("VALIDATION_ERROR", problem)
            return {"type": "observation", "data": await _reset(session, data)}
        if kind == "step":
            return {"type": "observation", "data": await _step(session, data)}
        raise _BadMessageError("UNKNOWN_TYPE", f"Unknown message type: {kind:.100}")
    except _BadMessageError as error:
        return _error(error.code, str(error))
    except NoEpisodeError as error:
        return _error("SESSION_ERROR", str(error))
    except (InvalidActionError, UsageError) as error:
        return _error("VALIDATION_ERROR", str(error))
    except Exception as error:  # also failures of a judge, a sandbox or another boundary
        text = str(error) if isinstance(error, TextgymError) else in_one_line(error)
        return _error("EXECUTION_ERROR", text, failure=type(error).__name__)


def _error(code: str, text: str, **more: str) -> dict[str, Any]:
    return {"type": "error", "data": {"message": text, "code": code, **more}}


def _state(session: Session) -> dict[str, Any]:
    task = getattr(session.env.unwrapped, "task", None) if session.messages else None
    return {
        "episode_id": session.episode_id,
        "step_count": session.steps,
        "task_id": task.id if task is not None else None,
    }


async def _reset(session: Session, data: Mapping[str, Any]) -> dict[str, Any]:
    options = {name: data[name] for name in _OPTIONS if data.get(name) is not None}
    messages, info = await session.reset(data.get("seed"), options or None)
    episode = data.get("episode_id")
    session.episode_id = None if episode is None else str(episode)[:200]
    info = {name: value for name, value in info.items() if name != "tools"}
    observation = {"messages": messages, "tools": session.tools, "truncated": False, "info": info}
    return {"observation": observation, "reward": None, "done": False}


async def _step(session: Session, data: dict[str, Any]) -> dict[str, Any]:
    if data.get("type") == "list_tools":
        return {"observation": {"tools": _listed(session)}, "reward": None, "done": False}
    called = data.get("tool_name") if data.get("type") == "call_tool" else None
    if called is not None:
        if not isinstance(called, str) or not isinstance(data.get("arguments", {}), dict):
            problem = "call_tool needs tool_name, a text, and arguments, an object"
            raise _BadMessageError("VALIDATION_ERROR", problem)
        action: Any = assistant_calls((called, data.get("arguments", {})))
    else:
        action = {"role": "assistant", "content": data.get("content")}
        if data.get("tool_calls"):
            action["tool_calls"] = data["tool_calls"]
        elif not isinstance(action["content"], (str, list)):
            problem = "an action needs content, a text, or tool_calls, a list"
            raise _BadMessageError("VALIDATION_ERROR", problem)
    messages, reward, terminated, truncated, info = await session.step(action)
    observation = {"messages": messages, "truncated": truncated, "info": info}
    if called is not None:
        observation |= {"tool_name": called, "result": _result(messages), "error": None}
    return {"observation": observation, "reward": reward, "done": terminated or truncated}


def _listed(session: Session) -> list[dict[str, Any]]:
    """Return the tools of the episode in the form of OpenEnv's clients."""
    functions = [tool["function"] for tool in session.tools]
    return [
        {
            "name": function["name"],
            "description": function.get("description", ""),
            "input_schema": function.get("parameters", {}),
        }
        for function in functions
    ]


def _result(messages: list[Message]) -> str:
    results = [text_of(message) for message in messages if message["role"] == "tool"]
    return results[-1] if results else ""
