"""`TextEnv`, the base class of every environment, and `PartialCreditEnv`, which pays on the way."""

from textgym.env.partial_credit import PartialCreditEnv, share_done
from textgym.env.text_env import TextEnv

__all__ = ["PartialCreditEnv", "TextEnv", "share_done"]
