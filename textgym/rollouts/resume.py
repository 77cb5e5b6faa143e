"""Resuming a run: which episodes its folder holds already, and which are still to be played.

`RunFolder` has already compared `run.json` with the configuration of the resumed run.

Invariants: a completed episode is never played again; a failed episode is dropped from the folder
and played again; a folder that holds an episode twice, or one of another run, is refused.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence

from textgym.errors import RunError
from textgym.rollouts.episode import EpisodeKey, Job
from textgym.rollouts.plan import PlannedTasks
from textgym.trajectories.run_folder import RunFolder, read_trajectories
from textgym.trajectories.schema import Trajectory

__all__ = ["read_completed", "remaining"]


def read_completed(
    folder: RunFolder,
    tasks: Mapping[str, PlannedTasks],
    repeats: int,
    seed: int,
    takers: Sequence[Callable[[Trajectory], None]],
) -> set[EpisodeKey]:
    """Return the keys of the completed episodes in a folder, and drop the failed ones from it.

    Args:
        folder: The folder of the run.
        tasks: The tasks of each environment in the run.
        repeats: The number of episodes of each task.
        seed: The run's seed.
        takers: Each is called with the trajectory of each completed episode.

    Raises:
        RunError: The folder holds an episode twice, or one that is not part of the run.
    """
    completed: set[EpisodeKey] = set()
    has_failures = False
    for trajectory in read_trajectories(folder.path):
        if trajectory["failure"]:
            has_failures = True
            continue
        key = EpisodeKey.of(trajectory)
        id, index, repeat = key
        planned = id in tasks and index in tasks[id] and repeat in range(repeats)
        if key in completed or not planned or trajectory["seed"] != seed:
            how = "twice" if key in completed else "which is not part of this run"
            raise RunError(
                f"{str(folder.path)!r} holds task {index}, repeat {repeat} of {id}, {how}: restore "
                "its trajectories.jsonl, or name another folder"
            )
        completed.add(key)
        for take in takers:
            take(trajectory)
    if has_failures:
        folder.rewrite(lambda trajectory: not trajectory["failure"])
    return completed


def remaining(jobs: Iterable[Job], completed: set[EpisodeKey]) -> Iterator[Job]:
    """Yield the jobs that are not completed."""
    if not completed:
        return iter(jobs)
    return (job for job in jobs if (job.env_id, job.task_index, job.repeat) not in completed)
