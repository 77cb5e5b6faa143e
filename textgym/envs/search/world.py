"""An invented country: its things, what is true of them, its documents, and questions about it.

A question is a chain of one to four relations, whole or with the last one missing.

Invariants: the same seed and size give the same archive in every process; a relation is stated in
the document of its thing or nowhere; an archive is shared: do not modify it. The thing that a
question names is the first of its chain. A question without an answer looks like one that has an
answer, and no document states what is missing. Level 0 asks for the name in a document's title.
"""

from __future__ import annotations

import random
from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import cached_property, lru_cache
from typing import NamedTuple, TypeVar

from textgym.envs.generation import choice, randbelow, randint, sample
from textgym.envs.search.draws import Draws, Names, Replay
from textgym.envs.search.index import SearchIndex
from textgym.envs.search.layout import Layout
from textgym.envs.search.relations import (
    FEET,
    FORMER,
    HAS_FORMER,
    KINDS,
    MAX_REMARKS,
    RELATIONS,
    REMARKS,
    STATED,
    TRADES,
    YEARS,
    Relation,
)
from textgym.tasks.task import hash_int

__all__ = [
    "UNANSWERABLE", "Archive", "Document", "Question", "Thing", "archive", "draw_first_question",
    "draw_question",
]  # fmt: skip

MAX_CACHED = 24
DRAWS = 45  # for each document, with its name; half as many again as they take
T = TypeVar("T")


class Thing(NamedTuple):
    """A thing of the country.

    Attributes:
        name: Its name.
        kind: Its kind, one of `KINDS`.
        values: The values of its relations by name, without those that no document states.
        document: The id of its document.
    """

    name: str
    kind: str
    values: dict[str, str]
    document: str


class Document(NamedTuple):
    """A document.

    Attributes:
        id: The id, such as `D-0412`.
        title: The title.
        text: The text.
    """

    id: str
    title: str
    text: str


