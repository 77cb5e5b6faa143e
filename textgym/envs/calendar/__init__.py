"""A calendar kept through a dialogue: the environment, its rows, its solver and its generator."""

from textgym.envs.calendar.calendar_env import Calendar

__all__ = ["Calendar"]
