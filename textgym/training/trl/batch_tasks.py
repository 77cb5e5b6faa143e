"""Which task each sample of a batch plays, and which episode of the task it is.

Invariant: all processes of a training run agree on the tasks of all groups, even of groups with
samples in several processes.
"""

from __future__ import annotations

import itertools
from collections import Counter
from collections.abc import Iterator, Sequence
from typing import Any

from textgym.errors import TrainingError, UsageError
from textgym.tasks.task import hash_int
from textgym.training.tasks import TaskRef
from textgym.training.trl.samples import task_of

__all__ = ["drawn_instead", "other_task", "repeats_of"]


def drawn_instead(draws: Iterator[TaskRef], count: int, trainer: Any) -> list[TaskRef]:
    """Return the tasks that a pool draws for the samples of this process.

    All processes draw the groups of the whole batch, and each takes its own samples of them.

    Args:
        draws: The draws.
        count: The number of samples of this process.
        trainer: The trainer.

    Raises:
        UsageError: The environments have fewer tasks than the batch has groups.
    """
    size, accelerator = trainer.num_generations, trainer.accelerator
    groups = -(-count * accelerator.num_processes // size)
    drawn = list(itertools.islice(draws, groups))
    if len(drawn) < groups:
        raise UsageError(
            f"a batch has {groups} groups, and the pool draws from {len(drawn)} tasks: use smaller "
            "batches, or more tasks"
        )
    first = accelerator.process_index * count
    return [drawn[index // size] for index in range(first, first + count)]


def other_task(trainer: Any, task: TaskRef, *seeds: int) -> TaskRef:
    """Return a random task of the trainer's data set, of the same environment and split."""
    try:
        count = len(trainer.train_dataset)
    except TypeError:
        raise UsageError("redraw needs a data set with a length, not a stream") from None
    drawn = (
        task_of(trainer.train_dataset[hash_int("redraw", *seeds, number) % count]["prompt"])
        for number in itertools.count()
    )
    return next(other for other in drawn if other[:2] == task[:2])  # at worst the task itself


def repeats_of(tasks: Sequence[TaskRef], trainer: Any, mode: str) -> list[int]:
    """Return which episode of its task each sample is.

    Raises:
        TrainingError: A group has samples of different tasks.
    """
    size = trainer.num_generations if mode == "train" else trainer.num_generations_eval
    first = trainer.accelerator.process_index * len(tasks)  # groups may span processes
    groups: dict[int, TaskRef] = {}
    for index, task in enumerate(tasks, first):
        if groups.setdefault(index // size, task) != task:
            raise TrainingError(
                f"a group has samples of {groups[index // size]} and {task}: TRL must repeat each "
                f"row {size} times in a row"
            )
    earlier: Counter[TaskRef] = Counter()
    numbers = {}
    for group, task in groups.items():  # a small data set may have a task twice in a batch
        numbers[group] = earlier[task]
        earlier[task] += 1
    return [
        numbers[index // size] * size + index % size for index in range(first, first + len(tasks))
    ]
