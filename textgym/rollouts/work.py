"""One run that several workers play at the same time, on machines that share a folder.

The folder has `plan.json`, which is written once: what is played, and in how many blocks. A block
is a shard of the run. Each worker leases blocks (`leases`), and writes what it plays to a run
folder of its own in `segments`. Readers, and the worker that finds all blocks finished, merge the
segments into the folder, which then is an ordinary run folder.

Invariants: a block is finished when all its episodes are on the disk; a worker can be killed at any
moment, and what it stored is not played again; all workers have the same `run.json`.
"""

from __future__ import annotations

import asyncio
import contextlib
import json
import os
import socket
import threading
import time
import uuid
from collections import Counter
from collections.abc import Callable, Iterable, Mapping
from itertools import islice
from pathlib import Path
from typing import Any, NamedTuple

from textgym.errors import RunError
from textgym.json_values import json_round_trip
from textgym.metrics.run_index import Key, read_index
from textgym.rollouts.leases import Lease, LeaseBoard, SharedFolder
from textgym.rollouts.merging import SEGMENTS, collect_segments, has_episodes
from textgym.trajectories.run_folder import (
    FolderInUseError,
    read_config,
    refuse_used_folder,
)
from textgym.trajectories.schema import Trajectory
from textgym.trajectories.task_identity import check_same_run

__all__ = ["Work", "WorkPlan", "finished_blocks"]

_PLAN, _LEASES = "plan.json", "leases"
_MAY_CHANGE = ("out", "concurrency", "retries")  # when a run is resumed
_COLLECTIONS = 45  # attempts, as a network file system shows new segments late
_BLOCK = 64  # episodes in a block, at most, if a group is not larger
_BLOCKS_PER_WORKER = 8  # at least, so that all workers end at about the same time


