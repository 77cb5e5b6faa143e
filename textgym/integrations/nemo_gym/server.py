"""A resources server of NeMo Gym over a textgym environment, for NeMo Gym's agents.

`/seed_session` begins an episode of a row, `/NAME` calls a tool in it, and `/verify` plays the
whole response again in a new episode, from the calls that the response contains. So the reward is
textgym's, even for calls in one message, which NeMo Gym's agent sends one by one.

Invariants: a session is a cookie; verification needs none; a failure is an error of HTTP, and
never a reward.
"""

from __future__ import annotations

import json
import math
from collections.abc import Mapping, Sequence
from typing import Any
from uuid import uuid4

from aiohttp import web

from textgym.core.text_env import TextEnv
from textgym.errors import BoundaryFailure, RowError, TextgymError, UsageError, in_one_line
from textgym.integrations.nemo_gym.rows import refusal, task_row
from textgym.integrations.server import FullError, NoEpisodeError, Session, Sessions, guard
from textgym.messages import Message, assistant, assistant_calls, text_of
from textgym.tasks import nemo_rows

__all__ = ["make_app"]

_COOKIE = "textgym_session"
_TOOL_TURNS = 10_000  # of a session, whose calls come one by one; `/verify` counts turns


def make_app(sessions: Sessions, host: str = "127.0.0.1", token: str = "") -> web.Application:
    """Return the server's application.

    Args:
        sessions: Makes the environment, which is the only one.
        host: The address that it will listen on, see `guard`.
        token: What clients must send, see `guard`; "" for nothing.

    Raises:
        UsageError: There is not exactly one environment, or NeMo Gym's agent cannot play it.

    Example:
        >>> app = make_app(Sessions(["textgym/MCQA-v0"]))
        >>> sorted({resource.canonical for resource in app.router.resources()})
        ['/reverify_mode', '/seed_session', '/verify', '/{tool}']
    """
    if len(sessions.samples) != 1:
        raise UsageError(f"a server of NeMo Gym has one environment, not {len(sessions.samples)}")
    ((id, env),) = sessions.samples.items()
    if not isinstance(env.unwrapped, TextEnv):
        raise UsageError(f"{id} is not a text environment")
    if why := refusal(env.unwrapped):
        raise UsageError(f"{why}; serve it as OpenEnv instead")
    server = _Server(id, sessions)
    limit = sessions.limits.message_bytes
    app = web.Application(middlewares=[guard(host, token)], client_max_size=limit)
    app.cleanup_ctx.append(sessions.lifetime)
    app.router.add_post("/seed_session", server.seed_session)
    app.router.add_post("/verify", server.verify)
    app.router.add_get("/reverify_mode", server.reverify_mode)
    app.router.add_post("/{tool}", server.call)
    return app


class _Server:
    """The handlers."""

    def __init__(self, id: str, sessions: Sessions) -> None:
        self._id, self._sessions = id, sessions
        self._by_cookie: dict[str, Session] = {}
        sessions.on_idle = self._leave

    async def _leave(self, session: Session) -> None:
        for cookie in [key for key, one in self._by_cookie.items() if one is session]:
            del self._by_cookie[cookie]
        await self._sessions.close(session)

    async def reverify_mode(self, request: web.Request) -> web.Response:
        return web.json_response({"mode": "stateless"})

    async def seed_session(self, request: web.Request) -> web.Response:
        """Begin an episode of a row, in the session of the cookie or in a new one."""
        try:
            row = await _body(request)
            cookie = request.cookies.get(_COOKIE, "")
            session = self._by_cookie.get(cookie)
            if session is None:
                cookie, session = uuid4().hex, await self._sessions.open(self._id)
                self._by_cookie[cookie] = session
            try:
                _lengthen(session)
                await session.reset(None, {"task": task_row(row)})
            except BaseException:
                await self._leave(session)
                raise
        except Exception as error:
            return _failed(error)
        return _with_cookie(web.json_response({}), cookie)

    async def call(self, request: web.Request) -> web.Response:
        """Call a tool in the session of the cookie; the body of the reply is its result."""
        cookie = request.cookies.get(_COOKIE, "")
        session = self._by_cookie.get(cookie)
        if session is None:
            return _error(400, "Session not initialized. Please call seed_session first.")
        try:
            arguments = await _body(request)
            tool = request.match_info["tool"]
            messages, *_ = await session.step(assistant_calls((tool, arguments)))
        except Exception as error:
            return _with_cookie(_failed(error), cookie)
        text = "".join(text_of(message) for message in messages if message["role"] == "tool")
        body = text.encode(errors="replace")  # a model can write lone surrogates
        reply = web.Response(body=body, content_type=_type_of(text), charset="utf-8")
        return _with_cookie(reply, cookie)

    async def verify(self, request: web.Request) -> web.Response:
        """Play the response of a row in a new episode, and return the request with its reward."""
        try:
            body = await _body(request)
            said = _said(body)
            own = self._by_cookie.get(request.cookies.get(_COOKIE, ""))
            if own is not None:
                await self._leave(own)  # the episode is over, and its place is needed
            session = await self._sessions.open(self._id)
            try:
                verdict = await _played(session, body, said)
            finally:
                await self._sessions.close(session)
        except Exception as error:
            return _failed(error)
        return web.json_response({**body, **verdict})


