"""Leases: which worker plays which block of a run, agreed on in a folder that all workers see.

A worker claims a block by making the file `BLOCK.GENERATION` with its name, and `BLOCK.done` when
all episodes of the block are stored. A block whose worker shows no sign of life is claimed again,
in the next generation. The sign of life is a file with a counter, which the worker changes.

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
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import NamedTuple

from textgym.errors import RunError

__all__ = ["Lease", "LeaseBoard", "SharedFolder"]

_NO_LINKS = (errno.EPERM, errno.ENOTSUP, errno.ENOSYS)
_ENDED = "ended"  # the sign of life of a worker that has ended
_MAX_REFUSED = 8  # claims in a row, after which the names are listed again
_MAX_LISTINGS = 3  # in one call


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

    def replace(self, name: str, content: str) -> None:
        """Make a file, or replace it.

        Raises:
            RunError: The folder cannot be written.
        """
        draft = self.path / f".{name}-{uuid.uuid4().hex}"
        with self._errors():
            try:
                draft.write_text(content, encoding="utf-8")
                draft.replace(self.path / name)
            finally:
                draft.unlink(missing_ok=True)

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
        self._blocks, self._patience, self._clock = blocks, patience, clock
        self.is_finished = blocks == 0
        self._candidates: list[tuple[int, int]] = []  # block and generation, the best one last
        self._claimed = set[int]()  # by this worker, which finishes what it has claimed
        self._owners: dict[str, str] = {}  # of each lease, by its name
        self._signs: dict[str, tuple[str | None, float]] = {}  # and since when each is unchanged
        self._rng = random.Random(worker)  # workers begin at different blocks
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
            for _ in range(_MAX_REFUSED):
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
        self._workers.replace(self._worker, str(self._beats))

    def end(self) -> None:
        """Say that this worker has ended, so that others claim what it has not finished.

        Raises:
            RunError: The folder cannot be written.
        """
        self._workers.replace(self._worker, _ENDED)

    def _list(self) -> None:
        """List the leases, and find the blocks that can be claimed."""
        last: dict[int, int] = {}  # the generation of each block
        finished = set()
        for name in self._leases.names():
            block, _, generation = name.partition(".")
            if generation == "done":
                finished.add(int(block))
            else:
                last[int(block)] = max(int(generation), last.get(int(block), 0))
        self.is_finished = len(finished) == self._blocks
        others = [block for block in range(self._blocks) if block not in finished | self._claimed]
        free = [(block, 0) for block in others if block not in last]
        left = [
            (block, last[block] + 1)
            for block in others
            if block in last and self._is_left(block, last[block])
        ]
        for candidates in (free, left):
            self._rng.shuffle(candidates)
        self._candidates = [*left, *free]

    def _is_left(self, block: int, generation: int) -> bool:
        """Return whether the worker with a lease is taken for dead."""
        name = f"{block}.{generation}"
        owner = self._owners.get(name) or self._leases.read(name)
        if owner:
            self._owners[name] = owner
        sign, now = self._workers.read(owner) if owner else None, self._clock()
        known, since = self._signs.setdefault(owner or name, (sign, now))
        if sign != known:
            self._signs[owner or name] = sign, now
            since = now
        return sign == _ENDED or now - since > self._patience
