"""Workers on a shared folder, beside one process that plays the same run.

The first table shows the CPU microseconds of an episode: `textgym eval` in one process, and with
one worker, which leases blocks, writes a segment and merges it. The second shows the episodes per
second of one worker and of two, in an environment that needs the CPU, with a policy that does not
wait.
Each figure is the difference between a run and one of a third of its episodes, so the start of the
processes cancels.
"""

from __future__ import annotations

import resource
import statistics
import subprocess
import sys
import tempfile
import time
from functools import partial
from pathlib import Path
from typing import NamedTuple

from measure import aim, asked_quick, measure, ratio_line, table

CHEAP, COSTLY = "textgym/MCQA-v0", "textgym/Search-v0"
TASKS = {CHEAP: 500, COSTLY: 100}
OVERHEAD = 100.0  # microseconds of CPU that the folder adds to an episode
SPEED_UP = 1.7  # of two workers on two cores


class Cost(NamedTuple):
    """Seconds of a run."""

    wall: float
    cpu: float


def cost(id: str, repeats: int, workers: int) -> Cost:
    """Return what a run costs; without workers, one process plays it."""
    with tempfile.TemporaryDirectory() as folder:
        command = [
            *(sys.executable, "-m", "textgym", "eval", id, "--policy", "oracle"),
            *("--episodes", str(TASKS[id]), "--repeats", str(repeats)),
            *("--out", str(Path(folder, "run"))),
            *(("--workers", str(workers)) if workers else ()),
        ]
        begun, before = time.perf_counter(), _cpu()
        subprocess.run(command, check=True, capture_output=True)
        return Cost(time.perf_counter() - begun, _cpu() - before)


def _cpu() -> float:
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


def cpu_of_an_episode(id: str, repeats: int, workers: int) -> float:
    """Return CPU microseconds per episode."""
    whole, part = cost(id, 3 * repeats, workers), cost(id, repeats, workers)
    return (whole.cpu - part.cpu) / (2 * repeats * TASKS[id]) * 1e6


def rate(id: str, repeats: int, workers: int) -> float:
    """Return episodes per second."""
    whole, part = cost(id, 3 * repeats, workers), cost(id, repeats, workers)
    return 2 * repeats * TASKS[id] / (whole.wall - part.wall)


def main() -> None:
    """Measure, and print the tables with their targets."""
    rounds, scale = (3, 1) if asked_quick(__doc__) else (5, 4)
    cases = {
        "one process": partial(cpu_of_an_episode, CHEAP, 10 * scale, 0),
        "one worker": partial(cpu_of_an_episode, CHEAP, 10 * scale, 1),
    }
    figures = measure(cases, rounds)
    print(table("CPU microseconds per episode", figures))
    pairs = zip(figures["one worker"], figures["one process"], strict=True)
    added = statistics.median(worker - alone for worker, alone in pairs)
    print(aim("CPU that the folder adds to an episode", added, OVERHEAD, "microseconds"), "\n")
    cases = {f"{number} workers": partial(rate, COSTLY, 10 * scale, number) for number in (1, 2)}
    figures = measure(cases, rounds)
    print(table("episodes per second", figures))
    print(ratio_line(figures, "2 workers", "1 workers"))
    speed_up = statistics.median(figures["2 workers"]) / statistics.median(figures["1 workers"])
    print(aim("two workers", speed_up, SPEED_UP, "times one", at_least=True))


if __name__ == "__main__":
    main()
