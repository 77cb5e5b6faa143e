"""The workplace: the environment, its databases and tools, and its generator."""

from textgym.envs.workplace.env import WorkplaceAssistant

__all__ = ["WorkplaceAssistant"]
