"""The random numbers that a world is drawn from, as an array that can be read from any place.

Invariants: they are those that `random.Random` gives for the seed, in every process.
"""

from __future__ import annotations

import random
from collections.abc import Sequence
from typing import Any, TypeVar

import numpy as np

__all__ = ["Draws", "Replay"]

T = TypeVar("T")


class Draws:
    """Random numbers from 0 to 1 that are taken one after the other, many at once.

    Args:
        seed: The seed.
        count: How many there are.

    Attributes:
        numbers: The numbers.
        at: The place of the next one to be taken.

    Example:
        >>> rng = random.Random(7)
        >>> Draws(7, 100).numbers.tolist() == [rng.random() for _ in range(100)]
        True
    """

    def __init__(self, seed: int, count: int) -> None:
        *key, position = random.Random(seed).getstate()[1]
        twister = np.random.RandomState(0)
        twister.set_state(("MT19937", np.array(key, np.uint32), position))
        self.numbers = twister.random_sample(count)
        self.at = 0

    def take(self, count: int) -> Any:
        """Return the next numbers as an array."""
        self.at += count
        return self.numbers[self.at - count : self.at]

    def sample(self, population: Sequence[T], n: int) -> list[T]:
        """Return n elements, as `drawing.sample` does."""
        pool, places = list(population), np.arange(n)
        others = places + (self.take(n) * (len(pool) - places)).astype(int)
        for i, j in enumerate(others.tolist()):
            pool[i], pool[j] = pool[j], pool[i]
        return pool[:n]


class Replay(random.Random):
    """A random generator that gives the numbers of `Draws` from a place on.

    Args:
        draws: The numbers.
        at: The place.

    Attributes:
        at: The place of the next number.
    """

    def __init__(self, draws: Draws, at: int) -> None:
        super().__init__(0)
        self._numbers, self.at = draws.numbers, at

    def random(self) -> float:
        """Return the next number."""
        self.at += 1
        return float(self._numbers[self.at - 1])
