"""Questions about an archive: chains of one to four relations, whole or with the last one missing.

Invariants: the thing that a question names is the first of the chain; a question that has no answer
looks like one that has an answer, and no document states what is missing.
"""

from __future__ import annotations

import random
from typing import NamedTuple

from textgym.envs.generation import choice
from textgym.envs.search.relations import KINDS, RELATIONS
from textgym.envs.search.world import Archive

__all__ = ["UNANSWERABLE", "Question", "draw_question"]

UNANSWERABLE = 0.12  # the share of questions without an answer
_FORMS = (
    "{word} is {asked}?",
    "I would like to know {asked}.",
    "Please find out {asked}.",
    "I need to know {asked}.",
    "Can you tell me {asked}?",
    "Do you know {asked}?",
)


class Question(NamedTuple):
    """A question.

    Attributes:
        text: The question.
        answer: The answer; None if no document states it.
        sources: The ids of the documents that state the steps; if there is no answer, the last
            one lacks the next step.
    """

    text: str
    answer: str | None
    sources: list[str]


def draw_question(rng: random.Random, archive: Archive, hops: int) -> Question:
    """Draw a question.

    Args:
        rng: The random generator.
        archive: The archive.
        hops: The number of relations, from 1 to 4.
    """
    answerable = rng.random() >= UNANSWERABLE
    names = list(archive.things)
    while True:
        question = _attempt(rng, archive, choice(rng, names), hops, answerable)
        if question is not None:
            return question


def _attempt(
    rng: random.Random, archive: Archive, name: str, hops: int, answerable: bool
) -> Question | None:
    """Follow relations at random; None if they lead to no question of the wanted form."""
    things = [archive.things[name]]
    asked = KINDS[things[0].kind].called.format(x=name)
    for hop in range(hops):
        thing, is_last = things[-1], hop == hops - 1
        relation = choice(rng, RELATIONS[thing.kind])
        asked = relation.asked.format(x=asked)
        value = thing.values.get(relation.name)
        if is_last:
            if (value is not None) != answerable:
                return None
            word = "Who" if relation.value == "person" else "What"
            text = choice(rng, _FORMS).format(word=word, asked=asked)
            return Question(text, value, [thing.document for thing in things])
        if value is None or relation.value not in RELATIONS:
            return None
        if any(thing.name == value for thing in things):
            return None
        things.append(archive.things[value])
    return None
