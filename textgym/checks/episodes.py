"""Episodes that checks play, and the policies that play them.

Checks play hundreds of thousands of episodes in one process, and compare exactly what `reset` and
`step` returned. `play` therefore records nothing else, raises what the environment raises, and runs
the coroutine of a `Scripted` policy without an event loop.
"""

from __future__ import annotations

import random
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any

import gymnasium as gym

from textgym.concurrency.event_loops import result_of
from textgym.messages import Message, ToolSchema, assistant
from textgym.policies import Action, Policy
from textgym.policies.base import Tokens
from textgym.tasks.task import hash_int

__all__ = [
    "Episode", "NotApplicable", "Scripted", "as_message", "defines", "guess_message", "guesses",
    "next_message", "oracle", "play", "say", "send",
]  # fmt: skip

MAX_STEPS = 200
ROUNDING = 1e-9  # of a sum of rewards


class NotApplicable(Exception):
    """Raised by a policy that can do nothing in a task, such as call a tool if there are none."""


class Scripted(Policy):
    """A policy that a function plays, for one episode; `for_env` returns a fresh one.

    Args:
        answer: Returns the next message or text. Its argument is the policy, whose attributes show
            the episode so far. It may raise `NotApplicable`.

    Attributes:
        messages: The conversation.
        tools: The schemas of the tools.
        turn: The number of messages that the policy has sent in this episode.
        rng: A random generator, which is seeded with the task.
        gave_up: Whether the function was not applicable at a turn after the first, so that an empty
            message was sent.

    Example:
        >>> import asyncio
        >>> policy = Scripted(lambda view: f"{view.turn}: {view.messages[-1]['content']}")
        >>> asyncio.run(policy.act([{"role": "user", "content": "Tea?"}], [])).message["content"]
        '0: Tea?'
    """

    name = "scripted"

    def __init__(self, answer: Callable[[Scripted], Message | str]) -> None:
        self._answer = answer
        self.messages: Sequence[Message] = ()
        self.tools: Sequence[ToolSchema] = ()
        self.turn = -1
        self.gave_up = False

    def for_env(self, env: gym.Env[Any, Any]) -> Scripted:
        """Return the policy for an episode that begins."""
        return Scripted(self._answer)

    async def act(
        self,
        messages: Sequence[Message],
        tools: Sequence[ToolSchema],
        *,
        prior: Tokens | None = None,
        seed: int | None = None,
    ) -> Action:
        """Return the function's message; see `Policy.act`.

        Raises:
            NotApplicable: The function is not applicable at the first turn.
        """
        self.messages, self.tools = messages, tools
        self.turn += 1
        if not self.turn:
            self.rng = random.Random(seed)
        try:
            return Action(as_message(self._answer(self)))
        except NotApplicable:
            if not self.turn:
                raise
            self.gave_up = True
            return Action(assistant(""))


def as_message(action: Message | str) -> Message:
    """Return an action as a message."""
    return assistant(action) if isinstance(action, str) else action


@dataclass
class Episode:
    """An episode that was played.

    Attributes:
        task_id: The id of the task.
        actions: The messages that were sent, in order.
        steps: The results of `reset` and of each `step`.
    """

    task_id: str
    actions: list[Message] = field(default_factory=list)
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


def play(
    env: gym.Env[Any, Any], policy: Policy, *, seed: int | None = None, **options: Any
) -> Episode:
    """Play one episode.

    Args:
        env: The environment.
        policy: A policy for this environment and episode.
        seed: The seed of the reset. The policy's seeds follow from the task.
        **options: The options of the reset, such as `index=3`.

    Raises:
        AssertionError: The episode does not end.
    """
    observation, info = env.reset(seed=seed, options=options or None)
    episode = Episode(str(info.get("task_id", seed)), steps=[(observation, info)])
    tools = info.get("tools", [])
    policy_seed = hash_int("policy", episode.task_id)
    for turn in range(MAX_STEPS):
        action = next_message(policy, observation, tools, (policy_seed + turn) % 2**63)
        step = env.step(action)
        episode.actions.append(action)
        episode.steps.append(step)
        observation = step[0]
        if step[2] or step[3]:
            return episode
    raise AssertionError(f"the episode has not ended after {MAX_STEPS} messages")


def next_message(
    policy: Policy, messages: Sequence[Message], tools: Sequence[ToolSchema], seed: int
) -> Message:
    """Return the next message of a policy."""
    answer = policy.act(messages, tools, seed=seed)
    if isinstance(policy, Scripted):  # it waits for nothing, and an event loop would be slower
        try:
            answer.send(None)
        except StopIteration as end:
            action: Action = end.value
            return action.message
    action = result_of(answer)
    return action.message


def defines(owner: Any, method: str) -> bool:
    """Return whether an environment or its class defines a method that `TextEnv` leaves open."""
    function = getattr(owner, method, None)
    return function is not None and not getattr(function, "__left_to_authors__", False)


def say(text: str) -> Scripted:
    """Return the policy that always sends the same text."""
    return Scripted(lambda view: text)


def send(messages: Sequence[Message]) -> Scripted:
    """Return the policy that sends messages one after the other, and then empty ones."""
    return Scripted(lambda view: messages[view.turn] if view.turn < len(messages) else "")


def oracle(env: gym.Env[Any, Any]) -> Scripted:
    """Return the policy that knows the answer."""
    inner: Any = env.unwrapped
    return Scripted(lambda view: inner.solve())


def guesses(env: gym.Env[Any, Any]) -> Scripted:
    """Return the environment's random policy, or one with a fixed text if it defines none."""
    return Scripted(lambda view: guess_message(env, view.rng))


def guess_message(env: gym.Env[Any, Any], rng: random.Random) -> Message:
    """Return the environment's guess, or a fixed text if it defines none."""
    inner: Any = env.unwrapped
    return as_message(inner.guess(rng) if defines(inner, "guess") else "I do not know.")
