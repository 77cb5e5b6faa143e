"""MultiIntent: several office requests at once, see `env`."""

from textgym.envs.multi_intent.env import MultiIntent

__all__ = ["MultiIntent"]
