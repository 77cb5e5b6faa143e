"""Microseconds that each reward wrapper adds to a step, beside a bare `gymnasium.Wrapper`.

All wrap the same environment, whose step returns a prepared conversation of 20 messages at once.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any

import gymnasium
from measure import aim, asked_quick, measure, per_call, table

from textgym.messages import Message, assistant, user
from textgym.spaces import ActionSpace, ConversationSpace
from textgym.wrappers import (
    ClipReturn,
    EfficiencyBonus,
    FormatBonus,
    LengthPenalty,
    PotentialShaping,
    RepetitionPenalty,
    SoftOverlongPunishment,
    StepPenalty,
    ToolErrorPenalty,
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


def main() -> None:
    """Measure, and print the table."""
    rounds, count = (3, 2_000) if asked_quick(__doc__) else (9, 20_000)
    cases = {"gymnasium.Wrapper (the floor)": gymnasium.Wrapper, **WRAPPERS}
    figures = measure({name: partial(added, wrap, count) for name, wrap in cases.items()}, rounds)
    print(table("microseconds added to a step", figures))
    slowest = max(min(figures[name]) for name in WRAPPERS if name != "RepetitionPenalty")
    floor = min(figures["gymnasium.Wrapper (the floor)"])
    what = "the slowest wrapper but RepetitionPenalty, over the floor,"
    print(aim(what, slowest - floor, AIM, "µs"))


if __name__ == "__main__":
    main()
