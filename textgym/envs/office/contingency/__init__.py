"""A coach company's desk, where only what the tools return decides what is to be done."""

from textgym.envs.office.contingency.contingency_env import Contingency

__all__ = ["Contingency"]
