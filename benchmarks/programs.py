"""Programs graded per second, with ten tests each, and a Python session of ten calls.

There are as many threads as cores. Each program is graded in a sandbox of its own. The floor is a
sandbox that only starts Python and ends. Programs are called, or read standard input; one in four
is wrong.
"""

from __future__ import annotations

import itertools
import os
import statistics
import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from functools import partial

from measure import aim, asked_quick, measure, table

from textgym.sandbox import Sandbox
from textgym.verifiers.programs.runner import run_tests
from textgym.verifiers.programs.tests import Test
from textgym.wrappers import PythonTool

CORES = len(os.sched_getaffinity(0))
CALLS = [Test({"args": [n]}, n * n) for n in range(10)]
LINES = [Test({"stdin": f"{n}\n"}, f"{n * n}\n", "lines") for n in range(10)]
WAYS = itertools.count()


def start_only(number: int) -> None:
    """Start Python in a sandbox."""
    with Sandbox() as box, box.start_python("print('ready')") as program:
        assert program.receive() == "ready"


def call(number: int) -> None:
    """Grade a function."""
    power = 3 if number % 4 == 0 else 2
    verdict = run_tests([f"def f(n):\n    return n ** {power}  # {number}"], CALLS, entry="f")
    assert all(verdict.passed) == (power == 2)


def read(number: int) -> None:
    """Grade a program that reads standard input."""
    power = 3 if number % 4 == 0 else 2
    verdict = run_tests([f"print(int(input()) ** {power})  # {number}"], LINES)
    assert all(verdict.passed) == (power == 2)


def session(number: int) -> None:
    """Run ten calls in a Python session."""
    python = PythonTool()
    python.python(f"n = {number}")
    assert all(python.python(f"n * {k}") == str(number * k) for k in range(9))
    python.close()


def rate(work: Callable[[int], None], count: int, threads: int = CORES) -> float:
    """Return how many programs are graded per second."""
    begun = time.perf_counter()
    with ThreadPoolExecutor(threads) as pool:
        list(pool.map(work, itertools.islice(WAYS, count)))
    return count / (time.perf_counter() - begun)


def latency(work: Callable[[int], None], count: int) -> float:
    """Return the median milliseconds of one program at a time."""
    taken = []
    for _ in range(count):
        begun = time.perf_counter()
        work(next(WAYS))
        taken.append(1000 * (time.perf_counter() - begun))
    return statistics.median(taken)


def main() -> None:
    """Measure, and print the tables."""
    rounds, count = (3, 20) if asked_quick(__doc__) else (7, 60)
    cases = {
        "a sandbox that starts Python (the floor)": start_only,
        "a function, ten tests": call,
        "a program that reads input, ten tests": read,
        "a Python session, ten calls": session,
    }
    rates = measure({name: partial(rate, work, count) for name, work in cases.items()}, rounds)
    print(table(f"programs per second, {CORES} threads", rates))
    alone = measure(
        {name: partial(latency, work, count // 2) for name, work in cases.items()}, rounds
    )
    print(table("milliseconds, one at a time", alone))
    names = list(cases)[1:3]
    slowest = max(statistics.median(alone[name]) for name in names)
    fewest = min(statistics.median(rates[name]) for name in names)
    print(aim("the slower one", slowest, 100, "ms"))
    print(aim("the slower one", fewest, 25, "per second", at_least=True))


if __name__ == "__main__":
    main()
