"""The text that a policy wrote in a message, and its length in characters or tokens."""

from __future__ import annotations

import json
from collections.abc import Callable
from functools import lru_cache, partial
from typing import Any

from textgym.errors import UsageError
from textgym.messages import Message, text_of
from textgym.names import import_object, is_place

__all__ = ["cached_tokenizer", "length_function", "sampled_text"]


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
        tokenizer: A model's name or folder; a function from a text to its token ids, or its place,
            as `module:function`; None for the number of characters.

    Raises:
        UsageError: It is neither a text nor a function.

    Example:
        >>> length_function(None)("four"), length_function(str.split)("two words")
        (4, 2)
    """
    if tokenizer is None:
        return len
    if isinstance(tokenizer, str) and is_place(tokenizer):
        tokenizer = import_object(tokenizer)
    if isinstance(tokenizer, str):
        cached_tokenizer(tokenizer)  # whose errors belong here
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
    """Return the tokenizer of a model, which is loaded once a process."""
    from textgym.policies.models import load_tokenizer

    return load_tokenizer(model)
