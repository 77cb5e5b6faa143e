"""Search: questions about an invented archive, see `env`."""

from textgym.envs.search.search_env import Search

__all__ = ["Search"]
