"""Shards: the parts of one run that are played by processes that know nothing of each other.

A group is the repeats of a task. The groups of a run are numbered, environment by environment in
the order of their ids. Shard k of n has each n-th group, from the k-th on, so it has tasks of all
environments and of all parts of a data set.

Invariants: every group is in exactly one shard; the numbers of groups of two shards differ by at
most one; which groups a shard has follows from the tasks of the run, in any order of environments.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from textgym.errors import RunError, UsageError

__all__ = ["NOT_PLANNED", "EpisodeNumbers", "Numbers", "Shard"]

NOT_PLANNED = -1
Numbers = npt.NDArray[np.int64]


class Shard(NamedTuple):
    """One of several equal parts of a run.

    Attributes:
        number: Which one, from 1.
        total: How many there are.
    """

    number: int
    total: int

    @classmethod
    def read(cls, value: Any) -> Shard:
        """Return a shard that is given as a pair of numbers.

        Raises:
            UsageError: It is not a pair of integers, or there is no such shard.

        Example:
            >>> Shard.read((2, 4))
            Shard(number=2, total=4)
        """
        pair = list(value) if isinstance(value, Sequence) else []
        if [type(number) for number in pair] != [int, int] or not 1 <= pair[0] <= pair[1]:
            raise UsageError(f"shard must be (K, N) with K from 1 to N, not {value!r:.100}")
        return cls(*pair)

    @classmethod
    def of(cls, config: Mapping[str, Any]) -> Shard | None:
        """Return the shard that a `run.json` names; None for a whole run.

        Example:
            >>> Shard.of({"shard": [2, 4]})
            Shard(number=2, total=4)
        """
        stored = config.get("shard")
        return cls.read(stored) if isinstance(stored, list) else None

    def __str__(self) -> str:
        return f"shard {self.number} of {self.total}"

    def share(self, groups: int) -> int:
        """Return how many of the given number of groups are in this shard."""
        return len(range(groups)[self.number - 1 :: self.total])

    def tasks_of(self, counts: Mapping[str, int]) -> dict[str, slice]:
        """Return which of the tasks of each environment are in this shard, by their positions.

        Args:
            counts: The number of tasks of each environment in the run.

        Example:
            >>> Shard(1, 2).tasks_of({"demo/A-v0": 3, "demo/B-v0": 2})
            {'demo/A-v0': slice(0, None, 2), 'demo/B-v0': slice(1, None, 2)}
        """
        slices, before = {}, 0
        for id in sorted(counts):
            slices[id] = slice((self.number - 1 - before) % self.total, None, self.total)
            before += counts[id]
        return slices


class EpisodeNumbers:
    """Numbers of the planned episodes of a run: the repeats of a group, then of the next.

    Args:
        config: The `run.json` of the run.

    Raises:
        RunError: It does not say which tasks the run has.

    Attributes:
        groups: How many groups the run has.
        repeats: How many episodes a group has.

    Example:
        >>> numbers = EpisodeNumbers({"tasks": {"demo/A-v0": 3}, "start": 10, "repeats": 2})
        >>> numbers.of([("demo/A-v0", 11, 1), ("demo/A-v0", 13, 0)]).tolist()
        [3, -1]
    """

    def __init__(self, config: Mapping[str, Any]) -> None:
        counts: Any = config.get("tasks")
        repeats: Any = config.get("repeats")
        given, start = config.get("given_tasks") or {}, config.get("start", 0)
        if not isinstance(counts, dict) or {type(repeats), *map(type, counts.values())} != {int}:
            raise RunError("its run.json does not say which tasks it has")
        self.repeats: int = repeats
        self._turns = {id: turn for turn, id in enumerate(counts)}
        self._ids = sorted(counts)
        self._counts = np.array([counts[id] for id in self._ids], np.int64)
        self._firsts = np.cumsum(self._counts) - self._counts
        self.groups = int(self._counts.sum())
        self._positions: dict[str, range | dict[int, int]] = {}
        for id in self._ids:
            listed = given.get(id) or [{}]
            if isinstance(listed[0], int):
                self._positions[id] = {index: position for position, index in enumerate(listed)}
            else:
                first = 0 if id in given else start
                self._positions[id] = range(first, first + counts[id])

    def of(self, keys: Iterable[tuple[str, int, int]]) -> Numbers:
        """Return the number of each episode; `NOT_PLANNED` for one that the run does not have.

        Args:
            keys: The environment, the index of the task and the repeat of each episode.
        """
        firsts = dict(zip(self._ids, self._firsts.tolist(), strict=True))
        nothing: dict[int, int] = {}

        def number(key: tuple[str, int, int]) -> int:
            id, index, repeat = key
            known = self._positions.get(id, nothing)
            if index not in known or not 0 <= repeat < self.repeats:
                return NOT_PLANNED
            position = known.index(index) if isinstance(known, range) else known[index]
            return int((firsts[id] + position) * self.repeats + repeat)

        return np.fromiter(map(number, keys), np.int64)

    def in_order(self, numbers: Numbers) -> Numbers:
        """Return the positions that sort episodes as one process plays them, one at a time."""
        groups, repeat = np.divmod(numbers, self.repeats)
        env = np.searchsorted(self._firsts, groups, "right") - 1
        progress = (groups - self._firsts[env] + 0.5) / self._counts[env]
        turns = np.array([self._turns[id] for id in self._ids])
        return np.lexsort((repeat, turns[env], progress))

    def shards_of(self, numbers: Numbers, count: int) -> Numbers:
        """Return the index of each episode's shard, from 1, if the run has `count` shards."""
        return numbers // self.repeats % count + 1
