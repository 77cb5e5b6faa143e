"""Rescoring by two worker processes, beside one process that rescores the same run.

The episodes use only the CPU: MultiStep with the oracle, about 0.4 ms and 7 KB each. The first
table shows the episodes per second, with the start of the workers. The second shows the CPU
microseconds of an episode in the process that writes the new run, which the workers do not share.
"""

from __future__ import annotations

import statistics
import tempfile
import time
from pathlib import Path
from typing import NamedTuple

from measure import Figures, aim, asked_quick, ratio_line, table

import textgym

TASKS, REPEATS = 500, 30
SPEED_UP = 1.7  # of two workers on two cores


class Cost(NamedTuple):
    """Seconds of rescoring."""

    wall: float
    cpu: float  # of this process


def cost(run: Path, workers: int) -> Cost:
    """Return what rescoring a run costs."""
    with tempfile.TemporaryDirectory() as folder:
        begun, before = time.perf_counter(), time.process_time()
        result = textgym.rescore(run, workers=workers, out=Path(folder, "new"))
        found = Cost(time.perf_counter() - begun, time.process_time() - before)
    if result.counts["same"] != sum(result.counts.values()):
        raise SystemExit(f"not all episodes have their stored reward: {result.counts}")
    return found


def main() -> None:
    """Measure, and print the tables with their target."""
    rounds = 3 if asked_quick(__doc__) else 5
    episodes = TASKS * REPEATS
    rates: Figures = {"one process": [], "two workers": []}
    cpu: Figures = {"one process": [], "two workers": []}
    with tempfile.TemporaryDirectory() as folder:
        run = Path(folder, "run")
        textgym.rollout("textgym/MultiStep-v0", "oracle", episodes=TASKS, repeats=REPEATS, out=run)
        cost(run, 1)  # the warm-up
        for _ in range(rounds):
            for workers, name in enumerate(rates, 1):
                found = cost(run, workers)
                rates[name].append(episodes / found.wall)
                cpu[name].append(found.cpu / episodes * 1e6)
    print(table("episodes per second", rates))
    print(ratio_line(rates, "two workers", "one process"))
    print(table("CPU microseconds per episode, in the process that writes", cpu))
    speed_up = statistics.median(rates["two workers"]) / statistics.median(rates["one process"])
    print(aim("two workers", speed_up, SPEED_UP, "times one process", at_least=True))


if __name__ == "__main__":
    main()
