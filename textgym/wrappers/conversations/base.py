"""The base classes of wrappers that change the conversation.

Invariants: the conversation inside only grows, and a wrapper around any other conversation is
refused; a step that raises leaves the wrapper's state unchanged; returned conversations are copies.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import gymnasium as gym

from textgym.core.episode import Conversation
from textgym.core.text_env import TextEnv
from textgym.errors import StateError, UsageError
from textgym.layers import wrappers_around
from textgym.messages import Message, copy_messages, message_problem
from textgym.wrappers.base import MessageEnv, MessageWrapper, StepResult

__all__ = ["ConversationWrapper", "OwnConversation", "text_env", "with_text"]


def text_env(wrapper: gym.Wrapper[Any, Any, Any, Any]) -> TextEnv[Any]:
    """Return the `TextEnv` in a wrapper.

    Raises:
        UsageError: The wrapped environment is not a `TextEnv`.
    """
    inner: Any = wrapper.unwrapped
    if not isinstance(inner, TextEnv):
        raise UsageError(
            f"{type(wrapper).__name__} needs a TextEnv, and {type(inner).__name__} is not one"
        )
    return inner


def with_text(message: Message, text: str) -> Message:
    r"""Return a message with a text added to the end of its content.

    Example:
        >>> with_text({"role": "user", "content": "Which?"}, "Two turns left.")["content"]
        'Which?\n\nTwo turns left.'
    """
    content = message.get("content")
    if isinstance(content, list):
        return {**message, "content": [*content, {"type": "text", "text": f"\n\n{text}"}]}
    return {**message, "content": f"{content}\n\n{text}" if content else text}


class ConversationWrapper(MessageWrapper):
    """The base class of wrappers that change the conversation.

    Args:
        env: The environment.
        **arguments: The arguments of the subclass.

    Raises:
        UsageError: The observations of a wrapper inside are not append-only.
    """

    def __init__(self, env: MessageEnv, **arguments: Any) -> None:
        super().__init__(env, **arguments)
        for layer in wrappers_around(env):
            if not getattr(layer, "append_only", True):
                raise UsageError(
                    f"{type(layer).__name__} must be around {type(self).__name__}, not inside: "
                    "it leaves out earlier messages"
                )


class OwnConversation(ConversationWrapper):
    """The base class of wrappers that add turns, and therefore have their own conversation.

    The state has `seen`, the number of the environment's messages in the conversation; `turn`, the
    number of assistant messages so far; and `task_id`. The conversation is saved with it.

    Attributes:
        conversation: The conversation.
        max_turns: The maximum number of assistant messages. The last one is graded.
    """

    conversation: Conversation
    max_turns: int

    def begin(self) -> dict[str, Any]:
        """Return the state of an episode that has not begun."""
        return {"seen": 0, "turn": 0, "task_id": ""}

    @property
    def turn(self) -> int:
        """The number of assistant messages in the current episode."""
        turn: int = self.state["turn"]
        return turn

    @property
    def is_last_turn(self) -> bool:
        """Whether the next message is the last one."""
        return self.turn + 1 >= self.max_turns

    def reset(
        self, *, seed: int | None = None, options: dict[str, Any] | None = None
    ) -> tuple[list[Message], dict[str, Any]]:
        """Reset the environment, and begin a new conversation."""
        observation, info = self.env.reset(seed=seed, options=options)
        self.state = {**self.begin(), "seen": len(observation), "task_id": info["task_id"]}
        self.conversation = Conversation(observation)
        return self.conversation.copy(), info

    def get_state(self) -> dict[str, Any]:
        """Return the state of this wrapper only, with the conversation, as JSON data."""
        return {**super().get_state(), "messages": self.conversation.copy()}

    def set_state(self, state: dict[str, Any]) -> None:
        """Restore a state of this wrapper only.

        Raises:
            StateError: A value is missing, unknown or invalid. Nothing is changed.
        """
        messages = state.get("messages")
        if not isinstance(messages, list):
            raise StateError(f"{type(self).__name__}.messages must be a list of messages")
        for message in messages:
            if problem := message_problem(message):
                raise StateError(f"{type(self).__name__}.messages: {problem}")
        super().set_state({name: value for name, value in state.items() if name != "messages"})
        self.conversation = Conversation(copy_messages(messages))

    def shown(
        self,
        new: Iterable[Message],
        reward: float = 0.0,
        terminated: bool = False,
        truncated: bool = False,
        info: dict[str, Any] | None = None,
        **changes: Any,
    ) -> StepResult:
        """Add the messages of a turn, and return the result of the step.

        Args:
            new: The assistant message and the messages after it.
            reward: The step's reward.
            terminated: Whether the task has ended.
            truncated: Whether a limit has cut the episode.
            info: The step's info; None for an info with only the task's id.
            **changes: Other changes of the state.
        """
        for message in new:
            self.conversation.add(message)
        self.state = {**self.state, "turn": self.turn + 1, **changes}
        if info is None:
            info = {"task_id": self.state["task_id"]}
        return self.conversation.copy(), reward, terminated, truncated, info
