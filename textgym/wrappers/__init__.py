"""Wrappers: `gymnasium.Wrapper`s for environments whose observations are conversations.

- `base`: the base classes, for wrappers of one's own too.
- `rewards`: wrappers that change the reward.
- `conversations`: wrappers that change the conversation.
- `specs`: wrappers given as text, for commands and stored runs.

Each takes its arguments by name and records them in the spec. What changes in an episode is
saved by `textgym.get_state`.
"""

from textgym.wrappers.base import MessageWrapper, RewardWrapper
from textgym.wrappers.conversations import (
    ContextWindow,
    ExtraTools,
    FewShot,
    Retry,
    SimulatedUser,
    SystemPrompt,
    TokenBudget,
    TurnBudget,
)
from textgym.wrappers.rewards import (
    ClipReturn,
    EfficiencyBonus,
    FormatBonus,
    LengthPenalty,
    PotentialShaping,
    RepetitionPenalty,
    SoftOverlongPunishment,
    StepPenalty,
    ToolErrorPenalty,
    WeightedComponents,
)

__all__ = [
    "ClipReturn",
    "ContextWindow",
    "EfficiencyBonus",
    "ExtraTools",
    "FewShot",
    "FormatBonus",
    "LengthPenalty",
    "MessageWrapper",
    "PotentialShaping",
    "RepetitionPenalty",
    "Retry",
    "RewardWrapper",
    "SimulatedUser",
    "SoftOverlongPunishment",
    "StepPenalty",
    "SystemPrompt",
    "TokenBudget",
    "ToolErrorPenalty",
    "TurnBudget",
    "WeightedComponents",
]
