"""The rows of a data set for TRL: which task of which environment each row stands for.

TRL hands the prompts of a batch to `rollout_func`, and no other column. So the first message of
each prompt names its task under the key `task`. The text is only shown in logs: the environment
gives the prompt itself when the episode begins.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

from textgym.errors import UsageError
from textgym.messages import text_of

__all__ = ["TaskRef", "prompt_of", "task_of"]

MAX_SHOWN = 2000  # characters of a prompt in the data set


class TaskRef(NamedTuple):
    """A task: the environment's id, the split, and the index."""

    env_id: str
    split: str
    task_index: int


def prompt_of(task: TaskRef, observation: Sequence[Mapping[str, Any]]) -> list[dict[str, str]]:
    """Return the prompt of a row.

    Args:
        task: The task.
        observation: The environment's first observation, whose last message is shown.

    Example:
        >>> prompt_of(TaskRef("demo/A-v0", "test", 3), [{"role": "user", "content": "Guess."}])
        [{'role': 'user', 'content': 'Guess.', 'task': 'demo/A-v0 test 3'}]
    """
    text = text_of(observation[-1])
    shown = text if len(text) <= MAX_SHOWN else text[:MAX_SHOWN] + "…"
    return [{"role": "user", "content": shown, "task": " ".join(map(str, task))}]


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
