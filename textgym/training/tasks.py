"""The tasks that a trainer's data set stands for.

A trainer has a data set with a row for each prompt. Each row stands for a task of an environment;
the environment gives the prompt when the episode begins, so the text of a row is only shown.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, NamedTuple

from textgym.errors import UsageError
from textgym.messages import Message, ToolSchema, text_of
from textgym.mixtures import split_by_weight
from textgym.rollouts.env_set import check_minimum
from textgym.rollouts.player import EpisodePlayer

__all__ = ["TaskRef", "check_no_split", "list_tasks", "prompt_messages", "shown_prompt"]

MAX_SHOWN = 2000  # characters of a prompt


class TaskRef(NamedTuple):
    """A task: the environment's id, the split, and the index."""

    env_id: str
    split: str
    task_index: int


def check_no_split(env_kwargs: Mapping[str, Any] | None) -> None:
    """Check that the arguments of environments leave the split to the data set.

    Raises:
        UsageError: They have a `split`, for all environments or for one.
    """
    kwargs = env_kwargs or {}
    of_envs = [value for key, value in kwargs.items() if "/" in key or ":" in key]
    if any("split" in of for of in (kwargs, *of_envs)):
        raise UsageError("env_kwargs must not have split: it is an argument of its own")


def list_tasks(
    player: EpisodePlayer,
    weights: Mapping[str, float],
    n: int | None,
    *,
    split: str,
    start: int = 0,
) -> list[TaskRef]:
    """Return the tasks of a data set; those of all environments advance in proportion.

    Args:
        player: The player of the split.
        weights: The weight of each environment.
        n: The number of tasks, which the environments share by weight; None for all tasks of a
            split that has an end.
        split: The split.
        start: The index of each environment's first task.

    Raises:
        UsageError: There are fewer tasks, or no end of them and `n` is None.

    Example:
        >>> from textgym.rollouts.player import EpisodePlayer
        >>> with EpisodePlayer("textgym/MCQA-v0") as player:
        ...     tasks = list_tasks(player, {"textgym/MCQA-v0": 1.0}, 2, split="train", start=5)
        >>> [task.task_index for task in tasks]
        [5, 6]
    """
    places = [
        ((number + 0.5) / count, TaskRef(id, split, start + number))
        for id, count in _counts(player, weights, n, start).items()
        for number in range(count)
    ]
    return [task for _, task in sorted(places)]


def _counts(
    player: EpisodePlayer, weights: Mapping[str, float], n: int | None, start: int
) -> dict[str, int]:
    """Return how many tasks each environment has in a data set."""
    ends: dict[str, int | None] = {
        id: getattr(env.unwrapped, "num_tasks", None) for id, env in player.samples.items()
    }
    check_minimum(0, start=start)
    if n is None:
        endless = next((id for id, end in ends.items() if end is None), None)
        if endless:
            raise UsageError(f"{endless} has no end of tasks in this split: pass n")
        counts = {id: end - start for id, end in ends.items() if end is not None}
    else:
        counts = split_by_weight(weights, n)
    for id, count in counts.items():
        end = ends[id]
        if end is not None and (start > end or start + count > end):
            raise UsageError(f"{id} has {end} tasks, so those from {start} on are not enough")
    if not any(counts.values()):
        raise UsageError(f"there are no tasks from {start} on: n must be 1 or more, not {n}")
    return counts


def shown_prompt(player: EpisodePlayer, task: TaskRef) -> str:
    """Return the text that a data set shows of a task: the last message of its prompt."""
    text = text_of(prompt_messages(player, task)[0][-1])
    return text if len(text) <= MAX_SHOWN else text[:MAX_SHOWN] + "…"


def prompt_messages(player: EpisodePlayer, task: TaskRef) -> tuple[list[Message], list[ToolSchema]]:
    """Return the prompt of a task and its tools."""
    env = player.samples[task.env_id]
    options = {"index": task.task_index} if hasattr(env.unwrapped, "num_tasks") else None
    observation, info = env.reset(seed=task.task_index, options=options)
    return list(observation), list(info.get("tools", ()))
