"""Rescoring in worker processes, which take the stored episodes of a run in batches.

Invariants: a batch is rescored as by one process, in stored order; workers read the stored lines,
write the new ones and compute the numbers for the metrics, so that the process that collects them
has little to do for each episode.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from dataclasses import fields
from itertools import islice
from operator import attrgetter
from pathlib import Path
from typing import Any, NamedTuple

from textgym.concurrency.event_loops import run_sync
from textgym.json_values import encode_line
from textgym.metrics.episode_table import EpisodeTable
from textgym.registry import import_environments
from textgym.rescoring.replayer import Replayer
from textgym.rescoring.verdicts import EpisodeVerdict
from textgym.rollouts.workers import rare_collections
from textgym.trajectories.run import Run
from textgym.trajectories.run_folder import open_trajectories, read_line
from textgym.trajectories.schema import Trajectory
from textgym.trajectories.selection import check_trajectories

__all__ = ["Batch", "RescoredBatch", "batches", "rescorer"]

_EPISODES = 100  # of a batch

Stored = bytes | Trajectory
"""A stored episode: its line, or a trajectory in memory."""

_values_of = attrgetter(*(field.name for field in fields(EpisodeVerdict)))


class Batch(NamedTuple):
    """Episodes to rescore.

    Attributes:
        first: The position of the first one in the run.
        stored: The episodes.
    """

    first: int
    stored: list[Stored]


class RescoredBatch(NamedTuple):
    """The episodes of a batch after they were rescored.

    Attributes:
        first: The position of the first one in the run.
        verdicts: The values of each verdict.
        lines: The new trajectories, if they are wanted.
        table: The `EpisodeTable.parts` of these trajectories.
        digests: The digests of the data that the environments read, by id.
    """

    first: int
    verdicts: list[tuple[Any, ...]]
    lines: list[bytes]
    table: tuple[list[str], bytes, bytes]
    digests: dict[str, dict[str, str]]


def batches(run: str | Path | Run) -> Iterator[Batch]:
    """Yield the episodes of a run, or of its folder, in stored order.

    Raises:
        RunError: The folder holds no run.
    """
    if isinstance(run, Run):
        if run.out is None:
            yield from _divided(run.in_memory)
            return
        run = run.out
    with open_trajectories(run) as lines:
        # A last line without a line end is incomplete.
        yield from _divided(line for line in lines if line.endswith(b"\n"))


def _divided(episodes: Iterable[Stored]) -> Iterator[Batch]:
    rest, first = iter(episodes), 0
    while stored := list(islice(rest, _EPISODES)):
        yield Batch(first, stored)
        first += len(stored)


@contextmanager
def rescorer(
    make_replayer: Callable[[], Replayer],
    folder: Path | None,
    imports: Any,
    concurrency: int,
    with_lines: bool,
) -> Iterator[Callable[[Batch], RescoredBatch]]:
    """Yield the function that a worker calls.

    Args:
        make_replayer: Makes the replayer of the worker.
        folder: The folder of the run, if it has one.
        imports: The environments to import, from the configuration of the run.
        concurrency: The maximum number of episodes that run at once.
        with_lines: Whether the new trajectories are wanted.
    """
    import_environments(imports)
    replayer = make_replayer()

    def rescore(batch: Batch) -> RescoredBatch:
        verdicts: dict[int, tuple[Any, ...]] = {}
        trajectories: dict[int, Trajectory] = {}

        def add(number: int, verdict: EpisodeVerdict, new: Trajectory) -> None:
            verdicts[number] = _values_of(verdict)
            if with_lines:
                trajectories[number] = new

        stored = check_trajectories(_read(batch, folder), batch.first + 1)
        episodes = enumerate(stored, batch.first)
        run_sync(lambda: replayer.rescore(episodes, concurrency, add))
        lines, table = [], EpisodeTable()
        for number in sorted(trajectories):
            lines.append(encode_line(trajectories[number]))
            table.add(trajectories[number])
        in_order = [verdicts[number] for number in sorted(verdicts)]
        return RescoredBatch(batch.first, in_order, lines, table.parts(), replayer.digests)

    with rare_collections():
        try:
            yield rescore
        finally:
            replayer.pool.close()


def _read(batch: Batch, folder: Path | None) -> Iterator[Trajectory]:
    """Yield the trajectories of a batch."""
    folder = folder or Path()  # which only lines need
    file = str(folder / "trajectories.jsonl")
    for number, stored in enumerate(batch.stored, batch.first + 1):
        if isinstance(stored, bytes):
            stored = read_line(stored, f"line {number} of {file!r}", folder)
        yield stored
