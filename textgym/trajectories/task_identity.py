"""What identifies a task, a group and an episode.

A task is the same in every run and data set if its environment, its id and its prompt are. An id is
not enough: in every data set, rows without an id are called `row-0`, `row-1`.

A group is the episodes of one task that are compared with each other: environment, keyword
arguments, seed and index are equal. The seed counts because an environment may draw its task, or
what happens in the episode, from it. An episode is one of the repeats of its group.
"""

from __future__ import annotations

import json
from typing import NamedTuple

from textgym.json_values import encode_line
from textgym.messages import Message
from textgym.tasks.hashing import hash_bytes
from textgym.trajectories.schema import Trajectory

__all__ = ["EpisodeKey", "GroupKey", "prompt_of", "task_identity"]


class GroupKey(NamedTuple):
    """Which group an episode belongs to.

    Attributes:
        env_id: The environment's id.
        env_kwargs: Its keyword arguments, as JSON with sorted keys.
        seed: The run's seed.
        task_index: The task's index.
    """

    env_id: str
    env_kwargs: str
    seed: int
    task_index: int

    @classmethod
    def of(cls, trajectory: Trajectory) -> GroupKey:
        """Return the group of an episode.

        Example:
            >>> episode = {"env_id": "demo/A-v0", "env_kwargs": {"level": 2, "hints": False},
            ...            "seed": 0, "task_index": 5}
            >>> GroupKey.of(episode).env_kwargs
            '{"hints": false, "level": 2}'
        """
        return cls(
            trajectory["env_id"],
            _as_json(trajectory),
            trajectory["seed"],
            trajectory["task_index"],
        )


class EpisodeKey(NamedTuple):
    """Which episode of a run or a player.

    Attributes:
        env_id: The environment's id.
        task_index: The task's index.
        repeat: Which of the task's episodes, from 0.
        env_kwargs: The environment's keyword arguments, as JSON with sorted keys; None for the
            arguments of the player that plays the episode.
    """

    env_id: str
    task_index: int
    repeat: int = 0
    env_kwargs: str | None = None

    @classmethod
    def of(cls, trajectory: Trajectory) -> EpisodeKey:
        """Return the key of a trajectory, with its keyword arguments.

        Example:
            >>> episode = {"env_id": "demo/A-v0", "env_kwargs": {"level": 2}, "task_index": 5,
            ...            "repeat": 1}
            >>> EpisodeKey.of(episode)
            EpisodeKey(env_id='demo/A-v0', task_index=5, repeat=1, env_kwargs='{"level": 2}')
        """
        return cls(
            trajectory["env_id"],
            trajectory["task_index"],
            trajectory["repeat"],
            _as_json(trajectory),
        )


def _as_json(trajectory: Trajectory) -> str:
    return json.dumps(trajectory["env_kwargs"], sort_keys=True)


def prompt_of(trajectory: Trajectory) -> list[Message]:
    """Return the messages before the policy's first one."""
    steps, messages = trajectory["steps"], trajectory["messages"]
    return messages[: steps[0]["message_index"]] if steps else messages


def task_identity(trajectory: Trajectory) -> int:
    """Return a hash of what identifies the task of an episode: environment, id and prompt.

    The index of the task replaces an id that is missing.

    Example:
        >>> import textgym
        >>> runs = [textgym.rollout("textgym/MCQA-v0", name, tasks=[3]) for name in ("oracle",
        ...         "random")]
        >>> first, second = (task_identity(next(run.trajectories())) for run in runs)
        >>> first == second
        True
    """
    task_id = trajectory["task_id"]
    name = f"index {trajectory['task_index']}" if task_id is None else f"id {task_id}"
    return hash_bytes(encode_line((trajectory["env_id"], name, prompt_of(trajectory))))
