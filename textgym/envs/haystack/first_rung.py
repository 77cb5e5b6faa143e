"""Drawing a task of level 0: a text of four sentences, and a question in the words of one of them.

Invariants: the four sentences have different people, things and values; each is equally likely to
be asked for; the question, which decides the split, does not reveal the answer.
"""

from __future__ import annotations

import random
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from textgym.envs.generation import choice, randbelow, sample
from textgym.envs.haystack.questions import content_of
from textgym.tasks.task import split_of

__all__ = ["FACTS", "draw_first_row"]

_SENTENCES = 4
_PEOPLE = (
    "Anna", "Boris", "Carla", "David", "Emma", "Frank", "Grace", "Henry", "Ivan", "Julia", "Karl",
    "Laura", "Martin", "Nina", "Oscar", "Paula", "Robert", "Sara", "Thomas", "Vera", "William",
)  # fmt: skip
_THINGS = (
    "bag", "ball", "bed", "bell", "bike", "boat", "book", "bottle", "bowl", "box", "brush", "car",
    "chair", "clock", "coat", "cup", "desk", "door", "drum", "hat", "kite", "knife", "lamp",
    "mirror", "pen", "pillow", "plate", "radio", "ring", "scarf", "shirt", "table", "tent", "van",
)  # fmt: skip
_RELATIVES = (
    "aunt", "boss", "brother", "cousin", "daughter", "doctor", "friend", "grandfather",
    "grandmother", "lawyer", "neighbour", "nephew", "niece", "sister", "son", "teacher", "uncle",
)  # fmt: skip
_COLOURS = (
    "black", "blue", "brown", "gold", "green", "grey", "orange", "pink", "purple", "red", "silver",
    "white", "yellow",
)  # fmt: skip
_CITIES = (
    "Athens", "Berlin", "Boston", "Cairo", "Chicago", "Dublin", "Lima", "London", "Madrid",
    "Moscow", "Oslo", "Paris", "Prague", "Rome", "Seattle", "Tokyo", "Vienna", "Warsaw",
)  # fmt: skip


@dataclass(frozen=True)
class Fact:
    """A kind of fact about something of a person.

    Attributes:
        things: What a fact may be about.
        values: What a fact may state.
        sentence: The sentence that states it.
        question: The question.
        item: What the answer is.
    """

    things: tuple[str, ...]
    values: tuple[str, ...]
    sentence: str
    question: str
    item: str


FACTS: Mapping[str, Fact] = {
    "colours": Fact(
        _THINGS, _COLOURS, "{}'s {} is {}.", "What is the colour of {}'s {}?", "colour"
    ),
    "cities": Fact(_RELATIVES, _CITIES, "{}'s {} lives in {}.", "Where does {}'s {} live?", "city"),
    "prices": Fact(
        _THINGS,
        tuple(map(str, range(11, 100))),
        "{}'s {} costs {} dollars.",
        "How many dollars does {}'s {} cost?",
        "number",
    ),
}
"""The kinds of facts, by the name of their text in rows."""


def draw_first_row(rng: random.Random, split: str) -> dict[str, Any]:
    """Draw the row of a task of level 0.

    Args:
        rng: The generator of all draws.
        split: The split that the task belongs to.
    """
    while True:
        name = choice(rng, tuple(FACTS))
        fact = FACTS[name]
        drawn = [sample(rng, values, _SENTENCES) for values in (_PEOPLE, fact.things, fact.values)]
        person, thing, value = (values[0] for values in drawn)
        row = {
            "document": name,
            "asks": "first",
            "question": fact.question.format(person, thing),
            "expected_answer": [value],
            "ordered": True,
        }
        if split_of(content_of(row)) == split:
            break
    sentences = [fact.sentence.format(*parts) for parts in zip(*drawn, strict=True)]
    place = randbelow(rng, _SENTENCES)
    sentences[0], sentences[place] = sentences[place], sentences[0]
    ending = f'End with a line that says "Answer: " and the {fact.item} alone.'
    row["prompt"] = "\n".join([*sentences, "", f"{row['question']} {ending}"])
    return row
