"""Models of the surface of prompts, made with scikit-learn, which is imported on first use.

`Classifier` and `Neighbours` see the words of a prompt. `SpanRanker` chooses a span of it by its
place and kind. They run in one thread: with more, they wait for each other on a busy machine.
"""

from __future__ import annotations

import importlib
import random
import re
import warnings
from collections import Counter
from collections.abc import Sequence
from typing import Any, NamedTuple

from textgym.errors import ExtraMissingError, install_advice

__all__ = ["Classifier", "Model", "Neighbours", "SpanRanker", "library", "spans"]


def library(name: str) -> Any:
    """Import a module of scikit-learn, or one that comes with it.

    Raises:
        ExtraMissingError: The extra `audit` is not installed.
    """
    try:
        return importlib.import_module(name)
    except ModuleNotFoundError as error:
        raise ExtraMissingError(
            f"learned shortcuts need the extra 'audit': {install_advice('audit')}"
        ) from error


class Model:
    """A classifier that is fitted to rows. It is deterministic.

    Args:
        kind: `logit`, which is linear, or `trees`, which combines features.
        features: Numbers of shape (rows, features); for `logit` they may be sparse.
        targets: The class of each row, of two or more classes.

    Raises:
        ExtraMissingError: The extra `audit` is not installed.
    """

    def __init__(self, kind: str, features: Any, targets: Any) -> None:
        if kind == "logit":
            model = library("sklearn.linear_model").LogisticRegression(C=0.1, max_iter=200)
        else:
            model = library("sklearn.ensemble").HistGradientBoostingClassifier(
                max_leaf_nodes=16,
                max_features=0.3,
                l2_regularization=5.0,
                early_stopping=False,
                random_state=0,
            )
        self._threads = library("threadpoolctl").ThreadpoolController()
        with self._threads.limit(limits=1), warnings.catch_warnings():
            warnings.simplefilter("ignore")  # a fit that is stopped early can attack as well
            self._model = model.fit(features, targets)

    def scores(self, features: Any) -> Any:
        """Return the log odds that each row belongs to the second of two classes."""
        with self._threads.limit(limits=1):
            return self._model.decision_function(features)

    def classes(self, features: Any) -> Any:
        """Return the likeliest class of each row."""
        with self._threads.limit(limits=1):
            return self._model.predict(features)


_FEATURES = 2**13


def _vectors(texts: Sequence[str]) -> Any:
    """Return the hashed words and pairs of words of texts, and their lengths, as sparse rows."""
    vectorizer = library("sklearn.feature_extraction.text").HashingVectorizer(
        n_features=_FEATURES, ngram_range=(1, 2), token_pattern=r"\w+|[^\w\s]"
    )
    return vectorizer.transform(
        [
            f"{text} LENGTH{len(text).bit_length()} WORDS{len(text.split()) // 5}"
            for text in map(_clean, texts)
        ]
    )


def _clean(text: str) -> str:
    return text.encode("utf-8", "replace").decode("utf-8")


class Classifier:
    """A linear classifier of texts.

    Args:
        texts: The texts to fit.
        targets: The class of each; two or more classes.
    """

    def __init__(self, texts: Sequence[str], targets: Sequence[int]) -> None:
        common = Counter(targets).most_common(1)[0][0]
        assert len({*targets}) > 1, f"all texts are of the class {common}"
        self._model = Model("logit", _vectors(texts), targets)

    def best(self, text: str) -> int:
        """Return the likeliest class of a text."""
        return int(self._model.classes(_vectors([text]))[0])


class Neighbours:
    """Texts by their similarity, the cosine of their words."""

    def __init__(self, texts: Sequence[str]) -> None:
        self._vectors = _vectors(texts)

    def nearest(self, text: str) -> int:
        """Return the index of the most similar text."""
        return int((self._vectors @ _vectors([text]).T).toarray().argmax())


_SPAN_FEATURES = 2**14
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
    """A span of a prompt, and its features."""

    text: str
    features: list[str]


def spans(prompt: str) -> list[Span]:
    """Return the spans of a prompt.

    The features of a span are its kind, its index from either end among the spans of its kind, its
    rank by length, its frequency, the words beside it, and the first words of the prompt. The order
    of values and words is left out, because finding it may be the task.

    Example:
        >>> [span.text for span in spans("Take the 7.")]
        ['7', 'Take', 'Take', 'the']
    """
    listed = []
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
            listed.append(Span(text, [*features, *(f"{opening} {kind} {p}" for p in places)]))
    return listed


class SpanRanker:
    """A model that chooses the span of a prompt that is likeliest to be the answer.

    Args:
        prompts: The prompts to fit. At least one of them has its answer as a span.
        answers: The answer of each.
    """

    def __init__(self, prompts: Sequence[str], answers: Sequence[str]) -> None:
        rows: list[list[str]] = []
        right: list[int] = []
        rng = random.Random(0)
        for prompt, answer in zip(prompts, answers, strict=True):
            listed = spans(prompt)
            hits = [span for span in listed if span.text.casefold() == answer.casefold()]
            others = [span for span in listed if span.text.casefold() != answer.casefold()]
            if hits:
                chosen = hits + rng.sample(others, min(_WRONG, len(others)))
                rows += [span.features for span in chosen]
                right += [1] * len(hits) + [0] * (len(chosen) - len(hits))
        self._model = Model("logit", self._vectors(rows), right)

    def best(self, prompt: str) -> str:
        """Return the text of the best span, or "" if there are no spans."""
        listed = spans(prompt)
        if not listed:
            return ""
        scores = self._model.scores(self._vectors([span.features for span in listed]))
        return listed[int(scores.argmax())].text

    def _vectors(self, rows: Sequence[Sequence[str]]) -> Any:
        hasher = library("sklearn.feature_extraction").FeatureHasher(
            _SPAN_FEATURES, input_type="string"
        )
        return hasher.transform([list(map(_clean, row)) for row in rows])
