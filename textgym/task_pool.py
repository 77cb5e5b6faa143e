"""`TaskPool`: a curriculum over tasks, which remembers how often each of them was solved.

Invariants: a draw depends only on the arguments of `draw` and the results so far; no band's share
falls to 0, so a solved task that the policy has forgotten is noticed; a pool that was saved and
loaded draws what the pool would have drawn.
"""

from __future__ import annotations

import json
import math
import os
import random
import re
import threading
from bisect import bisect_left, insort
from collections.abc import Iterable, Mapping, Set
from typing import Any, Protocol

from textgym.errors import UnknownNameError, UsageError, did_you_mean
from textgym.whole_file import whole_file

__all__ = ["BANDS", "PlayedRun", "TaskPool"]

BANDS = ("unseen", "hard", "informative", "solved")
_SHARES = {"unseen": 0.3, "hard": 0.1, "informative": 0.55, "solved": 0.05}


class PlayedRun(Protocol):
    """A run, as `TaskPool.from_runs` reads it; see `textgym.Run`."""

    @property
    def data(self) -> Mapping[str, Mapping[str, str]]:
        """The digests of each environment's data sets."""

    def trajectories(self) -> Iterable[Any]:
        """Return the trajectories."""


class TaskPool:
    """Draws tasks by how often they were solved.

    The success rate over the last `window` episodes of a task decides its band:

    - `unseen`: it has no results;
    - `hard`: the rate is below `low`;
    - `informative`: the rate is from `low` to `high`, or the task has fewer than `min_results`
      results;
    - `solved`: the rate is above `high`.

    A draw first selects an environment by its weight, then one of its bands by the band's share,
    and then a task. Unseen tasks are drawn in the order of their indices, those whose episodes
    failed after the others; tasks of other bands are drawn at random. A band without tasks is left
    out. A solved task is retired: only the share of `solved` draws it, and it returns to the other
    tasks if the policy no longer solves it.

    One object serves all rollouts of a training run. `save` and `load` keep it across restarts.

    Args:
        window: How many of the last episodes of each task count.
        low: The lowest rate of informative tasks.
        high: The highest rate of informative tasks.
        min_results: How many results a hard or solved task has at least.
        shares: The share of each band in the draws, over 0; for bands that are left out, 0.3 for
            `unseen`, 0.1 for `hard`, 0.55 for `informative`, and 0.05 for `solved`.
        results: Results to start with: for each environment's id, a dict from the index of a task,
            as a text, to its results, a text of 0 and 1 with the oldest first, or "" if it failed.
        sources: What the tasks of each environment are read from; see `bind`.

    Raises:
        UsageError: An argument is invalid.

    Example:
        >>> pool = TaskPool(window=4)
        >>> for success in (True, True, True, True):
        ...     pool.add("demo/A-v0", success, 0)
        ...     pool.add("demo/A-v0", False, 1)
        >>> pool.add("demo/A-v0", True, 2)
        >>> [pool.band("demo/A-v0", index) for index in range(4)]
        ['solved', 'hard', 'informative', 'unseen']
        >>> draws = [pool.draw({"demo/A-v0": range(4)}, seed=1, number=n) for n in range(100)]
        >>> draws.count(("demo/A-v0", 2)) > draws.count(("demo/A-v0", 0))
        True
    """

    def __init__(
        self,
        *,
        window: int = 16,
        low: float = 0.1,
        high: float = 0.9,
        min_results: int = 4,
        shares: Mapping[str, float] | None = None,
        results: Mapping[str, Mapping[str, str]] | None = None,
        sources: Mapping[str, Any] | None = None,
    ) -> None:
        _check_count("window", window)
        _check_count("min_results", min_results)
        if min_results > window:
            raise UsageError(f"a pool's min_results must be at most its window, not {min_results}")
        if not (_is_number(low) and _is_number(high) and 0 <= low <= high <= 1):
            problem = f"must be rates with 0 <= low <= high <= 1, not {low!r} and {high!r}"
            raise UsageError(f"a pool's low and high {problem}")
        self._window, self._low, self._high = window, float(low), float(high)
        self._min_results, self._shares = min_results, _checked_shares(shares or {})
        self._sources = _checked_sources(sources or {})
        self._envs: dict[str, _EnvTasks] = {}
        self._lock = threading.Lock()
        no_result: list[bool | None] = [None]
        for id, index, successes in _checked_results(results or {}):
            for success in successes or no_result:
                self.add(id, success, index)

    @classmethod
    def from_runs(cls, runs: Iterable[PlayedRun], **arguments: Any) -> TaskPool:
        """Return a pool with the results of stored runs, in their order; failures do not count.

        Args:
            runs: Runs, such as `textgym.Run.load("runs/first")`.
            **arguments: Arguments of the pool.

        Raises:
            UsageError: An argument is invalid, or the runs played different tasks.

        Example:
            >>> import textgym
            >>> run = textgym.rollout("textgym/MCQA-v0", "oracle", episodes=2, repeats=4)
            >>> TaskPool.from_runs([run]).band("textgym/MCQA-v0", 1)
            'solved'
        """
        pool = cls(**arguments)
        for run in runs:
            if isinstance(run, (str, os.PathLike)):
                raise UsageError(f"pass the run, not its folder: textgym.Run.load({str(run)!r})")
            for trajectory in run.trajectories():
                id, kwargs = trajectory["env_id"], trajectory["env_kwargs"]
                split, level = kwargs.get("split", "train"), kwargs.get("level")
                pool.bind(id, split=split, level=level, data=run.data.get(id, {}))
                pool.add_episode(trajectory)
        return pool

    @classmethod
    def load(cls, path: str | os.PathLike[str]) -> TaskPool:
        """Return the pool that was saved to a file.

        Args:
            path: The file.

        Raises:
            UsageError: The file cannot be read, or holds no pool.
        """
        try:
            with open(path, encoding="utf-8") as file:
                arguments = json.load(file)
        except OSError as error:
            raise UsageError(f"cannot read {os.fspath(path)!r}: {error.strerror}") from error
        except (ValueError, RecursionError) as error:
            raise UsageError(f"{os.fspath(path)!r} is not a JSON file: {error}") from error
        try:
            return cls(**arguments)
        except (TypeError, UsageError) as error:
            raise UsageError(f"{os.fspath(path)!r} holds no task pool: {error}") from error

    def save(self, path: str | os.PathLike[str]) -> None:
        """Write the pool to a file, which is replaced as a whole.

        Args:
            path: The file. Its folder must exist.

        Raises:
            UsageError: The file cannot be written.
        """
        with whole_file(path) as file:
            file.write(json.dumps(self.as_dict()).encode() + b"\n")

    def restore(self, path: str | os.PathLike[str]) -> None:
        """Replace the results of this pool by those in a file that `save` wrote.

        Raises:
            UsageError: The file cannot be read, or holds no pool.
        """
        pool = TaskPool(**{**TaskPool.load(path).as_dict(), **self._settings()})
        with self._lock:
            self._envs, self._sources = pool._envs, pool._sources

    def as_dict(self) -> dict[str, Any]:
        """Return the arguments of an equal pool as JSON values, with the results so far."""
        with self._lock:
            results = {
                id: {str(index): tasks.results[index] for index in sorted(tasks.results)}
                for id, tasks in sorted(self._envs.items())
                if tasks.results
            }
        return {
            **self._settings(),
            **({"results": results} if results else {}),
            **({"sources": dict(self._sources)} if self._sources else {}),
        }

    def _settings(self) -> dict[str, Any]:
        return {
            "window": self._window,
            "low": self._low,
            "high": self._high,
            "min_results": self._min_results,
            "shares": dict(self._shares),
        }

    def bind(self, id: str, *, split: str, level: Any, data: Mapping[str, str]) -> None:
        """State what the tasks of an environment are, so that indices keep their meaning.

        Args:
            id: The environment's id.
            split: The split of its tasks. It does not matter if they are read from data.
            level: The level of its tasks; None for all.
            data: The digests of the data that its tasks are read from, by name.

        Raises:
            UsageError: The results so far are of other tasks.
        """
        origin = {"data": sorted(data.values())} if data else {"split": split}
        source = {"level": level, **origin}
        known = self._sources.setdefault(id, source)
        if known != source:
            raise UsageError(
                f"the pool's results of {id} are for tasks with {_shown(known)}, but these tasks "
                f"have {_shown(source)}: use another pool"
            )

    def add(self, id: str, success: bool | None, index: int) -> None:
        """Add the result of an episode. Threads may add results at the same time.

        Args:
            id: The id of its environment.
            success: Whether it succeeded; None if it failed, and so has no result.
            index: The index of its task.
        """
        with self._lock:
            tasks = self._envs.setdefault(id, _EnvTasks())
            earlier = tasks.results.get(index, "")
            result = "" if success is None else "01"[bool(success)]
            results = (earlier + result)[-self._window :]
            tasks.set(index, results, self._band(earlier), self._band(results))

    def add_episode(self, trajectory: Mapping[str, Any]) -> None:
        """Add the result of an episode from its trajectory."""
        self.add(trajectory["env_id"], trajectory["is_success"], trajectory["task_index"])

    def band(self, id: str, index: int) -> str:
        """Return the band of a task: one of `BANDS`."""
        return self._band(self._envs[id].results.get(index, "") if id in self._envs else "")

    def counts(self, id: str) -> dict[str, int]:
        """Return how many tasks of an environment each band has, without the unseen ones."""
        members = self._envs[id].members if id in self._envs else {}
        return {band: len(members.get(band, ())) for band in BANDS[1:]}

    def _band(self, results: str) -> str:
        if not results:
            return "unseen"
        rate = results.count("1") / len(results)
        if len(results) < self._min_results or self._low <= rate <= self._high:
            return "informative"
        return "hard" if rate < self._low else "solved"

    def draw(
        self,
        tasks: Mapping[str, range],
        weights: Mapping[str, float] | None = None,
        taken: Set[tuple[str, int]] = frozenset(),
        *,
        seed: int,
        number: int,
    ) -> tuple[str, int] | None:
        """Return the environment and the index of the next task; None if all tasks are taken.

        Args:
            tasks: The indices of the tasks that can be drawn, by environment.
            weights: The weights of the environments; None for equal ones.
            taken: Tasks that are not drawn, because they were drawn before.
            seed: The seed of the draws.
            number: How many draws there were before this one.
        """
        rng = random.Random(f"task pool {seed} {number}")
        left = {id: 1.0 if weights is None else weights[id] for id in tasks}
        with self._lock:
            while left:
                id = rng.choices(list(left), list(left.values()))[0]
                shares = dict(self._shares)
                while shares:
                    band = rng.choices(list(shares), list(shares.values()))[0]
                    index = self._draw_of(id, band, tasks[id], taken, rng)
                    if index is not None:
                        return id, index
                    del shares[band]
                del left[id]
        return None

    def _draw_of(
        self, id: str, band: str, tasks: range, taken: Set[tuple[str, int]], rng: random.Random
    ) -> int | None:
        """Return a task of a band; None if it has no task that can be drawn."""
        known = self._envs.setdefault(id, _EnvTasks())
        if band == "unseen":
            indices = range(known.first_unseen(tasks.start), tasks.stop)
            unseen = (n for n in indices if n not in known.results and (id, n) not in taken)
            if (first := next(unseen, None)) is not None:
                return first
        members = known.members[band]
        free = [n for n in members if n in tasks and (id, n) not in taken]
        return rng.choice(free) if free else None


