"""Tasks, and how generated tasks are drawn.

A task is made from one flat row. Invariants: the same id, split, level and index give the same
generated task in every process; a hash of its content decides the split of a generated task, so
splits cannot overlap.
"""

from __future__ import annotations

import json
import random
import secrets
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from hashlib import blake2b
from typing import Any

from textgym.errors import UsageError
from textgym.messages import Message, ToolSchema

__all__ = [
    "SPLITS",
    "Task",
    "TaskStream",
    "canonical_json",
    "draw_row",
    "hash_int",
    "split_of",
    "with_id",
]

SPLITS = ("train", "validation", "test")
_TEST_END, _VALIDATION_END = 26, 52  # of 256: about 10 % for each, the rest for train
MAX_DRAWS = 20_000


@dataclass(frozen=True, slots=True)
class Task:
    """One task.

    Attributes:
        id: The id of the task within its environment.
        messages: The prompt, including any system message.
        answer: The correct answer. It is never shown.
        tools: The schemas of the tools that may be called; None for all tools of the environment.
        row: The row that the task was made from.
    """

    id: str
    messages: tuple[Message, ...]
    answer: Any
    tools: tuple[ToolSchema, ...] | None = None
    row: Mapping[str, Any] = field(default_factory=dict)


def hash_int(*parts: object) -> int:
    """Return a 63-bit hash of the parts, the same in every process.

    Example:
        >>> hash_int("textgym/MCQA-v0", 7) == hash_int("textgym/MCQA-v0", 7)
        True
    """
    text = "\x1f".join(map(str, parts)).encode("utf-8", "surrogatepass")
    return int.from_bytes(blake2b(text, digest_size=8).digest(), "big") >> 1


_encode_canonical = json.JSONEncoder(
    sort_keys=True, ensure_ascii=True, separators=(",", ":"), check_circular=False
).encode


def canonical_json(value: Any) -> str:
    """Return the canonical JSON string of a value, with sorted keys and no spaces.

    Example:
        >>> canonical_json({"b": 1, "a": [2]})
        '{"a":[2],"b":1}'
    """
    return _encode_canonical(value)


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


def with_id(row: Mapping[str, Any], otherwise: str) -> dict[str, Any]:
    """Return the row with an `id`: its own, else its `uuid`, else the given one."""
    name = row.get("id")
    if name is None or name == "":
        name = row.get("uuid") or otherwise
    return {**row, "id": str(name)}


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
