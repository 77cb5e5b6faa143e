"""Random draws for the environments' task generators.

Each function calls only `rng.random`, so the same generator state gives the same draw in every
version of Python. The methods of `random.Random` with these names do not guarantee that.
"""

from __future__ import annotations

import random
from collections.abc import Iterable, Sequence
from typing import TypeVar

__all__ = ["choice", "randbelow", "randint", "sample"]

T = TypeVar("T")


def randbelow(rng: random.Random, n: int) -> int:
    """Return an integer from 0 to n - 1."""
    return int(rng.random() * n)


def randint(rng: random.Random, low: int, high: int) -> int:
    """Return an integer from low to high, both included."""
    return low + int(rng.random() * (high - low + 1))


def choice(rng: random.Random, population: Sequence[T]) -> T:
    """Return one element of a sequence."""
    return population[int(rng.random() * len(population))]


def sample(rng: random.Random, population: Iterable[T], n: int) -> list[T]:
    """Return n elements, drawn without replacement, in random order."""
    pool = list(population)
    for i in range(n):
        j = i + int(rng.random() * (len(pool) - i))
        pool[i], pool[j] = pool[j], pool[i]
    return pool[:n]
