"""Splits, and how generated tasks are drawn.

Invariants: the same id, split, level and index give the same generated task in every process; a
hash of its content decides the split of a generated task, so splits cannot overlap.
"""

from __future__ import annotations

import random
import secrets
from collections.abc import Callable, Sequence
from hashlib import blake2b
from typing import Any

from textgym.errors import UsageError
from textgym.tasks.hashing import canonical_json, hash_int

__all__ = ["SPLITS", "TaskStream", "draw_row", "split_of"]

SPLITS = ("train", "validation", "test")
_TEST_END, _VALIDATION_END = 26, 52  # of 256: about 10 % for each, the rest for train
MAX_DRAWS = 20_000


def split_of(content: Any) -> str:
    """Return the split that a hash of the content selects."""
    digest = blake2b(canonical_json(content).encode(), digest_size=2).digest()
    bucket = digest[0]
    return "test" if bucket < _TEST_END else "validation" if bucket < _VALIDATION_END else "train"


def draw_row(
    generate: Callable[[random.Random, int], dict[str, Any]],
    canonical: Callable[[dict[str, Any]], Any],
    *,
    id: str,
    split: str,
    level: int | None,
    levels: Sequence[int],
    index: int,
) -> dict[str, Any]:
    """Draw the generated row of an id, split, level and index.

    Args:
        generate: Makes a row from a random generator and a level.
        canonical: Returns the part of a row that decides its split.
        id: The environment's id, with its version.
        split: One of `SPLITS`.
        level: The level; None to draw one of `levels`.
        levels: All levels.
        index: The index of the task, from 0.

    Raises:
        UsageError: None of many draws belongs to the split.
    """
    rng = random.Random(hash_int(id, split, level, index))
    for _ in range(MAX_DRAWS):
        drawn = levels[int(rng.random() * len(levels))] if level is None else level
        row = generate(rng, drawn)
        if split_of(canonical(row)) == split:
            row.setdefault("level", drawn)
            row.setdefault("id", f"{split}-{'mixed' if level is None else level}-{index}")
            return row
    raise UsageError(
        f"{id} has no {split} tasks at level {level}: there are too few different tasks"
    )


class TaskStream:
    """An endless stream of numbers that select tasks. The n-th depends only on the seed and n.

    Attributes:
        state: The seed, and the number of draws since it was set.

    Example:
        >>> stream = TaskStream()
        >>> stream.seed(5)
        >>> first = stream.draw()
        >>> stream.seed(5)
        >>> stream.draw() == first
        True
    """

    def __init__(self) -> None:
        self.state = [secrets.randbits(63), 0]

    def seed(self, seed: int) -> None:
        """Restart the stream with a seed."""
        self.state = [int(seed), 0]

    def draw(self) -> int:
        """Return the next number, which has 48 bits."""
        seed, count = self.state
        self.state = [seed, count + 1]
        return hash_int("task", seed, count) >> 15
