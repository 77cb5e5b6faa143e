"""Tasks, the hashes that draw them, and their splits.

Invariants:

- Equal values have equal hashes in every process. The same id, split, level and index give the same
  generated task in every process.
- A hash of its content decides the split of a generated task, so splits cannot overlap.
- No two tasks of an evaluation split have the same prompt, unless the generator finds no new prompt
  in many draws. Tasks are drawn when they are first needed. Several threads may draw at once,
  because they draw the same tasks.
"""

from __future__ import annotations

import random
import secrets
import threading
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from hashlib import blake2b
from itertools import chain, islice
from typing import Any

from textgym.errors import UsageError, in_one_line
from textgym.json_values import canonical_json
from textgym.messages import Message, ToolSchema

__all__ = [
    "SPLITS",
    "EvaluationTasks",
    "Task",
    "TaskStream",
    "draw_rows",
    "hash_bytes",
    "hash_int",
    "prompt_hash",
    "split_of",
    "with_id",
]


@dataclass(frozen=True, slots=True)
class Task:
    """One task.

    Attributes:
        id: The id of the task within its environment.
        messages: The prompt, including any system message.
        answer: The correct answer. It is never shown.
        tools: The schemas of the tools that may be called; None for all tools of the environment.
        row: The row that the task was made from.

    Example:
        >>> import textgym
        >>> row = {"id": "sum-1", "sum": "2 + 3"}
        >>> prompt = textgym.user(f"What is {row['sum']}?")
        >>> textgym.Task(row["id"], (prompt,), answer=5, row=row).messages
        ({'role': 'user', 'content': 'What is 2 + 3?'},)
    """

    id: str
    messages: tuple[Message, ...]
    answer: Any
    tools: tuple[ToolSchema, ...] | None = None
    row: Mapping[str, Any] = field(default_factory=dict)


def with_id(row: Mapping[str, Any], otherwise: str) -> dict[str, Any]:
    """Return the row with an `id`: its own, else its `uuid`, else the given one."""
    name = row.get("id")
    if name is None or name == "":
        name = row.get("uuid") or otherwise
    return {**row, "id": str(name)}


def prompt_hash(task: Task) -> int:
    """Return a hash of what a policy sees of a task first: its prompt and its tools."""
    return hash_int(canonical_json([task.messages, task.tools]))


def hash_int(*parts: object) -> int:
    """Return a 63-bit hash of the parts, the same in every process.

    Example:
        >>> hash_int("textgym/MCQA-v0", 7) == hash_int("textgym/MCQA-v0", 7)
        True
    """
    text = "\x1f".join(map(str, parts)).encode("utf-8", "surrogatepass")
    return int.from_bytes(blake2b(text, digest_size=8).digest(), "big") >> 1


def hash_bytes(content: bytes) -> int:
    """Return a 53-bit hash, which a float represents exactly, the same in every process.

    Example:
        >>> float(hash_bytes(b"one")) == hash_bytes(b"one") != hash_bytes(b"two")
        True
    """
    return int.from_bytes(blake2b(content, digest_size=8).digest(), "big") >> 11


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


SPLITS = ("train", "validation", "test")
_TEST_END, _VALIDATION_END = 26, 52  # of 256: about 10 % for each, the rest for train
MAX_DRAWS = 20_000


def split_of(content: Any) -> str:
    """Return the split that a hash of the content selects."""
    digest = blake2b(canonical_json(content).encode(), digest_size=2).digest()
    bucket = digest[0]
    return "test" if bucket < _TEST_END else "validation" if bucket < _VALIDATION_END else "train"


def draw_rows(
    generate: Callable[[random.Random, int], dict[str, Any]],
    canonical: Callable[[dict[str, Any]], Any],
    *,
    id: str,
    split: str,
    level: int | None,
    levels: Sequence[int],
    index: int,
) -> Iterator[dict[str, Any]]:
    """Draw the generated row of an id, split, level and index, and then alternatives.

    Args:
        generate: Makes a row from a random generator and a level.
        canonical: Returns the part of a row that decides its split.
        id: The environment's id, with its version.
        split: One of `SPLITS`.
        level: The level; None to draw one of `levels`.
        levels: All levels.
        index: The index of the task, from 0.

    Raises:
        UsageError: None of many draws belongs to the split, or `generate` returned no row.
    """
    rng = random.Random(hash_int(id, split, level, index))
    draws_left = MAX_DRAWS
    while draws_left:
        draws_left -= 1
        drawn = levels[int(rng.random() * len(levels))] if level is None else level
        row = generate(rng, drawn)
        if _split_of_row(row, canonical, generate) == split:
            row.setdefault("level", drawn)
            row.setdefault("id", f"{split}-{'mixed' if level is None else level}-{index}")
            yield row
            draws_left = MAX_DRAWS
    where = "" if level is None else f" at level {level}"
    raise UsageError(f"{id} has no {split} tasks{where}: there are too few different tasks")


def _split_of_row(row: Any, canonical: Callable[..., Any], generate: Callable[..., Any]) -> str:
    try:
        return split_of(canonical(row))
    except (AttributeError, KeyError, TypeError, ValueError) as error:
        name = generate.__qualname__
        if not isinstance(row, dict):
            kind = type(row).__name__
            raise UsageError(f"{name} must return a row (a dict), not a {kind}") from error
        raise UsageError(
            f"{name} must return a row of JSON data, and canonical must accept it: "
            f"{in_one_line(error)}"
        ) from error


MAX_DRAWS_OF_A_PROMPT = 300


class EvaluationTasks:
    """The tasks of an evaluation split that were drawn so far.

    Tasks are drawn in the order of their indices; a task with an earlier prompt is drawn again.
    Once that fails, the prompts are exhausted, and later tasks may repeat earlier ones.

    Example:
        >>> from textgym.messages import user
        >>> def draws(index):
        ...     for text in ("a", "b", "c"):
        ...         yield Task(f"{text}-{index}", (user(text),), text)
        >>> tasks = EvaluationTasks()
        >>> [tasks.get(index, draws).id for index in (2, 0, 1)]
        ['c-2', 'a-0', 'b-1']
    """

    def __init__(self) -> None:
        self._tasks: dict[int, Task] = {}
        self._first_index: dict[int, int] = {}  # of each prompt, by its hash
        self._exhausted_at: int | None = None
        self._lock = threading.RLock()  # for draws that take long, threads draw them only once

    def get(self, index: int, draws: Callable[[int], Iterator[Task]]) -> Task:
        """Return the task with an index.

        Args:
            index: The index.
            draws: Returns the tasks that an index draws, one after the other.
        """
        if index not in self._tasks:
            with self._lock:
                for place in range(len(self._tasks), index + 1):
                    self._tasks[place] = self._choose(place, draws(place))
        return self._tasks[index]

    def _choose(self, index: int, draws: Iterator[Task]) -> Task:
        """Return the first task with a new prompt; the first task if the prompts are exhausted."""
        first = next(draws)
        if self._exhausted_at is not None and index > self._exhausted_at:
            return first
        for task in chain((first,), islice(draws, MAX_DRAWS_OF_A_PROMPT - 1)):
            if self._is_new(task, index):
                return task
        self._exhausted_at = index
        return first

    def _is_new(self, task: Task, index: int) -> bool:
        return self._first_index.setdefault(prompt_hash(task), index) == index