class Archive:
    """The documents of a country. Things and documents are made when they are asked for.

    Args:
        seed: The seed.
        size: The number of documents.

    Attributes:
        things: The things by name.
        documents: The documents by id.
        names: The name of the thing that each document is about, by id.
    """

    def __init__(self, seed: int, size: int) -> None:
        self._draws = draws = Draws(hash_int("archive", seed, size), DRAWS * size + 5000)
        names = Names(draws, size)
        counts = {kind: int(size * shape.share) for kind, shape in KINDS.items()}
        counts["person"] += size - sum(counts.values())
        self._pools = {kind: getattr(names, kind)(n) for kind, n in counts.items()}
        kinds = [kind for kind, n in counts.items() for _ in range(n)]
        drawn = [name for pool in self._pools.values() for name in pool]
        self._pools["river"] = names.river(max(10, size // 20))
        self._ids = list(map("D-{:04}".format, draws.sample(range(1, 10_000), size)))
        order = draws.sample(range(size), size)
        self._kinds = [kinds[number] for number in order]
        self._names = [drawn[number] for number in order]
        self._layout = Layout(draws, order, self._kinds, self._pools, self._end)
        self.names = dict(zip(self._ids, self._names, strict=True))
        self.things = Made(self._names, self._thing)
        self.documents = Made(self._ids, self._document)

    @cached_property
    def index(self) -> SearchIndex:
        """The index of the documents. It is made when it is first used."""
        return SearchIndex(self._ids, *self._layout.contents(self._whole_text))

    def _whole_text(self, number: int) -> str:
        document = self._document(number)
        return f"{document.title}\n{document.text}"

    def _thing(self, number: int) -> Thing:
        return self._replay(number, self._layout.starts[number])[0]

    def _document(self, number: int) -> Document:
        thing, rng = self._replay(number, self._layout.starts[number])
        text = " ".join(_sentences(rng, thing, self._pools))
        return Document(thing.document, KINDS[thing.kind].title.format(x=thing.name), text)

    def _end(self, number: int, start: int) -> int:
        """Return where the draws of a document end, if they begin at a place."""
        thing, rng = self._replay(number, start)
        _sentences(rng, thing, self._pools)
        return rng.at

    def _replay(self, number: int, start: int) -> tuple[Thing, Replay]:
        """Draw a thing, and return the generator that then draws its document."""
        rng, kind, name = Replay(self._draws, start), self._kinds[number], self._names[number]
        values = {
            relation.name: _value(rng, relation, name, self._pools)
            for relation in RELATIONS[kind]
            if rng.random() < STATED
        }
        return Thing(name, kind, values, self._ids[number]), rng


class Made(Mapping[str, T]):
    """A mapping whose values are made when they are asked for.

    Args:
        keys: The keys, in order.
        make: Returns the value of the key with a number.
    """

    def __init__(self, keys: Sequence[str], make: Callable[[int], T]) -> None:
        self._numbers = dict(zip(keys, range(len(keys)), strict=True))
        self._make = make

    def __getitem__(self, key: str) -> T:
        return self._make(self._numbers[key])

    def __iter__(self) -> Iterator[str]:
        return iter(self._numbers)

    def __len__(self) -> int:
        return len(self._numbers)

    def __contains__(self, key: object) -> bool:
        return key in self._numbers


@lru_cache(maxsize=MAX_CACHED)
def archive(seed: int, size: int) -> Archive:
    """Return the archive of a seed. The latest ones are cached.

    Args:
        seed: The seed.
        size: The number of documents.

    Example:
        >>> len(archive(7, 200).documents)
        200
        >>> archive(7, 200) is archive(7, 200)
        True
    """
    return Archive(seed, size)


def _value(
    rng: random.Random,
    relation: Relation,
    name: str,
    by_kind: dict[str, list[str]],
) -> str:
    match relation.value:
        case "year":
            return str(randint(rng, *YEARS))
        case "feet":
            return str(randint(rng, *FEET))
        case "trade":
            return choice(rng, TRADES)
        case "river":
            return choice(rng, by_kind["river"])
    return _another(rng, by_kind[relation.value], name)


def _another(rng: random.Random, names: list[str], name: str) -> str:
    """Draw a name other than the given one."""
    while (drawn := choice(rng, names)) == name:
        pass
    return drawn


def _sentences(rng: random.Random, thing: Thing, by_kind: dict[str, list[str]]) -> list[str]:
    """Draw the sentences of a document, in random order."""
    sentences = []
    for relation in RELATIONS[thing.kind]:
        value = thing.values.get(relation.name)
        if value is None:
            continue
        words = {"x": thing.name, "y": value}
        sentences.append(choice(rng, relation.sentences).format_map(words))
        if relation.name in FORMER and rng.random() < HAS_FORMER:
            former = _another(rng, by_kind[relation.value], value)
            words = {"y": former, "year": str(randint(rng, *YEARS))}
            sentences.append(choice(rng, FORMER[relation.name]).format_map(words))
    for form in sample(rng, REMARKS[thing.kind], 1 + randbelow(rng, MAX_REMARKS)):
        sentences.append(
            form.format(
                x=thing.name,
                person=_another(rng, by_kind["person"], thing.name),
                town=_another(rng, by_kind["town"], thing.name),
                year=randint(rng, *YEARS),
            )
        )
    return sample(rng, sentences, len(sentences))


UNANSWERABLE = 0.12  # the share of questions without an answer
_FORMS = (
    "{word} is {asked}?",
    "I would like to know {asked}.",
    "Please find out {asked}.",
    "I need to know {asked}.",
    "Can you tell me {asked}?",
    "Do you know {asked}?",
)


FIRST_KINDS = ("town", "person")  # whose titles begin with the name
_FIRST_FORMS = (
    "Which {kind} is document {id} about?",
    "Open document {id}. Which {kind} is it about?",
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


def draw_first_question(rng: random.Random, archive: Archive) -> Question:
    """Draw a question of level 0, which asks for the name in the title of a document."""
    while True:
        id = choice(rng, list(archive.documents))
        thing = archive.things[archive.names[id]]
        if thing.kind in FIRST_KINDS:
            text = choice(rng, _FIRST_FORMS).format(kind=thing.kind, id=id)
            return Question(text, thing.name, [id])


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
