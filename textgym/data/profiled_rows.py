"""The rows of profiled tasks, with their pass rates: a data set of the same environment.

Invariants: a row is written only if the environment still gives the task that the run played, with
the same id and prompt; a row keeps its id, so that the task is the same task in the new data set.
"""

from __future__ import annotations

import contextlib
import os
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from textgym.data.profiling import TaskProfile
from textgym.errors import DatasetError, UsageError, in_one_line
from textgym.json_values import encode_line
from textgym.metrics.run_index import RunIndex, read_index
from textgym.rescoring.answers import TaskAnswers
from textgym.tasks.task import Task
from textgym.trajectories.run_folder import read_config
from textgym.whole_file import whole_file

__all__ = ["FIELD", "profiled_rows", "write_profiled_rows"]

FIELD = "textgym_profile"
"""The field of a row with its pass rate. No environment reads it."""


def write_profiled_rows(path: str | os.PathLike[str], tasks: Sequence[TaskProfile]) -> int:
    """Write the rows of tasks to a file of JSON lines, and return their number.

    Args:
        path: The file, which is replaced as a whole.
        tasks: Tasks of one environment, see `profiled_rows`.

    Raises:
        UsageError: See `profiled_rows`; or the file cannot be written.
    """
    with whole_file(path) as file:
        for row in profiled_rows(tasks):
            file.write(encode_line(row))
    return len(tasks)


def profiled_rows(tasks: Sequence[TaskProfile]) -> Iterator[dict[str, Any]]:
    """Yield the row of each task, with its pass rate and its number of graded episodes.

    The environment is made with the arguments of the run, and gives the task again.

    Args:
        tasks: Tasks of one environment.

    Raises:
        UsageError: The tasks are of several environments, or one was played with different
            arguments.
        DatasetError: A task has changed since it was played, or cannot be read again.

    Example:
        >>> import tempfile, textgym
        >>> from textgym.data.profiling import profile_runs
        >>> with tempfile.TemporaryDirectory() as folder:
        ...     run = textgym.rollout("textgym/MCQA-v0", "oracle", episodes=2, out=folder)
        ...     rows = list(profiled_rows(profile_runs([folder])))
        >>> rows[1]["id"], rows[1][FIELD]
        ('test-mixed-1', {'pass_rate': 1.0, 'episodes': 1})
    """
    _check_one_data_set(tasks)
    with contextlib.ExitStack() as stack:
        runs: dict[Path, tuple[RunIndex, TaskAnswers]] = {}
        for task in tasks:
            if task.run not in runs:
                answers = stack.enter_context(TaskAnswers(read_config(task.run)))
                runs[task.run] = read_index(task.run), answers
            row = _read_again(task, *runs[task.run]).row
            measured = {"pass_rate": task.pass_rate, "episodes": len(task.successes)}
            yield {**row, FIELD: measured}


def _read_again(profile: TaskProfile, index: RunIndex, answers: TaskAnswers) -> Task:
    try:
        return answers.task(index.read(profile.position))
    except Exception as error:  # an environment may raise anything
        why = str(error) if isinstance(error, UsageError) else in_one_line(error)
        raise DatasetError(
            f"task {profile.task_index} of {profile.env_id} in {str(profile.run)!r} cannot be read "
            f"again: {why}"
        ) from error


def _check_one_data_set(tasks: Sequence[TaskProfile]) -> None:
    """Check that tasks can be the rows of one data set."""
    envs = sorted({task.env_id for task in tasks})
    if len(envs) > 1:
        raise UsageError(
            f"a data set has rows of one environment, and the runs have {', '.join(envs)}: name one"
        )
    kwargs_of: dict[str | None, Mapping[str, Any]] = {}
    for task in tasks:
        first = kwargs_of.setdefault(task.task_id, task.env_kwargs)
        if first != task.env_kwargs:
            raise UsageError(
                f"task {task.task_id!r:.100} was played with different arguments, {dict(first)} "
                f"and {dict(task.env_kwargs)}: profile these runs one by one"
            )
