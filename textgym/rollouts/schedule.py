"""A schedule: which episode is played next, of several environments with limits of their own.

What always holds: an environment has no more episodes under way than its limit; no episode waits
for another environment's limit; where no limit holds one back, environments are played in
proportion, each at every moment as far through its tasks as the others, and the repeats of a task
come one after another.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from textgym.rollouts.episode import Job

__all__ = ["Schedule"]


class Schedule:
    """Gives out jobs.

    Args:
        jobs: Those of each environment, in order.
        tasks: The tasks of each environment.
        limits: The most episodes under way at once, of environments that have a limit.

    Example:
        >>> jobs = {id: iter([Job(id, {}, index, 0, 0) for index in range(2)]) for id in "ab"}
        >>> schedule = Schedule(jobs, dict.fromkeys("ab", range(2)), {"a": 1})
        >>> [(job.env_id, job.task_index) for job in iter(schedule.take, None)]
        [('a', 0), ('b', 0), ('b', 1)]
        >>> schedule.take(after=Job("a", {}, 0, 0, 0)).task_index
        1
    """

    def __init__(
        self,
        jobs: Mapping[str, Iterator[Job]],
        tasks: Mapping[str, range],
        limits: Mapping[str, int],
    ) -> None:
        self._lines = {id: _Line(mine, tasks[id], limits.get(id)) for id, mine in jobs.items()}
        self._is_ended = False

    def end(self) -> None:
        """Give out no more."""
        self._is_ended = True

    def take(self, after: Job | None = None) -> Job | None:
        """Return the next job; None where each environment is at its limit or end, or it ended.

        Whoever is given None can leave. A job that ends is followed at once by the next, so from
        then on those who play are as many as the limits allow.

        Args:
            after: The job that the caller has just ended.
        """
        if after:
            self._lines[after.env_id].under_way -= 1
        if self._is_ended:
            return None
        best: _Line | None = None
        for line in self._lines.values():
            if line.is_open() and (best is None or line.place < best.place):
                best = line
        return best.take() if best else None


class _Line:
    """The jobs of one environment.

    Attributes:
        under_way: How many of them have begun and not ended.
        place: How far through its tasks it is, from 0 to 1.
    """

    __slots__ = ("_jobs", "_limit", "_next", "_tasks", "place", "under_way")

    def __init__(self, jobs: Iterator[Job], tasks: range, limit: int | None) -> None:
        self._jobs, self._tasks, self._limit = jobs, tasks, limit
        self.under_way = 0
        self.place = 0.0
        self._advance()

    def is_open(self) -> bool:
        """Tell whether there is a job, and the limit allows it."""
        return self._next is not None and (self._limit is None or self.under_way < self._limit)

    def take(self) -> Job | None:
        """Return the next job, which is under way from now on."""
        job = self._next
        self.under_way += 1
        self._advance()
        return job

    def _advance(self) -> None:
        self._next = next(self._jobs, None)
        if self._next:
            passed = self._next.task_index - self._tasks.start
            self.place = (passed + 0.5) / len(self._tasks)
