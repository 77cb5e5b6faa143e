"""The right answers of stored episodes, which trajectories do not hold.

A task is drawn again from what is stored: the environment, its arguments, and the task's index or
row. Invariant: the answer of a task that has changed is never returned.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

import gymnasium as gym

from textgym.core.text_env import TextEnv
from textgym.errors import BoundaryFailure, UsageError, in_one_line
from textgym.json_values import json_round_trip
from textgym.registry import import_environments, make
from textgym.tasks.task import Task
from textgym.trajectories.schema import Trajectory

__all__ = ["TaskAnswers"]


class TaskAnswers:
    """Finds the right answers of the episodes of a run.

    Args:
        config: The `run.json` of the run.

    Example:
        >>> import textgym
        >>> run = textgym.rollout("textgym/MCQA-v0", "oracle", episodes=1)
        >>> trajectory = next(run.trajectories())
        >>> with TaskAnswers({}) as answers:
        ...     answers.find(trajectory) == trajectory["info"]["extracted_answer"]
        True
    """

    def __init__(self, config: Mapping[str, Any]) -> None:
        self._imports = config.get("imports")
        self._rows = config.get("given_tasks") or {}
        self._envs: dict[str, gym.Env[Any, Any]] = {}

    def __enter__(self) -> TaskAnswers:
        return self

    def __exit__(self, *error: object) -> None:
        for env in self._envs.values():
            env.close()

    def find(self, trajectory: Trajectory) -> Any:
        """Return the right answer of an episode's task.

        Raises:
            UsageError: The environment or its data are gone or have changed, or its tasks have no
                answers.
            BoundaryFailure: The environment cannot be reached at the moment.
        """
        answer = self.task(trajectory).answer
        if answer is None:
            raise UsageError(f"the tasks of {trajectory['env_id']} have no answers")
        return answer

    def look_up(self, trajectory: Trajectory) -> tuple[Any, str]:
        """Return the right answer of an episode's task, and why it is not known, or ""."""
        try:
            return self.find(trajectory), ""
        except (UsageError, BoundaryFailure) as error:
            return None, str(error)
        except Exception as error:  # an environment may raise anything
            return None, in_one_line(error)

    def task(self, trajectory: Trajectory) -> Task:
        """Return the task of an episode.

        Raises:
            UsageError: The environment or its data are gone or have changed.
            BoundaryFailure: The environment cannot be reached at the moment.
        """
        env = self._env(trajectory)
        inner = env.unwrapped
        if not isinstance(inner, TextEnv):
            raise UsageError(f"the tasks of {trajectory['env_id']} have no answers")
        prompt, info = env.reset(options=self._options(trajectory))
        messages = trajectory["messages"]
        same_prompt = not messages or json_round_trip(prompt) == messages[: len(prompt)]
        if not same_prompt or trajectory["task_id"] not in (None, info["task_id"]):
            raise UsageError("the task has changed since the run was played")
        return inner.task

    def _env(self, trajectory: Trajectory) -> gym.Env[Any, Any]:
        """Return the environment of an episode, made once for the same arguments."""
        id, kwargs = trajectory["env_id"], trajectory["env_kwargs"]
        key = json.dumps([id, kwargs], sort_keys=True)
        if key not in self._envs:
            import_environments(self._imports)
            self._envs[key] = make(id, **kwargs)
        return self._envs[key]

    def _options(self, trajectory: Trajectory) -> dict[str, Any]:
        """Return the options of `reset` that select the task: its row if it was given as one."""
        if "row" in trajectory:
            return {"task": trajectory["row"]}
        rows, index = self._rows.get(trajectory["env_id"]), trajectory["task_index"]
        if rows and isinstance(rows[0], dict):
            return {"task": rows[index]}
        return {"index": index}
