"""Wrappers that change the conversation.

`retry`, `extra_tools` and `simulated_user` add turns, `prompts` adds text, and `budgets` shows what
is left of a budget or leaves turns out.
"""

from textgym.wrappers.conversations.budgets import ContextWindow, TokenBudget, TurnBudget
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
