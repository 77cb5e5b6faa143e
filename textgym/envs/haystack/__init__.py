"""`textgym/Haystack-v0`: find what is asked for in a long document."""

from textgym.envs.haystack.haystack_env import Haystack

__all__ = ["Haystack"]
