"""Wrappers that change the conversation.

`retry`, `extra_tools` and `simulated_user` add turns; `prompts` and `budgets` add text;
`context_window` leaves turns out. `calculator` is a tool for `extra_tools`.
"""

from textgym.wrappers.conversations.budgets import TokenBudget, TurnBudget
from textgym.wrappers.conversations.context_window import ContextWindow
from textgym.wrappers.conversations.extra_tools import ExtraTools
from textgym.wrappers.conversations.prompts import FewShot, SystemPrompt
from textgym.wrappers.conversations.retry import Retry
from textgym.wrappers.conversations.simulated_user import SimulatedUser

__all__ = [
    "ContextWindow",
    "ExtraTools",
    "FewShot",
    "Retry",
    "SimulatedUser",
    "SystemPrompt",
    "TokenBudget",
    "TurnBudget",
]
