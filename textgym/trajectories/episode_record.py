"""The record of an episode while it is played, from which its trajectory is made.

Rollouts and `textgym.wrappers.RecordTrajectories` record with it, so both write the same files.

Invariant: values that cannot be recorded are refused, and leave the record as it was.
"""

from __future__ import annotations

import math
import traceback
from collections.abc import Callable
from numbers import Real
from typing import Any

import gymnasium as gym

from textgym.errors import BoundaryFailure, EnvironmentFailure, RewardError, TextgymError
from textgym.messages import Message, assistant
from textgym.policies import Action
from textgym.trajectories.schema import SCHEMA_VERSION, Failure, Step, Trajectory
from textgym.trajectories.tokens import TokenRecord

__all__ = [
    "MAX_TRACEBACK", "EpisodeRecord", "as_message", "check_graded", "components_of",
    "describe_failure", "failure_of", "labels_of", "named_figures", "task_reward_of",
]  # fmt: skip


def as_message(action: Any) -> Any:
    """Return an action as a message."""
    return assistant(action) if isinstance(action, str) else action


def labels_of(env: gym.Env[Any, Any]) -> dict[str, str]:
    """Return the level and the category in the task's row, by which metrics are grouped."""
    row = getattr(getattr(env.unwrapped, "task", None), "row", None) or {}
    labels = {}
    for name in ("level", "category"):
        value = row.get(name)
        if isinstance(value, (str, int)):
            labels[name] = str(value)
    return labels


def components_of(trajectory: Trajectory) -> dict[str, float]:
    """Return an episode's reward components by name, each summed over the steps.

    Values that are not numbers are left out.

    Example:
        >>> steps = [{"components": {"right": 0.25}}, {"components": {"right": 0.25, "done": 1.0}}]
        >>> components_of({"steps": steps})
        {'right': 0.5, 'done': 1.0}
    """
    components: dict[str, float] = {}
    for step in trajectory["steps"]:
        added = step["components"]
        for name, value in added.items() if isinstance(added, dict) else ():
            if isinstance(value, (int, float)):
                components[name] = components.get(name, 0) + value
    return components


def named_figures(trajectory: Trajectory, prefix: str = "") -> dict[str, float]:
    """Return an episode's reward components by `prefix` and name, and `success`.

    Example:
        >>> steps = [{"components": {"right": 0.25}}]
        >>> named_figures({"steps": steps, "is_success": None}, "reward/")
        {'reward/right': 0.25, 'success': 0.0}
    """
    components = components_of(trajectory)
    figures = {f"{prefix}{name}": float(value) for name, value in components.items()}
    return {**figures, "success": float(bool(trajectory["is_success"]))}


def task_reward_of(trajectory: Trajectory) -> float | None:
    """Return the environment's own part of an episode's return; None if the episode failed."""
    steps = trajectory["steps"]
    for step in steps if trajectory["reward"] is not None else ():
        if "task_reward" in step:
            return sum(step.get("task_reward", step["reward"]) or 0.0 for step in steps)
    return trajectory["reward"]


