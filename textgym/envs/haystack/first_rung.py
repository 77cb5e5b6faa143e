"""Drawing a task of level 0: a text of four sentences, and a question in the words of one of them.

Invariants: the sentences are about different people and state values of different kinds; each is
equally likely to be asked for; the question, which decides the split, does not reveal the answer.
"""

from __future__ import annotations

import random
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from textgym.envs.generation import WEEKDAYS, choice, sample
from textgym.envs.haystack.questions import content_of
from textgym.tasks.task import split_of

__all__ = ["FACTS", "draw_first_row"]

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
_EVENTS = (
    "birthday", "concert", "dinner", "exam", "flight", "funeral", "holiday", "lesson", "lunch",
    "meeting", "party", "picnic", "race", "test", "trial", "trip", "visit", "wedding",
)  # fmt: skip
_PETS = (
    "bird",
    "cat",
    "dog",
    "donkey",
    "duck",
    "fish",
    "goat",
    "horse",
    "parrot",
    "rabbit",
    "snake",
)
_PET_NAMES = (
    "Bella", "Biscuit", "Bruno", "Charlie", "Coco", "Daisy", "Felix", "Ginger", "Lucky", "Luna",
    "Max", "Milo", "Molly", "Muffin", "Pepper", "Rex", "Rocky", "Ruby", "Simba", "Toby",
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
    "city": Fact(_RELATIVES, _CITIES, "{}'s {} lives in {}.", "Where does {}'s {} live?", "city"),
    "code": Fact(
        _THINGS,
        tuple(map(str, range(1000, 10_000))),
        "{}'s {} has the code {}.",
        "Which code does {}'s {} have?",
        "code",
    ),
    "name": Fact(_PETS, _PET_NAMES, "{}'s {} is called {}.", "What is {}'s {} called?", "name"),
    "day": Fact(_EVENTS, WEEKDAYS, "{}'s {} is on {}.", "On which day is {}'s {}?", "day"),
}
"""The kinds of facts; a text has one of each."""


def draw_first_row(rng: random.Random, split: str) -> dict[str, Any]:
    """Draw the row of a task of level 0.

    Args:
        rng: The generator of all draws.
        split: The split that the task belongs to.
    """
    while True:
        asked = choice(rng, tuple(FACTS))
        people = sample(rng, _PEOPLE, len(FACTS))
        parts = {
            name: (person, choice(rng, fact.things), choice(rng, fact.values))
            for person, (name, fact) in zip(people, FACTS.items(), strict=True)
        }
        *topic, answer = parts[asked]
        row = {
            "document": "facts",
            "asks": asked,
            "question": FACTS[asked].question.format(*topic),
            "expected_answer": [answer],
            "ordered": True,
        }
        if split_of(content_of(row)) == split:
            break
    sentences = [FACTS[name].sentence.format(*parts[name]) for name in parts]
    text = "\n".join(sample(rng, sentences, len(sentences)))
    ending = f'End with a line that says "Answer: " and the {FACTS[asked].item} alone.'
    row["prompt"] = f"{text}\n\n{row['question']} {ending}"
    return row
