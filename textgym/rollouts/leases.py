"""Leases: which worker plays which block of a run, agreed on in a folder that all workers see.

A worker claims a block by making the file `BLOCK.GENERATION` with its name, and `BLOCK.done` when
all episodes of the block are stored. A block whose worker shows no sign of life is claimed again,
in the next generation. The sign of life is an empty file `WORKER.COUNTER`, which the worker
renames, so that one listing shows the signs of all workers. Owners of leases are read when no block
is free, some at a time. `benchmarks/many_workers.py` counts what thousands of workers need.

Invariants: of several workers that claim a block in the same generation, exactly one gets it, on
network file systems, too, because `link` is atomic on the server; a lease is never changed or
removed; what a worker sees late can make it play a block that another one plays, and never makes a
block be left out; no clock of another machine is read.
"""

from __future__ import annotations

import contextlib
import errno
import os
import random
import time
import uuid
from array import array
from collections.abc import Callable, Container, Iterable, Iterator
from itertools import count, islice
from pathlib import Path
from typing import NamedTuple

from textgym.errors import RunError

__all__ = ["Lease", "LeaseBoard", "SharedFolder"]

_NO_LINKS = (errno.EPERM, errno.ENOTSUP, errno.ENOSYS)
_ENDED = "ended"  # the sign of life of a worker that has ended
_MAX_REFUSED = 8  # claims in a row, at least, after which the names are listed again
_NAMES_PER_CLAIM = 600  # that are listed in the time of a claim
_MAX_LISTINGS = 3  # in one call
_MAX_CANDIDATES = 64  # after a listing; others have claimed more by then
_MAX_READ = 32  # owners of leases, after one listing
_BEATS = 4  # signs of life in the time after which a worker is taken for dead
_SHORTEST_PAUSE, _LONGER = 0.1, 1.25  # seconds, and how much longer each next pause is
_SPACING = 0.05  # seconds between two listings by any of the workers that wait


class SharedFolder:
    """A folder of small files that are whole or missing.

    Args:
        path: The folder. It is made if it does not exist.

    Raises:
        RunError: It cannot be made.
    """

    def __init__(self, path: Path) -> None:
        self.path = path
        with self._errors():
            path.mkdir(parents=True, exist_ok=True)

    def create(self, name: str, content: str, *, durable: bool = False) -> bool:
        """Make a file; return False if there is one of this name.

        Args:
            name: The name.
            content: The content.
            durable: Whether it has to outlast a crash of the machine.

        Raises:
            RunError: The folder cannot be written, or has no hard links.
        """
        draft = self.path / f".{name}-{uuid.uuid4().hex}"
        with self._errors():
            try:
                with draft.open("w", encoding="utf-8") as file:
                    file.write(content)
                    file.flush()
                    if durable:
                        os.fsync(file.fileno())
                os.link(draft, self.path / name)
                return True
            except FileExistsError:  # or the reply to the first request was lost
                return draft.samefile(self.path / name)
            finally:
                draft.unlink(missing_ok=True)

    def rename(self, old: str, new: str) -> None:
        """Give a file a new name; make an empty one if there is no file of the old name.

        Raises:
            RunError: The folder cannot be written.
        """
        with self._errors():
            try:
                (self.path / old).rename(self.path / new)
            except FileNotFoundError:  # or the reply to the first request was lost
                (self.path / new).touch()

    def read(self, name: str) -> str | None:
        """Return the content of a file; None if there is no such file.

        Raises:
            RunError: It cannot be read.
        """
        with self._errors():
            try:
                return (self.path / name).read_text(encoding="utf-8")
            except FileNotFoundError:
                return None

    def names(self) -> list[str]:
        """Return the names of the files.

        Raises:
            RunError: The folder cannot be read.
        """
        with self._errors():
            return [name for name in os.listdir(self.path) if not name.startswith(".")]

    @contextlib.contextmanager
    def _errors(self) -> Iterator[None]:
        try:
            yield
        except OSError as error:
            if error.errno in _NO_LINKS:
                raise RunError(
                    f"leases need hard links, and the file system of {str(self.path)!r} has none"
                ) from error
            raise RunError(f"cannot write to {str(self.path)!r}: {error.strerror}") from error


class Lease(NamedTuple):
    """A block that a worker has claimed.

    Attributes:
        block: The block, from 0.
        owners: The workers that had it before, and may have played a part of it.
    """

    block: int
    owners: tuple[str, ...] = ()