class WorkPlan(NamedTuple):
    """What is played.

    Attributes:
        run: The run, as in a file of `textgym eval --config`.
        blocks: How many blocks it has.
        patience: After how many seconds without a sign of life a worker is taken for dead.
    """

    run: dict[str, Any]
    blocks: int
    patience: float

    @classmethod
    def of(
        cls, run: Mapping[str, Any], groups: int, repeats: int, workers: int, patience: float
    ) -> WorkPlan:
        """Return the plan of a run with so many groups.

        Example:
            >>> WorkPlan.of({}, groups=1000, repeats=4, workers=2, patience=60).blocks
            63
        """
        episodes = min(_BLOCK, groups * repeats // (_BLOCKS_PER_WORKER * workers))
        return cls(json_round_trip(run), -(-groups // max(episodes // repeats, 1)), patience)

    @classmethod
    def read(cls, path: str | os.PathLike[str]) -> WorkPlan:
        """Return the plan of a folder.

        Raises:
            RunError: The folder has no plan.
        """
        try:
            return cls(**json.loads((Path(path) / _PLAN).read_bytes()))
        except OSError as error:
            raise RunError(
                f"{str(path)!r} holds no run for workers ({error.strerror}): begin one with "
                "textgym eval --workers"
            ) from error
        except (ValueError, TypeError) as error:
            raise RunError(f"{str(Path(path) / _PLAN)!r} is broken: {error}") from error

    def write(self, path: Path, *, resume: bool) -> None:
        """Write the plan, once.

        Args:
            path: The folder.
            resume: Whether the folder may have the plan already.

        Raises:
            RunError: The folder has a plan and is not resumed, or has another run, or cannot be
                written.
        """
        if not (path / _PLAN).exists():
            refuse_used_folder(path)
        folder = SharedFolder(path)
        if folder.create(_PLAN, json.dumps(self._asdict(), indent=2) + "\n", durable=True):
            return
        if not resume:
            raise RunError(f"{str(path)!r} holds a run already: name another folder or resume")
        stored, run = (
            {name: value for name, value in plan.run.items() if name not in _MAY_CHANGE}
            for plan in (WorkPlan.read(path), self)
        )
        check_same_run(path, stored, run)


class Work:
    """The part of one worker in a run.

    Args:
        path: The folder of the run.

    Raises:
        RunError: The folder has no plan.

    Attributes:
        plan: The plan.
        segment: The folder that the worker writes its episodes to.
    """

    def __init__(self, path: Path) -> None:
        self.plan = WorkPlan.read(path)
        self._path = path
        segments = path / SEGMENTS
        number = sum(1 for _ in segments.iterdir()) if segments.is_dir() else 0
        self._name = f"{number:05d}-{socket.gethostname()}-{os.getpid()}-{uuid.uuid4().hex[:8]}"
        self.segment = segments / self._name
        self._board = LeaseBoard(
            SharedFolder(path / _LEASES),
            SharedFolder(path / "workers"),
            self._name,
            self.plan.blocks,
            self.plan.patience,
        )
        self._next: Lease | None = None
        self._block_of: dict[Key, int] = {}  # of each episode that is to be stored
        self._left = Counter[int]()  # how many such episodes a block has
        self._stored: dict[str, frozenset[Key]] = {}  # by other workers, who are taken for dead
        self._flush: Callable[[], None] = lambda: None
        self._ended = threading.Event()
        self._pulse = threading.Thread(target=self._beat, name="textgym-worker", daemon=True)

    def begin(self, config: Mapping[str, Any], flush: Callable[[], None]) -> None:
        """Begin to lease blocks.

        Args:
            config: The configuration of the run.
            flush: Returns when all episodes are on the disk.

        Raises:
            RunError: Other workers have another configuration.
        """
        config = json_round_trip(config)
        text = json.dumps(config, indent=2) + "\n"
        SharedFolder(self._path).create("run.json", text, durable=True)
        check_same_run(self._path, read_config(self._path), config)
        self._flush = flush
        self._board.beat()
        self._pulse.start()

    def end(self) -> None:
        """Give up the blocks that are not finished."""
        if self._pulse.ident is not None:
            self._ended.set()
            self._pulse.join()
            with contextlib.suppress(RunError):  # then others wait until the patience is over
                self._board.end()

    async def wait(self) -> bool:
        """Wait until there is a block to play; return False if all blocks are finished."""
        for pause in self._board.pauses():
            self._next = self._board.claim()
            if self._next or self._board.is_finished or self._is_merged():
                break
            self._index()
            await self._rest(pause)
        return self._next is not None

    def lease(self) -> Lease | None:
        """Return a block to play; None if there is none now."""
        lease, self._next = self._next or self._board.claim(), None
        return lease

    def completed(self, lease: Lease) -> set[Key]:
        """Return the episodes that workers stored who leased a block before."""
        for owner in lease.owners:
            if owner not in self._stored:
                self._stored[owner] = frozenset(_played(self._path / SEGMENTS / owner))
        return set().union(*(self._stored[owner] for owner in lease.owners))

    def expect(self, block: int, keys: Iterable[Key]) -> None:
        """Expect the episodes of a block, which is finished when they are stored."""
        for key in keys:
            self._block_of[key] = block
            self._left[block] += 1
        if not self._left[block]:
            self._board.finish(block)

    def count(self, trajectory: Trajectory) -> None:
        """Count an episode that was stored."""
        key = trajectory["env_id"], trajectory["task_index"], trajectory["repeat"]
        block = self._block_of.pop(key)
        self._left[block] -= 1
        if not self._left[block]:
            del self._left[block]
            self._flush()
            self._board.finish(block)

    def collect(self) -> None:
        """Merge all segments into the folder of the run.

        Raises:
            RunError: Episodes are missing, or the folder cannot be written.
        """
        self._index()
        for pause in islice(self._board.pauses(), _COLLECTIONS):
            if self._is_merged():
                return
            with contextlib.suppress(FolderInUseError):  # a reader, or another worker, merges
                if collect_segments(self._path):
                    return
            time.sleep(pause)
        raise RunError(
            f"{str(self._path)!r} lacks episodes of finished blocks: resume it without workers"
        )

    def _is_merged(self) -> bool:
        return (self._path / "metrics.json").exists()

    async def _rest(self, seconds: float) -> None:
        """Wait, at most until the run is complete."""
        period = self._board.beat_period
        while seconds > 0 and not self._is_merged():
            await asyncio.sleep(min(seconds, period))
            seconds -= period

    def _index(self) -> None:
        """Store the index of the segment, which the merge needs; all workers at the same time."""
        if has_episodes(self.segment):
            read_index(self.segment, always_store=True)

    def _beat(self) -> None:
        while not self._ended.wait(self._board.beat_period):
            with contextlib.suppress(RunError):  # then this worker is taken for dead
                self._board.beat()


def finished_blocks(path: Path) -> int:
    """Return how many blocks of a run are finished.

    Args:
        path: The folder of the run.
    """
    return sum(1 for _ in (path / _LEASES).glob("*.done"))


def _played(segment: Path) -> Iterable[Key]:
    """Return the keys of the episodes in a segment that did not fail."""
    if has_episodes(segment):
        index = read_index(segment)
        if index.is_complete:
            stored = zip(index.episode_keys(), index.played(), strict=True)
            return [key for key, played in stored if played]
    return []
