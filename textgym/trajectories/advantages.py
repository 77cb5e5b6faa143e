"""Advantages: an episode's reward relative to the rewards of its group.

A group consists of the episodes of one task. In a group of one episode, or of equal rewards, every
advantage is exactly 0: there is nothing to learn from it.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

__all__ = ["ADVANTAGES", "dr_grpo", "grpo", "rloo"]

Array = np.ndarray[Any, np.dtype[Any]]

_EPSILON = 1e-6  # avoids a division by a very small number


def grpo(rewards: Array) -> Array:
    """Return (reward - mean) / (std + 1e-6), with the sample standard deviation.

    Shao et al. 2024, https://arxiv.org/abs/2402.03300.

    Example:
        >>> grpo(np.array([1.0, 0.0])).round(3).tolist()
        [0.707, -0.707]
    """
    centred = dr_grpo(rewards)
    return centred / (rewards.std(ddof=1) + _EPSILON) if centred.any() else centred


def dr_grpo(rewards: Array) -> Array:
    """Return reward - mean, so that a group with small differences has little weight.

    Liu et al. 2025, https://arxiv.org/abs/2503.20783.

    Example:
        >>> dr_grpo(np.array([1.0, 0.0, 0.5])).tolist()
        [0.5, -0.5, 0.0]
    """
    if rewards.min() == rewards.max():
        return np.zeros(len(rewards))
    centred: Array = rewards - rewards.mean()
    return centred


def rloo(rewards: Array) -> Array:
    """Return the reward minus the mean of the other rewards ("leave one out").

    Kool et al. 2019, https://openreview.net/forum?id=r1lgTGL5DE; for language models Ahmadian et
    al. 2024, https://arxiv.org/abs/2402.14740.

    Example:
        >>> rloo(np.array([1.0, 0.0, 0.5])).tolist()
        [0.75, -0.75, 0.0]
    """
    count = len(rewards)
    return dr_grpo(rewards) * count / max(count - 1, 1)


ADVANTAGES: dict[str, Callable[[Array], Array]] = {"grpo": grpo, "dr_grpo": dr_grpo, "rloo": rloo}
