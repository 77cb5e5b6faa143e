"""Tasks of the single-turn environments that follow given rules, drawn and graded, beside MCQA's.

Drawing reads fresh indices of the train split, all levels in turn. Grading is a step with the
oracle's answer, without the reset before it. Haystack is measured at 500,000 characters, beside
joining as many characters of random lines; its memory is measured with 256 episodes at once.
"""

from __future__ import annotations

import itertools
import random
import statistics
import time
from collections.abc import Callable
from typing import Any

import gymnasium
from measure import aim, asked_quick, measure, memory_of_episodes, per_call, table

import textgym  # noqa: F401  registers the environments

FLOOR = "textgym/MCQA-v0"
TO_DRAW = {"textgym/StructuredOutput-v0": 1000, "textgym/RedefinedRules-v0": 1000}
TO_GRADE = {**TO_DRAW, "textgym/Constraints-v0": 5000}
LENGTH = 500_000
LIVE = 256


def drawing(env: Any, count: int) -> Callable[[], float]:
    """Return a case: the seconds to draw and read a task."""
    indices = itertools.count()
    return lambda: per_call(lambda: env.get_task(next(indices)), count)


def grading(env: Any, count: int) -> Callable[[], float]:
    """Return a case: the seconds of a step with the oracle's answer."""
    env.reset(seed=0)

    def case() -> float:
        spent = 0.0
        for _ in range(count):
            env.reset()
            answer = env.solve()
            begun = time.perf_counter()
            reward = env.step(answer)[1]
            spent += time.perf_counter() - begun
            if reward != 1:
                raise SystemExit(f"{env.card.id}: the oracle gets {reward}")
        return spent / count

    return case


def random_lines() -> float:
    """Return the seconds to join random lines of as many characters as a long haystack."""
    rng = random.Random(0)
    begun = time.perf_counter()
    "".join([f"{rng.random():.16f} {rng.random():.15f}\n" for _ in range(LENGTH // 37)])
    return time.perf_counter() - begun


def report(title: str, cases: dict[str, Callable[[], float]], scale: float, rounds: int) -> Any:
    """Measure cases, print their table, and return the medians in its unit."""
    scaled = {name: lambda case=case: case() * scale for name, case in cases.items()}
    figures = measure(scaled, rounds)
    print(table(title, figures))
    return {name: statistics.median(values) for name, values in figures.items()}


def main() -> None:
    """Measure, and print the tables."""
    quick = asked_quick(__doc__)
    rounds, count = (3, 100) if quick else (9, 1000)
    envs = {id: gymnasium.make(id).unwrapped for id in (FLOOR, *TO_GRADE)}
    medians = report(
        "microseconds to draw a task",
        {id: drawing(env, count) for id, env in envs.items()},
        1e6,
        rounds,
    )
    for id, limit in TO_DRAW.items():
        print(aim(f"{id}, drawing", medians[id], limit, "µs"))
    print()
    medians = report(
        "microseconds to grade an answer",
        {id: grading(env, count) for id, env in envs.items()},
        1e6,
        rounds,
    )
    for id, limit in TO_GRADE.items():
        print(aim(f"{id}, grading", medians[id], limit, "µs"))
    print()
    haystack = gymnasium.make("textgym/Haystack-v0", length=LENGTH).unwrapped
    few = 5 if quick else 20
    cases = {
        "random lines (the floor)": random_lines,
        "drawing a task": drawing(haystack, few),
        "a step": grading(haystack, few),
    }
    medians = report(f"Haystack, milliseconds for {LENGTH:,} characters", cases, 1e3, rounds)
    print(aim("drawing", medians["drawing a task"], 100, "ms"))
    print(aim("a step", medians["a step"], 5, "ms"))
    needed = memory_of_episodes(LIVE, "textgym/Haystack-v0", length=LENGTH)
    print(aim(f"{LIVE} episodes at once", needed, 1024, "MiB"))


if __name__ == "__main__":
    main()
