"""A full-text index of documents, ranked by BM25 (Robertson and others, 1994).

The variant and its constants are the same as in Lucene: a word scores
`log(1 + (N - n + 0.5) / (n + 0.5)) * f / (f + K1 * (1 - B + B * length / mean length))`, where `f`
is how often the document has it, and `n` of the `N` documents do.

Invariants: the same documents and query give the same ranking in every process; of documents with
the same score, those with lower ids come first.
"""

from __future__ import annotations

import math
import re
from collections.abc import Iterable, Sequence
from typing import Any

import numpy as np

__all__ = ["SearchIndex"]

MAX_QUERY = 1000  # characters of a query that are read
K1, B = 1.5, 0.75
_WORD = re.compile(r"[^\W_]+")


class SearchIndex:
    """An index of documents that are made of parts, such as names, and share many of them.

    Args:
        ids: The ids of the documents.
        parts: The texts of all parts.
        documents: The places of documents in `ids`, one for each part that a document has.
        chosen: The places of these parts in `parts`.

    Example:
        >>> texts = ["The mill of Dor.", "Dor, a town.", "A ship."]
        >>> index = SearchIndex(["a", "b", "c"], texts, [0, 1, 2], [0, 1, 2])
        >>> index.search("a town")
        ['b', 'c']
    """

    def __init__(
        self,
        ids: Sequence[str],
        parts: Iterable[str],
        documents: Sequence[int],
        chosen: Sequence[int],
    ) -> None:
        self._ids = sorted(ids)
        ranks = {id: rank for rank, id in enumerate(self._ids)}
        owners = np.array([ranks[id] for id in ids])[documents]
        self._numbers: dict[str, int] = {}  # of each word
        known = self._numbers
        words = [[known.setdefault(word, len(known)) for word in _words(part)] for part in parts]
        tokens, owners = _tokens(words, owners, np.asarray(chosen))
        keys, counts = np.unique((tokens * len(ids) + owners).astype(np.int32), return_counts=True)
        self._documents = (keys % len(ids)).astype(np.int32)  # that have each word, word by word
        self._counts = counts.astype(np.float32)
        self._bounds = np.searchsorted(keys, np.arange(len(known) + 1) * len(ids))
        lengths = np.bincount(owners, minlength=len(ids))
        self._norms = K1 * ((1 - B) + B * lengths / lengths.mean())

    def search(self, query: str) -> list[str]:
        """Return the ids of the documents that have a word of a query, the best first."""
        scores = np.zeros(len(self._ids), np.float32)
        for word in _words(query[:MAX_QUERY]):
            if word in self._numbers:
                documents, score = self._score(self._numbers[word])
                scores[documents] += score
        order = np.argsort(-scores, kind="stable")
        return [self._ids[place] for place in order[: int((scores > 0).sum())].tolist()]

    def _score(self, word: int) -> tuple[Any, Any]:
        """Return the documents that have a word, and its score in each."""
        start, end = self._bounds[word : word + 2].tolist()
        documents, counts = self._documents[start:end], self._counts[start:end]
        rarity = math.log(1 + (len(self._ids) - (end - start) + 0.5) / (end - start + 0.5))
        score = np.float32(rarity) * (counts / (self._norms[documents] + counts))
        return documents, score.astype(np.float32)


def _tokens(words: list[list[int]], documents: Any, chosen: Any) -> tuple[Any, Any]:
    """Return the words of all parts that documents have, and the document of each."""
    lengths = np.array(list(map(len, words)))
    flat = np.array([number for part in words for number in part])
    counts = lengths[chosen]
    begins = (np.cumsum(lengths) - lengths)[chosen] - (np.cumsum(counts) - counts)
    return flat[np.repeat(begins, counts) + np.arange(counts.sum())], documents.repeat(counts)


def _words(text: str) -> list[str]:
    return _WORD.findall(text.lower())