class LeaseBoard:
    """The leases of a run, as one worker sees them.

    Args:
        leases: The folder of the leases.
        workers: The folder of the signs of life.
        worker: The name of this worker.
        blocks: How many blocks the run has.
        patience: After how many seconds without a sign of life a worker is taken for dead.
        clock: Returns the seconds that passed on this machine.

    Attributes:
        is_finished: Whether all blocks were finished when the leases were last listed.
        beat_period: The seconds after which the next sign of life is due.

    Example:
        >>> import tempfile
        >>> with tempfile.TemporaryDirectory() as name:
        ...     folders = [SharedFolder(Path(name) / part) for part in ("leases", "workers")]
        ...     first, second = (LeaseBoard(*folders, name, 1, 60) for name in ("a", "b"))
        ...     first.claim(), second.claim(), first.finish(0), second.claim(), second.is_finished
        (Lease(block=0, owners=()), None, None, None, True)
    """

    def __init__(
        self,
        leases: SharedFolder,
        workers: SharedFolder,
        worker: str,
        blocks: int,
        patience: float,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self._leases, self._workers, self._worker = leases, workers, worker
        self._patience, self._clock = patience, clock
        self.is_finished = blocks == 0
        self.beat_period = patience / _BEATS
        self._unfinished = array("q", range(blocks))  # in the order in which this worker claims
        random.Random(worker).shuffle(self._unfinished)
        self._candidates: list[tuple[int, int]] = []  # block and generation, the best one last
        self._max_refused = _MAX_REFUSED
        self._claimed = set[int]()  # by this worker, which finishes what it has claimed
        self._owners: dict[str, str] = {}  # of each lease that was read, by its name
        self._signs = set[str]()  # that were listed last
        self._since: dict[str, float] = {}  # when each worker's last sign was seen first
        self._ended = set[str]()  # workers
        self._sign = f"{worker}.0"
        self._beats = 0

    def claim(self) -> Lease | None:
        """Claim a block that nobody plays; return None if there is none now.

        Raises:
            RunError: The folders cannot be used.
        """
        for _ in range(_MAX_LISTINGS):
            if not self._candidates:
                self._list()
            if not self._candidates:
                return None
            for _ in range(self._max_refused):
                if not self._candidates:
                    break
                block, generation = self._candidates.pop()
                if self._leases.create(f"{block}.{generation}", self._worker):
                    self._claimed.add(block)
                    if generation and self._leases.read(f"{block}.done") is not None:
                        continue
                    owners = [self._leases.read(f"{block}.{n}") for n in range(generation)]
                    return Lease(block, tuple(owner for owner in owners if owner))
            else:
                self._candidates.clear()  # they are outdated
        return None

    def finish(self, block: int) -> None:
        """Say that all episodes of a block are stored.

        Raises:
            RunError: The folder cannot be written.
        """
        self._leases.create(f"{block}.done", self._worker)

    def beat(self) -> None:
        """Give a sign of life.

        Raises:
            RunError: The folder cannot be written.
        """
        self._beats += 1
        self._show(str(self._beats))

    def end(self) -> None:
        """Say that this worker has ended, so that others claim what it has not finished.

        Raises:
            RunError: The folder cannot be written.
        """
        self._show(_ENDED)

    def pauses(self) -> Iterator[float]:
        """Yield the seconds to wait before the next claims; few workers begin with short ones."""
        pause = _SHORTEST_PAUSE
        while True:
            alive = sum(1 for worker in self._since if not self._is_dead(worker))
            yield max(min(pause, self.beat_period), alive * _SPACING)
            pause = min(_LONGER * pause, self.beat_period)

    def _show(self, sign: str) -> None:
        new = f"{self._worker}.{sign}"
        self._workers.rename(self._sign, new)
        self._sign = new

    def _list(self) -> None:
        """List the leases and the signs of life, and find blocks that can be claimed."""
        names = set(self._leases.names())
        self._list_signs()
        self._max_refused = max(_MAX_REFUSED, len(names) // _NAMES_PER_CLAIM)
        unfinished = [block for block in self._unfinished if f"{block}.done" not in names]
        self._unfinished = array("q", unfinished)
        self.is_finished = not unfinished
        others = [block for block in unfinished if block not in self._claimed]
        free = ((block, 0) for block in others if f"{block}.0" not in names)
        self._candidates = list(islice(free, _MAX_CANDIDATES)) or self._left(others, names)

    def _list_signs(self) -> None:
        names = set(self._workers.names())
        for name in names - self._signs:
            worker, _, sign = name.rpartition(".")
            self._since[worker] = self._clock()
            if sign == _ENDED:
                self._ended.add(worker)
        self._signs = names

    def _left(self, blocks: Iterable[int], names: Container[str]) -> list[tuple[int, int]]:
        """Return blocks whose workers are taken for dead, and the next generation of each."""
        left, unread = [], 0
        for block in blocks:
            generation = next(n for n in count(1) if f"{block}.{n}" not in names)
            name = f"{block}.{generation - 1}"
            if name not in self._owners:
                unread += 1
                if unread > _MAX_READ:
                    continue
                if owner := self._leases.read(name):
                    self._owners[name] = owner
            if self._is_dead(self._owners.get(name, name)):
                left.append((block, generation))
        return left

    def _is_dead(self, worker: str) -> bool:
        """Return whether a worker has ended, or has shown no sign of life for too long."""
        now = self._clock()
        return worker in self._ended or now - self._since.setdefault(worker, now) > self._patience
