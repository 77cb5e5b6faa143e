"""Calls that wait run in threads, come back to the loop, and leave nothing behind."""

from __future__ import annotations

import asyncio
import threading
import time
from collections.abc import Callable, Coroutine
from typing import Any

import pytest

from textgym.concurrency.thread_pool import Threads


def within(most: int, body: Callable[[Threads], Coroutine[Any, Any, Any]]) -> Any:
    async def main() -> Any:
        with Threads(most) as threads:
            return await body(threads)

    return asyncio.run(main())


def test_so_many_run_at_once_and_no_more() -> None:
    together = threading.Barrier(4)
    lock, now, highest = threading.Lock(), 0, 0

    def call() -> None:
        nonlocal now, highest
        with lock:
            now += 1
            highest = max(highest, now)
        together.wait(timeout=10)  # four at once, or it breaks
        with lock:
            now -= 1

    async def body(threads: Threads) -> None:
        await asyncio.gather(*[threads.call(call) for _ in range(12)])

    within(4, body)
    assert highest == 4


def test_no_more_threads_are_started_than_calls_wait() -> None:
    names = set()

    async def body(threads: Threads) -> None:
        for _ in range(20):
            names.add(await threads.call(lambda: threading.get_ident()))

    within(8, body)
    assert len(names) == 1


def test_each_call_has_its_own_result() -> None:
    async def body(threads: Threads) -> list[int]:
        return await asyncio.gather(*[threads.call(lambda n=n: n * n) for n in range(500)])

    assert within(16, body) == [n * n for n in range(500)]


@pytest.mark.parametrize("error", [ValueError("x"), KeyError("k"), SystemExit(3)])
def test_what_a_call_raises_is_raised_where_it_is_awaited(error: BaseException) -> None:
    def call() -> None:
        raise error

    async def body(threads: Threads) -> Any:
        with pytest.raises(type(error)) as raised:
            await threads.call(call)
        return raised.value, await threads.call(lambda: "and on")

    assert within(1, body) == (error, "and on")


def test_stop_iteration_is_raised_as_what_a_future_takes() -> None:
    async def body(threads: Threads) -> None:
        with pytest.raises(RuntimeError, match="StopIteration"):
            await threads.call(lambda: next(iter(())))

    within(1, body)


def test_who_no_longer_waits_is_in_nobodys_way() -> None:
    go_on = threading.Event()

    async def body(threads: Threads) -> str:
        with pytest.raises(asyncio.TimeoutError):
            await asyncio.wait_for(threads.call(go_on.wait), 0.01)
        go_on.set()
        return await threads.call(lambda: "next")

    assert within(1, body) == "next"


def test_leaving_drops_what_has_not_begun_and_waits_for_the_rest() -> None:
    begun, done = [], []

    def call(number: int) -> None:
        begun.append(number)
        time.sleep(0.05)
        done.append(number)

    async def main() -> list[asyncio.Future[Any]]:
        with Threads(2) as threads:
            calls = [threads.call(lambda n=n: call(n)) for n in range(6)]
            while len(begun) < 2:
                await asyncio.sleep(0.001)
        return calls

    calls = asyncio.run(main())
    assert sorted(done) == sorted(begun) == [0, 1]
    assert [call.cancelled() for call in calls[2:]] == [True] * 4


def test_no_thread_is_left() -> None:
    before = threading.active_count()

    async def body(threads: Threads) -> None:
        await asyncio.gather(*[threads.call(lambda: None) for _ in range(50)])

    within(8, body)
    assert threading.active_count() == before
