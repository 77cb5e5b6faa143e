"""Resuming a run: the episodes that its folder has, and the episodes that remain.

`RunFolder` has already compared `run.json` with the configuration of the resumed run.

Invariants: a completed episode is never played again; a failed episode is dropped from the folder
and played again; a folder with an episode that is there twice, or of another run, is refused.
"""

from __future__ import annotations

import itertools
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping

from textgym.errors import RunError
from textgym.metrics.run_index import Key, RunIndex, read_index
from textgym.rollouts.episode import Job
from textgym.rollouts.plan import PlannedTasks
from textgym.trajectories.run_folder import RunFolder, read_trajectories
from textgym.trajectories.schema import Trajectory

__all__ = ["read_completed", "remaining", "unfinished"]


def read_completed(
    folder: RunFolder, tasks: Mapping[str, PlannedTasks], repeats: int, seed: int
) -> tuple[RunIndex, set[Key]]:
    """Return the completed episodes in a folder and their keys, and drop the failed ones from it.

    Args:
        folder: The folder of the run.
        tasks: The tasks of each environment in the run.
        repeats: The number of episodes of each task.
        seed: The run's seed.

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
    if len(completed) < index.table.num_episodes:
        folder.rewrite(index.played())
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
