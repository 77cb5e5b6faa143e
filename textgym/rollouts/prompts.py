"""One prompt a task: whether the repeats of a task begin with the same bytes.

The repeats of a task are a group that is compared with itself, and an engine computes their prompt
once. Both hold only where messages and tools are the same to the byte, so that is seen to.
"""

from __future__ import annotations

from typing import Any

from textgym.errors import EnvironmentFailure
from textgym.messages import Message
from textgym.rollouts.episode import Job
from textgym.trajectories.schema import Trajectory
from textgym.trajectories.store import line_of

__all__ = ["SamePrompt"]


class SamePrompt:
    """Remembers the prompt of each task until all of its repeats have begun.

    Args:
        repeats: How many episodes of each task, 2 or more.

    Example:
        >>> check = SamePrompt(2)
        >>> check(Job("demo/A-v0", {}, 5, 0, 0), [{"role": "user", "content": "One?"}], [])
        >>> check(Job("demo/A-v0", {}, 5, 1, 0), [{"role": "user", "content": "Two?"}], [])
        Traceback (most recent call last):
        textgym.errors.EnvironmentFailure: repeat 1 of task 5 begins with another prompt than ...
    """

    def __init__(self, repeats: int) -> None:
        self._others = repeats - 1
        self._prompts: dict[tuple[str, int], bytes] = {}
        self._missing: dict[tuple[str, int], int] = {}  # how many have not begun

    def __call__(self, job: Job, messages: list[Message], tools: list[Any]) -> None:
        """Take the prompt of an episode that begins.

        Raises:
            EnvironmentFailure: Another repeat of the task had another prompt.
        """
        if not self._is_same((job.env_id, job.task_index), messages, tools):
            raise EnvironmentFailure(
                f"repeat {job.repeat} of task {job.task_index} begins with another prompt than a "
                "repeat before it: a reset with the same seed and index gives the same one"
            )

    def take_over(self, held: Trajectory) -> None:
        """Take the prompt of an episode that was played before."""
        steps, messages = held["steps"], held["messages"]
        prompt = messages[: steps[0]["message_index"]] if steps else messages
        self._is_same((held["env_id"], held["task_index"]), prompt, held["tools"])

    def _is_same(self, key: tuple[str, int], messages: list[Message], tools: list[Any]) -> bool:
        prompt = line_of([messages, tools])
        first = self._prompts.setdefault(key, prompt)
        if first is prompt:
            self._missing[key] = self._others
            return True
        self._missing[key] -= 1
        if not self._missing[key]:
            del self._prompts[key], self._missing[key]
        return first == prompt
