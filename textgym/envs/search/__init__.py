"""Search: questions about an invented archive, see `env`."""

from textgym.envs.search.env import Search

__all__ = ["Search"]
