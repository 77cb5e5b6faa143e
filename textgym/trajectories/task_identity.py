"""What a task is, whatever run or data set it comes from: its environment, its id, its prompt.

Ids alone do not tell tasks apart: in every data set, rows without one are called `row-0`, `row-1`.
"""

from __future__ import annotations

from textgym.json_values import encode_line
from textgym.messages import Message
from textgym.tasks.hashing import hash_bytes
from textgym.trajectories.schema import Trajectory

__all__ = ["prompt_of", "task_identity"]


def prompt_of(trajectory: Trajectory) -> list[Message]:
    """Return the messages before the policy's first one."""
    steps, messages = trajectory["steps"], trajectory["messages"]
    return messages[: steps[0]["message_index"]] if steps else messages


def task_identity(trajectory: Trajectory) -> int:
    """Return a hash of what identifies the task of an episode: environment, id and prompt.

    The index of the task stands for an id that is missing.

    Example:
        >>> import textgym
        >>> runs = [textgym.rollout("textgym/MCQA-v0", name, tasks=[3]) for name in ("oracle",
        ...         "random")]
        >>> one, two = (task_identity(next(run.trajectories())) for run in runs)
        >>> one == two
        True
    """
    id = trajectory["task_id"]
    name = f"index {trajectory['task_index']}" if id is None else f"id {id}"
    return hash_bytes(encode_line((trajectory["env_id"], name, prompt_of(trajectory))))
