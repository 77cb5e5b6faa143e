"""The order of the episodes of a rollout whose environments a curriculum draws.

Invariants: the tasks of each environment are played in order; the repeats of a task follow one
another; as many tasks are begun as were asked for; a draw depends on how many tasks were begun
before and on the results so far, so that a resumed run goes on as the one that was interrupted.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping

from textgym.curricula import SuccessCurriculum
from textgym.errors import RunError
from textgym.metrics.run_index import Key
from textgym.rollouts.episode import Job
from textgym.rollouts.plan import PlannedTasks
from textgym.rollouts.schedule import JobQueue, Schedule
from textgym.trajectories.schema import Trajectory

__all__ = ["CurriculumSchedule", "add_result"]


def add_result(curriculum: SuccessCurriculum, trajectory: Trajectory) -> None:
    """Add the result of an episode to a curriculum, unless the episode failed."""
    if trajectory["is_success"] is not None:
        curriculum.add(trajectory["env_id"], trajectory["is_success"])


class CurriculumSchedule(Schedule):
    """Hands out jobs, of the environments that a curriculum draws.

    Args:
        jobs: As in `Schedule`, without those that were completed before.
        tasks: As in `Schedule`.
        limits: As in `Schedule`. An environment at its limit is not drawn.
        curriculum: Draws the environment of each task.
        weights: The weight of each environment.
        seed: The run's seed.
        count: How many tasks are begun.
        completed: The episodes that were played before the run was resumed.

    Raises:
        RunError: More tasks were played before than the run has.
    """

    def __init__(
        self,
        jobs: Mapping[str, Iterator[Job]],
        tasks: Mapping[str, PlannedTasks],
        limits: Mapping[str, int],
        curriculum: SuccessCurriculum,
        weights: Mapping[str, float],
        seed: int,
        count: int,
        completed: Iterable[Key],
    ) -> None:
        super().__init__(jobs, tasks, limits)
        self._curriculum, self._weights = curriculum, weights
        self._seed, self._count = seed, count
        self._begun = dict.fromkeys(jobs, 0)  # the number of tasks
        for id, index, _ in completed:
            self._begun[id] = max(self._begun[id], tasks[id].position(index) + 1)
        if sum(self._begun.values()) > count:
            raise RunError(
                f"the folder holds episodes of {sum(self._begun.values())} tasks, and the run has "
                f"{count}: restore its trajectories.jsonl, or name another folder"
            )

    def choose(self) -> JobQueue | None:
        """Return the queue with the rest of a task that was begun, or else the drawn one."""
        available = {id: queue for id, queue in self.queues.items() if queue.is_available()}
        for id, queue in available.items():
            if queue.position < self._begun[id]:
                return queue
        number = sum(self._begun.values())
        if number == self._count or not available:
            return None
        weights = {id: self._weights[id] for id in available}
        drawn = self._curriculum.draw(weights, self._seed, number)
        self._begun[drawn] += 1
        return available[drawn]
