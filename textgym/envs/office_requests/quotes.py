"""Quotations: a text that repeats what the user said does not ask what the quoted words ask.

Invariants: only quotations of the user are removed, so a question about a value that the model
made up stays as it is; any text is read, in linear time, from its last characters.
"""

from __future__ import annotations

import re

from textgym.users.understanding import MAX_READ
from textgym.verifiers.extract import after_reasoning

__all__ = ["without_quotes"]

_QUOTE = re.compile(
    r"(?<!\w)'([^'\n]{1,200})'(?!\w)|\"([^\"\n]{1,200})\""
    r"|\u201c([^\u201d\n]{1,200})\u201d|\u2018([^\u2019\n]{1,200})\u2019"
)


def without_quotes(text: str, said: str) -> str:
    """Return what a message says at its end, without reasoning and quotations of the user.

    Args:
        text: The message.
        said: What the user said, or knows.

    Example:
        >>> without_quotes("I wrote 'At noon?' to Kim.", "Write to Kim: 'At noon?'")
        'I wrote _ to Kim.'
    """
    said = said.lower()

    def mark(quote: re.Match[str]) -> str:
        return "_" if str(quote[quote.lastindex or 0]).lower().rstrip(".,") in said else quote[0]

    return _QUOTE.sub(mark, after_reasoning(text)[-MAX_READ:])
