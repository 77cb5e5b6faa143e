"""Tasks, and how generated ones are drawn.

A task is one flat row that an environment has read. Invariants: the same id, split, level
and index name the same generated task in any process; a generated task belongs to the split that a
hash of its content names, so that splits cannot overlap.
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
_TEST, _VALIDATION = 26, 52  # of 256: about 10 % each; the rest is train
MAX_DRAWS = 20_000


@dataclass(frozen=True, slots=True)
class Task:
    """One task.

    Attributes:
        id: Names the task within its environment.
        messages: The prompt; system and user messages belong to the task.
        answer: The right answer; never shown.
        tools: The schemas of the tools that may be called; None for all of the environment's.
        row: The row as it was read.
    """

    id: str
    messages: tuple[Message, ...]
    answer: Any
    tools: tuple[ToolSchema, ...] | None = None
    row: Mapping[str, Any] = field(default_factory=dict)


def hash_int(*parts: object) -> int:
    """Return a 63-bit number that depends on the parts alone, the same in any process.

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
    """Return the one JSON text of a value: keys sorted, no spaces.

    Example:
        >>> canonical_json({"b": 1, "a": [2]})
        '{"a":[2],"b":1}'
    """
    return _encode_canonical(value)


def split_of(content: Any) -> str:
    """Return the split that some content belongs to, by a hash of it."""
    digest = blake2b(canonical_json(content).encode(), digest_size=2).digest()
    bucket = digest[0]
    return "test" if bucket < _TEST else "validation" if bucket < _VALIDATION else "train"


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
    """Draw the generated row that id, split, level and index name.

    Args:
        generate: Makes a row from a random generator and a level.
        canonical: What of a row decides its split.
        id: The environment's id, version included.
        split: One of `SPLITS`.
        level: The level; None to draw one of `levels`.
        levels: The levels that there are.
        index: Which task, 0 or more.

    Raises:
        UsageError: So many draws gave no row of the split that there may be none.
    """
    rng = random.Random(hash_int(id, split, level, index))
    for _ in range(MAX_DRAWS):
        drawn = levels[int(rng.random() * len(levels))] if level is None else level
        row = generate(rng, drawn)
        if split_of(canonical(row)) == split:
            row.setdefault("level", drawn)
            row.setdefault("id", f"{split}-{'mixed' if level is None else level}-{index}")
            return row
    raise UsageError(f"{id} at level {level} has no {split} tasks: its universe is too small")


def with_id(row: Mapping[str, Any], otherwise: str) -> dict[str, Any]:
    """Return the row with an `id`: its own, its `uuid`, or the given one."""
    name = row.get("id")
    if name is None or name == "":
        name = row.get("uuid") or otherwise
    return {**row, "id": str(name)}


class TaskStream:
    """An endless stream of numbers that choose tasks: the n-th depends on the seed and n alone.

    Attributes:
        state: The seed and how many numbers were drawn.

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
        """Begin anew at a seed."""
        self.state = [int(seed), 0]

    def draw(self) -> int:
        """Return the next number, of 48 bits."""
        seed, count = self.state
        self.state = [seed, count + 1]
        return hash_int("task", seed, count) >> 15
