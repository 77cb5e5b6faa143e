"""Reward wrappers with costs: for steps, failed tool calls, length and repetition.

Length is measured on the text that a policy wrote, in characters or tokens.
"""

from __future__ import annotations

import json
from collections.abc import Callable
from functools import lru_cache, partial
from typing import Any

from textgym.errors import UsageError
from textgym.messages import Message, text_of
from textgym.names import import_object, is_place
from textgym.wrappers.base import MessageEnv, RewardWrapper, StepResult, check_count

__all__ = [
    "LengthPenalty", "RepetitionPenalty", "SoftOverlongPunishment", "StepPenalty",
    "ToolErrorPenalty", "cached_tokenizer", "length_function", "sampled_text",
]  # fmt: skip


class StepPenalty(RewardWrapper):
    """Subtracts a fixed amount at every step, so that shorter episodes have a higher return.

    Args:
        env: The environment.
        amount: The cost of a step.
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
    """Subtracts an amount for each tool call whose result is an error.

    Args:
        env: The environment.
        amount: The cost of a failed call.
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
    """Subtracts an amount for each character or token of a message beyond a free length.

    Reasoning and tool calls count too.

    Args:
        env: The environment.
        amount: The cost of each unit beyond the free length.
        free: The length without cost.
        limit: The maximum cost of a message.
        tokenizer: A model's name or folder, or a function from a text to its token ids; None counts
            characters.
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
    """Reduces the reward of messages near a maximum length, as in DAPO.

    Up to `max_length - buffer` there is no cost. From there the cost rises linearly to `amount` at
    `max_length`, and is constant beyond (Yu et al., 2025, equation 13, arXiv:2503.14476).

    Args:
        env: The environment.
        max_length: The length from which the cost is `amount`.
        buffer: The length over which the cost rises.
        amount: The maximum cost of a message.
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
                "SoftOverlongPunishment: buffer must be greater than 0 and at most max_length "
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
    """Subtracts an amount in proportion to the repeated n-grams of words in a message.

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


def sampled_text(action: Message | str) -> str:
    """Return all text of an action: reasoning, content, and the names and arguments of tool calls.

    Example:
        >>> from textgym.messages import assistant_calls
        >>> sampled_text("yes"), sampled_text(assistant_calls(("look", {"at": 1})))
        ('yes', 'look{"at": 1}')
    """
    if isinstance(action, str):
        return action
    parts = [str(action.get("reasoning_content") or ""), text_of(action)]
    for call in action.get("tool_calls") or ():
        arguments = call["function"].get("arguments") or ""
        parts.append(str(call["function"]["name"]))
        parts.append(arguments if isinstance(arguments, str) else json.dumps(arguments))
    return "".join(parts)


def length_function(tokenizer: str | Callable[[str], Any] | None) -> Callable[[str], int]:
    """Return the function that measures a text.

    Args:
        tokenizer: A model's name or folder; a function from a text to its token ids, or
            `module:function`; None for the number of characters.

    Raises:
        UsageError: It is neither a string nor a function.

    Example:
        >>> length_function(None)("four"), length_function(str.split)("two words")
        (4, 2)
    """
    if tokenizer is None:
        return len
    if isinstance(tokenizer, str) and is_place(tokenizer):
        tokenizer = import_object(tokenizer)
    if isinstance(tokenizer, str):
        cached_tokenizer(tokenizer)  # raises errors here
        return partial(_length_in_tokens, tokenizer)
    if not callable(tokenizer):
        raise UsageError(f"a tokenizer is a name or a function, not {tokenizer!r:.100}")
    return partial(_length_of, tokenizer)


def _length_of(encode: Callable[[str], Any], text: str) -> int:
    return len(encode(text))


def _length_in_tokens(model: str, text: str) -> int:
    text = text.encode(errors="replace").decode()  # tokenizers raise on unpaired surrogates
    return len(cached_tokenizer(model)(text, add_special_tokens=False)["input_ids"])


@lru_cache(maxsize=8)
def cached_tokenizer(model: str) -> Any:
    """Return the tokenizer of a model, which is loaded once per process."""
    from textgym.policies.models import load_tokenizer

    return load_tokenizer(model)
