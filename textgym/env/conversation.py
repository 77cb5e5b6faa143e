"""The conversation of an episode.

Invariants: messages are only added, or cut off again where a step failed; what is handed out is a
fresh copy.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from textgym.messages import Message, copier_of

__all__ = ["Conversation"]


class Conversation:
    """A prompt and what was said after it.

    Args:
        prompt: The messages of the task; they are never changed.

    Attributes:
        messages: All messages, which only `copy` hands out.
        prompt_length: How many of them are the prompt.

    Example:
        >>> conversation = Conversation([{"role": "user", "content": "Tea or milk?"}])
        >>> conversation.add({"role": "assistant", "content": "Tea."})
        >>> [message["content"] for message in conversation.copy()]
        ['Tea or milk?', 'Tea.']
    """

    __slots__ = ("_copiers", "messages", "prompt_length")

    def __init__(self, prompt: Iterable[Message] = ()) -> None:
        self.messages = list(prompt)
        self.prompt_length = len(self.messages)
        self._copiers = [copier_of(message) for message in self.messages]

    def __len__(self) -> int:
        return len(self.messages)

    def add(self, message: Message) -> None:
        """Add a message, which nobody else holds."""
        self.messages.append(message)
        self._copiers.append(copier_of(message))

    def cut(self, length: int) -> None:
        """Drop all messages after the first `length`."""
        del self.messages[length:], self._copiers[length:]

    def copy(self, start: int = 0) -> list[Message]:
        """Return a fresh list of fresh messages."""
        pairs = zip(self._copiers[start:], self.messages[start:], strict=True)
        return [copier(message) for copier, message in pairs]

    def replies(self) -> Iterator[Message]:
        """Give the assistant messages after the prompt, the last one first."""
        for place in range(len(self.messages) - 1, self.prompt_length - 1, -1):
            if self.messages[place]["role"] == "assistant":
                yield self.messages[place]
