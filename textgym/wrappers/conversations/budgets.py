"""Wrappers that limit an episode, and say in the conversation what is left."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from textgym.errors import UsageError
from textgym.layers import counting_layers, graded_cut, limit_turns
from textgym.messages import Message
from textgym.spaces import action_problem
from textgym.wrappers.base import MessageEnv, StepResult, check_count
from textgym.wrappers.conversations.base import ConversationWrapper, with_text
from textgym.wrappers.rewards.costs import length_function, sampled_text

__all__ = ["TokenBudget", "TurnBudget"]

LEFT = "{left}"


class _Budget(ConversationWrapper):
    """Adds a note to the last message of each observation. The notes stay where they are.

    The state has `places`, the indices of the messages with a note, and `left`, what each note
    says is left.
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
        """Reset the environment, and say what the whole budget is."""
        observation, info = super().reset(seed=seed, options=options)
        self.state = {"places": [len(observation) - 1], "left": [self._limit]}
        return self._with_notes(observation), info

    def state_problem(self, state: dict[str, Any]) -> str:
        """Return what is wrong with a state; "" if nothing is."""
        places, left = state["places"], state["left"]
        are_ints = all(type(number) is int for number in (*places, *left))
        if left and are_ints and len(places) == len(left) and min(places) >= 0:
            return ""
        return "places and left must be equally many numbers"

    def _after(self, observation: list[Message], left: int, ended: bool) -> list[Message]:
        """Return the observation after a step, with a note of what is left if it goes on."""
        if not ended:
            self.state = {
                "places": [*self.state["places"], len(observation) - 1],
                "left": [*self.state["left"], left],
            }
        return self._with_notes(observation)

    def _with_notes(self, messages: list[Message]) -> list[Message]:
        for place, left in zip(self.state["places"], self.state["left"], strict=True):
            is_shown = place < len(messages)
            if is_shown and messages[place]["role"] != "assistant":  # what was sampled stays
                messages[place] = with_text(messages[place], self._note.replace(LEFT, str(left)))
        return messages


class TurnBudget(_Budget):
    """Says in the conversation how many messages the assistant has left.

    The note is added to the last message of each observation. After the last message the
    environment is graded, and the episode truncated. A limit that is a rule of the task and stands
    in its prompt, as in `textgym/GuessNumber-v0`, is not counted here.

    Args:
        env: The environment.
        limit: The maximum number of assistant messages; None for the environment's own `max_turns`,
            which a higher limit does not raise.
        note: The text, in which `{left}` is replaced by the number.

    Raises:
        UsageError: An argument is not valid, or there is no limit.

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

    def step(self, action: Message) -> StepResult:
        """Step the environment, and say how many messages are left."""
        left: int = self.state["left"][-1] - 1
        observation, reward, terminated, truncated, info = self.env.step(action)
        if left <= 0 and not terminated:
            truncated = True
            info.setdefault("stop_reason", "max_turns")
        ended = terminated or truncated
        return self._after(observation, left, ended), reward, terminated, truncated, info


class TokenBudget(_Budget):
    """Says in the conversation how many tokens the assistant may still write in the episode.

    All text that a policy writes counts: reasoning, content, and calls of tools. The note is added
    to the last message of each observation. The message that uses the budget up is the last one:
    the environment is graded, and the episode truncated with the stop reason `max_tokens`.

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

    def step(self, action: Message) -> StepResult:
        """Step the environment, and say how many tokens are left."""
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
