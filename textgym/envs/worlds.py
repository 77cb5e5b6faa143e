"""Worlds that several tasks share, such as a company: which seeds belong to which split.

Invariants: no world is in two splits; an environment's tasks have the content `{"world": seed}` as
their `canonical` one, so that all tasks of a world are in its split.
"""

from __future__ import annotations

import random
from functools import cache
from itertools import count, islice

from textgym.envs.generation import choice, randbelow
from textgym.errors import UsageError
from textgym.tasks.splits import split_of

__all__ = ["check_worlds", "draw_world"]


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
