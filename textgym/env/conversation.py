"""The conversation of an episode.

Invariants: messages are appended, and removed again only if a step fails; `copy` returns fresh
copies.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from textgym.messages import Message, copier_of

__all__ = ["Conversation"]


class Conversation:
    """The prompt of a task and the messages after it.

    Args:
        prompt: The messages of the task. They are never modified.

    Attributes:
        messages: All messages. Hand out only copies of them, see `copy`.
        prompt_length: The number of messages in the prompt.

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
        """Append a message. The caller must not keep a reference to it."""
        self.messages.append(message)
        self._copiers.append(copier_of(message))

    def cut(self, length: int) -> None:
        """Remove all messages after the first `length`."""
        del self.messages[length:], self._copiers[length:]

    def copy(self, start: int = 0) -> list[Message]:
        """Return copies of the messages from index `start` on."""
        pairs = zip(self._copiers[start:], self.messages[start:], strict=True)
        return [copier(message) for copier, message in pairs]

    def replies(self) -> Iterator[Message]:
        """Yield the assistant messages after the prompt, the last one first."""
        for index in range(len(self.messages) - 1, self.prompt_length - 1, -1):
            if self.messages[index]["role"] == "assistant":
                yield self.messages[index]
