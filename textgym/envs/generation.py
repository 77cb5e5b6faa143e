"""What the task generators share: families of tasks, random draws, and words.

Invariant: the functions that draw call only `rng.random`, so the same generator state gives the
same draw in every version of Python. The methods of `random.Random` do not guarantee that.
"""

from __future__ import annotations

import random
from collections.abc import Iterable, Sequence
from typing import TypeVar

__all__ = ["MONTHS", "choice", "in_words", "randbelow", "randint", "sample"]


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


MONTHS = (
    "January", "February", "March", "April", "May", "June", "July", "August", "September",
    "October", "November", "December",
)  # fmt: skip
_ONES = (
    "zero", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten",
    "eleven", "twelve", "thirteen", "fourteen", "fifteen", "sixteen", "seventeen", "eighteen",
    "nineteen",
)  # fmt: skip
_TENS = ("", "", "twenty", "thirty", "forty", "fifty", "sixty", "seventy", "eighty", "ninety")
_SIZES = ((10**6, "million"), (1000, "thousand"), (100, "hundred"))


def in_words(n: int) -> str:
    """Return a number from 0 to 999,999,999 in words.

    Example:
        >>> in_words(24), in_words(30), in_words(7), in_words(2_104)
        ('twenty-four', 'thirty', 'seven', 'two thousand one hundred four')
    """
    for size, name in _SIZES:
        if n >= size:
            rest = f" {in_words(n % size)}" if n % size else ""
            return f"{in_words(n // size)} {name}{rest}"
    if n < len(_ONES):
        return _ONES[n]
    return _TENS[n // 10] + (f"-{_ONES[n % 10]}" if n % 10 else "")
