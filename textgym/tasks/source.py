"""The source of an environment's tasks, which are drawn, selected by index, or given as rows.

Invariants: the n-th task drawn after seeding depends only on the seed and n, whatever episodes were
played in between.
"""

from __future__ import annotations

import operator
import os
import random
from collections.abc import Callable, Hashable, Mapping, Sequence
from typing import Any, TypeVar

from textgym.errors import RowError, UnknownNameError, UsageError, did_you_mean
from textgym.messages import message_problem
from textgym.tasks.files import TaskList, file_stamp, read_tasks, shared_tasks
from textgym.tasks.hashing import canonical_json, hash_int
from textgym.tasks.json_rows import json_row
from textgym.tasks.splits import SPLITS, TaskStream, draw_row
from textgym.tasks.task import Task, with_id

__all__ = ["TaskSource"]

Shared = TypeVar("Shared")
NUM_GENERATED_TASKS = 500


class _DrawnTasks(dict[int, Task]):
    """The tasks of a generated evaluation split that were drawn so far, by index."""


class TaskSource:
    """The tasks of one environment.

    Environments with the same owner and arguments share their tasks.

    Args:
        id: The environment's id.
        levels: The levels of the generator.
        generate: Draws a row of a level, see `TextEnv.generate`.
        canonical: Returns the part of a row that decides its split, see `TextEnv.canonical`.
        read_row: Turns a row into a task, see `TextEnv.read_row`.
        owner: The environment's class.
        arguments: The keyword arguments that the environment was made with.
        dataset: None for the generator, otherwise as in `TextEnv`.
        split: As in `TextEnv`.
        level: As in `TextEnv`.

    Attributes:
        stream: The random stream that selects tasks.
        count: The number of tasks, see `TextEnv.num_tasks`.
    """

    def __init__(
        self,
        *,
        id: str,
        levels: Sequence[int],
        generate: Callable[[random.Random, int], dict[str, Any]],
        canonical: Callable[[dict[str, Any]], Any],
        read_row: Callable[[dict[str, Any]], Task],
        owner: type,
        arguments: Mapping[str, Any],
        dataset: str | None,
        split: str,
        level: int | None,
    ) -> None:
        if dataset is not None and not isinstance(dataset, (str, os.PathLike)):
            raise UsageError(f"dataset must be a path or a hub id, not {dataset!r}")
        if split not in SPLITS:
            raise UnknownNameError(f"there is no split {split!r}{did_you_mean(str(split), SPLITS)}")
        if level is not None and dataset is None and level not in levels:
            known = ", ".join(map(str, levels))
            raise UnknownNameError(f"{id} has no level {level!r}; its levels are {known}")
        self.split, self.level = split, level
        self.stream = TaskStream()
        self._id, self._levels = id, levels
        self._generate, self._canonical, self._read_row = generate, canonical, read_row
        self._owner, self._arguments = owner, arguments
        self._dataset = None if dataset is None else os.fspath(dataset)
        self._rows = None if self._dataset is None else self._read(self._dataset)
        self._drawn: dict[int, Task] = {}
        if self._rows is not None:
            self.count: int | None = len(self._rows)
        elif split == "train":
            self.count = None
        else:
            self.count = NUM_GENERATED_TASKS
            self._drawn = self._share(("generated",), _DrawnTasks)

    @property
    def digests(self) -> dict[str, str]:
        """The name of the data set with its digest; empty for generated tasks."""
        if self._dataset is None or self._rows is None:
            return {}
        return {self._dataset: self._rows.digest}

    def get(self, index: int) -> Task:
        """Return the task with an index.

        Raises:
            UsageError: No task has this index.
        """
        if index < 0 or (self.count is not None and index >= self.count):
            known = f"0 to {self.count - 1}" if self.count is not None else "0 or more"
            raise UsageError(f"{self._id} has no task {index}; indices are {known}")
        if self._rows is not None:
            return self._rows[index]
        if self.count is None:
            return self._draw(index)
        if index not in self._drawn:
            self._drawn[index] = self._draw(index)
        return self._drawn[index]

    def _draw(self, index: int) -> Task:
        row = draw_row(
            self._generate,
            self._canonical,
            id=self._id,
            split=self.split,
            level=self.level,
            levels=self._levels,
            index=index,
        )
        return self._read_row(row)

    def read(self, row: dict[str, Any]) -> Task:
        """Read a row of a data set or of a caller.

        Raises:
            RowError: A field is missing or wrong, or a message of the prompt is not valid.
        """
        try:
            task = self._read_row(row)
        except KeyError as error:
            raise RowError(str(error.args[0]), "is missing") from None
        for message in task.messages:
            problem = message_problem(message)
            if problem:
                raise RowError("messages", f"are not a prompt: {problem}")
        return task

    def choose(self, options: Mapping[str, Any] | None) -> Task:
        """Return the task that the options of `reset` select, or else draw the next one.

        Raises:
            UsageError: No task has the index.
            RowError: The given row cannot be read.
        """
        if options and "task" in options:
            given = options["task"]
            if not isinstance(given, Mapping):
                raise RowError("task", f"must be a row (a dict), not {type(given).__name__}")
            row = json_row(given)
            try:
                name = f"row-{hash_int(canonical_json(row)):016x}"
            except ValueError as error:  # a number with thousands of digits
                raise RowError("task", f"cannot be represented in JSON: {error}") from None
            return self.read(with_id(row, name))
        if options and "index" in options:
            return self.get(_as_index(options["index"]))
        drawn = self.stream.draw()
        return self.get(drawn if self.count is None else drawn % self.count)

    def _read(self, dataset: str) -> TaskList:
        def read() -> TaskList:
            return read_tasks(dataset, self.split, self.level, self.read)

        return self._share(file_stamp(dataset) or ("hub", dataset), read)

    def _share(self, origin: Hashable, make: Callable[[], Shared]) -> Shared:
        """Return tasks that all environments of the same class and arguments share."""
        try:
            arguments = canonical_json(self._arguments)
        except TypeError:  # an argument that is not JSON data cannot be part of the key
            return make()
        return shared_tasks((self._owner, origin, arguments), make)


def _as_index(value: Any) -> int:
    try:
        return operator.index(value)
    except TypeError:
        kind = type(value).__name__
        raise UsageError(f"options['index'] must be an integer, not a {kind}: {value!r}") from None
