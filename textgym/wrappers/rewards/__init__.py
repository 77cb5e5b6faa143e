"""Wrappers that change the reward, each under the name of a component of its own.

`costs` take reward away and measure what a policy wrote; `shaping` adds bonuses and reshapes the
whole reward.
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
