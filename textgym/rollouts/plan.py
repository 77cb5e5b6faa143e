"""The tasks that a rollout plays of each environment, the order of its episodes, and resuming it.

The plan is made before the first episode; the same arguments give the same plan. A resumed run
plays the episodes that remain. `RunFolder` has already compared `run.json` with its configuration.

Invariants: a completed episode is never played again; a failed episode is dropped from the folder
and played again; a folder with an episode that is there twice, or of another run, is refused.
"""

from __future__ import annotations

import itertools
import operator
import sys
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any

import gymnasium as gym

from textgym.curricula import SuccessCurriculum
from textgym.errors import RunError, UsageError
from textgym.json_values import json_row
from textgym.metrics.run_index import Key, RunIndex, read_index
from textgym.mixtures import check_env_ids, split_by_weight
from textgym.rollouts.episode import Job
from textgym.task_pool import TaskPool
from textgym.trajectories.run_folder import RunFolder, read_trajectories
from textgym.trajectories.schema import Trajectory
from textgym.wrappers import FlattenConversation, TokenIds

__all__ = [
    "GivenTasks", "PlannedTasks", "bind_pool", "list_jobs", "plan_tasks", "read_completed",
    "remaining", "task_ranges", "unfinished",
]  # fmt: skip

_NOT_SELECTABLE = object()
TaskList = Sequence[int] | Sequence[Mapping[str, Any]]
GivenTasks = TaskList | Mapping[str, TaskList]


class PlannedTasks:
    """The tasks of one environment that a rollout plays, in order.

    Args:
        indices: The index of each task.
        rows: The row of each task by index, if the tasks are given as rows.

    Attributes:
        indices: The argument.
        rows: The argument.

    Example:
        >>> tasks = PlannedTasks([7, 3])
        >>> list(tasks), len(tasks), 3 in tasks, tasks.position(3)
        ([7, 3], 2, True, 1)
    """

    def __init__(
        self, indices: Sequence[int], rows: Sequence[Mapping[str, Any]] | None = None
    ) -> None:
        self.rows = rows
        self.indices = indices
        # A range finds an index without a table.
        self._positions = (
            None if isinstance(indices, range) else {index: n for n, index in enumerate(indices)}
        )

    def __len__(self) -> int:
        return len(self.indices)

    def __iter__(self) -> Iterator[int]:
        return iter(self.indices)

    def __contains__(self, index: int) -> bool:
        return index in (self.indices if self._positions is None else self._positions)

    def select(self, positions: slice) -> PlannedTasks:
        """Return the tasks at some positions, with the rows of all."""
        return PlannedTasks(self.indices[positions], self.rows)

    def as_given(self) -> list[Any]:
        """Return the rows, or the indices if the tasks are not given as rows."""
        return list(self.indices if self.rows is None else self.rows)

    def position(self, index: int) -> int:
        """Return the position of a task, from 0."""
        return self.indices.index(index) if self._positions is None else self._positions[index]


def plan_tasks(
    samples: Mapping[str, gym.Env[Any, Any]],
    weights: Mapping[str, float],
    episodes: int | None,
    given: GivenTasks | None,
    start: int,
    curriculum: SuccessCurriculum | TaskPool | None = None,
) -> dict[str, PlannedTasks]:
    """Return which tasks of each environment are played.

    Args:
        samples: One environment of each id.
        weights: The weight of each environment.
        episodes: The total number of tasks; None for all tasks of each environment.
        given: Indices or rows of tasks; None plays the tasks from `start` on.
        start: The index of the first task of each environment.
        curriculum: Draws the environment of each task; then the tasks of an environment are as many
            as it would play if it were always drawn. A pool draws the tasks, too; then they are all
            tasks from `start` on.

    Raises:
        UsageError: There are fewer tasks, or `episodes` is missing, or an environment does not show
            messages.
    """
    for env in samples.values():
        if isinstance(env, FlattenConversation | TokenIds):
            kind = type(env).__name__
            raise UsageError(f"rollouts need observations that are messages: leave out {kind}")
    if curriculum is not None:
        drawn = _tasks_to_draw(samples, episodes, given, start)
        if isinstance(curriculum, TaskPool):
            ranges = bind_pool(curriculum, samples, start)
            drawn = {id: PlannedTasks(indices) for id, indices in ranges.items()}
        return drawn
    if given is None:
        return _tasks_in_order(samples, weights, episodes, start)
    if episodes is not None or start:
        raise UsageError("tasks names the tasks to play: leave out episodes and start")
    return _given_tasks(samples, given)


def _tasks_in_order(
    samples: Mapping[str, gym.Env[Any, Any]],
    weights: Mapping[str, float],
    episodes: int | None,
    start: int,
) -> dict[str, PlannedTasks]:
    """Return the tasks from an index on, divided among the environments by weight."""
    ranges = task_ranges(samples, weights, episodes, start)
    return {id: PlannedTasks(indices) for id, indices in ranges.items()}


