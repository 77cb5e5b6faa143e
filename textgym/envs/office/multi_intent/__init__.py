"""MultiIntent: several office requests at once, see `env`."""

from textgym.envs.office.multi_intent.multi_intent_env import MultiIntent

__all__ = ["MultiIntent"]
