"""How difficult tasks are for a policy: the pass rate of each task that runs have played.

All repeats of a task are joined, across runs, if its environment, the environment's arguments, its
id and its prompt are equal: see `textgym.trajectories.task_identity`.

Invariants: an episode that failed is never counted as unsolved, and a task whose episodes all
failed has no rate; the order of the runs changes no rate.
"""

from __future__ import annotations

import json
import os
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, NamedTuple

from textgym.errors import RunError, UnknownNameError, UsageError, did_you_mean
from textgym.metrics.run_index import RunIndex, read_index
from textgym.metrics.run_metrics import table_of
from textgym.metrics.statistics import Estimate, mean, rate_interval, standard_error
from textgym.registry import registered_id
from textgym.trajectories.selection import Entry

__all__ = ["ORDERS", "Band", "TaskProfile", "profile_runs", "read_band", "summarize_profile"]


@dataclass(slots=True)
class TaskProfile:
    """A task and the episodes in which it was played.

    Attributes:
        env_id: The environment's id.
        env_kwargs: The environment's arguments.
        task_id: The task's id; None if no episode of it began.
        task_index: The task's index in the run that is named first.
        level: The task's level.
        run: The folder of a run that played it.
        position: The position of one of its episodes in this run.
        successes: Whether each graded episode solved it, in the order of the runs.
        rewards: The reward of each graded episode.
        failures: How many episodes failed.
    """

    env_id: str
    env_kwargs: Mapping[str, Any]
    task_id: str | None
    task_index: int
    level: str | None
    run: Path
    position: int
    successes: list[bool] = field(default_factory=list)
    rewards: list[float] = field(default_factory=list)
    failures: int = 0

    @property
    def pass_rate(self) -> float | None:
        """The share of graded episodes that solved the task; None if there are no such episodes."""
        return mean(self.successes)

    @property
    def interval(self) -> tuple[float, float] | None:
        """The 95 % confidence interval of the pass rate."""
        rate, successes = self.pass_rate, self.successes
        if rate is None:
            return None
        return rate_interval(Estimate(rate, standard_error(successes), len(successes)))

    def as_dict(self) -> dict[str, Any]:
        """Return the profile as JSON values."""
        return {
            "env_id": self.env_id,
            "env_kwargs": self.env_kwargs,
            "task_id": self.task_id,
            "task_index": self.task_index,
            "level": self.level,
            "episodes": len(self.successes),
            "solved": sum(self.successes),
            "pass_rate": self.pass_rate,
            "interval": self.interval,
            "mean_reward": mean(self.rewards),
            "failures": self.failures,
        }


def _rate_order(task: TaskProfile) -> tuple[Any, ...]:
    return task.pass_rate is None, task.pass_rate, -len(task.successes)


def _reward_order(task: TaskProfile) -> tuple[Any, ...]:
    return not task.rewards, mean(task.rewards)


def _task_order(task: TaskProfile) -> tuple[Any, ...]:
    return task.env_id, task.task_index


ORDERS: dict[str, Callable[[TaskProfile], Any]] = {
    "rate": _rate_order,
    "reward": _reward_order,
    "task": _task_order,
}
"""The sort key of each order, lowest first; tasks without a graded episode come last."""


def profile_runs(
    runs: Iterable[str | os.PathLike[str]], env: str | None = None
) -> list[TaskProfile]:
    """Return the tasks that runs have played, in the order in which they are first stored.

    Args:
        runs: The folders of the runs.
        env: Only tasks of this environment; its namespace may be left out.

    Raises:
        RunError: A folder contains no run, no episodes, or an episode that textgym did not write.
        UnknownNameError: The runs have no episode of the environment.

    Example:
        >>> import tempfile, textgym
        >>> with tempfile.TemporaryDirectory() as folder:
        ...     run = textgym.rollout("textgym/MCQA-v0", "random", tasks=[3], repeats=8, out=folder)
        ...     (task,) = profile_runs([folder])
        >>> task.task_id, len(task.successes)
        ('test-mixed-3', 8)
        >>> task.pass_rate == run.metrics["overall"]["success_rate"]
        True
    """
    wanted = registered_id(env) if env is not None and ":" in env else env
    profiles, known, paths = _Profiles(), set[str](), set[Path]()
    for path in map(Path, runs):
        if path.resolve() in paths:
            raise UsageError(f"{str(path)!r} is named twice: its episodes would count twice")
        paths.add(path.resolve())
        index = read_index(path)
        table_of(index, path)
        if not index.is_complete:
            raise RunError(
                f"{str(path)!r} has episodes that textgym did not write, and they cannot be "
                "joined: pass a folder that `textgym eval` or rollout wrote"
            )
        entries = list(index.entries())
        known |= {entry.env_id for entry, _ in entries}
        chosen = [
            (entry, position)
            for entry, position in entries
            if wanted in (None, entry.env_id, entry.env_id.rpartition("/")[2])
        ]
        profiles.add_run(path, index, chosen)
    tasks = profiles.joined()
    if env is not None and not tasks:
        raise UnknownNameError(f"the runs have no episode of {env!r}{did_you_mean(env, known)}")
    return tasks


