"""How often multiple-choice questions can be answered without being understood.

Two small models are fitted to the surface of some questions and tried on others: a conditional
logit, which weighs each feature, and boosted trees, which combine a few. Where either does better
than chance, something about the right option other than being right gives it away, and a policy
that is trained on such questions may learn that instead of the task.

Both models score the options of a question, and are fitted to the likelihood of the right ones
under a softmax over these scores. The same questions give the same models.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any, Protocol

import numpy as np

from textgym.testing.surface import Array, Choice, surface

__all__ = ["BoostedTrees", "Choice", "ConditionalLogit", "Scorer", "shortcut_accuracy"]


class Scorer(Protocol):
    """A model that scores the options of questions by their features."""

    def fit(self, features: Array, right: Any) -> None:
        """Fit features of shape (questions, options, features) and the right options' places."""

    def score(self, features: Array) -> Array:
        """Return a score for each option."""


def shortcut_accuracy(train: Sequence[Choice], test: Sequence[Choice]) -> dict[str, float]:
    """Return the share of test questions that each model answers after it saw the others.

    Args:
        train: Questions to fit, all with the same number of options; a thousand or more.
        test: Questions to answer.

    Returns:
        By the name of the model, `logit` and `trees`, a share from 0 to 1.

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
    seen, asked = surface(train), surface(test)
    seen_right, asked_right = (
        np.array([choice.right for choice in choices]) for choices in (train, test)
    )
    found = {}
    for name, model in models.items():
        model.fit(seen, seen_right)
        found[name] = float((model.score(asked).argmax(1) == asked_right).mean())
    return found


def _softmax(scores: Array) -> Array:
    powers = np.exp(scores - scores.max(1, keepdims=True))
    return np.asarray(powers / powers.sum(1, keepdims=True))


@dataclass
class ConditionalLogit:
    """A weighted sum of an option's features, fitted by gradient descent (Adam).

    Attributes:
        penalty: How much large weights cost.
        steps: How many steps of gradient descent.
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
        """Return the weighted sums."""
        return np.asarray(self._scaled(features) @ self._weights)

    def _scaled(self, features: Array) -> Array:
        return np.asarray(np.clip((features - self._mean) / self._spread, -4, 4))


@dataclass
class BoostedTrees:
    """A sum of small trees, each fitted to what the sum of those before it leaves.

    All nodes of one depth ask the same question (a feature and a limit), which a random part of
    the features compete for.

    Attributes:
        trees: How many trees.
        depth: How many questions each asks.
        rate: How much of each tree is added.
        bins: How many limits a feature has at most, plus one.
        part: The share of the features that compete for a tree.
        penalty: How much leaves with little data shrink.
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
        self._limits = np.quantile(flat, shares, axis=0, method="nearest")
        binned = self._binned(features)
        useful = np.flatnonzero(binned.min(0) < binned.max(0))
        rng, target = np.random.default_rng(0), np.eye(features.shape[1])[right].ravel()
        scores, self._forest = np.zeros(len(flat)), []
        for _ in range(self.trees):
            chance = _softmax(scores.reshape(features.shape[:2])).ravel()
            competing = rng.choice(useful, max(1, int(len(useful) * self.part)), replace=False)
            splits, leaves = self._grow(binned, competing, target - chance, chance * (1 - chance))
            self._forest.append((splits, leaves))
            scores += leaves[_leaf(binned, splits)]

    def score(self, features: Array) -> Array:
        """Return the sums."""
        binned = self._binned(features)
        scores = sum(leaves[_leaf(binned, splits)] for splits, leaves in self._forest)
        return np.asarray(scores).reshape(features.shape[:2])

    def _binned(self, features: Array) -> Any:
        """Return, of each option and feature, how many limits lie under it."""
        flat = features.reshape(-1, features.shape[2])
        return np.stack(
            [
                np.searchsorted(np.sort(self._limits[:, i]), flat[:, i])
                for i in range(flat.shape[1])
            ],
            axis=1,
        )

    def _grow(
        self, binned: Any, competing: Any, gradient: Array, weight: Array
    ) -> tuple[list[tuple[int, int]], Array]:
        """Return the questions of one tree, and what each of its leaves adds."""
        splits: list[tuple[int, int]] = []
        for _ in range(self.depth):
            leaf = _leaf(binned, splits) * self.bins
            gains = [self._gain(leaf + binned[:, i], gradient, weight) for i in competing]
            best = int(np.argmax([gain.max() for gain in gains]))
            splits.append((int(competing[best]), int(gains[best].argmax())))
        leaf, count = _leaf(binned, splits), 2**self.depth
        total, mass = np.bincount(leaf, gradient, count), np.bincount(leaf, weight, count)
        return splits, self.rate * total / (mass + self.penalty)

    def _gain(self, cell: Any, gradient: Array, weight: Array) -> Array:
        """Return how well each limit of a feature would split the leaves."""
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
    """Return the number of the leaf that each option falls into."""
    leaf = np.zeros(len(binned), dtype=int)
    for feature, limit in splits:
        leaf = 2 * leaf + (binned[:, feature] > limit)
    return leaf
