"""Wrappers: `gymnasium.Wrapper`s for environments whose observations are conversations.

- `base`: the base classes, including those for user-supplied wrappers.
- `rewards`: wrappers that change the reward.
- `conversations`: wrappers that change the conversation.
- `curriculum`: a wrapper that chooses the level of the tasks.
- `interfaces`: wrappers for programs without messages.
- `recording`: a wrapper that writes the files of a rollout.
- `specs`: wrappers as text, for commands and stored runs.

A wrapper takes its arguments by name and records them in the spec. `textgym.get_state` saves its
state.
"""

from textgym.wrappers.base import MessageWrapper, RewardWrapper
from textgym.wrappers.conversations.budgets import ContextWindow, TokenBudget, TurnBudget
from textgym.wrappers.conversations.extra_tools import ExtraTools
from textgym.wrappers.conversations.prompts import FewShot, SystemPrompt
from textgym.wrappers.conversations.python_tool import PythonTool
from textgym.wrappers.conversations.retry import Retry
from textgym.wrappers.conversations.simulated_user import SimulatedUser
from textgym.wrappers.curriculum import LevelCurriculum
from textgym.wrappers.interfaces import FlattenConversation, TokenIds
from textgym.wrappers.recording import RecordTrajectories
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
    "ClipReturn", "ContextWindow", "EfficiencyBonus", "ExtraTools", "FewShot",
    "FlattenConversation", "FormatBonus", "LengthPenalty", "LevelCurriculum", "MessageWrapper",
    "PotentialShaping", "PythonTool", "RecordTrajectories", "RepetitionPenalty", "Retry",
    "RewardWrapper", "SimulatedUser", "SoftOverlongPunishment", "StepPenalty", "SystemPrompt",
    "TokenBudget", "TokenIds", "ToolErrorPenalty", "TurnBudget", "WeightedComponents",
]  # fmt: skip
