"""Servers of environments that run in a thread while a test uses them."""

from __future__ import annotations

import asyncio
import contextlib
import threading
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import Future
from typing import Any

from aiohttp import web

from textgym.integrations.server import Limits, Sessions, listening

__all__ = ["serving"]


@contextlib.contextmanager
def serving(
    make_app: Callable[..., web.Application],
    ids: Sequence[str],
    *,
    limits: Limits | None = None,
    token: str = "",
    **env_kwargs: Any,
) -> Iterator[tuple[str, Sessions]]:
    """Serve environments on a free port of this machine; yield the URL and the sessions."""
    sessions = Sessions(ids, env_kwargs, limits or Limits())
    started: Future[tuple[int, asyncio.AbstractEventLoop, asyncio.Event]] = Future()

    async def main() -> None:
        try:
            app, stopped = make_app(sessions, "127.0.0.1", token), asyncio.Event()
            async with listening(app, sessions, "127.0.0.1", 0) as port:
                started.set_result((port, asyncio.get_running_loop(), stopped))
                await stopped.wait()
        except BaseException as error:
            if started.done():
                raise
            started.set_exception(error)

    thread = threading.Thread(target=lambda: asyncio.run(main()), daemon=True)
    thread.start()
    port, loop, stopped = started.result(60)
    try:
        yield f"http://127.0.0.1:{port}", sessions
    finally:
        loop.call_soon_threadsafe(stopped.set)
        thread.join(60)
        assert not thread.is_alive()
