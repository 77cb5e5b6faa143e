"""A check that all repeats of a task start with the same prompt.

The repeats of a task form a group whose rewards are compared, and an inference engine computes
their common prompt once. Both need messages and tools that are the same to the byte.
"""

from __future__ import annotations

from typing import Any

from textgym.errors import EnvironmentFailure
from textgym.messages import Message
from textgym.rollouts.episode import Job
from textgym.trajectories.run_folder import encode_line
from textgym.trajectories.schema import Trajectory
from textgym.trajectories.task_identity import prompt_of

__all__ = ["SamePromptCheck"]


class SamePromptCheck:
    """Remembers the prompt of each task until all of its repeats have started.

    Args:
        repeats: The number of episodes of each task, 2 or more.

    Example:
        >>> check = SamePromptCheck(2)
        >>> check(Job("demo/A-v0", {}, 5, 0, 0), [{"role": "user", "content": "One?"}], [])
        >>> check(Job("demo/A-v0", {}, 5, 1, 0), [{"role": "user", "content": "Two?"}], [])
        Traceback (most recent call last):
        textgym.errors.EnvironmentFailure: repeat 1 of task 5 starts with another prompt than ...
    """

    def __init__(self, repeats: int) -> None:
        self._repeats = repeats
        self._prompts: dict[tuple[str, int], bytes] = {}
        self._left: dict[tuple[str, int], int] = {}  # repeats that have not started

    def __call__(self, job: Job, messages: list[Message], tools: list[Any]) -> None:
        """Check the prompt of an episode that starts.

        Raises:
            EnvironmentFailure: Another repeat of the task had another prompt.
        """
        if not self._is_same((job.env_id, job.task_index), messages, tools):
            raise EnvironmentFailure(
                f"repeat {job.repeat} of task {job.task_index} starts with another prompt than an "
                "earlier repeat: reset must return the same prompt for the same seed and index"
            )

    def add_completed(self, trajectory: Trajectory) -> None:
        """Add the prompt of an episode that was played before a run was resumed."""
        key = trajectory["env_id"], trajectory["task_index"]
        self._is_same(key, prompt_of(trajectory), trajectory["tools"])

    def _is_same(self, key: tuple[str, int], messages: list[Message], tools: list[Any]) -> bool:
        prompt = encode_line([messages, tools])
        first = self._prompts.setdefault(key, prompt)
        if first is prompt:
            self._left[key] = self._repeats - 1
            return True
        self._left[key] -= 1
        if not self._left[key]:
            del self._prompts[key], self._left[key]
        return first == prompt
