"""Wrappers with a limit: budgets that are shown in the conversation, and a context window."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from textgym.errors import UsageError
from textgym.layers import counting_layers, graded_cut, limit_turns
from textgym.messages import Message, copy_messages
from textgym.spaces import action_problem
from textgym.wrappers.base import MessageEnv, StepResult, check_count
from textgym.wrappers.conversations.base import ConversationWrapper, with_text
from textgym.wrappers.rewards.costs import length_function, sampled_text

__all__ = ["ContextWindow", "TokenBudget", "TurnBudget"]

LEFT = "{left}"


class _Budget(ConversationWrapper):
    """Adds a note to the last message of each observation. Earlier notes remain.

    The state has `places`, the indices of the messages with a note, and `left`, the number in each
    note.
    """

    def __init__(self, env: MessageEnv, *, limit: int, note: str, **arguments: Any) -> None:
        super().__init__(env, limit=limit, note=note, **arguments)
        owner = type(self).__name__
        if not isinstance(note, str) or LEFT not in note:
            raise UsageError(f"{owner}: note must be a text with {LEFT}, not {note!r:.100}")
        self._limit, self._note = limit, note

    def begin(self) -> dict[str, Any]:
        """Return a state without notes, in which nothing has been used."""
        return {"places": [], "left": []}

    def reset(
        self, *, seed: int | None = None, options: dict[str, Any] | None = None
    ) -> tuple[list[Message], dict[str, Any]]:
        """Reset the environment, and add a note with the whole budget."""
        observation, info = super().reset(seed=seed, options=options)
        self.state = {"places": [len(observation) - 1], "left": [self._limit]}
        return self._with_notes(observation), info

    def state_problem(self, state: dict[str, Any]) -> str:
        """Return the problem of a state, or ""."""
        places, left = state["places"], state["left"]
        are_ints = all(type(number) is int for number in (*places, *left))
        if left and are_ints and len(places) == len(left) and min(places) >= 0:
            return ""
        return "places and left must be equally many numbers"

    def _after(self, observation: list[Message], left: int, ended: bool) -> list[Message]:
        """Return the observation after a step, with a new note unless the episode has ended."""
        if not ended:
            self.state = {
                "places": [*self.state["places"], len(observation) - 1],
                "left": [*self.state["left"], left],
            }
        return self._with_notes(observation)

    def _with_notes(self, messages: list[Message]) -> list[Message]:
        for place, left in zip(self.state["places"], self.state["left"], strict=True):
            is_shown = place < len(messages)
            if is_shown and messages[place]["role"] != "assistant":  # sampled text does not change
                messages[place] = with_text(messages[place], self._note.replace(LEFT, str(left)))
        return messages


class TurnBudget(_Budget):
    """Shows in the conversation how many messages the assistant has left.

    The note is added to the last message of each observation. After the last message the
    environment grades, and the episode is truncated. A limit that is a rule of the task in its
    prompt, as in `textgym/GuessNumber-v0`, is not counted here.

    Args:
        env: The environment.
        limit: The maximum number of assistant messages; None for the environment's own `max_turns`,
            which a higher limit does not increase.
        note: The text, in which `{left}` is replaced by the number.

    Raises:
        UsageError: An argument is invalid, or there is no limit.

    Example:
        >>> import gymnasium, textgym
        >>> from textgym.wrappers import TurnBudget
        >>> env = TurnBudget(gymnasium.make("textgym/GuessNumber-v0"), limit=2, note="Left: {left}")
        >>> observation, info = env.reset(seed=1)
        >>> observation[-1]["content"][-7:]
        'Left: 2'
        >>> observation, *_ = env.step("0")
        >>> observation[-1]["content"][-7:], env.step("0")[3]
        ('Left: 1', True)
    """

    def __init__(
        self,
        env: MessageEnv,
        *,
        limit: int | None = None,
        note: str = "You have {left} messages left.",
    ) -> None:
        layers = counting_layers(env)
        most: Any = layers[0].max_turns if limit is None and layers else limit
        check_count(self, "limit", most)
        most = min([most, *(layer.max_turns for layer in layers[:1])])
        super().__init__(env, limit=most, note=note)
        limit_turns(env, most)

    def step(self, action: Message | str) -> StepResult:
        """Step the environment, and add a note with the number of messages left."""
        left: int = self.state["left"][-1] - 1
        observation, reward, terminated, truncated, info = self.env.step(action)
        if left <= 0 and not terminated:
            truncated = True
            info.setdefault("stop_reason", "max_turns")
        ended = terminated or truncated
        return self._after(observation, left, ended), reward, terminated, truncated, info


class TokenBudget(_Budget):
    """Shows in the conversation how many tokens the assistant has left in the episode.

    All text that a policy writes counts: reasoning, content, and tool calls. The note is added to
    the last message of each observation. The message that exhausts the budget is the last one: the
    environment grades, and the episode is truncated with the stop reason `max_tokens`.

    Args:
        env: The environment.
        limit: The maximum number of tokens.
        tokenizer: A model's name or folder, or a function from a text to its token ids; None counts
            characters. A spec with a function cannot be saved as JSON.
        note: The text, in which `{left}` is replaced by the number.

    Raises:
        UsageError: An argument is not valid.

    Example:
        >>> import gymnasium, textgym
        >>> from textgym.wrappers import TokenBudget
        >>> env = gymnasium.make("textgym/GuessNumber-v0")
        >>> env = TokenBudget(env, limit=3, tokenizer=str.split, note="Tokens left: {left}")
        >>> observation, info = env.reset(seed=1)
        >>> observation, *_ = env.step("0")
        >>> observation[-1]["content"][-14:]
        'Tokens left: 2'
        >>> env.step("I say 0")[4]["stop_reason"]
        'max_tokens'
    """

    def __init__(
        self,
        env: MessageEnv,
        *,
        limit: int,
        tokenizer: str | Callable[[str], Any] | None = None,
        note: str = "You have {left} tokens left.",
    ) -> None:
        super().__init__(env, limit=limit, note=note, tokenizer=tokenizer)
        check_count(self, "limit", limit)
        self._length = length_function(tokenizer)

    def step(self, action: Message | str) -> StepResult:
        """Step the environment, and add a note with the number of tokens left."""
        if action_problem(action):
            return self.env.step(action)  # which raises
        left: int = self.state["left"][-1] - self._length(sampled_text(action))
        if left > 0:
            observation, reward, terminated, truncated, info = self.env.step(action)
        else:
            with graded_cut(self.env):
                observation, reward, terminated, truncated, info = self.env.step(action)
            if not terminated:
                truncated, info["stop_reason"] = True, "max_tokens"
        ended = terminated or truncated
        return self._after(observation, left, ended), reward, terminated, truncated, info


class ContextWindow(ConversationWrapper):
    """Shows the prompt and as many of the last turns as fit, and omits earlier turns.

    A turn is an assistant message and the messages after it, so calls stay with their results. The
    prompt and the last turn are always shown. Once a turn is omitted, observations are no longer
    append-only: the tokens of the episode are split, and `info["conversation"]` has the whole
    conversation, which trajectories record. Put this wrapper around all other wrappers that change
    the conversation.

    Args:
        env: The environment.
        max_messages: The maximum number of messages, the prompt included.
        max_tokens: Instead, the maximum number of tokens of their texts, not counting the chat
            template.
        tokenizer: For `max_tokens`, a model's name or folder, or a function from a text to its
            token ids. A spec with a function cannot be saved as JSON.

    Raises:
        UsageError: Not exactly one limit was passed, or `max_tokens` without a tokenizer.

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
            raise UsageError("ContextWindow: max_tokens needs a tokenizer, and vice versa")
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
        """Reset the environment, and store the length of the prompt."""
        observation, info = super().reset(seed=seed, options=options)
        self.state = {"prompt": len(observation)}
        return observation, info

    def step(self, action: Message | str) -> StepResult:
        """Step the environment, and show the turns that fit."""
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
