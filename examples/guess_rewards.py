"""Rewards for `textgym/GuessNumber-v0`: a sound one, and one that can be farmed."""

from __future__ import annotations

import math
import random
import re
from collections.abc import Sequence
from typing import Any

from textgym.messages import Message, assistant, text_of
from textgym.policies import Action, Policy
from textgym.verifiers.exact import read_number
from textgym.verifiers.extract import final_number
from textgym.wrappers import RewardWrapper

__all__ = ["GuessBonus", "ProgressReward", "known_share"]


def known_share(messages: Sequence[Message]) -> float:
    """Return what share of the information on the number the replies have given, from 0 to 1."""
    found = re.search(r"from 1 to (\d+)", text_of(messages[0]))
    highest = int(found[1]) if found else 1
    low, high = 1, highest
    for said, reply in zip(messages[1::2], messages[2::2], strict=False):
        guess = read_number(final_number(text_of(said)))
        if text_of(reply) == "higher":
            low = max(low, int(guess) + 1)
        elif text_of(reply) == "lower":
            high = min(high, int(guess) - 1)
    return 1 - math.log(high - low + 1, highest)


class ProgressReward(RewardWrapper):
    def __init__(self, env: Any, *, amount: float = 1.0, name: str = "progress") -> None:
        super().__init__(env, name=name, amount=amount)
        self._amount = amount

    def begin(self) -> dict[str, Any]:
        return {"share": 0.0}

    def payment(self, action: Message | str, result: Any) -> float:
        share = 1.0 if result[4].get("is_success") else known_share(result[0])
        before: float = self.state["share"]
        self.state = {"share": share}
        return self._amount * (share - before)


class GuessBonus(RewardWrapper):
    def __init__(self, env: Any, *, amount: float = 0.5, name: str = "guess_bonus") -> None:
        super().__init__(env, name=name, amount=amount)
        self._amount = amount

    def payment(self, action: Message | str, result: Any) -> float:
        text = action if isinstance(action, str) else text_of(action)
        return self._amount if final_number(text) else 0.0


class AnyDigit(Policy):
    async def act(self, messages: Any, tools: Any, *, prior: Any = None, seed: Any = None) -> Action:
        return Action(assistant(str(random.Random(seed).randint(1, 20))))
