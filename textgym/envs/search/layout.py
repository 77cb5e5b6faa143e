"""Where the random numbers of each document of an archive begin, and what the documents tell.

`world` draws a thing and its document from random numbers, one after the other, so that a document
begins where the one before ends. A country has thousands, and a task needs a few. So `Layout` finds
where they begin, without making them, and counts their words for the index, many at once.

Both follow what `world._replay` and `world._sentences` draw: for each relation, whether it is told,
and its value; then for each that is told, the form, whether it has an earlier value, and its value,
year and form; then the number of remarks, which ones, and a person, a town and a year for each;
then the order of the sentences. A name that may not be drawn is drawn again, which is rare: where
one was drawn, `world` makes the document.
"""

from __future__ import annotations

import string
from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np

from textgym.envs.search.draws import Draws
from textgym.envs.search.relations import (
    FEET,
    FORMER,
    HAS_FORMER,
    KINDS,
    MAX_REMARKS,
    RELATIONS,
    REMARKS,
    TOLD,
    TRADES,
    YEARS,
)

__all__ = ["Layout"]

_FORMERS = {
    kind: [(place, item.value) for place, item in enumerate(relations) if item.name in FORMER]
    for kind, relations in RELATIONS.items()
}
_SAME_KIND = {  # relations to a thing of the same kind, and the place of such a name in a remark
    kind: [place for place, relation in enumerate(relations) if relation.value == kind]
    for kind, relations in RELATIONS.items()
}
_IN_REMARKS = {"person": 0, "town": 1}
_DRAWS_OF_REMARK = 3  # a person, a town and a year


class Layout:
    """The documents of an archive, by the places of their random numbers.

    Args:
        draws: The random numbers, taken up to the first document.
        order: The kind of each document's thing, and the thing's place among those of its kind.
        pools: The names by kind, and those of rivers.
        end_of: Returns where a document ends that begins at a place.

    Attributes:
        starts: Where each document begins.
    """

    def __init__(
        self,
        draws: Draws,
        order: Sequence[tuple[str, int]],
        pools: Mapping[str, Sequence[str]],
        end_of: Callable[[int, int], int],
    ) -> None:
        self._numbers, self._order, self._pools = draws.numbers, order, pools
        self._told = self._numbers < TOLD
        self._has_former = self._numbers < HAS_FORMER
        self._remarks = 1 + (self._numbers * MAX_REMARKS).astype(np.int64)
        places = np.arange(len(self._numbers))
        after_one = np.minimum(places + 1 + self._told, len(places) - 1)
        self._after = [places]  # a number of relations
        for _ in range(max(map(len, RELATIONS.values()))):
            self._after.append(after_one[self._after[-1]])
        self.starts: list[int] = []
        self._redrawn: set[int] = set()
        self._find_starts(draws.at, end_of)

    def _find_starts(self, at: int, end_of: Callable[[int, int], int]) -> None:
        numbers, told = memoryview(self._numbers), memoryview(self._told)
        has_former, remarks = memoryview(self._has_former), memoryview(self._remarks)
        after = list(map(memoryview, self._after))
        sizes = {kind: len(pool) for kind, pool in self._pools.items()}
        for document, (kind, own) in enumerate(self._order):
            self.starts.append(at)
            relations, size = len(RELATIONS[kind]), sizes[kind]
            end = after[relations][at]  # of what was read so far
            sentences = end - at - relations
            sentences_end = end + sentences
            is_redrawn = False
            for place in _SAME_KIND[kind]:
                first = after[place][at]
                is_redrawn |= told[first] and int(numbers[first + 1] * size) == own
            extra = 0
            for place, value in _FORMERS[kind]:
                first = after[place][at]
                if told[first]:
                    test = end + (first - at - place) + extra + 1
                    extra += 1
                    if has_former[test]:
                        pool = sizes[value]
                        former = int(numbers[test + 1] * pool)
                        is_redrawn |= former == int(numbers[first + 1] * pool)
                        extra += 3
                        sentences += 1
            begin = sentences_end + extra
            count = remarks[begin]
            begin += 1 + count
            if kind in _IN_REMARKS:
                for place in range(begin + _IN_REMARKS[kind], begin + 3 * count, 3):
                    is_redrawn |= int(numbers[place] * size) == own
            if is_redrawn:
                self._redrawn.add(document)
                at = end_of(document, at)
            else:
                at = begin + _DRAWS_OF_REMARK * count + sentences + count

    def contents(self, text_of: Callable[[int], str]) -> tuple[list[str], Any, Any]:
        """Return what the documents tell, in parts: forms of sentences, names and numbers.

        Args:
            text_of: Returns the title and the text of a document.

        Returns:
            The texts of all parts; the documents, one for each part that a document has; and the
            places of these parts among all.
        """
        contents = _Contents(self._pools)
        for kind in KINDS:
            documents = [
                document
                for document, (its_kind, _) in enumerate(self._order)
                if its_kind == kind and document not in self._redrawn
            ]
            self._add(contents, kind, np.array(documents))
        for document in self._redrawn:
            contents.add(np.array([document]), text_of(document), {})
        return contents.parts, np.concatenate(contents.documents), np.concatenate(contents.chosen)

    def _add(self, contents: _Contents, kind: str, documents: Any) -> None:
        """Add what the documents of a kind tell."""
        start = np.array(self.starts)[documents]
        own = contents.ranges[kind][0] + np.array([self._order[d][1] for d in documents.tolist()])
        contents.add(documents, KINDS[kind].title, {"x": own})
        at = self._after[len(RELATIONS[kind])][start]

        def value(of: str, place: Any) -> Any:
            first, size = contents.ranges[of]
            return first + (self._numbers[place] * size).astype(np.int64)

        def tell(which: Any, place: Any, forms: Sequence[str], values: dict[str, Any]) -> None:
            chosen = (self._numbers[place] * len(forms)).astype(np.int64)
            for number, form in enumerate(forms):
                contents.add(documents, form, values, which & (chosen == number))

        for number, relation in enumerate(RELATIONS[kind]):
            first = self._after[number][start]
            told = self._told[first]
            values = {"x": own, "y": value(relation.value, first + 1)}
            tell(told, at, relation.told, values)
            at = at + told
            if relation.name in FORMER:
                former = told & self._has_former[at]
                values = {"y": value(relation.value, at + 1), "year": value("year", at + 2)}
                tell(former, at + 3, FORMER[relation.name], values)
                at = at + told + 3 * former
        self._add_remarks(contents, kind, documents, own, at, value)

    def _add_remarks(
        self, contents: _Contents, kind: str, documents: Any, own: Any, at: Any, value: Any
    ) -> None:
        forms, rows, count = REMARKS[kind], np.arange(len(at)), self._remarks[at]
        chosen = np.tile(np.arange(len(forms)), (len(at), 1))
        for place in range(MAX_REMARKS):  # as `drawing.sample` exchanges them
            left = len(forms) - place
            other = place + (self._numbers[at + 1 + place] * left).astype(np.int64)
            taken = chosen[rows, other]
            chosen[rows, other] = chosen[:, place]
            chosen[:, place] = taken
            first = at + 1 + count + _DRAWS_OF_REMARK * place
            values = {
                "x": own,
                "person": value("person", first),
                "town": value("town", first + 1),
                "year": value("year", first + 2),
            }
            for number, form in enumerate(forms):
                contents.add(documents, form, values, (count > place) & (taken == number))


