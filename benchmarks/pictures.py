"""Milliseconds to draw and encode a picture of `textgym/Pictures-v0`, beside a white picture.

The floor makes and encodes a white PNG of the same size, without drawing anything.
"""

from __future__ import annotations

import random
import statistics
import time
from collections.abc import Callable

from measure import aim, asked_quick, measure, table

from textgym.envs.pictures.drawing import data_url
from textgym.envs.pictures.pictures_env import KINDS, LEVELS

TARGET = 10.0  # milliseconds a picture


def milliseconds(kind: str, count: int) -> float:
    """Return the CPU time of a picture of a kind, on all levels in turn."""
    scenes = [
        KINDS[kind](random.Random(index), LEVELS[index % len(LEVELS)])["scene"]
        for index in range(count)
    ]
    begun = time.process_time()
    for scene in scenes:
        data_url(scene)
    return (time.process_time() - begun) / count * 1e3


def white(count: int) -> float:
    """Return the CPU time of a white picture."""
    begun = time.process_time()
    for _ in range(count):
        data_url([])
    return (time.process_time() - begun) / count * 1e3


def main() -> None:
    """Print the table and whether the target is met."""
    count = 50 if asked_quick(__doc__) else 300
    cases: dict[str, Callable[[], float]] = {"a white picture (the floor)": lambda: white(count)}
    for kind in KINDS:
        cases[kind.replace("_", " ")] = lambda kind=kind: milliseconds(kind, count)  # type: ignore[misc]
    figures = measure(cases, rounds=3)
    print(table("CPU milliseconds", figures))
    worst = max(statistics.median(values) for values in figures.values())
    print(aim("a picture", worst, TARGET, "ms"))


if __name__ == "__main__":
    main()
