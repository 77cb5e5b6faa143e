"""Wrappers that change the reward; each has a reward component.

`costs` reduces the reward and measures texts; `shaping` adds bonuses and reshapes the whole reward.
"""

from textgym.wrappers.rewards.costs import (
    LengthPenalty,
    RepetitionPenalty,
    SoftOverlongPunishment,
    StepPenalty,
    ToolErrorPenalty,
)
from textgym.wrappers.rewards.shaping import (
    ClipReturn,
    EfficiencyBonus,
    FormatBonus,
    PotentialShaping,
    WeightedComponents,
)

__all__ = [
    "ClipReturn",
    "EfficiencyBonus",
    "FormatBonus",
    "LengthPenalty",
    "PotentialShaping",
    "RepetitionPenalty",
    "SoftOverlongPunishment",
    "StepPenalty",
    "ToolErrorPenalty",
    "WeightedComponents",
]