async def _played(
    session: Session, body: Mapping[str, Any], said: Sequence[Message]
) -> dict[str, Any]:
    """Return the reward of what an assistant said, and the numbers of the verdict."""
    row = {name: value for name, value in body.items() if name != "response"}
    await session.reset(None, {"task": task_row(row)})
    total, info, components = 0.0, dict[str, Any](), dict[str, float]()
    for place, message in enumerate(said):
        if place == len(said) - 1 and session.is_running:
            _end_with_next(session, message)
        _, reward, terminated, truncated, info = await session.step(message)
        total += reward
        for name, value in info.get("reward_components", {}).items():
            components[name] = components.get(name, 0.0) + float(value)
        if terminated or truncated:
            break
    finite = {name: value for name, value in components.items() if math.isfinite(value)}
    return {
        "reward": total,
        "reward_components": finite,
        "is_success": bool(info.get("is_success", False)),
        "extracted_answer": info.get("extracted_answer"),
    }


def _end_with_next(session: Session, message: Message) -> None:
    """Have the environment grade the episode after its last message, even if it has calls."""
    env = session.env.unwrapped
    assert isinstance(env, TextEnv)
    env.max_turns = min(env.max_turns, env.turn + 1)


def _lengthen(session: Session) -> None:
    env = session.env.unwrapped
    assert isinstance(env, TextEnv)
    env.max_turns = max(env.max_turns, _TOOL_TURNS)


def _said(body: Mapping[str, Any]) -> list[Message]:
    """Return the assistant's messages of a response.

    Raises:
        RowError: The response cannot be read.
    """
    response = body.get("response")
    if not isinstance(response, Mapping):
        raise RowError("response", "is missing")
    output = response.get("output") or []
    if not isinstance(output, list):
        raise RowError("response.output", "must be a list of items")
    if all(isinstance(item, Mapping) and item.get("type") == "reasoning" for item in output):
        return [assistant("")]  # it was cut before it said anything
    messages = nemo_rows.messages_of(output, "response.output")
    return [message for message in messages if message["role"] == "assistant"]


async def _body(request: web.Request) -> dict[str, Any]:
    """Return the JSON object of a request.

    Raises:
        RowError: It has none.
    """
    try:
        body = json.loads(await request.text() or "{}")
    except (ValueError, RecursionError) as error:
        raise RowError("body", f"is not JSON: {error}") from None
    if not isinstance(body, dict):
        raise RowError("body", "must be an object")
    return body


def _type_of(text: str) -> str:
    try:
        json.loads(text)
    except (ValueError, RecursionError):
        return "text/plain"
    return "application/json"


def _failed(error: Exception) -> web.Response:
    """Return the reply for an error: 422 for a request that does not fit, 503 for a failure."""
    if isinstance(error, web.HTTPException):
        raise error
    text = str(error) if isinstance(error, TextgymError) else in_one_line(error)
    if isinstance(error, FullError | BoundaryFailure):
        return _error(503, text)
    if isinstance(error, NoEpisodeError):
        return _error(409, text)
    return _error(422 if isinstance(error, UsageError | RowError) else 500, text)


def _with_cookie(response: web.Response, cookie: str) -> web.Response:
    """Return a reply with the session's cookie. NeMo Gym's agent keeps only the last reply's."""
    response.set_cookie(_COOKIE, cookie, httponly=True, samesite="Lax")
    return response


def _error(status: int, text: str) -> web.Response:
    return web.json_response({"detail": text}, status=status)
