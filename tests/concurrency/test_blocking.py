"""Calls that may block are recognised, run in threads, and leave nothing behind."""

from __future__ import annotations

import asyncio
import threading
import time
from collections.abc import Callable, Coroutine
from typing import Any

import gymnasium as gym
import pytest

from textgym.concurrency.calls import CallThreads, reset_may_block, step_may_block


class Foreign(gym.Env[Any, Any]):
    """An environment of another project, with some attributes."""

    def __init__(self, **attributes: bool) -> None:
        vars(self).update(attributes)


@pytest.mark.parametrize(
    ("attributes", "step", "reset"),
    [({}, False, False), ({"blocking": True}, True, True), ({"blocking": False}, False, False),
     ({"blocking": True, "blocking_reset": False}, True, False)],
    ids=["no attribute", "both", "neither", "step only"],
)  # fmt: skip
def test_blocking_calls_are_recognised_through_wrappers(
    attributes: dict[str, bool], step: bool, reset: bool
) -> None:
    env = gym.wrappers.OrderEnforcing(Foreign(**attributes))
    assert (step_may_block(env), reset_may_block(env)) == (step, reset)


class Blocking(gym.Env[Any, Any]):
    """An environment whose step calls its action."""

    blocking = True

    def step(self, action: Any) -> Any:
        return action()


def within(max_threads: int, body: Callable[[CallThreads], Coroutine[Any, Any, Any]]) -> Any:
    """Run a coroutine with a threads of so many threads."""

    async def main() -> Any:
        async with CallThreads(max_threads) as threads:
            return await body(threads)

    return asyncio.run(main())


ENV = Blocking()


def test_as_many_calls_run_at_once_as_there_are_threads() -> None:
    together = threading.Barrier(4)
    lock, now, highest = threading.Lock(), 0, 0

    def call() -> None:
        nonlocal now, highest
        with lock:
            now += 1
            highest = max(highest, now)
        together.wait(timeout=60)  # breaks unless four calls run at once
        with lock:
            now -= 1

    async def body(threads: CallThreads) -> None:
        await asyncio.gather(*[threads.run(call) for _ in range(12)])

    within(4, body)
    assert highest == 4


def test_each_call_gets_its_own_result() -> None:
    async def body(threads: CallThreads) -> list[int]:
        return await asyncio.gather(*[threads.run(lambda n=n: n * n) for n in range(500)])

    assert within(16, body) == [n * n for n in range(500)]


@pytest.mark.parametrize("error", [ValueError("x"), KeyError("k"), SystemExit(3)])
def test_an_error_in_a_thread_is_raised_to_the_caller(error: BaseException) -> None:
    def call() -> None:
        raise error

    async def body(threads: CallThreads) -> Any:
        with pytest.raises(type(error)) as raised:
            await threads.run(call)
        return raised.value, await threads.run(lambda: "next")

    assert within(1, body) == (error, "next")


def test_stop_iteration_in_a_thread_does_not_hang_the_caller() -> None:
    async def body(threads: CallThreads) -> None:
        with pytest.raises(RuntimeError, match="StopIteration"):
            await asyncio.wait_for(threads.run(lambda: next(iter(()))), 60)

    within(1, body)


def test_a_caller_that_stops_waiting_does_not_disturb_the_next_call() -> None:
    gate = threading.Event()

    async def body(threads: CallThreads) -> str:
        with pytest.raises(asyncio.TimeoutError):
            await asyncio.wait_for(threads.run(gate.wait), 0.01)
        gate.set()
        return await threads.run(lambda: "next")

    assert within(1, body) == "next"


def test_leaving_cancels_calls_that_have_not_started_and_waits_for_the_others() -> None:
    started, finished = [], []

    def call(number: int) -> None:
        started.append(number)
        time.sleep(0.05)
        finished.append(number)

    async def main() -> list[asyncio.Task[Any]]:
        async with CallThreads(2) as threads:
            steps = [threads.run(lambda n=n: call(n)) for n in range(6)]
            tasks = [asyncio.ensure_future(step) for step in steps]
            while len(started) < 2:
                await asyncio.sleep(0.001)
        await asyncio.wait(tasks)
        return tasks

    tasks = asyncio.run(main())
    assert sorted(finished) == sorted(started) == [0, 1]
    assert [task.cancelled() for task in tasks[2:]] == [True] * 4


def test_the_loop_goes_on_while_leaving_waits_for_a_call_that_needs_it() -> None:
    async def main() -> str:
        loop, started = asyncio.get_running_loop(), threading.Event()

        def call() -> str:
            started.set()
            return asyncio.run_coroutine_threadsafe(asyncio.sleep(0.05, "done"), loop).result(60)

        async with CallThreads(1) as threads:
            step = asyncio.ensure_future(threads.run(call))
            while not started.is_set():
                await asyncio.sleep(0.001)
        return await step

    assert asyncio.run(asyncio.wait_for(main(), 120)) == "done"


def test_no_thread_is_left() -> None:
    before = threading.active_count()

    async def body(threads: CallThreads) -> None:
        await asyncio.gather(*[threads.run(lambda: None) for _ in range(50)])

    within(8, body)
    assert threading.active_count() == before


def test_leaving_that_is_cancelled_still_waits_for_the_calls() -> None:
    gate, finished = threading.Event(), threading.Event()

    def call() -> None:
        gate.wait(60)
        finished.set()

    async def main() -> bool:
        async def enter_and_leave() -> None:
            async with CallThreads(1) as threads:
                threads.run(call)

        leaving = asyncio.ensure_future(enter_and_leave())
        await asyncio.sleep(0.01)
        leaving.cancel()
        await asyncio.sleep(0.01)
        gate.set()
        with pytest.raises(asyncio.CancelledError):
            await leaving
        return finished.is_set()

    assert asyncio.run(main())
