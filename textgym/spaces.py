"""The observation and action spaces of all environments: conversations and assistant messages.

`TextSpace` is for wrappers that show conversations as texts.

All environments have equal spaces, so one vector can contain different environments. The elements
are Python objects, so a vector with worker processes needs `shared_memory=False`.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NoReturn, TypeVar

import gymnasium as gym
import numpy as np
from gymnasium.vector.utils import (
    batch_differing_spaces,
    create_empty_array,
    create_shared_memory,
)

from textgym.errors import InvalidActionError, UsageError
from textgym.messages import (
    ROLES,
    Message,
    assistant,
    copy_message,
    message_problem,
    plain_copy,
    user,
)

__all__ = [
    "MAX_CALLS", "ActionSpace", "ConversationSpace", "TextSpace", "action_problem",
    "read_action",
]  # fmt: skip

MAX_CALLS = 64  # tool calls that are run for one message
_ACTION_ROLES = frozenset(("assistant",))
_ALPHABET = "abcdefghijklmnopqrstuvwxyzABCDE 0123456789.,:;!?(){}[]<>/\\\"'`*_#$%&@\n\té漢д🙂"

T = TypeVar("T")


def action_problem(action: Any) -> str:
    """Return why a value is not an action; "" if it is one."""
    if isinstance(action, str):
        return ""
    return message_problem(action, _ACTION_ROLES)


def read_action(action: Any, turn: int, max_calls: int = MAX_CALLS) -> Message:
    """Return a copy of an action as an assistant message.

    Tool calls with a missing or repeated id get the id `call_{turn}_{k}`. If there are too many
    calls, one more than the limit is kept: the result of that call reports the limit to the model.

    Args:
        action: An assistant message or a text.
        turn: The number of earlier assistant messages in the episode.
        max_calls: The maximum number of tool calls that are run for one message.

    Raises:
        InvalidActionError: The action is neither an assistant message nor a text.

    Example:
        >>> read_action("Hello", turn=0)
        {'role': 'assistant', 'content': 'Hello'}
        >>> calls = [{"function": {"name": "look"}}] * 100_000
        >>> message = {"role": "assistant", "content": None, "tool_calls": calls}
        >>> len(read_action(message, turn=0)["tool_calls"])
        65
    """
    if isinstance(action, str):
        return assistant(str(action))
    message: Message | None = None
    if action.__class__ is dict and action.get("role") == "assistant":
        message = plain_copy(action)
    if message is None:
        problem = message_problem(action, _ACTION_ROLES)
        if problem:
            raise InvalidActionError(
                f"an action must be an assistant message or a text; this is neither: {problem}"
            )
        message = copy_message(action)
    calls = message.get("tool_calls")
    if calls:
        del calls[max_calls + 1 :]
        _complete_ids(calls, turn)
    return message


def _complete_ids(calls: Any, turn: int) -> None:
    """Give an id to each call that has none, or that repeats the id of an earlier call."""
    taken = set()
    for call in calls:
        taken.add(call.get("id"))
    if len(taken) == len(calls) and all(taken):
        return
    seen: set[Any] = set()
    for k, call in enumerate(calls):
        if not call.get("id") or call["id"] in seen:
            name = f"call_{turn}_{k}"
            while name in taken:
                k += 1
                name = f"call_{turn}_{k}"
            call["id"] = name
            taken.add(name)
        seen.add(call["id"])


class _MessageSpace(gym.Space[T]):
    """The base class of the spaces: equality by type, and random texts."""

    def __init__(self, seed: int | np.random.Generator | None = None) -> None:
        super().__init__(shape=None, dtype=None, seed=seed)

    @property
    def shape(self) -> NoReturn:
        """Messages have no shape.

        Raises:
            UsageError: Always; libraries that make arrays of observations read it first.
        """
        raise UsageError(
            f"{type(self).__name__} has no shape: observations are lists of messages and "
            "actions are assistant messages, not arrays; instead of a library that trains on "
            "arrays, such as Stable-Baselines3, use textgym.rollout or textgym.make_vec with a "
            "policy of a language model"
        )

    @property
    def is_np_flattenable(self) -> bool:
        """Messages cannot be flattened to an array: always False."""
        return False

    def _sample_text(self) -> str:
        length = int(self.np_random.integers(0, 41))
        letters = self.np_random.integers(0, len(_ALPHABET), size=length)
        return "".join(_ALPHABET[index] for index in letters)

    @staticmethod
    def _refuse_masks(mask: Any, probability: Any) -> None:
        if mask is not None or probability is not None:
            raise ValueError("message spaces do not support mask= and probability=")

    def __eq__(self, other: object) -> bool:
        return type(other) is type(self)

    def __hash__(self) -> int:
        return hash(type(self))

    def __repr__(self) -> str:
        return f"{type(self).__name__}()"


class ActionSpace(_MessageSpace[Message]):
    """One assistant message, or a text as shorthand for its content.

    Example:
        >>> space = ActionSpace(seed=0)
        >>> "Hello" in space, {"role": "assistant", "content": "Hello"} in space
        (True, True)
        >>> {"role": "user", "content": "Hello"} in space
        False
        >>> sorted(space.sample())
        ['content', 'role']
    """

    def contains(self, x: Any) -> bool:
        """Return whether `x` is an assistant message or a text."""
        return not action_problem(x)

    def sample(self, mask: Any = None, probability: Any = None) -> Message:
        """Return an assistant message with a random text."""
        self._refuse_masks(mask, probability)
        return assistant(self._sample_text())


class ConversationSpace(_MessageSpace[list[Message]]):
    """A list of messages with any roles.

    Example:
        >>> [{"role": "user", "content": "What is 2 + 2?"}] in ConversationSpace()
        True
        >>> [{"role": "narrator", "content": "Silence."}] in ConversationSpace()
        False
    """

    def contains(self, x: Any) -> bool:
        """Return whether `x` is a list of messages."""
        return isinstance(x, list) and not any(message_problem(item, ROLES) for item in x)

    def sample(self, mask: Any = None, probability: Any = None) -> list[Message]:
        """Return a conversation of one to four messages with random texts."""
        self._refuse_masks(mask, probability)
        count = int(self.np_random.integers(1, 5))
        return [(assistant if i % 2 else user)(self._sample_text()) for i in range(count)]


class TextSpace(_MessageSpace[str]):
    """A text of any length and any characters, unlike `gymnasium.spaces.Text`.

    Example:
        >>> "漢字" in TextSpace(), 7 in TextSpace()
        (True, False)
    """

    def contains(self, x: Any) -> bool:
        """Return whether `x` is a text."""
        return isinstance(x, str)

    def sample(self, mask: Any = None, probability: Any = None) -> str:
        """Return a random text."""
        self._refuse_masks(mask, probability)
        return self._sample_text()


def _batch(spaces: Sequence[gym.Space[Any]]) -> gym.spaces.Tuple[Any]:
    return gym.spaces.Tuple(spaces)


def _empty(space: gym.Space[Any], n: int = 1, fn: Any = np.zeros) -> tuple[list[Message], ...]:
    return tuple([] for _ in range(n))


def _no_shared_memory(space: gym.Space[Any], n: int = 1, ctx: Any = None) -> Any:
    raise TypeError(
        "messages cannot be in shared memory: pass shared_memory=False "
        "(make_vec: vector_kwargs={'shared_memory': False})"
    )


for _space in (ActionSpace, ConversationSpace, TextSpace):
    batch_differing_spaces.register(_space)(_batch)
    create_empty_array.register(_space)(_empty)
    create_shared_memory.register(_space)(_no_shared_memory)
