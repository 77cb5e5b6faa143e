"""Questions about drawn pictures: the environment, its rows, its kinds, and the drawing."""

from textgym.envs.pictures.pictures_env import Pictures

__all__ = ["Pictures"]
