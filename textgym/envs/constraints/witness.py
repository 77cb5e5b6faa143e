"""Drafts of right answers, and how instructions are drawn for them.

Instructions that shape a draft are drawn first. The arguments of the others are read off the
finished text, so the text follows all of them.
"""

from __future__ import annotations

import itertools
import random
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any, TypeVar

from textgym.envs.constraints.jobs import FILLERS
from textgym.envs.constraints.notes import Brief
from textgym.envs.generation import choice, randint, sample
from textgym.verifiers.instructions import INSTRUCTIONS

__all__ = [
    "DRAWS", "Arguments", "Draw", "WitnessDraft", "groups_of", "largest", "read_off", "shapes",
    "smallest", "write_draft",
]  # fmt: skip


@dataclass
class WitnessDraft:
    """An answer that instructions shape.

    Attributes:
        rng: The generator of the task.
        brief: What the answer is about.
        sentences: Its sentences, the opening first.
        layout: Writes the sentences as a text.
        before: What stands before it, in paragraphs of their own.
        after: What stands after it, in paragraphs of their own.
        changes: Changes of the whole text, in order.
        wrap: The last change.
    """

    rng: random.Random
    brief: Brief
    sentences: list[str]
    layout: Callable[[list[str]], str] = field(default=lambda sentences: _paragraphs(sentences))
    before: list[str] = field(default_factory=list)
    after: list[str] = field(default_factory=list)
    changes: list[Callable[[str], str]] = field(default_factory=list)
    wrap: Callable[[str], str] = str

    def add(self, sentence: str) -> None:
        """Insert a sentence after the opening."""
        self.sentences.insert(randint(self.rng, 1, len(self.sentences) - 1), sentence)

    def text(self) -> str:
        """Return the answer."""
        text = "\n\n".join([*self.before, self.layout(self.sentences), *self.after])
        for change in self.changes:
            text = change(text)
        return self.wrap(text)


def write_draft(rng: random.Random, brief: Brief, fillers: int) -> WitnessDraft:
    """Draw the sentences of an answer that gives the facts of a brief."""
    job = brief.job
    stated = [choice(rng, detail.sentences).format(value) for detail, value in brief.required]
    own = sample(rng, job.fillers, fillers // 2)
    more = sample(rng, FILLERS, fillers - len(own))
    body = sample(rng, [*stated, *own, *more], len(stated) + fillers)
    opening = choice(rng, job.openings).format(subject=brief.subject)
    return WitnessDraft(rng, brief, [opening, *body, choice(rng, job.closings)])


def groups_of(sentences: list[str], count: int) -> list[list[str]]:
    """Divide sentences into groups of nearly the same size, in order.

    Example:
        >>> groups_of(["a", "b", "c", "d", "e"], 2)
        [['a', 'b'], ['c', 'd', 'e']]
    """
    ends = [len(sentences) * place // count for place in range(count + 1)]
    return [sentences[start:end] for start, end in itertools.pairwise(ends)]


def _paragraphs(sentences: list[str]) -> str:
    """Return two or three paragraphs."""
    groups = groups_of(sentences, 2 if len(sentences) < 8 else 3)
    return "\n\n".join(map(" ".join, groups))


Arguments = dict[str, Any]
Shape = Callable[[WitnessDraft], Arguments]
Read = Callable[[WitnessDraft, str], Arguments | None]
ShapeT = TypeVar("ShapeT", bound=Shape)
ReadT = TypeVar("ReadT", bound=Read)

_STEP = 16  # from a number to the next that is tried, while the range is open

DRAWS: dict[str, Draw] = {}
"""How instructions are drawn, by id."""


@dataclass(frozen=True)
class Draw:
    """How an instruction of a type is drawn.

    Attributes:
        id: The id of the instruction.
        tags: What the instruction does to a text, such as `layout`.
        bars: The tags of instructions that contradict it.
        shape: Shapes a draft, and returns the arguments; None if it does not.
        read: Reads the arguments off a text, or returns None if no arguments fit; None if `shape`
            returns them.
    """

    id: str
    tags: frozenset[str]
    bars: frozenset[str]
    shape: Shape | None = None
    read: Read | None = None

    def goes_with(self, other: Draw) -> bool:
        """Return whether an instruction of this type and one of another can hold together."""
        return not (self.tags & other.bars or other.tags & self.bars)


def shapes(id: str, tags: str = "", bars: str = "") -> Callable[[ShapeT], ShapeT]:
    """Return a decorator that adds a function that shapes drafts to `DRAWS`.

    Args:
        id: The id of the instruction.
        tags: Its tags, with blanks between them.
        bars: The tags that it does not go with.
    """

    def add(shape: ShapeT) -> ShapeT:
        DRAWS[id] = Draw(id, frozenset(tags.split()), frozenset(bars.split()), shape=shape)
        return shape

    return add


def read_off(id: str, tags: str = "", bars: str = "") -> Callable[[ReadT], ReadT]:
    """Return a decorator that adds a function that reads arguments off a text to `DRAWS`."""

    def add(read: ReadT) -> ReadT:
        DRAWS[id] = Draw(id, frozenset(tags.split()), frozenset(bars.split()), read=read)
        return read

    return add


def largest(id: str, text: str, near: int, arguments: Callable[[int], Mapping[str, Any]]) -> int:
    """Return the largest number with which a text follows an instruction, found by halving.

    Args:
        id: The id of the instruction.
        text: The text. It follows the instruction with 0.
        near: A number to begin with.
        arguments: Returns the arguments for a number.
    """
    check = INSTRUCTIONS[id].check
    low, high = 0, near
    while check(text, **arguments(high)):
        low, high = high, high + _STEP
    while high - low > 1:
        middle = max((low + high) // 2, high - _STEP)
        if check(text, **arguments(middle)):
            low = middle
        else:
            high = middle
    return low


def smallest(id: str, text: str, near: int, arguments: Callable[[int], Mapping[str, Any]]) -> int:
    """Return the smallest number from 0 with which a text follows an instruction."""
    check = INSTRUCTIONS[id].check
    low, high = -1, near
    while not check(text, **arguments(high)):
        low, high = high, high + _STEP
    while high - low > 1:
        middle = max((low + high) // 2, high - _STEP)
        if check(text, **arguments(middle)):
            high = middle
        else:
            low = middle
    return high
