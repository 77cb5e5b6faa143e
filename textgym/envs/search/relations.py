"""What documents state: the kinds of things in an archive, and the relations between them.

`relations.json` has the sentences.

Invariants: a thing has at most one value for each relation; a value that is itself a thing has its
own document; no two relations share a sentence.
"""

from __future__ import annotations

from typing import NamedTuple

from textgym.whole_file import packaged_data

__all__ = [
    "FEET", "FORMER", "HAS_FORMER", "KINDS", "MAX_REMARKS", "RELATIONS", "REMARKS", "STATED",
    "TRADES", "YEARS", "Kind", "Relation",
]  # fmt: skip

STATED = 0.8  # the share of relations that the documents state
HAS_FORMER = 0.4  # the share of stated relations with an earlier value, where there can be one
MAX_REMARKS = 3  # in a document, which has one at least
YEARS = (412, 967)
FEET = (31, 188)


class Relation(NamedTuple):
    """A relation of things of a kind.

    Attributes:
        name: The name.
        value: The kind of its value: one of `KINDS`, or `year`, `trade`, `river` or `feet`.
        asked: A phrase for the value, with what names the thing as `{x}`.
        sentences: Sentences that state it, with the thing as `{x}` and the value as `{y}`.
    """

    name: str
    value: str
    asked: str
    sentences: tuple[str, ...]


class Kind(NamedTuple):
    """A kind of thing.

    Attributes:
        title: The title of its documents, with the thing as `{x}`.
        called: How a question names it.
        share: The share of documents of this kind.
    """

    title: str
    called: str
    share: float


KINDS = {
    "town": Kind("{x}, a town", "{x}", 0.2),
    "person": Kind("{x}, a life", "{x}", 0.4),
    "workshop": Kind("The {x}", "the {x}", 0.15),
    "ship": Kind("The ship {x}", "the {x}", 0.25),
}
_DATA = packaged_data("textgym.envs.search", "relations.json")

RELATIONS: dict[str, tuple[Relation, ...]] = {
    kind: tuple(Relation(**relation) for relation in relations)
    for kind, relations in _DATA["relations"].items()
}
FORMER: dict[str, tuple[str, ...]] = _DATA["former"]
"""Sentences that state an earlier value of a relation, which no longer holds."""

REMARKS: dict[str, tuple[str, ...]] = _DATA["remarks"]
"""Sentences that state nothing that is asked for."""

TRADES: tuple[str, ...] = _DATA["trades"]
