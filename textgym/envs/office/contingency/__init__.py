"""A coach company's desk, where the tools' results decide what has to be done."""

from textgym.envs.office.contingency.contingency_env import Contingency

__all__ = ["Contingency"]
