"""Wrappers that change the reward, each under the name of a component of its own.

`costs` take reward away, `bonuses` pay more, `shaping` reshapes the whole reward.
`lengths` measures what a policy wrote.
"""

from textgym.wrappers.rewards.bonuses import EfficiencyBonus, FormatBonus
from textgym.wrappers.rewards.costs import (
    LengthPenalty,
    RepetitionPenalty,
    SoftOverlongPunishment,
    StepPenalty,
    ToolErrorPenalty,
)
from textgym.wrappers.rewards.shaping import ClipReturn, PotentialShaping, WeightedComponents

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
