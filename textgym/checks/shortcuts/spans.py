"""Spans of a prompt that an answer may be copied from, ranked by their place and their kind."""

from __future__ import annotations

import random
import re
from collections import Counter
from collections.abc import Sequence
from typing import Any, NamedTuple

from textgym.checks.shortcuts.models import Model, library

__all__ = ["SpanRanker", "spans"]

_FEATURES = 2**14
_KINDS = {
    "number": re.compile(r"(?<![\w.])-?\d+(?:[.,:/]\d+)*"),
    "quotation": re.compile(
        r"(?<=[\"“`])[^\"”`\n]{1,80}(?=[\"”`])|(?<=(?<!\w)')[^'\n]{1,80}(?='(?!\w))"
    ),
    "name": re.compile(r"\b[A-Z][\w-]*(?: [A-Z][\w-]*)*"),
    "item": re.compile(r"(?<=\n)[ \t]*(?:[-*•]|\w{1,2}[.:)])[ \t]+[^\n]{1,80}"),
    "word": re.compile(r"[^\W\d_][\w'-]*"),
}
_MARK = re.compile(r"\A\s*(?:[-*•]|\w{1,2}[.:)])\s+")
_MOST = 60  # of a kind, in a prompt
_WRONG = 30  # spans of a prompt that are not the answer, to learn from


class Span(NamedTuple):
    """A span of a prompt, and what is seen of it."""

    text: str
    features: list[str]


def spans(prompt: str) -> list[Span]:
    """Return the spans of a prompt, with its features.

    Those are the kind, the index from either end among the spans of its kind, the rank by length,
    how often it occurs, the words beside it, and the first words of the prompt. Which value or
    which word comes first in order is left out: a task may be to find that.

    Example:
        >>> [span.text for span in spans("Take the 7.")]
        ['7', 'Take', 'Take', 'the']
    """
    found = []
    opening = " ".join(prompt.split()[:2])
    for kind, pattern in _KINDS.items():
        matches = list(pattern.finditer(prompt))[:_MOST]
        texts = [_MARK.sub("", match[0]) if kind == "item" else match[0] for match in matches]
        counts, lengths = Counter(texts), sorted({len(text) for text in texts})
        for index, (match, text) in enumerate(zip(matches, texts, strict=True)):
            places = [f"index={index}", f"last={len(texts) - 1 - index}"]
            facts = [
                *places,
                f"count={counts[text]}",
                f"longer={lengths[::-1].index(len(text))}",
                f"shorter={lengths.index(len(text))}",
                f"length={len(text).bit_length()}",
                f"before={' '.join(prompt[: match.start()].split()[-1:])}",
                f"after={' '.join(prompt[match.end() :].split(None, 1)[:1])}",
            ]
            features = [f"{kind} {fact}" for fact in ("", *facts)]
            found.append(Span(text, [*features, *(f"{opening} {kind} {p}" for p in places)]))
    return found


class SpanRanker:
    """A model that chooses the span of a prompt that is likeliest to be the answer.

    Args:
        prompts: The prompts to fit, at least one of which has its answer as a span.
        answers: The answer of each.
    """

    def __init__(self, prompts: Sequence[str], answers: Sequence[str]) -> None:
        rows: list[list[str]] = []
        right: list[int] = []
        rng = random.Random(0)
        for prompt, answer in zip(prompts, answers, strict=True):
            found = spans(prompt)
            hits = [span for span in found if span.text.casefold() == answer.casefold()]
            others = [span for span in found if span.text.casefold() != answer.casefold()]
            if hits:
                chosen = hits + rng.sample(others, min(_WRONG, len(others)))
                rows += [span.features for span in chosen]
                right += [1] * len(hits) + [0] * (len(chosen) - len(hits))
        self._model = Model("logit", self._vectors(rows), right)

    def best(self, prompt: str) -> str:
        """Return the text of the best span; "" if there are no spans."""
        found = spans(prompt)
        if not found:
            return ""
        scores = self._model.scores(self._vectors([span.features for span in found]))
        return found[int(scores.argmax())].text

    def _vectors(self, rows: Sequence[Sequence[str]]) -> Any:
        hasher = library("sklearn.feature_extraction").FeatureHasher(_FEATURES, input_type="string")
        return hasher.transform([[_clean(item) for item in row] for row in rows])


def _clean(text: str) -> str:
    return text.encode("utf-8", "replace").decode("utf-8")
