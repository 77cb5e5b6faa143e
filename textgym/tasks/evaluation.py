"""The generated tasks of an evaluation split, which are drawn when they are first needed.

Invariants: a task depends only on the class, its arguments and the index; no two tasks have the
same prompt, unless the generator finds no further prompt in many draws. Threads may draw at the
same time, because all of them draw the same tasks.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from itertools import chain, islice

from textgym.tasks.hashing import canonical_json, hash_int
from textgym.tasks.task import Task

__all__ = ["EvaluationTasks"]

MAX_DRAWS_OF_A_PROMPT = 300


class EvaluationTasks:
    """The tasks of an evaluation split that were drawn so far.

    Tasks are drawn in the order of their indices, and one whose prompt was drawn before is drawn
    again. Once that fails, the prompts are exhausted, and later tasks may repeat earlier ones.

    Example:
        >>> from textgym.messages import user
        >>> def draws(index):
        ...     for text in ("a", "b", "c"):
        ...         yield Task(f"{text}-{index}", (user(text),), text)
        >>> tasks = EvaluationTasks()
        >>> [tasks.get(index, draws).id for index in (2, 0, 1)]
        ['c-2', 'a-0', 'b-1']
    """

    def __init__(self) -> None:
        self._tasks: dict[int, Task] = {}
        self._first_index: dict[int, int] = {}  # of each prompt, by its hash
        self._exhausted_at: int | None = None

    def get(self, index: int, draws: Callable[[int], Iterator[Task]]) -> Task:
        """Return the task with an index.

        Args:
            index: The index.
            draws: Returns the tasks that an index draws, one after the other.
        """
        if index not in self._tasks:
            for place in range(len(self._tasks), index + 1):
                self._tasks[place] = self._choose(place, draws(place))
        return self._tasks[index]

    def _choose(self, index: int, draws: Iterator[Task]) -> Task:
        """Return the first task with a new prompt; the very first if the prompts are exhausted."""
        first = next(draws)
        if self._exhausted_at is not None and index > self._exhausted_at:
            return first
        for task in chain((first,), islice(draws, MAX_DRAWS_OF_A_PROMPT - 1)):
            if self._is_new(task, index):
                return task
        self._exhausted_at = index
        return first

    def _is_new(self, task: Task, index: int) -> bool:
        prompt = hash_int(canonical_json([task.messages, task.tools]))
        return self._first_index.setdefault(prompt, index) == index
