"""Collecting values with several tool calls: the environment and its vocabulary."""

from textgym.envs.multi_step.multi_step_env import MultiStep

__all__ = ["MultiStep"]
