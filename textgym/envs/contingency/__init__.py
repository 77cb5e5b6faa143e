"""A coach company's desk, where only what the tools return decides what is to be done."""

from textgym.envs.contingency.env import Contingency

__all__ = ["Contingency"]
