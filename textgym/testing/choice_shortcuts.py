"""How often multiple-choice questions can be answered without understanding them.

Two small models are fitted to surface features of some questions and evaluated on others: a
conditional logit, which is linear in the features, and boosted trees, which combine features. If
either does better than chance, the right options have a shortcut: something else sets them apart. A
policy trained on such questions may learn the shortcut instead of the task.

Both models score the options of a question and maximise the likelihood of the right ones under a
softmax over the scores. They are deterministic.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any, Protocol

import numpy as np

from textgym.testing.choice_features import Array, Choice, surface

__all__ = ["BoostedTrees", "Choice", "ConditionalLogit", "Scorer", "shortcut_accuracy"]


class Scorer(Protocol):
    """A model that scores the options of questions by their features."""

    def fit(self, features: Array, right: Any) -> None:
        """Fit features of shape (questions, options, features) to the indices of right options."""

    def score(self, features: Array) -> Array:
        """Return a score of each option."""


def shortcut_accuracy(train: Sequence[Choice], test: Sequence[Choice]) -> dict[str, float]:
    """Return the accuracy of each model on test questions.

    Args:
        train: Questions to fit, all with the same number of options; a thousand or more.
        test: Questions to answer.

    Returns:
        The accuracy of the models `logit` and `trees`, from 0 to 1.

    Example:
        >>> import random
        >>> def longest_is_right(rng):
        ...     words = ["a" * rng.randrange(1, 9) for _ in range(3)]
        ...     return Choice("Which?", (*words, "a" * 9), 3)
        >>> rng = random.Random(0)
        >>> choices = [longest_is_right(rng) for _ in range(200)]
        >>> shortcut_accuracy(choices[:100], choices[100:])
        {'logit': 1.0, 'trees': 1.0}
    """
    models: dict[str, Scorer] = {"logit": ConditionalLogit(), "trees": BoostedTrees()}
    train_features, test_features = surface(train), surface(test)
    train_right, test_right = (
        np.array([choice.right for choice in choices]) for choices in (train, test)
    )
    found = {}
    for name, model in models.items():
        model.fit(train_features, train_right)
        found[name] = float((model.score(test_features).argmax(1) == test_right).mean())
    return found


def _softmax(scores: Array) -> Array:
    powers = np.exp(scores - scores.max(1, keepdims=True))
    return np.asarray(powers / powers.sum(1, keepdims=True))


@dataclass
class ConditionalLogit:
    """A linear score of an option's features, fitted with Adam.

    Attributes:
        penalty: The strength of the L2 penalty.
        steps: The number of gradient steps.
    """

    penalty: float = 0.003
    steps: int = 120

    def fit(self, features: Array, right: Any) -> None:
        """Fit the weights."""
        self._mean, self._spread = features.mean((0, 1)), features.std((0, 1)) + 1e-9
        scaled = self._scaled(features)
        target = np.eye(features.shape[1])[right]
        chosen = np.einsum("qo,qof->f", target, scaled)
        weights, slope, square = (np.zeros(features.shape[2]) for _ in range(3))
        for step in range(1, self.steps + 1):
            expected = np.einsum("qo,qof->f", _softmax(scaled @ weights), scaled)
            gradient = (expected - chosen) / len(features) + self.penalty * weights
            slope = 0.9 * slope + 0.1 * gradient
            square = 0.99 * square + 0.01 * gradient**2
            size = np.sqrt(square / (1 - 0.99**step)) + 1e-8
            weights -= 0.05 * slope / (1 - 0.9**step) / size
        self._weights = weights

    def score(self, features: Array) -> Array:
        """Return the scores."""
        return np.asarray(self._scaled(features) @ self._weights)

    def _scaled(self, features: Array) -> Array:
        return np.asarray(np.clip((features - self._mean) / self._spread, -4, 4))


@dataclass
class BoostedTrees:
    """Gradient boosting with oblivious trees.

    All nodes of one depth share a split (a feature and a threshold), chosen among a random subset
    of the features.

    Attributes:
        trees: The number of trees.
        depth: The depth of a tree.
        rate: The learning rate.
        bins: The number of bins that a feature is divided into.
        part: The share of the features that a tree may use.
        penalty: The L2 penalty of the values of leaves.
    """

    trees: int = 60
    depth: int = 4
    rate: float = 0.2
    bins: int = 16
    part: float = 0.3
    penalty: float = 5.0
    _forest: list[tuple[list[tuple[int, int]], Array]] = field(default_factory=list, repr=False)

    def fit(self, features: Array, right: Any) -> None:
        """Fit the trees."""
        shares = np.linspace(0, 1, self.bins + 1)[1:-1]
        flat = features.reshape(-1, features.shape[2])
        self._thresholds = np.quantile(flat, shares, axis=0, method="nearest")
        binned = self._binned(features)
        useful = np.flatnonzero(binned.min(0) < binned.max(0))
        rng, target = np.random.default_rng(0), np.eye(features.shape[1])[right].ravel()
        scores, self._forest = np.zeros(len(flat)), []
        for _ in range(self.trees):
            chance = _softmax(scores.reshape(features.shape[:2])).ravel()
            candidates = rng.choice(useful, max(1, int(len(useful) * self.part)), replace=False)
            splits, leaves = self._grow(binned, candidates, target - chance, chance * (1 - chance))
            self._forest.append((splits, leaves))
            scores += leaves[_leaf(binned, splits)]

    def score(self, features: Array) -> Array:
        """Return the scores."""
        binned = self._binned(features)
        scores = sum(leaves[_leaf(binned, splits)] for splits, leaves in self._forest)
        return np.asarray(scores).reshape(features.shape[:2])

    def _binned(self, features: Array) -> Any:
        """Return the bin of each option for each feature."""
        flat = features.reshape(-1, features.shape[2])
        return np.stack(
            [
                np.searchsorted(np.sort(self._thresholds[:, i]), flat[:, i])
                for i in range(flat.shape[1])
            ],
            axis=1,
        )

    def _grow(
        self, binned: Any, candidates: Any, gradient: Array, weight: Array
    ) -> tuple[list[tuple[int, int]], Array]:
        """Return the splits of one tree and the values of its leaves."""
        splits: list[tuple[int, int]] = []
        for _ in range(self.depth):
            leaf = _leaf(binned, splits) * self.bins
            gains = [self._gain(leaf + binned[:, i], gradient, weight) for i in candidates]
            best = int(np.argmax([gain.max() for gain in gains]))
            splits.append((int(candidates[best]), int(gains[best].argmax())))
        leaf, count = _leaf(binned, splits), 2**self.depth
        total, mass = np.bincount(leaf, gradient, count), np.bincount(leaf, weight, count)
        return splits, self.rate * total / (mass + self.penalty)

    def _gain(self, cell: Any, gradient: Array, weight: Array) -> Array:
        """Return the gain of each threshold of a feature."""
        count = (cell.max() // self.bins + 1) * self.bins
        sums = [
            np.bincount(cell, values, count).reshape(-1, self.bins).cumsum(1)
            for values in (gradient, weight)
        ]
        under, under_mass = (total[:, :-1] for total in sums)
        over, over_mass = (total[:, -1:] - total[:, :-1] for total in sums)
        gain = under**2 / (under_mass + self.penalty) + over**2 / (over_mass + self.penalty)
        return np.asarray(gain.sum(0))


def _leaf(binned: Any, splits: list[tuple[int, int]]) -> Any:
    """Return the leaf of each option."""
    leaf = np.zeros(len(binned), dtype=int)
    for feature, threshold in splits:
        leaf = 2 * leaf + (binned[:, feature] > threshold)
    return leaf
