"""The storage of the episode table, beside lists that become a NumPy array at the end.

Each case adds 100,000 trajectories and computes the metrics of the run. The cases differ only in
how the rows of the table are stored. Time is CPU time; memory is what Python and NumPy allocate, as
`tracemalloc` counts it, without the trajectories.
"""

from __future__ import annotations

import gc
import time
import tracemalloc
from collections.abc import Callable, Iterator
from functools import partial
from itertools import islice
from struct import Struct
from typing import Any

import numpy as np
from measure import asked_quick, measure, ratio_line, table

from textgym.messages import assistant, user
from textgym.metrics.episode_table import EpisodeTable, Rows
from textgym.metrics.run_metrics import run_metrics
from textgym.metrics.statistics import Array

REPEATS = 4
CHUNK = 1000  # trajectories that exist at once
MESSAGES = [user("Which of these is the largest? " * 10), assistant("It must be \\boxed{B}.")]


class Tuples(Rows):
    """Rows as a list of tuples."""

    def __init__(self, width: int) -> None:
        self._width = width
        self._tuples: list[tuple[Any, ...]] = []

    def append(self, row: tuple[Any, ...]) -> None:
        """Append a row."""
        self._tuples.append(row)

    def as_array(self) -> Array:
        """Return all rows as a new matrix."""
        return np.array(self._tuples, dtype=float).reshape(-1, self._width)


class Columns(Rows):
    """Rows as one list for each column."""

    def __init__(self, width: int) -> None:
        self._columns: list[list[Any]] = [[] for _ in range(width)]

    def append(self, row: tuple[Any, ...]) -> None:
        """Append a row."""
        for column, value in zip(self._columns, row, strict=True):
            column.append(value)

    def as_array(self) -> Array:
        """Return all rows as a new matrix."""
        return np.array(self._columns, dtype=float).T


class Packed(Rows):
    """Rows as bytes that `struct` packs."""

    def __init__(self, width: int) -> None:
        self._width = width
        self._pack = Struct(f"{width}d").pack
        self._bytes = bytearray()

    def append(self, row: tuple[Any, ...]) -> None:
        """Append a row."""
        self._bytes += self._pack(*row)

    def as_array(self) -> Array:
        """Return all rows as a matrix that shares their memory."""
        return np.frombuffer(self._bytes).reshape(-1, self._width)


CASES: dict[str, type[Rows]] = {
    "a list of tuples (the floor)": Tuples,
    "a list for each column": Columns,
    "bytes packed by struct": Packed,
    "an array of doubles, as in textgym": Rows,
}


def trajectories(count: int) -> Iterator[Any]:
    """Yield trajectories of a run, each with its own objects as if read from a file."""
    for number in range(count):
        task, repeat = divmod(number, REPEATS)
        right = number * 7919 % 3 == 0
        yield {
            "env_id": "textgym/MCQA-v0",
            "task_id": f"test-{task}",
            "task_index": task,
            "repeat": repeat,
            "messages": MESSAGES,
            "steps": [{"message_index": 1, "components": {"correct": float(right)}}],
            "truncated": False,
            "stop_reason": "answer",
            "is_success": right,
            "reward": float(right),
            "info": {"extracted_answer": "ABCD"[number % 4], "level": task % 5},
            "usage": {"prompt_tokens": 300 + task % 1000, "completion_tokens": 300 + number % 1000},
            "seconds": 0.5 + number * 1e-6,
            "splits": 0,
            "failure": None,
        }


def fill(rows: type[Rows], count: int) -> tuple[EpisodeTable, float]:
    """Add trajectories to a table; return it and the CPU seconds of adding them."""
    episode_table: Any = EpisodeTable()
    for name in ("_rows", "_components"):
        width = getattr(episode_table, name).as_array().shape[1]
        setattr(episode_table, name, rows(width))
    made, seconds = trajectories(count), 0.0
    while chunk := list(islice(made, CHUNK)):
        begun = time.process_time()
        for trajectory in chunk:
            episode_table.add(trajectory)
        seconds += time.process_time() - begun
    return episode_table, seconds


def adding(rows: type[Rows], count: int) -> float:
    """Return the CPU microseconds of adding one trajectory."""
    gc.collect()
    return fill(rows, count)[1] / count * 1e6


def both(rows: type[Rows], count: int) -> float:
    """Return the CPU seconds of adding all trajectories and computing the metrics."""
    gc.collect()
    episode_table, seconds = fill(rows, count)
    begun = time.process_time()
    run_metrics(episode_table)
    return seconds + time.process_time() - begun


def memory(rows: type[Rows], count: int, with_metrics: bool) -> float:
    """Return the MiB of a table, or the peak while its metrics are computed."""
    gc.collect()
    tracemalloc.start()
    try:
        episode_table, _ = fill(rows, count)
        tracemalloc.reset_peak()
        if with_metrics:
            run_metrics(episode_table)
        held, peak = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    return (peak if with_metrics else held) / 2**20


def main() -> None:
    """Measure, and print the tables."""
    rounds, count = (2, 20_000) if asked_quick(__doc__) else (7, 100_000)
    questions: list[tuple[str, Callable[[type[Rows]], float], int]] = [
        ("microseconds per episode added", partial(adding, count=count), rounds),
        ("seconds to add all and compute metrics", partial(both, count=count), rounds),
        ("MiB held", partial(memory, count=count, with_metrics=False), 2),
        ("MiB at most, metrics computed", partial(memory, count=count, with_metrics=True), 2),
    ]
    for title, question, times in questions:
        cases = {name: partial(question, rows) for name, rows in CASES.items()}
        figures = measure(cases, times)
        print(table(f"{title}, {count:,} episodes", figures, digits=2))
        floor, *others = figures
        for name in others:
            print(ratio_line(figures, name, floor))
        print(flush=True)


if __name__ == "__main__":
    main()
