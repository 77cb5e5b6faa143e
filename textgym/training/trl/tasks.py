"""The rows of a data set for TRL: which task of which environment each row stands for.

TRL hands the prompts of a batch to `rollout_func`, and no other column. So the first message of
each prompt names its task under the key `task`. The text is only shown in logs: the environment
gives the prompt itself when the episode begins.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from textgym.errors import UsageError
from textgym.training.tasks import TaskRef

__all__ = ["prompt_of", "task_of"]


def prompt_of(task: TaskRef, text: str) -> list[dict[str, str]]:
    """Return the prompt of a row.

    Args:
        task: The task.
        text: What is shown of it.

    Example:
        >>> prompt_of(TaskRef("demo/A-v0", "test", 3), "Guess.")
        [{'role': 'user', 'content': 'Guess.', 'task': 'demo/A-v0 test 3'}]
    """
    return [{"role": "user", "content": text, "task": " ".join(map(str, task))}]


def task_of(prompt: Any) -> TaskRef:
    """Return the task that a prompt stands for.

    Raises:
        UsageError: The prompt is not of a data set of `Episodes`.

    Example:
        >>> task_of([{"role": "user", "content": "Guess.", "task": "demo/A-v0 test 3"}]).task_index
        3
    """
    first = prompt[0] if isinstance(prompt, list) and prompt else None
    name = first.get("task") if isinstance(first, Mapping) else None
    env_id, *others = name.rsplit(" ", 2) if isinstance(name, str) else [""]
    if len(others) != 2 or not others[1].isdigit():
        raise UsageError(
            f"a prompt names no task: {prompt!r:.100}; train on Episodes.dataset(...), because a "
            "rollout plays the tasks of its rows"
        )
    return TaskRef(env_id, others[0], int(others[1]))
