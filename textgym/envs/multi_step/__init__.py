"""Collecting values with several tool calls: the environment and its vocabulary."""

from textgym.envs.multi_step.env import MultiStep

__all__ = ["MultiStep"]
