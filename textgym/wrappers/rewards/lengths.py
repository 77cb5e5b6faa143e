"""The text that a policy wrote in a message, and its length in characters or tokens."""

from __future__ import annotations

import json
from collections.abc import Callable
from functools import lru_cache
from typing import Any

from textgym.messages import Message, text_of

__all__ = ["length_function", "sampled_text"]


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
        tokenizer: A model's name or folder, or a function from a text to its token ids; None for
            the number of characters.

    Example:
        >>> length_function(None)("four"), length_function(str.split)("two words")
        (4, 2)
    """
    if tokenizer is None:
        return len
    encode = _encoder(tokenizer) if isinstance(tokenizer, str) else tokenizer
    return lambda text: len(encode(text))


@lru_cache(maxsize=8)
def _encoder(model: str) -> Callable[[str], list[int]]:
    from textgym.policies.hf import load_tokenizer

    tokenizer = load_tokenizer(model)
    return lambda text: list(tokenizer(text, add_special_tokens=False)["input_ids"])
