"""How well models that are fitted to the surface of questions answer other questions."""

from __future__ import annotations

from collections.abc import Sequence

from textgym.checks.shortcuts.choices import Choice, OptionScorer, surface


def shortcut_accuracy(train: Sequence[Choice], test: Sequence[Choice]) -> dict[str, float]:
    """Return the accuracy of each model on test questions.

    Args:
        train: Questions to fit, all with the same number of options; a thousand or more.
        test: Questions to answer.

    Returns:
        The accuracy of the models `logit` and `trees`, from 0 to 1.

    Raises:
        ExtraMissingError: The extra `audit` is not installed.

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
    fitted, right = [choice.right for choice in train], [choice.right for choice in test]
    features, tested = surface(train), surface(test)
    return {
        kind: float((OptionScorer(kind, features, fitted).best(tested) == right).mean())
        for kind in ("logit", "trees")
    }
