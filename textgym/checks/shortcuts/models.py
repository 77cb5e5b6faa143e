"""Models of the surface of prompts, made of those of scikit-learn, which is imported on first use.

They run in one thread: with more, they wait for each other on a busy machine.
"""

from __future__ import annotations

import importlib
import warnings
from collections import Counter
from collections.abc import Sequence
from typing import Any

from textgym.errors import ExtraMissingError, install_advice

__all__ = ["Classifier", "Model", "Neighbours", "library"]


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
        """Return how likely each row is to be of the second of two classes, as log odds."""
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
