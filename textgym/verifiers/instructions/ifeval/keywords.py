"""Instructions about words and letters that the response has or lacks.

Words are plain texts, never regular expressions, and their case does not matter.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Annotated

from pydantic import StringConstraints

from textgym.verifiers.instructions.ifbench.reading import as_read, count_word
from textgym.verifiers.instructions.ifeval.arguments import (
    Bound,
    Phrase,
    Phrases,
    Relation,
    compare,
)
from textgym.verifiers.instructions.instruction import instruction

__all__ = ["Character", "existence", "forbidden_words", "frequency", "letter_frequency"]

Character = Annotated[str, StringConstraints(min_length=1, max_length=1)]
"""A single character."""


def _places(phrase: str, text: str) -> Iterator[re.Match[str]]:
    """Find a phrase in a text, also within words; places do not overlap."""
    return re.finditer(re.escape(as_read(phrase)), as_read(text), re.IGNORECASE)


@instruction("keywords:existence", "Use each of these words or phrases: {keywords}.")
def existence(text: str, *, keywords: Phrases) -> bool:
    """A keyword may be a part of a longer word."""
    return all(any(_places(keyword, text)) for keyword in keywords)


@instruction(
    "keywords:frequency",
    'The word "{keyword}" should appear {relation} {frequency} times in your response.',
)
def frequency(text: str, *, keyword: Phrase, frequency: Bound, relation: Relation) -> bool:
    """The keyword also counts within longer words."""
    return compare(sum(1 for _ in _places(keyword, text)), relation, frequency)


@instruction(
    "keywords:forbidden_words",
    "Do not use any of these words in your response: {forbidden_words}.",
)
def forbidden_words(text: str, *, forbidden_words: Phrases) -> bool:
    """Only whole words count, as a reader sees them: also within emphasis by underscores."""
    return not any(count_word(text, word) for word in forbidden_words)


@instruction(
    "keywords:letter_frequency",
    'The letter "{letter}" should appear {let_relation} {let_frequency} times in your response.',
)
def letter_frequency(
    text: str, *, letter: Character, let_frequency: Bound, let_relation: Relation
) -> bool:
    """Case does not matter; a character that is not a letter is counted too."""
    return compare(text.lower().count(letter.lower()), let_relation, let_frequency)