def task_ranges(
    samples: Mapping[str, gym.Env[Any, Any]],
    weights: Mapping[str, float],
    count: int | None,
    start: int,
    count_name: str = "episodes",
) -> dict[str, range]:
    """Return the indices of the tasks that environments share by weight, from an index on.

    Args:
        samples: One environment of each id.
        weights: The weight of each environment.
        count: The total number of tasks; None for all tasks of each environment.
        start: The index of the first task of each environment.
        count_name: The argument that `count` was passed as, for errors.

    Raises:
        UsageError: An environment has fewer tasks than its share, or a share of none; or `count` is
            missing.

    Example:
        >>> task_ranges({"demo/A-v0": gym.Env(), "demo/B-v0": gym.Env()},
        ...             {"demo/A-v0": 3.0, "demo/B-v0": 1.0}, count=8, start=10)
        {'demo/A-v0': range(10, 16), 'demo/B-v0': range(10, 12)}
    """
    if count is None and len(set(weights.values())) > 1:
        raise UsageError(f"weights divide the tasks among environments: pass {count_name}")
    shares = split_by_weight(weights, count) if count is not None else {}
    ranges = {}
    for id, env in samples.items():
        available = _available(id, env, start)
        share = shares.get(id, available)
        if share is None:
            raise UsageError(f"{id} has unlimited tasks in this split: pass {count_name}")
        if share < 1 or (available is not None and share > available):
            bounds = f"from 1 to {available}" if available is not None else "1 or more"
            after = f" from task {start} on" if start else ""
            raise UsageError(
                f"{id} cannot play {share} tasks{after}: {bounds}; repeats play a task again"
            )
        ranges[id] = range(start, start + share)
    return ranges


def _tasks_to_draw(
    samples: Mapping[str, gym.Env[Any, Any]],
    episodes: int | None,
    given: GivenTasks | None,
    start: int,
) -> dict[str, PlannedTasks]:
    """Return the tasks from an index on of each environment, as far as they could be drawn."""
    if given is not None:
        raise UsageError("a curriculum draws the tasks: leave out tasks, and pass episodes")
    if not isinstance(episodes, int) or episodes < 1:
        raise UsageError(f"a curriculum needs episodes, the number of tasks, not {episodes!r}")
    available = {id: _available(id, env, start) for id, env in samples.items()}
    counts = {
        id: episodes if known is None else min(episodes, known) for id, known in available.items()
    }
    if sum(counts.values()) < episodes:
        raise UsageError(
            f"the environments have {sum(counts.values())} tasks: episodes must be at most that, "
            f"not {episodes}"
        )
    return {id: PlannedTasks(range(start, start + count)) for id, count in counts.items()}


def bind_pool(
    pool: TaskPool, samples: Mapping[str, gym.Env[Any, Any]], start: int = 0
) -> dict[str, range]:
    """Return the indices of the tasks that a pool can draw of each environment.

    Args:
        pool: The pool, which remembers what the tasks are read from.
        samples: One environment of each id.
        start: The index of the first task.

    Raises:
        UsageError: An environment has no tasks to select, or the pool's results are of other tasks.
    """
    ranges = {}
    for id, env in samples.items():
        inner: Any = env.unwrapped
        if not hasattr(inner, "num_tasks"):
            raise UsageError(f"a pool selects tasks, and {id} has no num_tasks to select from")
        data = getattr(inner, "data_digests", None) or {}
        split, level = getattr(inner, "split", "train"), getattr(inner, "level", None)
        pool.bind(id, split=split, level=level, data=data)
        count = _available(id, env, start)
        ranges[id] = range(start, sys.maxsize if count is None else start + count)
    return ranges


def _available(id: str, env: gym.Env[Any, Any], start: int) -> int | None:
    """Return how many tasks an environment has from an index on; None if they are endless."""
    inner: Any = env.unwrapped
    if getattr(getattr(inner, "generate", None), "__left_to_authors__", False):
        inner.get_task(0)  # without rows, this is an error of the caller and not of each episode
    num_tasks: int | None = getattr(inner, "num_tasks", None)
    if num_tasks is not None and start >= num_tasks:
        raise UsageError(f"{id} has {num_tasks} tasks: start must be less, not {start}")
    return None if num_tasks is None else num_tasks - start


def _given_tasks(
    samples: Mapping[str, gym.Env[Any, Any]], given: GivenTasks
) -> dict[str, PlannedTasks]:
    if not isinstance(given, Mapping):
        if len(samples) > 1:
            raise UsageError("tasks of several environments must be a dict with a list for each id")
        given = dict.fromkeys(samples, given)
    check_env_ids("tasks", given, samples)
    return {id: _read_tasks(id, env, given.get(id)) for id, env in samples.items()}


