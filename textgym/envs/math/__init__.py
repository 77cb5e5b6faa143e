"""Mathematical problems: the environment, its rows, and its generator (`families`)."""

from textgym.envs.math.math_env import Math

__all__ = ["Math"]
