"""Episodes that checks play, and the policies that play them.

A policy is a function of what a model would see (`Sight`). The oracle and the random policy are
bound to an environment; all others see the conversation and the tools alone.
"""

from __future__ import annotations

import random
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any, NamedTuple

import gymnasium as gym

from textgym.messages import Message, ToolSchema, assistant
from textgym.tasks.hashing import hash_int

__all__ = [
    "Act",
    "Episode",
    "Sight",
    "defines",
    "guess_message",
    "guesses",
    "oracle",
    "play",
    "replay",
    "say",
]

MAX_STEPS = 200


class Sight(NamedTuple):
    """What a policy sees at a turn: the conversation, the tools, and how many turns it took."""

    messages: list[Message]
    tools: list[ToolSchema]
    turn: int
    rng: random.Random


Act = Callable[[Sight], Message | str]


@dataclass
class Episode:
    """An episode that was played.

    Attributes:
        task_id: The id of the task.
        actions: What was sent, in order.
        steps: What the environment returned: that of `reset`, then that of each `step`.
    """

    task_id: str
    actions: list[Message | str] = field(default_factory=list)
    steps: list[tuple[Any, ...]] = field(default_factory=list)

    @property
    def rewards(self) -> list[float]:
        """The reward of each step."""
        return [float(step[1]) for step in self.steps[1:]]

    @property
    def total(self) -> float:
        """The return."""
        return sum(self.rewards)

    @property
    def info(self) -> dict[str, Any]:
        """The last info."""
        info: dict[str, Any] = self.steps[-1][-1]
        return info

    def as_evidence(self, **more: Any) -> dict[str, Any]:
        """Return the whole episode as a JSON object, with further entries."""
        return {
            **more,
            "task_id": self.task_id,
            "rewards": self.rewards,
            "messages": self.steps[-1][0],
            "info": self.info,
        }


def play(env: gym.Env[Any, Any], act: Act, *, seed: int | None = None, **options: Any) -> Episode:
    """Play one episode.

    Args:
        env: The environment.
        act: The policy.
        seed: The seed of the reset. The policy's random generator is seeded with the task.
        **options: The options of the reset, such as `index=3`.

    Raises:
        AssertionError: The episode does not end.
    """
    observation, info = env.reset(seed=seed, options=options or None)
    episode = Episode(str(info.get("task_id", seed)), steps=[(observation, info)])
    tools = info.get("tools", [])
    rng = random.Random(hash_int("policy", episode.task_id))
    for turn in range(MAX_STEPS):
        action = act(Sight(observation, tools, turn, rng))
        step = env.step(action)
        episode.actions.append(action)
        episode.steps.append(step)
        observation = step[0]
        if step[2] or step[3]:
            return episode
    raise AssertionError(f"the episode has not ended after {MAX_STEPS} messages")


def defines(owner: Any, method: str) -> bool:
    """Return whether an environment or its class defines a method that `TextEnv` leaves open."""
    found = getattr(owner, method, None)
    return found is not None and not getattr(found, "__left_to_authors__", False)


def say(text: str) -> Act:
    """Return the policy that always sends the same text."""
    return lambda sight: text


def replay(episode: Episode) -> Act:
    """Return the policy that sends what was sent in an episode."""
    return lambda sight: episode.actions[sight.turn]


def oracle(env: gym.Env[Any, Any]) -> Act:
    """Return the policy that knows the answer."""
    inner: Any = env.unwrapped
    return lambda sight: inner.solve()


def guesses(env: gym.Env[Any, Any]) -> Act:
    """Return the environment's random policy; one with a fixed text if it defines none."""
    return lambda sight: guess_message(env, sight.rng)


def guess_message(env: gym.Env[Any, Any], rng: random.Random) -> Message:
    """Return the environment's guess; a fixed text if it defines none."""
    inner: Any = env.unwrapped
    message: Message = inner.guess(rng) if defines(inner, "guess") else assistant("I do not know.")
    return message
