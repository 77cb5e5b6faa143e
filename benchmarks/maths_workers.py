"""Mathematical checks in textgym's worker processes, beside a pool of the package `pebble`.

Both run the same check in one process per core, called from 64 threads, with the same limit of time
(CPU time in textgym, wall time in pebble). In the second setting one check in 50 reaches its limit,
and its process is replaced. Pebble's pool is measured with processes that are spawned, and with a
fork server that has imported sympy. The last line says whether each works in a daemonic process,
such as the workers of Gymnasium's `AsyncVectorEnv`, which may have no children of multiprocessing.
Without the package only textgym is measured: `pip install pebble`.
"""

from __future__ import annotations

import importlib
import itertools
import multiprocessing
import os
import sys
import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from typing import Any

from mathematics import CORES, THREADS, golds, pairs
from measure import aim, asked_quick, measure, ratio_line, table

from textgym.concurrency.workers import Workers

SECONDS = 1.0  # the limit of a check
EVERY = 50  # one check in so many reaches the limit
CHECKS_A_WORKER = 2000
AIM = 0.8  # how many times pebble's checks per second, if some reach the limit

NUMBERS = itertools.count()
Check = Callable[[str, str], object]


def long_formula() -> str:
    """Return a formula, different each time, that takes longer than the limit."""
    terms = (f"\\ln(1+10^{{{n}}}) - \\ln(1+10^{{{n}}})" for n in range(2900, 2940))
    return " + ".join(["5", *terms, f"{next(NUMBERS)}"])


def check_in_process(gold: str, answer: str) -> dict[str, Any]:
    """Run one check in a process of pebble's pool."""
    from textgym.verifiers.math.check import check

    return check(gold, answer)


def prepare() -> None:
    """Import what a process of pebble's pool needs, and guard sympy."""
    from textgym.verifiers.math.guards import guard_sympy

    guard_sympy()


def pebble_check(pool: Any, gold: str, answer: str) -> object:
    """Run a check in pebble's pool; None if it reached its limit."""
    future = pool.schedule(check_in_process, args=(gold, answer), timeout=SECONDS)
    try:
        return future.result()
    except TimeoutError:
        return None


def _workers() -> Workers:
    return Workers("textgym.verifiers.math.check:load", name="mathematics")


def textgym_check(workers: Workers, gold: str, answer: str) -> object:
    """Run a check in textgym's workers."""
    return workers.call({"gold": gold, "answer": answer}, SECONDS)


def rate(check: Check, known: list[str], count: int, every: int) -> float:
    """Return the checks per second from many threads; every n-th reaches its limit."""
    todo = [(gold, text.partition("{")[2][:-2]) for gold, text in pairs(known, count)]
    if every:
        todo[::every] = [("5", long_formula()) for _ in todo[::every]]
    begun = time.perf_counter()
    with ThreadPoolExecutor(THREADS) as threads:
        list(threads.map(lambda pair: check(*pair), todo))
    return count / (time.perf_counter() - begun)


def pebble_pools() -> dict[str, Any]:
    """Return pebble's pools by name; none without the package."""
    try:
        pebble = importlib.import_module("pebble")
    except ImportError:
        return {}
    os.environ["PYTHONHASHSEED"] = "0"  # as in textgym's workers
    spawn, server = map(multiprocessing.get_context, ("spawn", "forkserver"))
    server.set_forkserver_preload(["textgym.verifiers.math.check"])
    return {
        f"pebble, {name}": pebble.ProcessPool(
            CORES, max_tasks=CHECKS_A_WORKER, initializer=prepare, context=context
        )
        for name, context in {"spawn": spawn, "fork server": server}.items()
    }


def works_in_daemon(target: Callable[[], None]) -> str:
    """Run a function in a daemonic process; return "works" if it succeeds, else "fails"."""
    process = multiprocessing.get_context("spawn").Process(target=target, daemon=True)
    process.start()
    process.join()
    return "fails" if process.exitcode else "works"


def one_textgym_check() -> None:
    """Run a check in textgym's workers."""
    textgym_check(_workers(), "1", "1")


def one_pebble_check() -> None:
    """Run a check in a pool of pebble's."""
    sys.stderr = open(os.devnull, "w")  # noqa: SIM115  it says why it fails
    pools = pebble_pools()
    pebble_check(pools["pebble, spawn"], "1", "1")


def main() -> None:
    """Measure, and print a table for each setting."""
    rounds, count = (3, 150) if asked_quick(__doc__) else (7, 600)
    known, workers, pools = golds(), _workers(), pebble_pools()
    checks: dict[str, Check] = {"textgym": partial(textgym_check, workers)}
    checks |= {name: partial(pebble_check, pool) for name, pool in pools.items()}
    settings = {"checks per second": 0, f"one in {EVERY} reaches its limit": EVERY}
    for title, every in settings.items():
        cases = {name: partial(rate, check, known, count, every) for name, check in checks.items()}
        figures = measure(cases, rounds)
        print(table(title, figures))
        for name in pools:
            print(ratio_line(figures, "textgym", name))
    if pools:
        lost = [
            mine / its
            for mine, its in zip(figures["textgym"], figures["pebble, fork server"], strict=True)
        ]
        print(aim("textgym over pebble", sorted(lost)[len(lost) // 2], AIM, "times", at_least=True))
        daemon = {"textgym": one_textgym_check, "pebble": one_pebble_check}
        found = [f"{name} {works_in_daemon(target)}" for name, target in daemon.items()]
        print(f"in a daemonic process: {', '.join(found)}")
    for pool in pools.values():
        pool.stop()
        pool.join()
    workers.close()


if __name__ == "__main__":
    main()