def _read_tasks(id: str, env: gym.Env[Any, Any], given: TaskList | None) -> PlannedTasks:
    """Read the indices or rows of one environment.

    Raises:
        UsageError: They are neither, or are empty, or a task does not exist.
    """
    if given is None or isinstance(given, (str, bytes)) or not isinstance(given, Iterable):
        raise UsageError(f"tasks of {id} must be a list of indices or rows, not {given!r}")
    items: list[Any] = list(given)
    if not items:
        raise UsageError(f"tasks of {id} is empty")
    num_tasks = getattr(env.unwrapped, "num_tasks", _NOT_SELECTABLE)
    if all(isinstance(item, Mapping) for item in items):
        if num_tasks is _NOT_SELECTABLE:
            raise UsageError(f"{id} cannot play rows: it has no num_tasks, so its tasks are fixed")
        return PlannedTasks(range(len(items)), [json_row(item) for item in items])
    try:
        indices = [operator.index(item) for item in items]
    except TypeError:
        raise UsageError(f"tasks of {id} must be all indices or all rows (dicts)") from None
    if len(set(indices)) < len(indices):
        raise UsageError(f"tasks of {id} names a task twice; repeats play a task again")
    end = num_tasks if isinstance(num_tasks, int) else None
    wrong = next((n for n in indices if n < 0 or (end is not None and n >= end)), None)
    if wrong is not None:
        known = "0 or more" if end is None else f"0 to {end - 1}"
        raise UsageError(f"{id} has no task {wrong}; indices are {known}")
    return PlannedTasks(indices)


def list_jobs(
    id: str, tasks: PlannedTasks, repeats: int, seed: int, kwargs: dict[str, Any]
) -> Iterator[Job]:
    """Yield the episodes of an environment in order, the repeats of a task one after another."""
    for index in tasks:
        row = tasks.rows[index] if tasks.rows else None
        for repeat in range(repeats):
            yield Job(id, kwargs, index, repeat, seed, row)


def read_completed(
    folder: RunFolder,
    tasks: Mapping[str, PlannedTasks],
    repeats: int,
    seed: int,
    *,
    whole_groups: bool = False,
) -> tuple[RunIndex, set[Key]]:
    """Return the completed episodes in a folder and their keys, and drop the failed ones from it.

    Args:
        folder: The folder of the run.
        tasks: The tasks of each environment in the run.
        repeats: The number of episodes of each task.
        seed: The run's seed.
        whole_groups: Whether to drop episodes of tasks with remaining repeats too.

    Raises:
        RunError: The folder has an episode twice, or an episode that is not part of the run.
    """
    restore = "restore its trajectories.jsonl, or name another folder"
    index = read_index(folder.path)
    completed: set[Key] = set()
    planned_repeats = range(repeats)
    for key, played_seed in _played(index, folder):
        id, task, repeat = key
        planned = id in tasks and task in tasks[id] and repeat in planned_repeats
        if key in completed or not planned or played_seed != seed:
            how = "twice" if key in completed else "which is not part of this run"
            raise RunError(
                f"{str(folder.path)!r} holds task {task}, repeat {repeat} of {id}, {how}: {restore}"
            )
        completed.add(key)
    if index.problem:
        raise RunError(f"{index.problem}: {restore}")
    kept = index.played()
    if whole_groups:
        if not index.is_complete:
            raise RunError(f"{str(folder.path)!r} has lines of another program: {restore}")
        counts = Counter((id, task) for id, task, _ in completed)
        completed = {key for key in completed if counts[key[0], key[1]] == repeats}
        kept = [key in completed for key in index.episode_keys()]
    if len(completed) < index.table.num_episodes:
        folder.rewrite(kept)
        index = read_index(folder.path)
    return index, completed


def _played(index: RunIndex, folder: RunFolder) -> Iterable[tuple[Key, int]]:
    """Return the key and the seed of each episode that did not fail."""
    if index.is_complete:
        stored = zip(index.episode_keys(), index.seeds(), strict=True)
        return itertools.compress(stored, index.played())
    return (
        ((episode["env_id"], episode["task_index"], episode["repeat"]), episode["seed"])
        for episode in read_trajectories(folder.path)
        if not episode["failure"]
    )


def unfinished(index: RunIndex, folder: RunFolder, repeats: int) -> Iterator[Trajectory]:
    """Yield the completed episodes of tasks with remaining repeats; without an index, of all tasks.

    Args:
        index: The completed episodes.
        folder: The folder of the run.
        repeats: The number of episodes of each task.
    """
    if not index.is_complete:
        yield from read_trajectories(folder.path)
        return
    played = Counter((id, task) for id, task, _ in index.episode_keys())
    for position, (id, task, _) in enumerate(index.episode_keys()):
        if played[id, task] < repeats:
            yield index.read(position)


def remaining(jobs: Iterable[Job], completed: set[Key]) -> Iterator[Job]:
    """Yield the jobs that are not completed."""
    if not completed:
        return iter(jobs)
    return (job for job in jobs if (job.env_id, job.task_index, job.repeat) not in completed)