class _Profiles:
    """The tasks of runs, by environment, arguments and identity."""

    def __init__(self) -> None:
        self._tasks: dict[tuple[str, str, float], TaskProfile] = {}
        self._by_index: dict[tuple[Path | None, str, str, int], TaskProfile] = {}
        self._failed: list[tuple[float, str, TaskProfile]] = []

    def add_run(self, path: Path, index: RunIndex, entries: Sequence[tuple[Entry, int]]) -> None:
        """Add the episodes of a run."""
        kwargs: dict[str, Any] = {}  # by environment: equal in all episodes of a run
        for entry, position in entries:
            env_id = entry.env_id
            if env_id not in kwargs:
                kwargs[env_id] = index.read(position)["env_kwargs"]
            arguments, identity = (
                json.dumps(kwargs[env_id], sort_keys=True),
                index.identity(position),
            )
            names = entry.task_id, entry.task_index, entry.level
            task = TaskProfile(env_id, kwargs[env_id], *names, path, position)
            if entry.failed:
                self._failed.append((identity, arguments, task))
                continue
            task = self._tasks.setdefault((env_id, arguments, identity), task)
            for run in (path, None):  # of any run
                self._by_index.setdefault((run, env_id, arguments, entry.task_index), task)
            task.successes.append(bool(entry.success))
            task.rewards.append(float(entry.reward or 0))

    def joined(self) -> list[TaskProfile]:
        """Return all tasks, with their failed episodes.

        An episode that failed before it began has no prompt. Its index says which task it is of:
        the one with this index in its run, or else in another run.
        """
        for identity, arguments, task in self._failed:
            index = task.env_id, arguments, task.task_index
            same = None
            if task.task_id is None:
                found = (self._by_index.get((run, *index)) for run in (task.run, None))
                same = next(filter(None, found), None)
            if same is None:
                same = self._tasks.setdefault((task.env_id, arguments, identity), task)
            same.failures += 1
        return list({id(task): task for task in self._tasks.values()}.values())


class Band(NamedTuple):
    """A range of pass rates, with both ends.

    Example:
        >>> band = Band(0.1, 0.9)
        >>> str(band), band.holds(0.1), band.holds(1.0), band.holds(None)
        ('0.1..0.9', True, False, False)
    """

    low: float
    high: float

    def holds(self, rate: float | None) -> bool:
        """Return whether a rate is in the band. A task without a rate is in no band."""
        return rate is not None and self.low <= rate <= self.high

    def __str__(self) -> str:
        return f"{self.low:g}..{self.high:g}"


def read_band(text: str) -> Band:
    """Read a band such as `0.1..0.9`.

    Raises:
        UsageError: The text does not have this form, or the numbers are not from 0 to 1 in order.

    Example:
        >>> read_band("0.1..0.9")
        Band(low=0.1, high=0.9)
    """
    low, separator, high = text.partition("..")
    try:
        band = Band(float(low), float(high)) if separator else None
    except ValueError:
        band = None
    if band is None or not 0 <= band.low <= band.high <= 1:
        raise UsageError(
            f"a band of pass rates is LOW..HIGH with 0 <= LOW <= HIGH <= 1, such as 0.1..0.9, not "
            f"{text!r:.100}"
        )
    return band


_BANDS: dict[str, Callable[[float], bool]] = {
    "never solved": lambda rate: rate == 0,
    "below 0.1": lambda rate: 0 < rate < 0.1,
    "0.1 to 0.5": lambda rate: 0.1 <= rate < 0.5,
    "0.5 to 0.9": lambda rate: 0.5 <= rate <= 0.9,
    "above 0.9": lambda rate: 0.9 < rate < 1,
    "always solved": lambda rate: rate == 1,
}


def summarize_profile(tasks: Sequence[TaskProfile]) -> dict[str, Any]:
    """Return how many tasks there are, and how their pass rates are distributed.

    Args:
        tasks: The tasks.

    Returns:
        `tasks`, `episodes` (graded ones) and `failures`; `ungraded`, the number of tasks whose
        episodes all failed; `bands`, the number of tasks in each band of pass rates; and
        `informative`, the share of graded tasks that were solved sometimes, but not always. Only
        the repeats of these have different successes.

    Example:
        >>> task = TaskProfile("demo/A-v0", {}, "a", 0, None, Path("runs/a"), 0, [True, False])
        >>> summary = summarize_profile([task])
        >>> summary["bands"]["0.5 to 0.9"], summary["informative"]
        (1, 1.0)
    """
    rates = [task.pass_rate for task in tasks]
    graded = [rate for rate in rates if rate is not None]
    return {
        "tasks": len(tasks),
        "episodes": sum(len(task.successes) for task in tasks),
        "failures": sum(task.failures for task in tasks),
        "ungraded": len(rates) - len(graded),
        "bands": {name: sum(map(holds, graded)) for name, holds in _BANDS.items()},
        "informative": mean([0 < rate < 1 for rate in graded]),
    }
