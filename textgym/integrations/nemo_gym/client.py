"""A session with a resources server of NeMo Gym, over HTTP.

Invariants: the server's cookies stay with the session; a server that cannot be reached, or does not
follow the protocol, is an `EnvironmentFailure`.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from functools import lru_cache
from http.cookies import CookieError, SimpleCookie
from typing import Any
from urllib.parse import quote

from textgym.concurrency import event_loops
from textgym.errors import EnvironmentFailure, ExtraMissingError, install_advice
from textgym.integrations.validation import is_finite

try:
    from textgym.policies.openai.connections import ConnectionPool, HTTPReply, NoReplyError
except ImportError as error:
    raise ExtraMissingError(
        f"servers of NeMo Gym need the extra 'http': {install_advice('http')}"
    ) from error

__all__ = ["ServerSession"]

_CONNECT_SECONDS = 10.0
_GATEWAY = (502, 503, 504)  # the server itself did not answer
_SHOWN = 300  # characters of a reply in an error


class ServerSession:
    """A session with a server.

    Args:
        url: The server's URL.
        timeout: The maximum number of seconds for a reply.

    Attributes:
        history: The row of the last `seed`, and the calls after it, as JSON; empty if there is no
            episode.
    """

    def __init__(self, url: str, timeout: float) -> None:
        self._url, self._pool = url, _pool(timeout)
        self._cookies: dict[str, str] = {}
        self.history: list[str] = []

    def seed(self, row: Mapping[str, Any]) -> None:
        """Begin an episode of a row.

        Raises:
            EnvironmentFailure: The server failed, or does not accept the row.
        """
        self._cookies, self.history = {}, []
        self._checked("/seed_session", self._post("/seed_session", row))
        self.history = [json.dumps(row)]

    def call(self, call: str) -> str:
        """Call a tool, and return the body of the reply, even if it is an error.

        NeMo Gym shows errors of tools to the model, because the arguments may have caused them.

        Args:
            call: The tool's name and arguments, as a JSON list.

        Raises:
            EnvironmentFailure: There was no reply.
        """
        tool, arguments = json.loads(call)
        before, self.history = self.history, []  # whether the server took it is not known yet
        reply = self._post(f"/{quote(tool, safe='')}", arguments).data.decode(errors="replace")
        self.history = [*before, call]
        return reply

    def verify(self, request: Mapping[str, Any]) -> dict[str, Any]:
        """Return the server's verdict on a response.

        Raises:
            EnvironmentFailure: The server failed, or the reply has no reward.
        """
        reply = self._checked("/verify", self._post("/verify", request))
        try:
            verdict = json.loads(reply.data)
        except (ValueError, RecursionError):
            verdict = None
        reward = verdict.get("reward") if isinstance(verdict, dict) else None
        if not is_finite(reward):
            shown = reply.data[:_SHOWN].decode(errors="replace")
            raise EnvironmentFailure(f"{self._url}/verify gave no reward: {shown}")
        checked: dict[str, Any] = verdict
        return checked

    def _checked(self, path: str, reply: HTTPReply) -> HTTPReply:
        if not 200 <= reply.status < 300:
            shown = reply.data[:_SHOWN].decode(errors="replace")
            raise EnvironmentFailure(f"{self._url}{path} answered {reply.status}: {shown}")
        return reply

    def _post(self, path: str, body: Mapping[str, Any]) -> HTTPReply:
        headers = {"Content-Type": "application/json"}
        if self._cookies:
            headers["Cookie"] = "; ".join(f"{k}={v}" for k, v in self._cookies.items())
        data = json.dumps(body).encode()
        send = self._pool.send("POST", self._url + path, data, headers)
        try:
            reply: HTTPReply = event_loops.run(send)
        except NoReplyError as error:
            raise EnvironmentFailure(f"no reply from {self._url}{path}: {error}") from None
        if reply.is_cut and reply.status < 400:
            raise EnvironmentFailure(f"{self._url}{path} sent more than {len(reply.data)} bytes")
        if reply.status in _GATEWAY:
            raise EnvironmentFailure(f"{self._url}{path} answered {reply.status}")
        getall = getattr(reply.headers, "getall", None)
        for header in getall("Set-Cookie", []) if getall else []:
            try:
                cookies = SimpleCookie(header)
            except CookieError:
                continue
            self._cookies.update({name: morsel.value for name, morsel in cookies.items()})
        return reply


@lru_cache(maxsize=16)
def _pool(timeout: float) -> ConnectionPool:
    """Return the connections of all sessions with this time limit."""
    return ConnectionPool({}, None, timeout, _CONNECT_SECONDS)
