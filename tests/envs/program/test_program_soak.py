"""Programs, many of them hostile, are graded in parallel, and nothing is left behind."""

from __future__ import annotations

import os
import random
import tempfile
from collections import Counter
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest
from forged_programs import FORGED
from hostile_programs import HOSTILE
from program_cases import HONEST

from textgym.envs.program import Program

THREADS = 8
SLOW = ("sleep", "a thread that does not end", "waiting for more input")  # they wait for seconds
HOSTILE_AND_FAST = {name: case for name, case in HOSTILE.items() if name not in SLOW}


def processes() -> set[int]:
    """Return the processes that this one and its children started and that still run."""
    parents: dict[int, int] = {}
    for path in Path("/proc").glob("[0-9]*/stat"):
        try:
            fields = path.read_text().rpartition(")")[2].split()
        except (FileNotFoundError, ProcessLookupError):
            continue
        parents[int(path.parent.name)] = int(fields[1])
    found = {os.getpid()}
    while more := {pid for pid, parent in parents.items() if parent in found} - found:
        found |= more
    return found - {os.getpid()}


def memory() -> int:
    """Return the resident memory of this process, in bytes."""
    return int(Path("/proc/self/statm").read_text().split()[1]) * os.sysconf("SC_PAGE_SIZE")


def left_over() -> tuple[int, int, set[str]]:
    """Return the numbers of processes and descriptors, and the temporary files."""
    boxes = {path.name for path in Path(tempfile.gettempdir()).glob("box-*")}
    return len(processes()), len(os.listdir("/proc/self/fd")), boxes


@pytest.mark.usefixtures("needs_sandbox")
@pytest.mark.parametrize(
    "count",
    [pytest.param(150, marks=pytest.mark.slow), pytest.param(2_000, marks=pytest.mark.soak)],
)
def test_nothing_is_left_behind(count: int) -> None:
    rng = random.Random(0)
    cases: list[tuple[float, tuple[dict[str, Any], str]]] = []
    for _ in range(count):
        source = rng.choices((HONEST, FORGED, HOSTILE_AND_FAST), (6, 3, 1))[0]
        cases.append((float(source is HONEST), source[rng.choice(list(source))]))

    def graded(case: tuple[float, tuple[dict[str, Any], str]]) -> bool:
        env = Program(unit_test_timeout_secs=1)
        env.reset(options={"task": case[1][0]})
        reward = env.step(case[1][1])[1]
        env.close()
        return reward == case[0]

    with ThreadPoolExecutor(THREADS) as pool:
        list(pool.map(graded, cases[:20]))  # what is made once
        before, used = left_over(), memory()
        judged = Counter(pool.map(graded, cases))
        assert left_over() == before
    assert judged == {True: count}
    assert memory() - used < 200 * 2**20
