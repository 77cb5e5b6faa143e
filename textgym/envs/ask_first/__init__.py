"""AskFirst: office requests in which something may be missing, see `env`."""

from textgym.envs.ask_first.env import AskFirst

__all__ = ["AskFirst"]
