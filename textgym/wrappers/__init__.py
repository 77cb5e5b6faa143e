"""Wrappers: `gymnasium.Wrapper`s for environments whose observations are conversations.

- `base`: the base classes, for wrappers of one's own too.
- `costs`, `bonuses`, `shaping`: wrappers that change the reward.
- `curriculum`: a wrapper that chooses the level of the tasks.
- `specs`: wrappers given as text, for commands and stored runs.

Each takes its arguments by name and records them in the spec. What changes in an episode is
saved by `textgym.get_state`.
"""

from textgym.wrappers.base import MessageWrapper, RewardWrapper
from textgym.wrappers.bonuses import EfficiencyBonus, FormatBonus
from textgym.wrappers.costs import (
    LengthPenalty,
    RepetitionPenalty,
    SoftOverlongPunishment,
    StepPenalty,
    ToolErrorPenalty,
)
from textgym.wrappers.curriculum import LevelCurriculum
from textgym.wrappers.shaping import ClipReturn, PotentialShaping, WeightedComponents

__all__ = [
    "ClipReturn",
    "EfficiencyBonus",
    "FormatBonus",
    "LengthPenalty",
    "LevelCurriculum",
    "MessageWrapper",
    "PotentialShaping",
    "RepetitionPenalty",
    "RewardWrapper",
    "SoftOverlongPunishment",
    "StepPenalty",
    "ToolErrorPenalty",
    "WeightedComponents",
]
