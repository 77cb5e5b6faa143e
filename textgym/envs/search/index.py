"""A full-text index of documents, ranked by BM25 (Robertson and others, 1994), through `bm25s`.

Invariants: the same documents and query give the same ranking in every process; of documents with
the same score, those with lower ids come first.
"""

from __future__ import annotations

import re
from collections.abc import Mapping

import numpy as np

__all__ = ["SearchIndex"]

MAX_QUERY = 1000  # characters of a query that are read
_WORD = re.compile(r"[^\W_]+")


class SearchIndex:
    """An index of texts.

    Args:
        texts: The texts by id.

    Example:
        >>> index = SearchIndex({"a": "The mill of Dor.", "b": "Dor, a town.", "c": "A ship."})
        >>> index.search("a town")
        ['b', 'c']
    """

    def __init__(self, texts: Mapping[str, str]) -> None:
        import bm25s

        self._ids = sorted(texts)
        self._ranking = bm25s.BM25()
        self._ranking.index([_words(texts[id]) for id in self._ids], show_progress=False)

    def search(self, query: str) -> list[str]:
        """Return the ids of the texts that have a word of a query, the best first."""
        words = [word for word in _words(query[:MAX_QUERY]) if word in self._ranking.vocab_dict]
        if not words:
            return []
        scores = self._ranking.get_scores(words)
        order = np.argsort(-scores, kind="stable")
        return [self._ids[place] for place in order[: int((scores > 0).sum())]]


def _words(text: str) -> list[str]:
    return _WORD.findall(text.lower())
