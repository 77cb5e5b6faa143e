"""Microseconds that each wrapper adds to a step, beside a bare `gymnasium.Wrapper`.

Reward wrappers wrap an environment whose step returns a prepared conversation of 20 messages.
Wrappers of the conversation play episodes of ten turns, and `Retry` of one, in an environment whose
user says the same at every turn; their share of the reset is included.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any

import gymnasium
from measure import aim, asked_quick, measure, per_call, table

from textgym.core.card import Card
from textgym.core.episode import Grade
from textgym.core.text_env import TextEnv
from textgym.messages import Message, assistant, user
from textgym.spaces import ActionSpace, ConversationSpace
from textgym.tasks.task import Task
from textgym.wrappers import (
    ClipReturn,
    ContextWindow,
    EfficiencyBonus,
    ExtraTools,
    FewShot,
    FormatBonus,
    LengthPenalty,
    PotentialShaping,
    RepetitionPenalty,
    Retry,
    SoftOverlongPunishment,
    StepPenalty,
    SystemPrompt,
    TokenBudget,
    ToolErrorPenalty,
    TurnBudget,
    WeightedComponents,
)

ACTION = assistant("I look into the next drawer, because the last one was empty. " * 4)
AIM = 5.0  # microseconds that a wrapper may add to a step
WRAPPERS: dict[str, Callable[[Any], Any]] = {
    "StepPenalty": partial(StepPenalty, amount=0.1),
    "ToolErrorPenalty": ToolErrorPenalty,
    "LengthPenalty": LengthPenalty,
    "SoftOverlongPunishment": partial(SoftOverlongPunishment, max_length=400, buffer=200),
    "EfficiencyBonus": partial(EfficiencyBonus, limit=9),
    "FormatBonus": FormatBonus,
    "WeightedComponents": partial(WeightedComponents, weights={"task_reward": 2.0}),
    "ClipReturn": partial(ClipReturn, high=1.0),
    "PotentialShaping": partial(PotentialShaping, potential=len),
    "RepetitionPenalty": RepetitionPenalty,
}
CONVERSATIONS: dict[str, Callable[[Any], Any]] = {
    "SystemPrompt": partial(SystemPrompt, text="Be brief."),
    "FewShot, 2 examples": partial(FewShot, shots=2),
    "ExtraTools": partial(ExtraTools, tools=["calculator"]),
    "TurnBudget": TurnBudget,
    "TokenBudget": partial(TokenBudget, limit=10_000),
    "ContextWindow": partial(ContextWindow, max_messages=9),
    "Retry": Retry,
}
TURNS = 10


class Prepared(gymnasium.Env[list[Message], Message]):
    """Returns the same conversation at every step."""

    observation_space = ConversationSpace()
    action_space = ActionSpace()
    conversation = [user("Where is it?"), assistant("Here.")] * 10

    def reset(self, **kwargs: Any) -> tuple[list[Message], dict[str, Any]]:
        """Return the conversation."""
        return self.conversation, {}

    def step(self, action: Message) -> tuple[list[Message], float, bool, bool, dict[str, Any]]:
        """Return the conversation and no reward."""
        return self.conversation, 0.0, False, False, {"task_id": "1"}


def added(wrap: Callable[[Any], Any], count: int) -> float:
    """Return the microseconds that a wrapper adds to a step."""
    plain, wrapped = Prepared(), wrap(Prepared())
    wrapped.reset()
    alone = per_call(lambda: plain.step(ACTION), count)
    return (per_call(lambda: wrapped.step(ACTION), count) - alone) * 1e6


class Chat(TextEnv[None]):
    """A conversation about nothing, which is a success."""

    card = Card("bench/Chat-v0", "Talk.")
    max_turns = TURNS

    def generate(self, rng: Any, level: int) -> dict[str, Any]:
        """Return a task, which is like all others."""
        return {"id": "task"}

    def read_row(self, row: dict[str, Any]) -> Task:
        """Return the task of a row."""
        return Task(row["id"], (user("Tell me about it."),), "", row=row)

    def respond(self, message: Message) -> list[Message] | None:
        """Ask for more."""
        return [user("Go on, what happened then?")]

    def grade(self) -> Grade:
        """Return a success."""
        return Grade(1.0, True)

    def solve(self) -> Message:
        """Say something."""
        return assistant("Well.")


class Question(Chat):
    """The same without a user who speaks again."""

    max_turns = 1

    respond = TextEnv.respond


def episode(env: Any, turns: int) -> None:
    """Play an episode."""
    env.reset()
    for _ in range(turns):
        env.step("Well, one day.")


def added_in_an_episode(wrap: Callable[[Any], Any], count: int) -> float:
    """Return the microseconds that a wrapper of the conversation adds to a step."""
    make, turns = (Question, 1) if wrap is Retry else (Chat, TURNS)
    plain, wrapped = make(), wrap(make())
    times = count // 10
    alone = per_call(lambda: episode(plain, turns), times)
    return (per_call(lambda: episode(wrapped, turns), times) - alone) * 1e6 / turns


def main() -> None:
    """Measure, and print the table."""
    rounds, count = (3, 2_000) if asked_quick(__doc__) else (9, 20_000)
    cases = {"gymnasium.Wrapper (the floor)": gymnasium.Wrapper, **WRAPPERS}
    measured = {name: partial(added, wrap, count) for name, wrap in cases.items()}
    for name, wrap in CONVERSATIONS.items():
        measured[name] = partial(added_in_an_episode, wrap, count)
    figures = measure(measured, rounds)
    print(table("microseconds added to a step", figures))
    slowest = max(min(times) for name, times in figures.items() if name != "RepetitionPenalty")
    floor = min(figures["gymnasium.Wrapper (the floor)"])
    what = "the slowest wrapper but RepetitionPenalty, over the floor,"
    print(aim(what, slowest - floor, AIM, "µs"))


if __name__ == "__main__":
    main()
