"""The order of the episodes of a rollout.

Invariants: an environment never runs more episodes at once than its limit; no episode waits because
of another environment's limit; the tasks of an environment are played in order, and the repeats of
a task follow one another. Without limits and without a curriculum, all environments advance through
their tasks in proportion. With a curriculum, a draw depends on how many tasks were begun before and
on the results so far, so that a resumed run continues as the interrupted one would have. With a
`TaskPool`, the tasks are not in order, and each is drawn once.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import cast

from textgym.curricula import SuccessCurriculum
from textgym.errors import RunError
from textgym.metrics.run_index import Key
from textgym.rollouts.episode import Job
from textgym.rollouts.plan import PlannedTasks
from textgym.task_pool import TaskPool

__all__ = ["CurriculumSchedule", "JobQueue", "LeasedSchedule", "PoolSchedule", "Schedule"]


class Schedule:
    """Hands out jobs.

    Args:
        jobs: The jobs of each environment, in order.
        tasks: The tasks of each environment.
        limits: The maximum number of episodes that run at once, for environments with a limit.

    Attributes:
        queues: The jobs that have not started, by environment.

    Example:
        >>> jobs = {id: iter([Job(id, {}, index, 0, 0) for index in range(2)]) for id in "ab"}
        >>> schedule = Schedule(jobs, dict.fromkeys("ab", PlannedTasks([0, 1])), {"a": 1})
        >>> [(job.env_id, job.task_index) for job in iter(schedule.next_job, None)]
        [('a', 0), ('b', 0), ('b', 1)]
        >>> schedule.next_job(finished=Job("a", {}, 0, 0, 0)).task_index
        1
    """

    def __init__(
        self,
        jobs: Mapping[str, Iterator[Job]],
        tasks: Mapping[str, PlannedTasks],
        limits: Mapping[str, int],
    ) -> None:
        self.queues = {id: JobQueue(jobs[id], tasks[id], limits.get(id)) for id in jobs}
        self._is_stopped = False

    def stop(self) -> None:
        """Stop handing out jobs."""
        self._is_stopped = True

    def next_job(self, finished: Job | None = None) -> Job | None:
        """Return the next job.

        It is None if every environment has reached its limit or its end, or the schedule was
        stopped. The caller can then end: each finished job is replaced at once by the next one, so
        the remaining callers are always as many as the limits allow.

        Args:
            finished: The job that the caller has just finished.
        """
        if finished:
            self.queues[finished.env_id].running -= 1
        queue = None if self._is_stopped else self.choose()
        return queue.pop() if queue else None

    def choose(self) -> JobQueue | None:
        """Return the available queue that has advanced least; None if no queue is available."""
        best: JobQueue | None = None
        for queue in self.queues.values():
            if queue.is_available() and (best is None or queue.progress < best.progress):
                best = queue
        return best


class JobQueue:
    """The jobs of one environment.

    Attributes:
        running: How many jobs have started and not finished.
    """

    __slots__ = ("_jobs", "_limit", "_next", "_tasks", "running")

    def __init__(self, jobs: Iterator[Job], tasks: PlannedTasks, limit: int | None) -> None:
        self._jobs, self._tasks, self._limit = jobs, tasks, limit
        self.running = 0
        self._next = next(jobs, None)

    @property
    def position(self) -> int:
        """The position of the next job's task among the environment's tasks, from 0."""
        return self._tasks.position(self._next.task_index) if self._next else len(self._tasks)

    @property
    def progress(self) -> float:
        """How far through its tasks the environment is, from 0 to 1."""
        return (self.position + 0.5) / len(self._tasks)

    @property
    def has_room(self) -> bool:
        """Whether the limit allows another job to start."""
        return self._limit is None or self.running < self._limit

    def is_available(self) -> bool:
        """Return whether there is a next job that may start within the limit."""
        return self._next is not None and self.has_room

    def refill(self, jobs: Iterator[Job]) -> None:
        """Add jobs to a queue without a next job."""
        self._jobs, self._next = jobs, next(jobs, None)

    def pop(self) -> Job | None:
        """Return the next job, and count it as running."""
        job = self._next
        self.running += 1
        self._next = next(self._jobs, None)
        return job


class CurriculumSchedule(Schedule):
    """Hands out jobs of the environments that a curriculum draws.

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
        _check_begun(sum(self._begun.values()), count)

    def choose(self) -> JobQueue | None:
        """Return the queue of a task with remaining repeats, or else the queue that is drawn."""
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