class EpisodeRecord:
    """The record of an episode so far.

    Attributes:
        observation: The conversation that the policy sees.
        messages: The whole conversation; the observation may be only a part of it.
        tools: The schemas of the tools that were offered.
        tokens: The tokens that the policy reported.
        terminated: Whether the task has reached its end.
        truncated: Whether a limit has cut the episode.
        stop_reason: Why the episode ended.
        attempts: 1 plus the number of retries.
    """

    __slots__ = (
        "_info", "_is_success", "_labels", "_reward", "_steps", "_usage", "attempts", "messages",
        "observation", "stop_reason", "terminated", "tokens", "tools", "truncated",
    )  # fmt: skip

    def __init__(self) -> None:
        self.observation: list[Message] = []
        self.messages: list[Message] = []
        self.tools: list[Any] = []
        self.tokens = TokenRecord()
        self.terminated = self.truncated = self._is_success = False
        self.stop_reason = ""
        self.attempts = 1
        self._info: dict[str, Any] = {}
        self._labels: dict[str, str] = {}
        self._steps: list[Step] = []
        self._usage: dict[str, int] = {}
        self._reward = 0.0

    @property
    def ended(self) -> bool:
        """Whether the episode has ended."""
        return self.terminated or self.truncated

    def begin(self, env: gym.Env[Any, Any], observation: Any, info: Any) -> None:
        """Take what `reset` returned.

        Raises:
            TypeError: It cannot be recorded.
        """
        self._take(observation, info)
        self.tools = info.get("tools", [])
        self._labels = labels_of(env)

    def add_step(self, action: Action, result: Any, seconds: float) -> None:
        """Take an action, and what `step` returned.

        Raises:
            RewardError: The reward is not a finite number.
            TypeError: Something else cannot be recorded.
        """
        index = len(self.messages)
        observation, reward, terminated, truncated, info = result
        is_number = reward.__class__ is float or isinstance(reward, Real)
        if not is_number or not math.isfinite(reward):
            raise RewardError(f"the reward must be a finite number, not {reward!r}")
        reward, terminated = float(reward), bool(terminated)
        truncated = bool(truncated) and not terminated  # the limit of a wrapper at the last step
        stop_reason = info.get("stop_reason") or ("time" if truncated else "")
        components = info.get("reward_components") or {}
        if not isinstance(stop_reason, str) or not isinstance(components, dict):
            raise TypeError("stop_reason must be a str, and reward_components a dict")
        task_reward = float(info["task_reward"]) if "task_reward" in info else None
        self._take(observation, info)
        self._reward, self._is_success = self._reward + reward, bool(info.get("is_success"))
        self.terminated, self.truncated, self.stop_reason = terminated, truncated, stop_reason
        if action.finish_reason == "length" and self.ended:
            self.stop_reason = "max_tokens"
            if info.get("verdict_reason"):
                self._info = {**self._info, "verdict_reason": "cut"}
        self._add(action, index, reward, components, seconds)
        if task_reward is not None:
            self._steps[-1]["task_reward"] = task_reward

    def cut(self, stop_reason: str) -> None:
        """End the episode between two steps, because of a limit."""
        self.truncated, self.stop_reason = True, stop_reason
        self._info = {**self._info, "verdict_reason": "cut"}

    def add_failed_step(self, action: Action, seconds: float) -> None:
        """Take an action that could not be stepped."""
        self._add(action, len(self.messages), None, {}, seconds)
        self.messages = [*self.messages, as_message(action.message)]

    def trajectory(
        self,
        *,
        env_id: str,
        env_kwargs: dict[str, Any],
        task_index: int,
        repeat: int,
        seed: int,
        policy: str,
        failure: Failure | None,
        started_at: float,
        seconds: float,
    ) -> Trajectory:
        """Return the trajectory; see `Trajectory` for the arguments."""
        info = {**self._labels, **self._info}
        info.pop("tools", None)
        return {
            "version": SCHEMA_VERSION,
            "env_id": env_id,
            "env_kwargs": env_kwargs,
            "task_id": self._info.get("task_id"),
            "task_index": task_index,
            "repeat": repeat,
            "seed": seed,
            "policy": policy,
            "tools": self.tools,
            "messages": list(self.messages),
            "steps": self._steps,
            "terminated": self.terminated,
            "truncated": self.truncated,
            "stop_reason": self.stop_reason,
            "is_success": None if failure else self._is_success,
            "reward": None if failure else self._reward,
            "info": info,
            "splits": self.tokens.splits,
            "usage": self._usage,
            "started_at": started_at,
            "seconds": seconds,
            "attempts": self.attempts,
            "failure": failure,
        }

    def _take(self, observation: Any, info: Any) -> None:
        if not isinstance(info, dict):
            raise TypeError(f"the info must be a dict, not {type(info).__name__}")
        messages = info.get("conversation", observation)
        _check_conversation(observation)
        if messages is not observation:
            _check_conversation(messages)
            info = {name: value for name, value in info.items() if name != "conversation"}
        self.observation, self.messages, self._info = observation, messages, info

    def _add(
        self,
        action: Action,
        index: int,
        reward: float | None,
        components: dict[str, float],
        seconds: float,
    ) -> None:
        for name, count in action.usage.items() if action.usage else ():
            self._usage[name] = self._usage.get(name, 0) + count
        self._steps.append(
            {
                "message_index": index,
                "reward": reward,
                "components": components,
                "finish_reason": action.finish_reason,
                "prompt_ids": action.prompt_ids,
                "token_ids": action.token_ids,
                "logprobs": action.logprobs,
                "loss_mask": None if action.token_ids is None else [1] * len(action.token_ids),
                "policy_version": action.policy_version,
                "seconds": seconds,
            }
        )
        if action.pictures:
            self._steps[-1]["pictures"] = action.pictures


def _check_conversation(messages: Any) -> None:
    if not isinstance(messages, list):
        kind = type(messages).__name__
        raise TypeError(f"the observation must be a list of messages, not {kind}")
    for message in messages:
        if not isinstance(message, dict) or "role" not in message:
            raise TypeError("the observation must be a list of messages; one has no role")


MAX_TRACEBACK = 4000
"""The maximum number of characters of a traceback; the last ones are kept."""


def failure_of(error: BaseException, boundary: str = "unknown") -> Failure:
    """Return the record of a failure.

    Args:
        error: The exception.
        boundary: What failed, unless the exception is a `BoundaryFailure`, which names it.

    Example:
        >>> failure = failure_of(KeyError("city"), "environment")
        >>> failure["boundary"], failure["type"], failure["message"]
        ('environment', 'KeyError', "'city'")
    """
    if isinstance(error, BoundaryFailure):
        boundary = error.boundary
    return {
        "boundary": boundary,
        "type": type(error).__name__,
        "message": _text(lambda: str(error)),
        "traceback": _text(lambda: "".join(traceback.format_exception(error)))[-MAX_TRACEBACK:],
    }


def describe_failure(failure: Failure) -> str:
    """Return a failure as a text: its type, boundary and message.

    Example:
        >>> describe_failure(failure_of(KeyError("city"), "environment"))
        "KeyError (environment): 'city'"
    """
    return f"{failure['type']} ({failure['boundary']}): {failure['message']}"


def check_graded(
    trajectory: Trajectory, error_class: type[TextgymError] = EnvironmentFailure
) -> None:
    """Raise the failure of an episode that has no reward.

    Args:
        trajectory: The episode.
        error_class: The class of the error.

    Raises:
        EnvironmentFailure: The episode failed.

    Example:
        >>> check_graded({"env_id": "demo/A-v0", "failure": None})
    """
    if trajectory["failure"]:
        raise error_class(
            f"an episode of {trajectory['env_id']} has no reward: "
            f"{describe_failure(trajectory['failure'])}"
        )


def _text(make: Callable[[], str]) -> str:
    try:
        return make()
    except Exception:  # the error's own __str__ failed
        return ""
