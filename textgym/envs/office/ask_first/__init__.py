"""AskFirst: office requests in which something may be missing, see `env`."""

from textgym.envs.office.ask_first.ask_first_env import AskFirst

__all__ = ["AskFirst"]
