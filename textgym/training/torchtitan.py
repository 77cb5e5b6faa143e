"""torchtitan learns from textgym's environments: a `MessageEnv` and its reward (torchtitan 0.3).

torchtitan renders messages and reads tokens itself, so exact tokens are its matter. It ends an
episode whose message was cut by length without asking the environment.

Invariants: an episode that failed has no reward: it raises, and torchtitan drops its group.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from torchtitan.experiments.rl.environment import (
    MessageEnv,
    MessageEnvInitOutput,
    MessageEnvStepOutput,
)
from torchtitan.experiments.rl.rubrics.rubric import RewardFn

from textgym.errors import EnvironmentFailure, TrainingError
from textgym.messages import Message
from textgym.training.driven import MessageEpisode
from textgym.training.task_rows import key_of, player_of

__all__ = ["EpisodeReward", "TextgymEnv"]

REWARD = "step_reward"
FAILED = ("error", "error_abort", "error_timeout")


class TextgymEnv(MessageEnv):  # type: ignore[misc]  # torchtitan is not typed here
    """An episode of a task. Each step has its reward; the reward components come with the last.

    Args:
        config: No settings.
        env_input: A row of `textgym.training.task_rows.task_rows`.
    """

    @dataclass(kw_only=True, slots=True)
    class Config(MessageEnv.Config):  # type: ignore[misc]
        """No settings."""

    def __init__(self, config: Any, *, env_input: Mapping[str, Any]) -> None:
        self._episode = MessageEpisode(player_of(env_input), key_of(env_input))
        self._shown: list[Message] = []

    async def init(self) -> Any:
        """Begin the episode and return its prompt and tools.

        Raises:
            EnvironmentFailure: The episode failed.
        """
        opened = await self._episode.aopen()
        if opened is None:
            _ = self._episode.result
        self._shown = opened or []
        tools = [dict(tool["function"]) for tool in self._episode.tools]
        return MessageEnvInitOutput(init_prompt_messages=list(self._shown), tools=tools)

    async def step(self, completion_message: Mapping[str, Any]) -> Any:
        """Give the policy's message, and return what the environment says.

        Raises:
            EnvironmentFailure: The episode failed, so it has no reward.
            TrainingError: The environment changed an earlier message.
        """
        said = _message_of(completion_message)
        conversation = await self._episode.aanswer(said)
        if conversation is None:
            components = self._episode.components.items()
            rewards = {f"reward/{name}": float(value) for name, value in components}
            rewards[REWARD] = self._episode.rewards[-1]
            return MessageEnvStepOutput(done=True, env_rewards=rewards)
        earlier = len(self._shown)
        if conversation[:earlier] != self._shown:
            raise TrainingError("the environment changed an earlier message; torchtitan adds some")
        self._shown = conversation
        return MessageEnvStepOutput(
            env_messages=conversation[earlier + 1 :],
            env_rewards={REWARD: self._episode.rewards[-1]},
        )

    async def close(self) -> None:
        """End the episode."""
        await self._episode.aclose()


class EpisodeReward(RewardFn):  # type: ignore[misc]
    """The return of an episode of `TextgymEnv`, for a rubric.

    It is the sum of the steps' rewards. A rollout that torchtitan cut or could not parse keeps what
    it was paid before. A rollout that an error ended raises, so that its group is dropped; leave
    the rubric's `error_reward` unset.
    """

    @dataclass(kw_only=True, slots=True)
    class Config(RewardFn.Config):  # type: ignore[misc]
        """The weight in the rubric."""

    async def __call__(self, rollout: Any, env_input: object) -> float:
        """Return the reward of a rollout.

        Raises:
            EnvironmentFailure: An error ended the rollout.
        """
        if rollout.status in FAILED:
            raise EnvironmentFailure(f"a rollout has no reward: its status is {rollout.status}")
        return float(sum(turn.env_rewards.get(REWARD, 0.0) for turn in rollout.turns))


def _message_of(completion: Mapping[str, Any]) -> Message:
    """Return a message of torchtitan's renderer in the form of Chat Completions."""
    message: dict[str, Any] = {**completion, "role": "assistant"}
    calls = message.pop("tool_calls", None)
    if calls:
        message["tool_calls"] = [_call_of(call, place) for place, call in enumerate(calls)]
    return message  # type: ignore[return-value]


def _call_of(call: Any, place: int) -> dict[str, Any]:
    """Return a call that the renderer parsed; one that it could not parse keeps its text."""
    arguments = call.raw if call.arguments is None else call.arguments
    text = arguments if isinstance(arguments, str) else json.dumps(arguments)
    function = {"name": call.name or "", "arguments": text}
    return {"id": call.id or f"call_{place}", "type": "function", "function": function}
