"""The cost of one MCQA episode (reset and one step), beside a bare Gymnasium environment."""

from __future__ import annotations

import itertools
import statistics
import tempfile
from collections.abc import Callable
from typing import Any

import gymnasium
from measure import aim, asked_quick, measure, per_call, table, write_rows

from textgym.messages import Message, assistant, user
from textgym.spaces import ActionSpace, ConversationSpace

FLOOR_ID = "benchmarks/Floor-v0"
ANSWER = assistant("Two of them are too large, so it is \\boxed{B}.")


class Floor(gymnasium.Env[list[Message], Message]):
    """A minimal environment with message spaces, which always returns the same."""

    def __init__(self) -> None:
        self.observation_space = ConversationSpace()
        self.action_space = ActionSpace()

    def reset(
        self, *, seed: int | None = None, options: dict[str, Any] | None = None
    ) -> tuple[list[Message], dict[str, Any]]:
        """Return a fixed conversation."""
        return [user("Which?")], {}

    def step(self, action: Message) -> tuple[list[Message], float, bool, bool, dict[str, Any]]:
        """Return the same conversation, and the reward 1."""
        return [user("Which?")], 1.0, True, False, {}


def episodes(env: gymnasium.Env[Any, Any], count: int) -> Callable[[], float]:
    """Return a case: the microseconds per episode of an environment that is seeded once."""

    def episode() -> None:
        env.reset()
        env.step(ANSWER)

    env.reset(seed=0)
    return lambda: per_call(episode, count) * 1e6


def main() -> None:
    """Measure, and print the table."""
    quick = asked_quick(__doc__)
    rounds, count = (5, 500) if quick else (9, 4000)
    gymnasium.register(FLOOR_ID, f"{__name__}:Floor")
    try:
        floor = gymnasium.make(FLOOR_ID)
    finally:
        del gymnasium.registry[FLOOR_ID]
    generated = gymnasium.make("textgym/MCQA-v0", split="train")
    generator: Any = generated.unwrapped
    indices = itertools.count()
    with tempfile.TemporaryDirectory() as folder:
        from_file = gymnasium.make("textgym/MCQA-v0", dataset=write_rows(folder, 1000))
    figures = measure(
        {
            "bare environment (the floor)": episodes(floor, count),
            "MCQA, 1,000 rows of a file": episodes(from_file, count),
            "MCQA, generated tasks": episodes(generated, count),
            "get_task alone, generated": lambda: (
                per_call(lambda: generator.get_task(next(indices)), count) * 1e6
            ),
        },
        rounds,
    )
    print(table("microseconds per episode", figures))
    from_rows = statistics.median(figures["MCQA, 1,000 rows of a file"])
    print(aim("an episode from a file", from_rows, 25, "µs"))


if __name__ == "__main__":
    main()
