"""Where the random numbers of each document of an archive begin, and what the documents state.

`world` draws a thing and its document from random numbers, one after the other, so that a document
begins where the one before ends. A country has thousands, and a task needs a few. So `Layout` finds
where they begin, without making them, and counts their words for the index, many at once.

Both follow what `world._replay` and `world._sentences` draw: for each relation, whether it is
stated, and its value; then for each that is stated, the form, whether it has an earlier value, and
that value's name, year and form; then the number of remarks, which ones, and a person, a town and a
year for each; then the order of the sentences. A name that may not be drawn is drawn again, which
is rare: where one was drawn, `world` makes the document.
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
    STATED,
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
        order: The number of each document's thing, by kind in the order of `pools`.
        kinds: The kind of each document's thing.
        pools: The names of things and rivers, by kind.
        end_of: Returns where a document ends that begins at a place.

    Attributes:
        starts: Where each document begins.
    """

    def __init__(
        self,
        draws: Draws,
        order: Sequence[int],
        kinds: Sequence[str],
        pools: Mapping[str, Sequence[str]],
        end_of: Callable[[int, int], int],
    ) -> None:
        self._numbers, self._order, self._kinds = draws.numbers, order, kinds
        self._pools = pools
        self._stated = self._numbers < STATED
        self._has_former = self._numbers < HAS_FORMER
        self._remarks = 1 + (self._numbers * MAX_REMARKS).astype(np.uint8)
        # The numbers that so many relations take from each place on: one, and one for the value.
        taken = np.zeros(len(self._numbers), np.uint8)
        self._taken = [taken]
        for _ in range(max(map(len, RELATIONS.values()))):
            taken = np.pad(taken, (0, 2))
            taken = 1 + self._stated.view(np.uint8) + np.where(self._stated, taken[2:], taken[1:-1])
            self._taken.append(taken)
        self.starts: list[int] = []
        self._redrawn: set[int] = set()
        self._find_starts(draws.at, end_of)

    def _find_starts(self, at: int, end_of: Callable[[int, int], int]) -> None:
        """Find where each document begins, one after the other; the first begins at a place."""
        numbers, taken = memoryview(self._numbers), [item.tobytes() for item in self._taken]
        is_stated, has_former = self._stated.tobytes(), self._has_former.tobytes()
        remarks = self._remarks.tobytes()
        sizes = {kind: len(pool) for kind, pool in self._pools.items()}
        shapes, number = {}, 0
        for kind in KINDS:
            shapes[kind] = (
                number,
                len(RELATIONS[kind]),
                taken[len(RELATIONS[kind])],
                sizes[kind],
                [taken[place] for place in _SAME_KIND[kind]],
                [(place, taken[place], sizes[value]) for place, value in _FORMERS[kind]],
                _IN_REMARKS.get(kind),
            )
            number += sizes[kind]
        starts = self.starts
        for document, (number, kind) in enumerate(zip(self._order, self._kinds, strict=True)):
            lowest, relations, in_relations, size, same_kind, formers, in_remarks = shapes[kind]
            own = number - lowest
            starts.append(at)
            is_redrawn = False
            for before_it in same_kind:
                first = at + before_it[at]
                if is_stated[first] and int(numbers[first + 1] * size) == own:
                    is_redrawn = True
            read = in_relations[at]
            sentences = read - relations
            place_of_form = at + read
            begin = place_of_form + sentences  # of the remarks that are not about earlier values
            for place, before_it, pool in formers:
                before = before_it[at]
                first = at + before
                if is_stated[first]:
                    begin += 1
                    test = place_of_form + before - place + 1
                    place_of_form += 1
                    if has_former[test]:
                        begin += 3
                        place_of_form += 3
                        sentences += 1
                        if int(numbers[test + 1] * pool) == int(numbers[first + 1] * pool):
                            is_redrawn = True
            count = remarks[begin]
            begin += 1 + count
            end = begin + _DRAWS_OF_REMARK * count
            if in_remarks is not None:
                for place in range(begin + in_remarks, end, _DRAWS_OF_REMARK):
                    if int(numbers[place] * size) == own:
                        is_redrawn = True
            if is_redrawn:
                self._redrawn.add(document)
                at = end_of(document, at)
            else:
                at = end + sentences + count

    def contents(self, text_of: Callable[[int], str]) -> tuple[list[str], Any, Any]:
        """Return what the documents state, in parts: forms of sentences, names and numbers.

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
                for document, its_kind in enumerate(self._kinds)
                if its_kind == kind and document not in self._redrawn
            ]
            self._add(contents, kind, np.array(documents))
        for document in self._redrawn:
            contents.add(np.array([document]), text_of(document), {})
        return contents.parts, np.concatenate(contents.documents), np.concatenate(contents.chosen)

    def _add(self, contents: _Contents, kind: str, documents: Any) -> None:
        """Add what the documents of a kind state."""
        start = np.array(self.starts)[documents]
        own = np.array(self._order)[documents]  # the names are the first parts
        contents.add(documents, KINDS[kind].title, {"x": own})
        at = start + self._taken[len(RELATIONS[kind])][start]

        def value(of: str, place: Any) -> Any:
            first, size = contents.ranges[of]
            return first + (self._numbers[place] * size).astype(np.int64)

        def tell(which: Any, place: Any, forms: Sequence[str], values: dict[str, Any]) -> None:
            chosen = (self._numbers[place] * len(forms)).astype(np.int64)
            for number, form in enumerate(forms):
                contents.add(documents, form, values, which & (chosen == number))

        for number, relation in enumerate(RELATIONS[kind]):
            first = start + self._taken[number][start]
            is_stated = self._stated[first]
            values = {"x": own, "y": value(relation.value, first + 1)}
            tell(is_stated, at, relation.sentences, values)
            at = at + is_stated
            if relation.name in FORMER:
                former = is_stated & self._has_former[at]
                values = {"y": value(relation.value, at + 1), "year": value("year", at + 2)}
                tell(former, at + 3, FORMER[relation.name], values)
                at = at + is_stated + 3 * former
        self._add_remarks(contents, kind, documents, own, at, value)

    def _add_remarks(
        self, contents: _Contents, kind: str, documents: Any, own: Any, at: Any, value: Any
    ) -> None:
        forms, rows, count = REMARKS[kind], np.arange(len(at)), self._remarks[at]
        chosen = np.tile(np.arange(len(forms)), (len(at), 1))
        for place in range(MAX_REMARKS):  # as `drawing.sample` exchanges them
            left = len(forms) - place
            exchanged = place + (self._numbers[at + 1 + place] * left).astype(np.int64)
            taken = chosen[rows, exchanged]
            chosen[rows, exchanged] = chosen[:, place]
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
    """What documents state, in parts.

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
        holders = documents[which]
        fields = [values[name][which] for _, name, _, _ in pieces if name]
        self.chosen += [np.full(len(holders), len(self.parts)), *fields]
        self.documents += [holders] * (1 + len(fields))
        self.parts.append(" ".join(text for text, _, _, _ in pieces))
