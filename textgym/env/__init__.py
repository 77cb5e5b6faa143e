"""`TextEnv`, the base class of every environment."""

from textgym.env.text_env import TextEnv

__all__ = ["TextEnv"]
