"""What a step costs in a long conversation, and an episode of seven turns with tools."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import gymnasium
from measure import aim, asked_quick, measure, per_call, table

from textgym.messages import Message, assistant, assistant_calls

EARLIER = (1, 10, 100)  # turns before the step that is measured
LOOK = assistant_calls(("get_synonym_value", {"synonym": "Warm"}))
SEVEN_TURNS: list[Any] = [
    *(assistant_calls(("get_synonym_value", {"synonym": f"word {n}"})) for n in range(5)),
    assistant_calls(("extract_synonym_values", {"synonym_values": [1, 2, 3, 4, 5]})),
    assistant("Done."),
]


def step_after(turns: int, count: int) -> Callable[[], float]:
    """Return a case: the microseconds of one more step after some turns with a tool call each."""
    env: Any = gymnasium.make("textgym/MultiStep-v0", max_turns=10**9).unwrapped
    env.reset(options={"index": 0})
    for _ in range(turns):
        env.step(LOOK)
    saved = env.get_state()

    def measured() -> float:
        env.set_state(saved)  # each round grows by a few turns, and begins at the same length
        steps = max(1, min(count, turns // 10))
        return per_call(lambda: env.step(LOOK), steps) * 1e6

    return measured


def copying(turns: int, count: int) -> Callable[[], float]:
    """Return the floor of a step: copying its conversation message by message, two levels deep."""
    env: Any = gymnasium.make("textgym/MultiStep-v0", max_turns=10**9).unwrapped
    env.reset(options={"index": 0})
    for _ in range(turns):
        conversation = env.step(LOOK)[0]

    def copied(message: Message) -> Message:
        copy = message.copy()
        if "tool_calls" in message:
            calls = message["tool_calls"] or ()
            copy["tool_calls"] = [{**call, "function": call["function"].copy()} for call in calls]
        return copy

    return lambda: per_call(lambda: [copied(message) for message in conversation], count) * 1e6


def episodes(count: int) -> Callable[[], float]:
    """Return a case: the microseconds of an episode of seven turns by a plain loop."""
    env = gymnasium.make("textgym/MultiStep-v0", split="validation")

    def episode() -> None:
        env.reset(options={"index": 1})
        for action in SEVEN_TURNS:
            env.step(action)

    episode()
    return lambda: per_call(episode, count) * 1e6


def main() -> None:
    """Measure, and print both tables."""
    quick = asked_quick(__doc__)
    rounds, count = (5, 200) if quick else (11, 1000)
    cases: dict[str, Callable[[], float]] = {}
    for turns in EARLIER:
        cases[f"copying {turns} turns (the floor)"] = copying(turns, count)
        cases[f"a step after {turns} turns"] = step_after(turns, count)
    print(table("microseconds a step", measure(cases, rounds)))
    figures = measure({"MultiStep, seven turns": episodes(count)}, rounds)
    print(table("microseconds an episode", figures))
    print(aim("an episode of seven turns", sorted(figures["MultiStep, seven turns"])[0], 120, "µs"))


if __name__ == "__main__":
    main()