class _EnvTasks:
    """The tasks of one environment that were played.

    Attributes:
        results: The last results of each task that was played; "" if all episodes failed.
        members: The tasks of each band that were played, in ascending order.
    """

    def __init__(self) -> None:
        self.results: dict[int, str] = {}
        self.members: dict[str, list[int]] = {band: [] for band in BANDS}
        self._first_unseen: dict[int, int] = {}

    def set(self, index: int, results: str, old_band: str, band: str) -> None:
        """Replace the results of a task."""
        if index not in self.results:
            insort(self.members[band], index)
        elif old_band != band:
            del self.members[old_band][bisect_left(self.members[old_band], index)]
            insort(self.members[band], index)
        self.results[index] = results

    def first_unseen(self, start: int) -> int:
        """Return the first index from `start` on that was not played. It never falls."""
        index = self._first_unseen.get(start, start)
        while index in self.results:
            index += 1
        self._first_unseen[start] = index
        return index


def _shown(source: Mapping[str, Any]) -> str:
    return ", ".join(f"{name} {value!r:.100}" for name, value in source.items())


def _is_number(value: Any) -> bool:
    return isinstance(value, (int, float)) and math.isfinite(value)


def _check_count(name: str, value: Any) -> None:
    if type(value) is not int or value < 1:
        raise UsageError(f"a pool's {name} must be 1 or more, not {value!r:.100}")


