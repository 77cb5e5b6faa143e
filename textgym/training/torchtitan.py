"""torchtitan learns from textgym's environments: a `MessageEnv` and its reward (torchtitan 0.3).

torchtitan renders the messages and makes the tokens itself. It ends an episode whose message was
cut by length without asking the environment.

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

from textgym.errors import EnvironmentFailure
from textgym.messages import Message
from textgym.training.driven import MessageEpisode
from textgym.training.tasks import key_of, player_of

__all__ = ["EpisodeReward", "TextgymEnv"]

REWARD = "step_reward"
FAILED = ("error", "error_abort", "error_timeout")


class TextgymEnv(MessageEnv):  # type: ignore[misc]  # torchtitan is not typed here
    """An episode of a task. Each step has its reward; the last one has the reward components.

    Args:
        config: No settings.
        env_input: A row of `textgym.training.tasks.task_rows`.
    """

    @dataclass(kw_only=True, slots=True)
    class Config(MessageEnv.Config):  # type: ignore[misc]
        """No settings."""

    def __init__(self, config: Any, *, env_input: Mapping[str, Any]) -> None:
        self._episode = MessageEpisode(player_of(env_input), key_of(env_input))

    async def init(self) -> Any:
        """Begin the episode and return its prompt and tools.

        Raises:
            EnvironmentFailure: The episode failed.
        """
        await self._episode.aopen()
        tools = [dict(tool["function"]) for tool in self._episode.tools]
        return MessageEnvInitOutput(init_prompt_messages=self._episode.added, tools=tools)

    async def step(self, completion_message: Mapping[str, Any]) -> Any:
        """Pass the policy's message, and return the messages of the environment.

        Raises:
            EnvironmentFailure: The episode failed, so it has no reward.
            TrainingError: The environment changed an earlier message.
        """
        done = await self._episode.aanswer(_chat_message(completion_message)) is None
        messages, rewards = self._episode.added, {REWARD: self._episode.rewards[-1]}
        if done:
            components = self._episode.components.items()
            rewards |= {f"reward/{name}": float(value) for name, value in components}
        return MessageEnvStepOutput(env_messages=messages, env_rewards=rewards, done=done)

    async def close(self) -> None:
        """End the episode."""
        await self._episode.aclose()


class EpisodeReward(RewardFn):  # type: ignore[misc]
    """The return of an episode of `TextgymEnv`, for a rubric: the sum of the steps' rewards.

    A rollout that torchtitan cut or could not parse keeps its rewards so far. A rollout that an
    error ended raises, so that its group is dropped; leave the rubric's `error_reward` unset.
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


def _chat_message(completion: Mapping[str, Any]) -> Message:
    """Return a message of torchtitan's renderer in the form of Chat Completions.

    A call that the renderer could not parse keeps its text as arguments.
    """
    message: dict[str, Any] = {**completion, "role": "assistant"}
    calls = []
    for number, call in enumerate(message.pop("tool_calls", None) or ()):
        arguments = call.raw if call.arguments is None else call.arguments
        text = arguments if isinstance(arguments, str) else json.dumps(arguments)
        function = {"name": call.name or "", "arguments": text}
        calls.append({"id": call.id or f"call_{number}", "type": "function", "function": function})
    if calls:
        message["tool_calls"] = calls
    return message  # type: ignore[return-value]
