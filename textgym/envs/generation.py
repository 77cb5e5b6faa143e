"""What the task generators share: families of tasks, random draws, words, and worlds.

A world, such as a company, is shared by several tasks. Their `canonical` content is
`{"world": seed}`, so all tasks of a world are in its split.

Invariants: the functions that draw call only `rng.random`, so the same generator state gives the
same draw in every version of Python, which the methods of `random.Random` do not guarantee; no
world is in two splits.
"""

from __future__ import annotations

import random
from collections.abc import Callable, Iterable, Sequence
from functools import cache, wraps
from itertools import count, islice
from typing import Any, ParamSpec, TypeVar

from textgym.errors import UsageError
from textgym.tasks.task import split_of

__all__ = [
    "MONTHS", "WEEKDAYS", "Families", "Unfit", "check_worlds", "choice", "clock", "draw_world",
    "in_words", "listing", "randbelow", "randint", "redrawn", "sample",
]  # fmt: skip

P = ParamSpec("P")
T = TypeVar("T")


class Unfit(Exception):
    """The draw does not fit into a task; `redrawn` draws again."""


def redrawn(draw: Callable[P, T]) -> Callable[P, T]:
    """Return a function that draws again for as long as a draw raises `Unfit`.

    Example:
        >>> @redrawn
        ... def odd(rng):
        ...     number = randint(rng, 1, 9)
        ...     if number % 2 == 0:
        ...         raise Unfit
        ...     return number
        >>> [odd(random.Random(seed)) for seed in range(5)]
        [7, 7, 9, 3, 3]
    """

    @wraps(draw)
    def draw_until_fit(*args: P.args, **kwargs: P.kwargs) -> T:
        while True:
            try:
                return draw(*args, **kwargs)
            except Unfit:
                continue

    return draw_until_fit


class Families(dict[str, Callable[[random.Random, int], T]]):
    """Families of tasks by name: functions that draw a task at a level.

    A function may raise `Unfit` to be called again.

    Args:
        *families: The functions.

    Example:
        >>> def sums(rng, level):
        ...     return f"{randint(rng, 1, 9)} + {randint(rng, 1, 10**level)}"
        >>> Families(sums).draw(random.Random(1), level=2)
        ('sums', '8 + 77')
    """

    def __init__(self, *families: Callable[[random.Random, int], T]) -> None:
        super().__init__((family.__name__, redrawn(family)) for family in families)
        self.names = tuple(self)

    def draw(self, rng: random.Random, level: int) -> tuple[str, T]:
        """Draw a family, with equal probabilities, and a task of it."""
        name = self.names[int(rng.random() * len(self.names))]
        return name, self[name](rng, level)


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


WEEKDAYS = ("Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday", "Sunday")
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


def listing(items: Sequence[Any], last: str = "and") -> str:
    """Return items as a list within a sentence.

    Example:
        >>> listing(["red", "green", "blue"]), listing([2, 7], "or"), listing([7])
        ('red, green and blue', '2 or 7', '7')
    """
    *first, end = map(str, items)
    return f"{', '.join(first)} {last} {end}" if first else end


def clock(minutes: int) -> str:
    """Return minutes after midnight as a time of day.

    Example:
        >>> clock(9 * 60 + 5)
        '09:05'
    """
    return f"{minutes // 60:02}:{minutes % 60:02}"


def check_worlds(worlds: object) -> None:
    """Check the argument `worlds` of an environment.

    Raises:
        UsageError: It is neither None nor an integer of 1 or more.
    """
    if worlds is not None and (type(worlds) is not int or worlds < 1):
        raise UsageError(f"worlds must be an integer of 1 or more, or None, not {worlds!r}")


def draw_world(rng: random.Random, split: str, worlds: int | None) -> int:
    """Draw the seed of a world of a split.

    Args:
        rng: The random generator.
        split: The split.
        worlds: The number of different worlds in the split; None for a new one at each draw.

    Example:
        >>> draw_world(random.Random(1), "test", 2) in (7, 11)
        True
    """
    if worlds is not None:
        return choice(rng, _first_worlds(split, worlds))
    while split_of({"world": (seed := randbelow(rng, 2**40))}) != split:
        pass
    return seed


@cache
def _first_worlds(split: str, n: int) -> tuple[int, ...]:
    """Return the n lowest seeds that belong to a split."""
    return tuple(islice((seed for seed in count() if split_of({"world": seed}) == split), n))
