"""Rewards for `textgym/GuessNumber-v0`: a sound one, and one that can be farmed."""

from __future__ import annotations

import itertools
import math
import re
from collections.abc import Sequence
from typing import Any

from textgym.errors import UsageError
from textgym.messages import Message, text_of
from textgym.verifiers.exact import read_number
from textgym.verifiers.extract import after_reasoning, final_number
from textgym.wrappers import RewardWrapper

__all__ = ["GuessBonus", "ProgressReward", "known_share"]


def known_share(messages: Sequence[Message]) -> float:
    """Return how much of the hidden number the replies have told, from 0 to 1.

    It is 0 while all N numbers are possible and 1 when a single one is left; between, it is
    1 - log(numbers that are left) / log(N). A reply that tells nothing new does not change it.

    Args:
        messages: The conversation.

    Raises:
        UsageError: It is not the conversation of a game.

    Example:
        >>> prompt = {"role": "user", "content": "a whole number from 1 to 4"}
        >>> guess = {"role": "assistant", "content": "2"}
        >>> known_share([prompt, guess, {"role": "user", "content": "lower"}])
        1.0
    """
    prompt = next((text_of(message) for message in messages if message["role"] == "user"), "")
    found = re.search(r"whole number from 1 to (\d+)", prompt)
    if found is None:
        raise UsageError(f"this is not the prompt of a guessing game: {prompt!r:.100}")
    low, high = 1, int(found[1])
    for said, reply in itertools.pairwise(messages):
        told = text_of(reply) if (said["role"], reply["role"]) == ("assistant", "user") else ""
        guess = read_number(final_number(after_reasoning(text_of(said))))
        if told == "higher" and guess is not None:
            low = max(low, int(guess) + 1)
        elif told == "lower" and guess is not None:
            high = min(high, int(guess) - 1)
    return 1 - math.log(high - low + 1) / math.log(int(found[1])) if low < high else 1.0


class ProgressReward(RewardWrapper):
    """Pays for what a guess finds out, and the rest of the amount for finding the number.

    The reward of a step is the increase of `known_share`, times the amount. So an episode earns at
    most the amount, and exactly the amount if it succeeds. Guesses without news earn nothing.

    Args:
        env: A game of `textgym/GuessNumber-v0` with feedback.
        amount: The return of a success.
        name: The name of the reward component.
    """

    def __init__(self, env: Any, *, amount: float = 1.0, name: str = "progress") -> None:
        super().__init__(env, name=name, amount=amount)
        self._amount = amount

    def begin(self) -> dict[str, Any]:
        """Return the state in which nothing is known."""
        return {"known": 0.0}

    def payment(self, action: Message | str, result: Any) -> float:
        """Return the amount for what this step has found out."""
        before: float = self.state["known"]
        known = 1.0 if result[4].get("is_success") else known_share(result[0])
        self.state = {"known": known}
        return self._amount * (known - before)


class GuessBonus(RewardWrapper):
    """Pays for every message with a number. This is a mistake: it can be farmed.

    It is meant to teach the form of an answer. But numbers out of range earn it too, and end no
    game, so that the bonus for all turns can exceed what is lost by never finding the number.

    Args:
        env: The environment.
        amount: The bonus.
        name: The name of the reward component.
    """

    def __init__(self, env: Any, *, amount: float = 0.5, name: str = "guess_bonus") -> None:
        super().__init__(env, name=name, amount=amount)
        self._amount = amount

    def payment(self, action: Message | str, result: Any) -> float:
        """Return the bonus for a message with a number."""
        text = action if isinstance(action, str) else text_of(action)
        return self._amount if final_number(text) else 0.0
