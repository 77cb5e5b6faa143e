"""Advantages: an episode's reward relative to the rewards of its group.

A group consists of the episodes of one task. In a group of one episode, or of equal rewards, every
advantage is exactly 0, so nothing is learned from it: `rewards_differ` is False. Episodes that
failed have no reward and are in no group.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable, Mapping, Sequence
from typing import Any

import numpy as np

__all__ = [
    "ADVANTAGES", "dr_grpo", "gdpo", "group_advantages", "groups_differ", "grpo", "number_groups",
    "rewards_differ", "rloo", "turn_advantages",
]  # fmt: skip

Array = np.ndarray[Any, np.dtype[Any]]

_EPSILON = 1e-6  # avoids a division by a very small number


def number_groups(groups: Iterable[Hashable]) -> Array:
    """Return groups as numbers from 0, in the order in which they first appear.

    Example:
        >>> number_groups(["b", "a", "b"]).tolist()
        [0, 1, 0]
    """
    numbers: dict[Hashable, int] = {}
    return np.array([numbers.setdefault(group, len(numbers)) for group in groups], np.int64)


def group_advantages(groups: Array, rewards: Array, advantage: Callable[[Array], Array]) -> Array:
    """Return the advantage of each episode in its group.

    Args:
        groups: The number of each episode's group.
        rewards: The reward of each episode.
        advantage: Returns the advantages of one group, such as `grpo`.

    Example:
        >>> group_advantages(np.array([0, 1, 0]), np.array([1.0, 1.0, 0.0]), dr_grpo).tolist()
        [0.5, 0.0, -0.5]
    """
    order = np.argsort(groups, kind="stable")
    starts = np.flatnonzero(np.diff(groups[order])) + 1
    advantages = np.zeros(len(rewards))
    for members in np.split(order, starts):
        advantages[members] = advantage(rewards[members])
    return advantages


def turn_advantages(
    groups: Array, rewards: Sequence[Sequence[float]], advantage: Callable[[Array], Array]
) -> list[Array]:
    """Return the advantage of each turn of each episode in its group.

    The reward to go of turn k, the sum of the episode's rewards from turn k on, is compared with
    the rewards to go of turn k in the group. A reward before turn k does not count,
    because turn k cannot have caused it. With one turn, it is the advantage of the episode. At a
    position that only one episode of a group reaches, it is 0.

    Normalised returns of turns are due to Ding et al. 2025 (GTPO),
    https://arxiv.org/abs/2511.14846; here the discount is 1, and turns are compared with turns at
    the same position.

    Args:
        groups: The number of each episode's group.
        rewards: The rewards of each episode's turns.
        advantage: Returns the advantages of one group, such as `grpo`.

    Example:
        >>> both = turn_advantages(np.array([0, 0]), [[1.0, 1.0], [0.0, 1.0]], dr_grpo)
        >>> [turns.tolist() for turns in both]
        [[0.5, 0.0], [-0.5, 0.0]]
    """
    to_go = [np.cumsum(np.array(turns, float)[::-1])[::-1] for turns in rewards]
    advantages = [np.zeros(len(turns)) for turns in to_go]
    for turn in range(max(map(len, to_go), default=0)):
        members = [index for index, turns in enumerate(to_go) if turn < len(turns)]
        values = np.array([to_go[index][turn] for index in members])
        in_groups = group_advantages(groups[members], values, advantage)
        for index, value in zip(members, in_groups, strict=True):
            advantages[index][turn] = value
    return advantages


def gdpo(groups: Array, components: Mapping[str, Array], weights: Mapping[str, float]) -> Array:
    """Return advantages from rewards that are normalised one by one ("decoupled").

    Each component is normalised in its group as by `grpo`. The weighted sum of an episode is then
    divided by (std + 1e-6), with the sample standard deviation of the sums of all episodes. Their
    mean is 0 already. Different combinations of rewards with the same sum can thus have different
    advantages.

    Liu et al. 2026, https://arxiv.org/abs/2601.05242.

    Args:
        groups: The number of each episode's group.
        components: The rewards of each episode, by the name of the component; NaN in episodes
            without it, which then get nothing for it.
        weights: The weight of each component.

    Example:
        >>> right, short = np.array([1.0, 0.0, 0.0]), np.array([0.0, 4.0, 0.0])
        >>> rewards = {"right": right, "short": short}
        >>> gdpo(np.zeros(3, int), rewards, {"right": 1.0, "short": 1.0}).round(2).tolist()
        [0.58, 0.58, -1.15]
    """
    sums = np.zeros(len(groups))
    for name, weight in weights.items():
        known = ~np.isnan(components[name])
        sums[known] += weight * group_advantages(groups[known], components[name][known], grpo)
    return sums / (sums.std(ddof=1) + _EPSILON) if sums.any() else sums


def groups_differ(groups: Array, rewards: Array) -> Array:
    """Return for each group whether its rewards differ.

    Args:
        groups: The number of each episode's group, from 0; a number without episodes is False.
        rewards: The reward of each episode.

    Example:
        >>> groups_differ(np.array([0, 0, 1, 1, 2]), np.array([1.0, 0.0, 0.5, 0.5, 1.0])).tolist()
        [True, False, False]
    """
    count = groups.max(initial=-1) + 1
    lowest, highest = np.full(count, np.inf), np.full(count, -np.inf)
    np.minimum.at(lowest, groups, rewards)
    np.maximum.at(highest, groups, rewards)
    differ: Array = lowest < highest
    return differ


def rewards_differ(rewards: Iterable[float | None]) -> bool:
    """Return whether the rewards of a group differ, so that its advantages are not all 0.

    Args:
        rewards: The rewards. Those that are None, as for episodes that failed, do not count.

    Example:
        >>> rewards_differ([1.0, None, 0.0]), rewards_differ([1.0, None, 1.0]), rewards_differ([])
        (True, False, False)
    """
    known = np.array([reward for reward in rewards if reward is not None], float)
    return bool(groups_differ(np.zeros(len(known), int), known).any())


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
    if not rewards_differ(rewards):
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
