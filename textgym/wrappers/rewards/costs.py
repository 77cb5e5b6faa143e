"""Reward wrappers that take reward away: for steps, failed tool calls, length and repetition."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from textgym.errors import UsageError
from textgym.messages import Message, text_of
from textgym.wrappers.base import MessageEnv, RewardWrapper, StepResult, check_count
from textgym.wrappers.rewards.lengths import length_function, sampled_text

__all__ = [
    "LengthPenalty",
    "RepetitionPenalty",
    "SoftOverlongPunishment",
    "StepPenalty",
    "ToolErrorPenalty",
]


class StepPenalty(RewardWrapper):
    """Takes a fixed amount away at every step, so that shorter episodes pay more.

    Args:
        env: The environment.
        amount: What each step costs.
        name: The name of the reward component.

    Example:
        >>> import gymnasium, textgym
        >>> from textgym.wrappers import StepPenalty
        >>> env = StepPenalty(gymnasium.make("textgym/MCQA-v0"), amount=0.25)
        >>> observation, info = env.reset(seed=1)
        >>> _, reward, _, _, info = env.step(env.unwrapped.solve())
        >>> reward, info["task_reward"], info["reward_components"]["step_penalty"]
        (0.75, 1.0, -0.25)
    """

    def __init__(
        self, env: MessageEnv, *, amount: float = 0.01, name: str = "step_penalty"
    ) -> None:
        super().__init__(env, name=name, amount=amount)
        self._amount = self.checked_amount(amount)

    def payment(self, action: Message | str, result: StepResult) -> float:
        """Return the cost of a step."""
        return -self._amount


class ToolErrorPenalty(RewardWrapper):
    """Takes an amount away for each tool call that was answered with an error.

    Args:
        env: The environment.
        amount: What each failed call costs.
        name: The name of the reward component.

    Example:
        >>> import gymnasium, textgym
        >>> from textgym.messages import assistant_calls
        >>> from textgym.wrappers import ToolErrorPenalty
        >>> env = ToolErrorPenalty(gymnasium.make("textgym/SessionState-v0"), amount=0.1)
        >>> observation, info = env.reset(seed=1)
        >>> env.step(assistant_calls(("no_such_tool", {}), ("get_counter_value", {})))[1]
        -0.1
    """

    def __init__(
        self, env: MessageEnv, *, amount: float = 0.05, name: str = "tool_error_penalty"
    ) -> None:
        super().__init__(env, name=name, amount=amount)
        self._amount = self.checked_amount(amount)

    def payment(self, action: Message | str, result: StepResult) -> float:
        """Return the cost of the failed calls of a step."""
        errors = 0
        for message in reversed(result[0]):
            if message["role"] == "assistant":
                break
            if message["role"] == "tool" and text_of(message).startswith("Error: "):
                errors += 1
        return -self._amount * errors


class LengthPenalty(RewardWrapper):
    """Takes an amount away for each character or token of a message beyond a free length.

    Reasoning and tool calls count too.

    Args:
        env: The environment.
        amount: What each unit beyond the free length costs.
        free: The length that costs nothing.
        limit: The highest cost of a message.
        tokenizer: A model's name or folder whose tokenizer counts the length in tokens, or a
            function that returns the token ids of a text; None counts characters.
        name: The name of the reward component.

    Example:
        >>> import gymnasium, textgym
        >>> from textgym.wrappers import LengthPenalty
        >>> env = LengthPenalty(gymnasium.make("textgym/MCQA-v0"), amount=0.01, free=10)
        >>> observation, info = env.reset(seed=1)
        >>> env.step("I do not know what it is.")[1]
        -0.15
    """

    def __init__(
        self,
        env: MessageEnv,
        *,
        amount: float = 0.0001,
        free: int = 0,
        limit: float = 1.0,
        tokenizer: str | Callable[[str], Any] | None = None,
        name: str = "length_penalty",
    ) -> None:
        super().__init__(env, name=name, amount=amount, free=free, limit=limit, tokenizer=tokenizer)
        check_count(self, "free", free, 0)
        self._amount, self._free = self.checked_amount(amount), free
        self._limit = self.checked_amount(limit, "limit")
        self._length = length_function(tokenizer)

    def payment(self, action: Message | str, result: StepResult) -> float:
        """Return the cost of a message."""
        beyond = self._length(sampled_text(action)) - self._free
        return -min(self._limit, self._amount * max(0, beyond))


class SoftOverlongPunishment(RewardWrapper):
    """Takes reward away from messages near a maximum length, as in DAPO.

    Nothing is taken up to `max_length - buffer`. From there the cost rises linearly to `amount` at
    `max_length`, and stays there (Yu et al., 2025, equation 13, arXiv:2503.14476).

    Args:
        env: The environment.
        max_length: The length from which the whole amount is taken.
        buffer: The length over which the cost rises.
        amount: The highest cost of a message.
        tokenizer: As in `LengthPenalty`.
        name: The name of the reward component.

    Example:
        >>> import gymnasium, textgym
        >>> from textgym.wrappers import SoftOverlongPunishment
        >>> env = gymnasium.make("textgym/MCQA-v0")
        >>> env = SoftOverlongPunishment(env, max_length=40, buffer=20)
        >>> observation, info = env.reset(seed=1)
        >>> env.step("I do not know what it should be")[1]
        -0.55
    """

    def __init__(
        self,
        env: MessageEnv,
        *,
        max_length: int,
        buffer: int,
        amount: float = 1.0,
        tokenizer: str | Callable[[str], Any] | None = None,
        name: str = "overlong_punishment",
    ) -> None:
        super().__init__(
            env, name=name, max_length=max_length, buffer=buffer, amount=amount, tokenizer=tokenizer
        )
        are_integers = isinstance(buffer, int) and isinstance(max_length, int)
        if not are_integers or not 0 < buffer <= max_length:
            raise UsageError(
                "SoftOverlongPunishment: buffer must be over 0 and at most max_length "
                f"({max_length!r}), both integers, not {buffer!r}"
            )
        self._amount = self.checked_amount(amount)
        self._start, self._buffer = max_length - buffer, buffer
        self._length = length_function(tokenizer)

    def payment(self, action: Message | str, result: StepResult) -> float:
        """Return the cost of a message."""
        beyond = self._length(sampled_text(action)) - self._start
        return -self._amount * min(1.0, max(0.0, beyond / self._buffer))


class RepetitionPenalty(RewardWrapper):
    """Takes reward away in proportion to the repeated n-grams of words in a message.

    The cost is `amount` times the share of n-grams that occurred earlier in the message.

    Args:
        env: The environment.
        amount: The cost of a message in which every n-gram but the first is a repetition.
        ngram: The number of words in an n-gram.
        name: The name of the reward component.

    Example:
        >>> import gymnasium, textgym
        >>> from textgym.wrappers import RepetitionPenalty
        >>> env = RepetitionPenalty(gymnasium.make("textgym/MCQA-v0"), amount=1.0, ngram=2)
        >>> observation, info = env.reset(seed=1)
        >>> env.step("so it is so it is")[1]
        -0.4
    """

    def __init__(
        self,
        env: MessageEnv,
        *,
        amount: float = 0.1,
        ngram: int = 4,
        name: str = "repetition_penalty",
    ) -> None:
        super().__init__(env, name=name, amount=amount, ngram=ngram)
        check_count(self, "ngram", ngram)
        self._amount, self._ngram = self.checked_amount(amount), ngram

    def payment(self, action: Message | str, result: StepResult) -> float:
        """Return the cost of a message."""
        words = sampled_text(action).lower().split()
        count = len(words) - self._ngram + 1
        if count < 2:
            return 0.0
        distinct = len(set(zip(*(words[start:] for start in range(self._ngram)), strict=False)))
        return -self._amount * (count - distinct) / count
