"""The source of an environment's tasks, which are drawn, selected by index, or passed as rows.

Invariant: the n-th task drawn after seeding depends only on the seed and n, not on the episodes
played in between.
"""

from __future__ import annotations

import operator
import os
import random
from collections.abc import Callable, Hashable, Iterator, Mapping, Sequence
from typing import Any, TypeVar

from textgym.errors import DatasetError, RowError, UnknownNameError, UsageError, did_you_mean
from textgym.json_values import canonical_json, json_row
from textgym.messages import message_problem
from textgym.tasks.files import Dataset, TaskList, file_stamp, read_tasks, shared_tasks
from textgym.tasks.task import (
    SPLITS,
    EvaluationTasks,
    Task,
    TaskStream,
    draw_rows,
    hash_int,
    with_id,
)

__all__ = ["TaskSource"]

Shared = TypeVar("Shared")
NUM_GENERATED_TASKS = 500
_OPTIONS = ("index", "task", "level")


class TaskSource:
    """The tasks of one environment.

    Environments with the same owner and arguments share their tasks.

    Args:
        id: The environment's id.
        levels: The levels of the generator.
        first_rung: Whether the generator also has level 0, which is only drawn if it is selected.
        generate: Draws a row of a level, see `TextEnv.generate`.
        canonical: Returns the part of a row that decides its split, see `TextEnv.canonical`.
        read_row: Turns a row into a task, see `TextEnv.read_row`.
        owner: The environment's class.
        arguments: The keyword arguments that the environment was made with.
        dataset: None for the generator, otherwise as in `TextEnv`.
        columns: As in `TextEnv`.
        split: As in `TextEnv`.
        level: As in `TextEnv`.
        at_level: Returns the tasks of an environment with the same arguments and a level.

    Attributes:
        stream: The random stream that selects tasks.
        index: The index of the task that was chosen last; None for a task without an index.
        count: The number of tasks, see `TextEnv.num_tasks`.
    """

    def __init__(
        self,
        *,
        id: str,
        levels: Sequence[Any],
        first_rung: bool,
        generate: Callable[[random.Random, int], dict[str, Any]],
        canonical: Callable[[dict[str, Any]], Any],
        read_row: Callable[[dict[str, Any]], Task],
        owner: type,
        arguments: Mapping[str, Any],
        dataset: Dataset | None,
        columns: Mapping[str, str] | None,
        split: str,
        level: int | None,
        at_level: Callable[[Any], TaskSource],
    ) -> None:
        if columns is not None and dataset is None:
            raise UsageError("columns= names the columns of a data set: pass dataset= as well")
        if split not in SPLITS:
            raise UnknownNameError(f"there is no split {split!r}{did_you_mean(str(split), SPLITS)}")
        known = [0, *levels] if first_rung and dataset is None else levels
        if level is not None and dataset is None and level not in known:
            raise _no_level(id, level, known)
        self.split, self.level = split, level
        self.stream = TaskStream()
        self.index: int | None = None
        self._id, self._levels, self._has_first_rung = id, levels, first_rung
        self._at_level, self._of_levels = at_level, dict[Any, TaskSource]()
        self._generate, self._canonical, self._read_row = generate, canonical, read_row
        self._owner, self._arguments = owner, arguments
        self._rows: TaskList | None = None
        if dataset is not None:
            self._rows = self._read(dataset, columns)
            self._dataset = self._rows.name
            if isinstance(dataset, (str, os.PathLike)):
                self._dataset = os.fspath(dataset)
        self._is_checked = False
        if self._rows is not None:
            self.count: int | None = len(self._rows)
        elif split == "train":
            self.count = None
        else:
            self.count = NUM_GENERATED_TASKS
            self._evaluation = self._share(("generated",), EvaluationTasks)

    @property
    def levels(self) -> tuple[Any, ...]:
        """The levels that `reset` can select, see `TextEnv.levels`."""
        if self.level is not None:
            return (self.level,)
        return tuple(self._levels) if self._rows is None else self._rows.levels

    @property
    def keeps_tasks(self) -> bool:
        """Whether tasks are kept for other episodes; train tasks are drawn each time."""
        return self.count is not None

    @property
    def digests(self) -> dict[str, str]:
        """The name of the data set with its digest; empty for generated tasks."""
        if self._rows is None:
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
            return self._rows.kept.get(index) or self._rows.read(index, self.read)
        if self.count is None:
            return next(self._draws(index))
        return self._evaluation.get(index, self._draws)

    def _draws(self, index: int) -> Iterator[Task]:
        rows = draw_rows(
            self._generate,
            self._canonical,
            id=self._id,
            split=self.split,
            level=self.level,
            levels=self._levels,
            index=index,
        )
        for row in rows:
            yield self._read_generated(row)

    def _read_generated(self, row: dict[str, Any]) -> Task:
        """Read a generated row; only the first one is checked, because all are alike."""
        if self._is_checked:
            return self._read_row(row)
        task = self.read(row)
        self._is_checked = True
        return task

    def read(self, row: dict[str, Any]) -> Task:
        """Read a row of a data set or of a caller.

        Raises:
            RowError: A field is missing or wrong, or a message of the prompt is not valid.
            UsageError: `read_row` does not return a task, or one without its row.
        """
        try:
            task = self._read_row(row)
        except KeyError as error:
            raise RowError(str(error.args[0]), "is missing") from None
        self._check_type(task)
        for message in task.messages:
            problem = message_problem(message)
            if problem:
                raise RowError("messages", f"are not a prompt: {problem}")
        if not task.row:
            name = f"{self._owner.__name__}.read_row"
            raise UsageError(f"{name} must keep the row in its task: Task(…, row=row)")
        return task

    def _check_type(self, task: Any) -> None:
        name = f"{self._owner.__name__}.read_row"
        if not isinstance(task, Task):
            raise UsageError(f"{name} must return a Task, not a {type(task).__name__}")
        if not isinstance(task.messages, (tuple, list)):
            kind = type(task.messages).__name__
            raise UsageError(
                f"{name}: the messages of a task must be a tuple of messages, such as "
                f"(user('…'),), not a {kind}"
            )

    def check_options(self, options: Any) -> None:
        """Check the options of `reset`, before anything is changed.

        Raises:
            UsageError: They are not a dict, or exclude each other, or the level has no tasks.
            UnknownNameError: An option or level does not exist.
        """
        if options.__class__ is not dict and not isinstance(options, Mapping):
            raise UsageError(f"options must be a dict such as {{'index': 3}}, not {options!r:.100}")
        for name in options:
            if name not in _OPTIONS:
                hint = did_you_mean(str(name), _OPTIONS)
                raise UnknownNameError(f"reset has no option {name!r:.100}{hint}")
        if "task" in options and len(options) > 1:
            raise UsageError(
                "options select a task by its index or level, or give its row: pass one of them"
            )
        if "level" in options:
            self._of_level(options["level"])

    def _of_level(self, selected: Any) -> TaskSource:
        """Return the tasks of a level, as an environment made with this level has them."""
        level = selected if isinstance(selected, str) else _as_integer("level", selected)
        if level == self.level:
            return self
        if self.level is not None:
            raise UsageError(
                f"this {self._id} was made with level={self.level!r}, so options['level'] cannot "
                f"be {level!r}"
            )
        known = self.levels
        if self._has_first_rung and self._rows is None:
            known = (0, *known)
        if level not in known:
            raise _no_level(self._id, level, known)
        if level not in self._of_levels:
            tasks = self._at_level(level)
            if tasks.digests != self.digests:
                raise DatasetError(
                    f"data set {self._dataset!r} has changed since the environment was made"
                )
            self._of_levels[level] = tasks
        return self._of_levels[level]

    def choose(self, options: Mapping[str, Any] | None) -> Task:
        """Return the task that the options of `reset` select, or draw the next task.

        Raises:
            UsageError: No task has the index.
            RowError: The given row cannot be read.
        """
        self.index = None
        if options and "task" in options:
            row = options["task"]
            if not isinstance(row, Mapping):
                raise RowError("task", f"must be a row (a dict), not {type(row).__name__}")
            row = json_row(row)
            try:
                name = f"row-{hash_int(canonical_json(row)):016x}"
            except ValueError as error:  # a number with thousands of digits
                raise RowError("task", f"cannot be represented in JSON: {error}") from None
            return self.read(with_id(row, name))
        tasks = self._of_level(options["level"]) if options and "level" in options else self
        if options and "index" in options:
            index = options["index"]
            if index.__class__ is not int:
                index = _as_integer("index", index)
        else:
            drawn = self.stream.draw()
            index = drawn if tasks.count is None else drawn % tasks.count
        task = tasks.get(index)
        self.index = index if tasks is self else None
        return task

    def _read(self, dataset: Dataset, columns: Mapping[str, str] | None) -> TaskList:
        if isinstance(dataset, os.PathLike):
            dataset = os.fspath(dataset)

        def read() -> TaskList:
            return read_tasks(dataset, self.split, self.level, columns, self.read)

        if not isinstance(dataset, str):
            return read()
        return self._share(file_stamp(dataset) or ("hub", dataset), read)

    def _share(self, origin: Hashable, make: Callable[[], Shared]) -> Shared:
        try:
            arguments = canonical_json(self._arguments)
        except TypeError:  # an argument that is not JSON data cannot be part of the key
            return make()
        return shared_tasks((self._owner, origin, arguments), make)


def _as_integer(name: str, value: Any) -> int:
    try:
        return int(operator.index(value))
    except TypeError:
        kind = type(value).__name__
        raise UsageError(
            f"options[{name!r}] must be an integer, not a {kind}: {value!r:.100}"
        ) from None


def _no_level(id: str, level: Any, levels: Sequence[Any]) -> UnknownNameError:
    known = ", ".join(map(str, levels))
    its = f"its levels are {known}" if known else "the rows of its data set have none"
    return UnknownNameError(f"{id} has no level {level!r:.100}; {its}")
