"""The advantage estimator `textgym_grpo`: GRPO's, without the episodes that failed.

verl's legacy trainer has no sample without a reward. A sample whose mask is 0 everywhere is such a
one: it is left out of its group, so that its score does not count in the group's mean.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from textgym.trajectories.advantages import dr_grpo, grpo

__all__ = ["group_advantages", "textgym_grpo"]


def group_advantages(
    scores: Sequence[float], groups: Sequence[Any], trained: Sequence[bool], *, by_std: bool
) -> list[float]:
    """Return the advantage of each sample in its group; 0 for those that are not trained on.

    Args:
        scores: The return of each sample.
        groups: The group of each sample.
        trained: Whether the sample has trained tokens.
        by_std: Whether advantages are divided by the standard deviation of the group.

    Example:
        >>> group_advantages([1, 0, 0], "aaa", [True, True, False], by_std=False)
        [0.5, -0.5, 0.0]
    """
    members = defaultdict(list)
    for place, (group, counts) in enumerate(zip(groups, trained, strict=True)):
        if counts:
            members[group].append(place)
    advantages = np.zeros(len(scores))
    for places in members.values():
        mine = np.array([scores[place] for place in places], float)
        advantages[places] = (grpo if by_std else dr_grpo)(mine)
    found: list[float] = advantages.tolist()
    return found


def textgym_grpo(
    token_level_rewards: Any,
    response_mask: Any,
    index: Any,
    norm_adv_by_std_in_grpo: bool = True,
    config: Mapping[str, Any] | None = None,
    **kwargs: Any,
) -> tuple[Any, Any]:
    """Return advantages and returns as verl's estimators do; see `register_adv_est` of verl.

    Args:
        token_level_rewards: The rewards by sample and token.
        response_mask: 1 for each sampled token.
        index: The group of each sample.
        norm_adv_by_std_in_grpo: Whether advantages are divided by the standard deviation.
        config: verl's configuration of the algorithm, which is not used.
        **kwargs: What verl passes to other estimators.
    """
    import torch

    with torch.no_grad():
        values = group_advantages(
            token_level_rewards.sum(dim=-1).tolist(),
            list(index),
            response_mask.any(dim=-1).tolist(),
            by_std=norm_adv_by_std_in_grpo,
        )
        column = token_level_rewards.new_tensor(values).unsqueeze(-1)
        advantages = column * response_mask
    return advantages, advantages
