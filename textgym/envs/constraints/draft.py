"""`Draft`, an answer in the making: its sentences, their layout, and what is around them."""

from __future__ import annotations

import itertools
import random
from collections.abc import Callable
from dataclasses import dataclass, field

from textgym.envs.constraints.jobs import FILLERS
from textgym.envs.constraints.notes import Brief
from textgym.envs.generation import choice, randint, sample

__all__ = ["Draft", "draft_of", "groups_of"]


@dataclass
class Draft:
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


def draft_of(rng: random.Random, brief: Brief, fillers: int) -> Draft:
    """Draw the sentences of an answer that gives the facts of a brief."""
    job = brief.job
    told = [choice(rng, detail.sentences).format(value) for detail, value in brief.told]
    own = sample(rng, job.fillers, fillers // 2)
    more = sample(rng, FILLERS, fillers - len(own))
    body = sample(rng, [*told, *own, *more], len(told) + fillers)
    opening = choice(rng, job.openings).format(subject=brief.subject)
    return Draft(rng, brief, [opening, *body, choice(rng, job.closings)])


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
