"""The conversation of an episode.

Invariants: messages are appended, and removed again only if a step fails; `copy` returns fresh
copies.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any

from textgym.json_values import ATOMS, copy_json
from textgym.messages import Message, copy_plain_calls, split_reasoning, text_of

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

    __slots__ = ("_nested", "messages", "prompt_length")

    def __init__(self, prompt: Iterable[Message] = ()) -> None:
        self.messages: list[Message] = []
        # What messages hold besides texts: place, key, value, and whether it is plain calls.
        self._nested: list[tuple[int, str, Any, bool]] = []
        for message in prompt:
            self.add(message)
        self.prompt_length = len(self.messages)

    def __len__(self) -> int:
        return len(self.messages)

    def add(self, message: Message) -> None:
        """Append a message. The caller must not keep a reference to it."""
        for name, value in message.items():
            if value.__class__ not in ATOMS:
                plain = name == "tool_calls" and copy_plain_calls(value) is not None
                self._nested.append((len(self.messages), name, value, plain))
        self.messages.append(message)

    def cut(self, length: int) -> None:
        """Remove all messages after the first `length`."""
        del self.messages[length:]
        while self._nested and self._nested[-1][0] >= length:
            self._nested.pop()

    def copy(self, start: int = 0) -> list[Message]:
        """Return copies of the messages from index `start` on."""
        copies: list[Any] = list(map(dict.copy, self.messages[start:]))  # type: ignore[arg-type]
        for place, name, value, plain in self._nested:
            if place < start:
                continue
            if plain:
                calls = []
                for call in value:
                    call = call.copy()
                    call["function"] = call["function"].copy()
                    calls.append(call)
            else:
                calls = copy_json(value)
            copies[place - start][name] = calls
        return copies

    def answer_text(self) -> str:
        """Return the last reply without reasoning and surrounding white space; "" if none."""
        for message in reversed(self.messages[self.prompt_length :]):
            if message["role"] == "assistant":
                return split_reasoning(text_of(message))[1].strip()
        return ""

    def replies(self) -> Iterator[Message]:
        """Yield the assistant messages after the prompt, the last one first."""
        for index in range(len(self.messages) - 1, self.prompt_length - 1, -1):
            if self.messages[index]["role"] == "assistant":
                yield self.messages[index]
