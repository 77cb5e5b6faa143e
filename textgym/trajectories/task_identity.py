"""What a task is, whatever run or data set it comes from: its environment, its id, its prompt.

Ids alone do not tell tasks apart: in every data set, rows without one are called `row-0`, `row-1`.
"""

from __future__ import annotations

from textgym.messages import Message
from textgym.trajectories.run_folder import encode_line
from textgym.trajectories.schema import Trajectory

__all__ = ["TaskIdentity", "prompt_of", "task_identity"]

TaskIdentity = tuple[str, str, int]


def prompt_of(trajectory: Trajectory) -> list[Message]:
    """Return the messages before the policy's first one."""
    steps, messages = trajectory["steps"], trajectory["messages"]
    return messages[: steps[0]["message_index"]] if steps else messages


def task_identity(trajectory: Trajectory) -> TaskIdentity:
    """Return what identifies the task of an episode: environment, id, and a hash of the prompt.

    The index of the task stands for an id that is missing. Hashes are only comparable within one
    process.

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
    return trajectory["env_id"], name, hash(encode_line(prompt_of(trajectory)))
