"""Calls of 20 ms in threads, awaited by an event loop: textgym's pool and the standard library's.

As many calls are under way as there are threads, as in a rollout whose steps wait for a judge. The
pool of `concurrent.futures` is driven with `loop.run_in_executor`.
"""

from __future__ import annotations

import asyncio
import statistics
import time
from collections.abc import Awaitable, Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import AbstractContextManager, contextmanager

from measure import asked_quick, table
from textgym.concurrency.thread_pool import Threads

SECONDS = 0.02
CALLS = {64: 6_400, 512: 15_360, 4096: 24_576}  # by the number of threads
Submit = Callable[[], Awaitable[object]]
Pool = Callable[[int], AbstractContextManager[Submit]]


def wait() -> None:
    """Wait as a judge would."""
    time.sleep(SECONDS)


@contextmanager
def own(size: int) -> Iterator[Submit]:
    """Give textgym's pool."""
    with Threads(size) as pool:
        yield lambda: pool.call(wait)


@contextmanager
def library(size: int) -> Iterator[Submit]:
    """Give the standard library's pool."""
    loop = asyncio.get_running_loop()
    with ThreadPoolExecutor(size) as pool:
        yield lambda: loop.run_in_executor(pool, wait)


async def run(pool: Pool, size: int, calls: int) -> tuple[float, float]:
    """Return the calls per second, and the CPU microseconds per call, of threads that run."""
    left = 0

    async def worker(submit: Submit) -> None:
        nonlocal left
        while left > 0:
            left -= 1
            await submit()

    with pool(size) as submit:
        for count in (size, calls):  # the first ones start the threads
            left = count
            begun, cpu = time.perf_counter(), time.process_time()
            await asyncio.gather(*(worker(submit) for _ in range(size)))
            seconds, cpu = time.perf_counter() - begun, time.process_time() - cpu
    return calls / seconds, cpu / calls * 1e6


def main() -> None:
    """Measure, and print two tables and the ratios for each size."""
    rounds = 3 if asked_quick(__doc__) else 9
    pools = {"ThreadPoolExecutor (the floor)": library, "textgym's threads": own}
    for size, calls in CALLS.items():
        rates: dict[str, list[float]] = {name: [] for name in pools}
        costs: dict[str, list[float]] = {name: [] for name in pools}
        for number in range(rounds + 1):
            for name in list(pools)[:: 1 if number % 2 else -1]:
                rate, cost = asyncio.run(run(pools[name], size, calls))
                if number:
                    rates[name].append(rate)
                    costs[name].append(cost)
        print(table(f"calls per second, {size:,} under way", rates, digits=0))
        print(table("CPU microseconds per call", costs))
        for what, (theirs, ours) in (
            ("calls per second", rates.values()),
            ("CPU per call", costs.values()),
        ):
            ratios = sorted(one / other for one, other in zip(ours, theirs, strict=True))
            print(
                f"{what}, ours / the library's, pair by pair: median "
                f"{statistics.median(ratios):.2f}, from {ratios[0]:.2f} to {ratios[-1]:.2f}"
            )
        print(flush=True)


if __name__ == "__main__":
    main()
