"""Running a coroutine to its end, also inside a running event loop."""

from __future__ import annotations

import asyncio
import os
import signal
import sys
import threading
import time
import traceback

import pytest

from textgym.concurrency.event_loops import run_sync


def test_error_of_the_coroutine_is_raised_inside_a_running_loop() -> None:
    async def fail() -> None:
        raise ValueError("wrong")

    async def ask() -> None:
        run_sync(fail)

    with pytest.raises(ValueError, match="wrong"):
        asyncio.run(ask())


def test_interrupt_inside_a_running_loop_cancels_the_coroutine() -> None:
    begun, cancelled = threading.Event(), threading.Event()

    async def wait() -> None:
        begun.set()
        try:
            await asyncio.sleep(600)
        except asyncio.CancelledError:
            cancelled.set()
            raise

    async def ask() -> None:
        run_sync(wait)

    def interrupt() -> None:
        begun.wait()
        while "result" not in functions_of(caller):  # until the caller waits
            time.sleep(0.001)
        os.kill(os.getpid(), signal.SIGINT)

    def functions_of(thread: int) -> list[str]:
        return [frame.name for frame in traceback.extract_stack(sys._current_frames()[thread])]

    caller = threading.get_ident()
    loop = asyncio.new_event_loop()  # without asyncio.run, as in a notebook
    threading.Thread(target=interrupt).start()
    with pytest.raises(KeyboardInterrupt):
        loop.run_until_complete(ask())
    loop.close()
    assert cancelled.is_set()