def _checked_shares(shares: Any) -> dict[str, float]:
    if not isinstance(shares, Mapping):
        raise UsageError(f"a pool's shares must be a dict of numbers by band, not {shares!r:.100}")
    for band, share in shares.items():
        if band not in BANDS:
            raise UnknownNameError(
                f"a pool has no band {band!r:.100}{did_you_mean(str(band), BANDS)}"
            )
        if not _is_number(share) or share <= 0:
            raise UsageError(
                f"a pool's share of {band} must be a number over 0, not {share!r:.100}"
            )
    return {band: float(shares.get(band, _SHARES[band])) for band in BANDS}


def _checked_sources(sources: Any) -> dict[str, dict[str, Any]]:
    if isinstance(sources, Mapping) and all(isinstance(one, Mapping) for one in sources.values()):
        return {id: dict(source) for id, source in sources.items()}
    raise UsageError(f"a pool's sources must be a dict of dicts, not {sources!r:.100}")


def _checked_results(results: Any) -> Iterable[tuple[str, int, list[bool]]]:
    """Yield the environment, the index and the results of each task."""
    problem = UsageError(
        "a pool's results must be texts of 0 and 1 by environment and index, such as "
        f"{{'textgym/MCQA-v0': {{'7': '0110'}}}}, not {results!r:.100}"
    )
    if not isinstance(results, Mapping):
        raise problem
    for id, tasks in results.items():
        if not isinstance(tasks, Mapping):
            raise problem
        for index, text in tasks.items():
            is_index = isinstance(index, str) and re.fullmatch("[0-9]{1,18}", index)
            if not is_index or not isinstance(text, str) or set(text) - {"0", "1"}:
                raise problem
            yield id, int(index), [letter == "1" for letter in text]
