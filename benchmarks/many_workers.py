"""Thousands of workers that lease the blocks of one run: the lease code, with a simulated clock.

A folder in memory counts what a network file system would have to do. Workers play blocks of
random length. Some are killed, and others start in their place; some stall for longer than the
patience, and continue. A table shows how many blocks were played again, the operations per block,
and how many requests reached the file system per second, on average and in the busiest 15 seconds.
"""

from __future__ import annotations

import argparse
import heapq
import itertools
import random
from collections import Counter
from collections.abc import Callable, Iterator

from textgym.rollouts.leases import LeaseBoard, SharedFolder

PATIENCE = 60.0  # seconds, as by default
BLOCKS_PER_WORKER = 8
BLOCK_SECONDS = 60.0  # to play a block, on average
KILLED, STALLED = 0.25, 0.02  # shares of the workers
NAMES_PER_REQUEST = 100  # in the listing of a folder
REQUESTS = {"made": 4, "refused": 6, "renamed": 1, "read": 2}  # for a file
WINDOW = 15.0  # seconds

Count = Callable[[str, int], None]


class CountedFolder(SharedFolder):
    """A folder in memory.

    Args:
        count: Called with the kind of each operation and its requests.
    """

    def __init__(self, count: Count) -> None:
        self._files: dict[str, str] = {}
        self._count = count

    def create(self, name: str, content: str, *, durable: bool = False) -> bool:
        """Make a file; return False if there is one."""
        is_new = name not in self._files
        self._count_file("made" if is_new else "refused")
        self._files.setdefault(name, content)
        return is_new

    def rename(self, old: str, new: str) -> None:
        """Rename a file, or make it."""
        self._count_file("renamed")
        self._files.pop(old, None)
        self._files[new] = ""

    def read(self, name: str) -> str | None:
        """Return the content of a file."""
        self._count_file("read")
        return self._files.get(name)

    def names(self) -> list[str]:
        """Return the names of all files."""
        self._count("listed", 1 + len(self._files) // NAMES_PER_REQUEST)
        return list(self._files)

    def _count_file(self, kind: str) -> None:
        self._count(kind, REQUESTS[kind])


class Fleet:
    """Workers on machines of one simulated clock.

    Args:
        workers: How many play at the same time.
        seed: Decides when each of them is killed or stalls, and how long a block takes.

    Attributes:
        now: The seconds since the beginning.
        blocks: How many blocks the run has.
        lost: How many blocks were not finished by a worker, because it was killed.
        stalls: How many workers stalled.
        begun: How many times each block was begun.
        finished: How many times each block was finished.
        operations: How many operations of each kind there were.
        requests: How many requests there were in each window.
    """

    def __init__(self, workers: int, seed: int = 0) -> None:
        self.now = 0.0
        self.blocks = workers * BLOCKS_PER_WORKER
        self.lost = self.stalls = 0
        self.begun, self.finished = Counter[int](), Counter[int]()
        self.operations, self.requests = Counter[str](), Counter[int]()
        self._rng = random.Random(seed)
        self._folders = CountedFolder(self._count), CountedFolder(self._count)
        self._numbers = itertools.count()
        self._events: list[tuple[float, int, Iterator[float]]] = []
        for _ in range(workers):
            self._start(Worker(f"worker-{next(self._numbers)}"), self._rng.uniform(0, 30))

    def run(self) -> None:
        """Let the workers play until all have ended."""
        while self._events:
            self.now, _, process = heapq.heappop(self._events)
            if (seconds := next(process, None)) is not None:
                self._continue(process, seconds)

    def per_block(self, kind: str) -> float:
        """Return how many operations of a kind there were for each block."""
        return self.operations[kind] / self.blocks

    def _count(self, kind: str, requests: int) -> None:
        self.operations[kind] += 1
        self.requests[int(self.now // WINDOW)] += requests

    def _continue(self, process: Iterator[float], seconds: float) -> None:
        heapq.heappush(self._events, (self.now + seconds, next(self._numbers), process))

    def _start(self, worker: Worker, seconds: float) -> None:
        self._continue(self._play(worker), seconds)
        if self._rng.random() < KILLED:
            play_seconds = BLOCKS_PER_WORKER * BLOCK_SECONDS
            self._continue(self._kill(worker), seconds + self._rng.uniform(0, play_seconds))

    def _play(self, worker: Worker) -> Iterator[float]:
        board = LeaseBoard(*self._folders, worker.name, self.blocks, PATIENCE, lambda: self.now)
        board.beat()
        self._continue(self._beat(worker, board), board.beat_period)
        stalling = self._rng.randrange(BLOCKS_PER_WORKER) if self._rng.random() < STALLED else None
        pauses = board.pauses()
        while worker.is_alive and not board.is_finished:
            lease = board.claim()
            if not lease:
                yield next(pauses)
                continue
            pauses = board.pauses()
            self.begun[lease.block] += 1
            if worker.played == stalling:
                self.stalls += 1
                worker.is_stalled = True
                yield self._rng.uniform(2, 4) * PATIENCE
                worker.is_stalled = False
            yield self._rng.uniform(0.5, 1.5) * BLOCK_SECONDS
            worker.played += 1
            if worker.is_alive:
                self.finished[lease.block] += 1
                board.finish(lease.block)
            else:
                self.lost += 1
        worker.is_alive = False

    def _beat(self, worker: Worker, board: LeaseBoard) -> Iterator[float]:
        while worker.is_alive:
            if not worker.is_stalled:
                board.beat()
            yield board.beat_period

    def _kill(self, worker: Worker) -> Iterator[float]:
        if worker.is_alive:
            worker.is_alive = False
            self._start(Worker(f"worker-{next(self._numbers)}"), self._rng.uniform(0, 60))
        yield from ()


class Worker:
    """What happens to a worker.

    Args:
        name: Its name.
    """

    def __init__(self, name: str) -> None:
        self.name = name
        self.played = 0
        self.is_alive, self.is_stalled = True, False


def line(fleet: Fleet, workers: int) -> list[str]:
    """Return the cells of a fleet's line in the table."""
    if len(fleet.finished) != fleet.blocks:
        raise SystemExit(f"{fleet.blocks - len(fleet.finished)} blocks were not finished")
    again, twice = fleet.begun.total() - fleet.blocks, fleet.finished.total() - fleet.blocks
    rates = fleet.requests.total() / fleet.now, max(fleet.requests.values()) / WINDOW
    counts = workers, fleet.blocks, round(fleet.now), fleet.lost, fleet.stalls, again, twice
    return [
        *(f"{number:,}" for number in counts),
        *(f"{fleet.per_block(kind):.2f}" for kind in (*REQUESTS, "listed")),
        *(f"{rate:,.0f}" for rate in rates),
    ]


def main() -> None:
    """Simulate fleets of several sizes, and print the table."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("workers", type=int, nargs="*", default=[20, 200, 2000])
    titles = [
        *("workers", "blocks", "seconds", "lost", "stalls", "again", "twice"),
        *REQUESTS,
        *("listed", "requests/s", "busiest"),
    ]
    print("  ".join(titles))
    for workers in parser.parse_args().workers:
        fleet = Fleet(workers)
        fleet.run()
        cells = zip(line(fleet, workers), titles, strict=True)
        print("  ".join(cell.rjust(len(title)) for cell, title in cells), flush=True)


if __name__ == "__main__":
    main()
