"""An actor of Ray, beside one process that plays the same run.

The table shows the CPU microseconds of an episode: `rollout` in one process, and with one actor, in
leases of 64 and of 128 episodes. The CPU of this process, the actor and Ray's servers is added. The
environment costs little, so the difference is what leasing and sending add to an episode. Each
figure is the difference between a run and one of a third of its episodes, so the start of a run
cancels. It needs Linux and the extra `ray`.
"""

from __future__ import annotations

import os
import statistics
import tempfile
from functools import partial
from pathlib import Path

from measure import aim, asked_quick, measure, table

import textgym
from textgym.rollouts import ray_run

ENV, TASKS = "textgym/MCQA-v0", 500
LEASES = (64, 128)
OVERHEAD = 300.0  # microseconds of CPU that Ray adds to an episode


def cpu_seconds() -> float:
    """Return the CPU that this process and those that it started have used."""
    ticks, parents = {}, {}
    for file in Path("/proc").glob("[0-9]*/stat"):
        try:
            fields = file.read_text().rpartition(") ")[2].split()
        except OSError:  # it has ended
            continue
        pid = int(file.parent.name)
        parents[pid], ticks[pid] = int(fields[1]), int(fields[11]) + int(fields[12])

    def is_own(pid: int) -> bool:
        return pid == os.getpid() or (pid in parents and is_own(parents[pid]))

    return sum(ticks[pid] for pid in ticks if is_own(pid)) / os.sysconf("SC_CLK_TCK")


def cpu_of_a_run(repeats: int, backend: textgym.RayBackend | None) -> float:
    """Return the CPU seconds of a run."""
    with tempfile.TemporaryDirectory() as folder:
        before = cpu_seconds()
        textgym.rollout(
            ENV, "oracle", episodes=TASKS, repeats=repeats, out=Path(folder, "run"), backend=backend
        )
        return cpu_seconds() - before


def of_an_episode(repeats: int, backend: textgym.RayBackend | None, lease: int = 0) -> float:
    """Return CPU microseconds per episode."""
    if backend:
        ray_run.LEASE = lease
    added = cpu_of_a_run(3 * repeats, backend) - cpu_of_a_run(repeats, backend)
    return added / (2 * repeats * TASKS) * 1e6


def main() -> None:
    """Measure, and print the table with its targets."""
    rounds, repeats = (3, 10) if asked_quick(__doc__) else (5, 30)
    with textgym.RayBackend(actors=1, address="local") as backend:
        cpu_of_a_run(1, backend)  # starts the actor
        cases = {"one process": partial(of_an_episode, repeats, None)}
        for lease in LEASES:
            cases[f"leases of {lease}"] = partial(of_an_episode, repeats, backend, lease)
        figures = measure(cases, rounds)
    print(table("CPU microseconds per episode", figures))
    for lease in LEASES:
        pairs = zip(figures[f"leases of {lease}"], figures["one process"], strict=True)
        added = statistics.median(actor - alone for actor, alone in pairs)
        print(aim(f"Ray adds with leases of {lease}", added, OVERHEAD, "microseconds"))


if __name__ == "__main__":
    main()
