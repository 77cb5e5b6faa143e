"""The workplace: the environment, its databases and tools, and its generator."""

from textgym.envs.office.workplace.workplace_env import WorkplaceAssistant

__all__ = ["WorkplaceAssistant"]