class _Contents:
    """What documents tell, in parts.

    Args:
        pools: The names by kind.

    Attributes:
        parts: The texts of the parts.
        ranges: The place of the first of the parts that may be the value of a relation, and their
            number, by the kind of value.
        documents: Arrays of documents, one for each part that a document has.
        chosen: Arrays of the places of these parts.
    """

    def __init__(self, pools: Mapping[str, Sequence[str]]) -> None:
        self.parts: list[str] = []
        self.ranges: dict[str, tuple[int, int]] = {}
        numbers = {
            kind: [str(number) for number in range(low, high + 1)]
            for kind, (low, high) in (("year", YEARS), ("feet", FEET))
        }
        for kind, pool in {**pools, "trade": TRADES, **numbers}.items():
            self.ranges[kind] = len(self.parts), len(pool)
            self.parts += pool
        self.documents: list[Any] = []
        self.chosen: list[Any] = []

    def add(
        self, documents: Any, form: str, values: Mapping[str, Any], which: Any = slice(None)
    ) -> None:
        """Add a sentence to some documents.

        Args:
            documents: The documents.
            form: The sentence, with fields.
            values: The places of the parts that fields name, one for each document.
            which: Which of the documents have the sentence.
        """
        pieces = list(string.Formatter().parse(form)) if values else [(form, None, "", None)]
        mine = documents[which]
        fields = [values[name][which] for _, name, _, _ in pieces if name]
        self.chosen += [np.full(len(mine), len(self.parts)), *fields]
        self.documents += [mine] * (1 + len(fields))
        self.parts.append(" ".join(text for text, _, _, _ in pieces))
