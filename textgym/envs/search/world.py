"""An invented country: its things, what is true of them, and the documents that tell it.

Invariants: the same seed and size give the same archive in every process; a relation is told in one
document, that of the thing, or nowhere; an archive is shared: do not modify it.
"""

from __future__ import annotations

import random
from dataclasses import dataclass
from functools import cached_property, lru_cache
from typing import NamedTuple

from textgym.envs.drawing import choice, randbelow, randint, sample
from textgym.envs.search.index import SearchIndex
from textgym.envs.search.names import Names
from textgym.envs.search.relations import FORMER, KINDS, RELATIONS, REMARKS, TRADES, Relation
from textgym.tasks.hashing import hash_int

__all__ = ["Archive", "Document", "Thing", "archive"]

TOLD = 0.8  # the share of relations that the documents tell
HAS_FORMER = 0.4  # the share of told relations with an earlier value, where there can be one
MAX_CACHED = 24
_YEARS = (412, 967)


class Thing(NamedTuple):
    """A thing of the country.

    Attributes:
        name: Its name.
        kind: Its kind, one of `KINDS`.
        values: The names of the values of its relations. What is not told is missing.
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


@dataclass(frozen=True)
class Archive:
    """The documents of a country.

    Attributes:
        things: The things by name.
        documents: The documents by id.
    """

    things: dict[str, Thing]
    documents: dict[str, Document]

    @cached_property
    def index(self) -> SearchIndex:
        """The index of the documents. It is made when it is first used."""
        texts = {item.id: f"{item.title}\n{item.text}" for item in self.documents.values()}
        return SearchIndex(texts)


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
    rng = random.Random(hash_int("archive", seed, size))
    names = Names(rng, size)
    by_kind = _names_of_things(names, size)
    rivers = [names.river() for _ in range(max(10, size // 20))]
    ids = [f"D-{number:04}" for number in sample(rng, range(1, 10_000), size)]
    drawn = [(kind, name) for kind, group in by_kind.items() for name in group]
    things: dict[str, Thing] = {}
    documents: dict[str, Document] = {}
    for (kind, name), id in zip(sample(rng, drawn, size), ids, strict=True):
        values = {
            relation.name: _value(rng, relation, name, by_kind, rivers)
            for relation in RELATIONS[kind]
            if rng.random() < TOLD
        }
        things[name] = Thing(name, kind, values, id)
        text = " ".join(_sentences(rng, things[name], by_kind))
        documents[id] = Document(id, KINDS[kind].title.format(x=name), text)
    return Archive(things, documents)


def _names_of_things(names: Names, size: int) -> dict[str, list[str]]:
    """Draw the names of the things of each kind."""
    counts = {kind: int(size * shape.share) for kind, shape in KINDS.items()}
    counts["person"] += size - sum(counts.values())
    return {kind: [getattr(names, kind)() for _ in range(n)] for kind, n in counts.items()}


def _value(
    rng: random.Random,
    relation: Relation,
    name: str,
    by_kind: dict[str, list[str]],
    rivers: list[str],
) -> str:
    match relation.value:
        case "year":
            return str(randint(rng, *_YEARS))
        case "feet":
            return str(randint(rng, 31, 188))
        case "trade":
            return choice(rng, TRADES)
        case "river":
            return choice(rng, rivers)
    return _another(rng, by_kind[relation.value], name)


def _another(rng: random.Random, names: list[str], name: str) -> str:
    """Draw a name other than one."""
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
        sentences.append(choice(rng, relation.told).format_map(words))
        if relation.name in FORMER and rng.random() < HAS_FORMER:
            former = _another(rng, by_kind[relation.value], value)
            words = {"y": former, "year": str(randint(rng, *_YEARS))}
            sentences.append(choice(rng, FORMER[relation.name]).format_map(words))
    for form in sample(rng, REMARKS[thing.kind], 1 + randbelow(rng, 3)):
        sentences.append(
            form.format(
                x=thing.name,
                person=_another(rng, by_kind["person"], thing.name),
                town=_another(rng, by_kind["town"], thing.name),
                year=randint(rng, *_YEARS),
            )
        )
    return sample(rng, sentences, len(sentences))
