"""`ContextWindow`: shows the prompt and the last turns of a conversation."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from textgym.errors import UsageError
from textgym.messages import Message, copy_messages
from textgym.wrappers.base import MessageEnv, StepResult, check_count
from textgym.wrappers.conversations.base import ConversationWrapper
from textgym.wrappers.rewards.costs import length_function, sampled_text

__all__ = ["ContextWindow"]


class ContextWindow(ConversationWrapper):
    """Shows the prompt and as many of the last turns as fit; earlier turns are left out.

    A turn is an assistant message with what follows it, so calls stay with their results. The
    prompt and the last turn are always shown. From the first turn that is left out on, the
    observation is no longer append-only: the tokens of the episode split, and
    `info["conversation"]` has the whole conversation, which trajectories record. Put it around all
    other wrappers that change the conversation.

    Args:
        env: The environment.
        max_messages: The maximum number of messages, the prompt included.
        max_tokens: Instead, the maximum number of tokens of their texts, without what a chat
            template adds.
        tokenizer: For `max_tokens`, a model's name or folder, or a function from a text to its
            token ids. A spec with a function cannot be saved as JSON.

    Raises:
        UsageError: Not exactly one limit was given, or `max_tokens` without a tokenizer.

    Example:
        >>> import gymnasium, textgym
        >>> from textgym.wrappers import ContextWindow
        >>> env = ContextWindow(gymnasium.make("textgym/GuessNumber-v0"), max_messages=3)
        >>> observation, info = env.reset(seed=1)
        >>> for guess in ("0", "0", "0"):
        ...     observation, *_, info = env.step(guess)
        >>> len(observation), len(info["conversation"])
        (3, 7)
    """

    append_only = False

    def __init__(
        self,
        env: MessageEnv,
        *,
        max_messages: int | None = None,
        max_tokens: int | None = None,
        tokenizer: str | Callable[[str], Any] | None = None,
    ) -> None:
        super().__init__(env, max_messages=max_messages, max_tokens=max_tokens, tokenizer=tokenizer)
        if (max_messages is None) == (max_tokens is None):
            raise UsageError("ContextWindow needs max_messages or max_tokens, and not both")
        if (max_tokens is None) != (tokenizer is None):
            raise UsageError("ContextWindow: max_tokens needs a tokenizer, and nothing else does")
        limit = max_tokens if max_messages is None else max_messages
        check_count(self, "max_messages" if max_tokens is None else "max_tokens", limit)
        self._limit: Any = limit
        self._length = None if tokenizer is None else length_function(tokenizer)

    def begin(self) -> dict[str, Any]:
        """Return a state without a prompt."""
        return {"prompt": 0}

    def reset(
        self, *, seed: int | None = None, options: dict[str, Any] | None = None
    ) -> tuple[list[Message], dict[str, Any]]:
        """Reset the environment, and remember how long the prompt is."""
        observation, info = super().reset(seed=seed, options=options)
        self.state = {"prompt": len(observation)}
        return observation, info

    def step(self, action: Message) -> StepResult:
        """Step the environment, and show what fits."""
        observation, reward, terminated, truncated, info = self.env.step(action)
        start = self._start(observation)
        prompt: int = self.state["prompt"]
        if start > prompt:
            info["conversation"] = observation
            observation = copy_messages([*observation[:prompt], *observation[start:]])
        return observation, reward, terminated, truncated, info

    def _start(self, messages: list[Message]) -> int:
        """Return the index of the first message after the prompt that is shown."""
        prompt: int = self.state["prompt"]
        room = self._limit - sum(map(self._size, messages[:prompt]))
        start = len(messages)
        for index in range(len(messages) - 1, prompt - 1, -1):
            room -= self._size(messages[index])
            if room < 0 and start < len(messages):
                break
            if messages[index]["role"] == "assistant" or index == prompt:
                start = index
        return start

    def _size(self, message: Message) -> int:
        return 1 if self._length is None else self._length(sampled_text(message))