class PoolSchedule(Schedule):
    """Hands out jobs of the tasks that a pool draws. Each task is drawn at most once.

    Args:
        jobs_of: Returns the jobs of a task, without those that were completed before.
        tasks: The tasks of each environment that can be drawn.
        limits: As in `Schedule`. An environment at its limit is not drawn.
        pool: Draws the tasks.
        weights: The weight of each environment.
        seed: The run's seed.
        count: How many tasks are begun.
        completed: The episodes that were played before the run was resumed.

    Raises:
        RunError: More tasks were played before than the run has.
    """

    def __init__(
        self,
        jobs_of: Callable[[str, int], Iterator[Job]],
        tasks: Mapping[str, PlannedTasks],
        limits: Mapping[str, int],
        pool: TaskPool,
        weights: Mapping[str, float],
        seed: int,
        count: int,
        completed: Iterable[Key],
    ) -> None:
        self._begun = dict.fromkeys((id, index) for id, index, _ in completed)
        left = defaultdict[str, list[Job]](list)
        for id, index in self._begun:
            left[id] += jobs_of(id, index)
        super().__init__({id: iter(left[id]) for id in tasks}, tasks, limits)
        self._jobs_of, self._pool, self._weights = jobs_of, pool, weights
        self._ranges = {id: cast("range", planned.indices) for id, planned in tasks.items()}
        self._seed, self._count = seed, count
        _check_begun(len(self._begun), count)

    def choose(self) -> JobQueue | None:
        """Return the queue of a task with remaining repeats, or else of the task that is drawn."""
        with_room = {id: queue for id, queue in self.queues.items() if queue.has_room}
        for queue in with_room.values():
            if queue.is_available():
                return queue
        number = len(self._begun)
        if number == self._count or not with_room:
            return None
        drawn = self._pool.draw(
            {id: self._ranges[id] for id in with_room},
            self._weights,
            self._begun.keys(),
            seed=self._seed,
            number=number,
        )
        if drawn is None:
            return None
        self._begun[drawn] = None
        self.queues[drawn[0]].refill(self._jobs_of(*drawn))
        return self.queues[drawn[0]]


class LeasedSchedule(Schedule):
    """Hands out the jobs of leased blocks. The next block is leased when all jobs have started.

    Args:
        next_block: Leases a block, and returns its jobs by environment; None if there is none now,
            and then it is not called again.
        tasks: The tasks of each environment in all blocks.
    """

    def __init__(
        self,
        next_block: Callable[[], Mapping[str, Iterator[Job]] | None],
        tasks: Mapping[str, PlannedTasks],
    ) -> None:
        super().__init__({id: iter(()) for id in tasks}, tasks, {})
        self._next_block = next_block
        self._has_blocks = True

    def choose(self) -> JobQueue | None:
        """Return the queue that has advanced least, of the leased blocks."""
        while not (queue := super().choose()) and self._has_blocks:
            jobs = self._next_block()
            if jobs is None:
                self._has_blocks = False
            for id, of_env in (jobs or {}).items():
                self.queues[id].refill(of_env)
        return queue


def _check_begun(begun: int, count: int) -> None:
    if begun > count:
        raise RunError(
            f"the folder has episodes of {begun} tasks, and the run has {count}: restore its "
            "trajectories.jsonl, or pass another folder"
        )
