"""Drawing from a random generator, for the families of tasks that environments generate.

What always holds: each function calls `rng.random` alone, so that the same state of the generator
gives the same draw in every version of Python.
"""

from __future__ import annotations

import random
from collections.abc import Iterable, Sequence
from typing import TypeVar

__all__ = ["below", "between", "pick", "some"]

T = TypeVar("T")


def below(rng: random.Random, n: int) -> int:
    """Draw one of 0, 1, ..., n - 1."""
    return int(rng.random() * n)


def between(rng: random.Random, low: int, high: int) -> int:
    """Draw one of low, ..., high, both included."""
    return low + int(rng.random() * (high - low + 1))


def pick(rng: random.Random, things: Sequence[T]) -> T:
    """Draw one element."""
    return things[int(rng.random() * len(things))]


def some(rng: random.Random, things: Iterable[T], n: int) -> list[T]:
    """Draw n elements at different places, in random order."""
    pool = list(things)
    for i in range(n):
        j = i + int(rng.random() * (len(pool) - i))
        pool[i], pool[j] = pool[j], pool[i]
    return pool[:n]
