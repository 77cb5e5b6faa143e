"""Words of a text and words of a row, as several groups of instructions read them."""

from __future__ import annotations

from typing import Annotated, Any

from pydantic import BeforeValidator, StringConstraints

from textgym.verifiers.instructions.ifbench.reading import bare_words
from textgym.verifiers.instructions.sentences import sentences_of

__all__ = ["Word", "words_by_sentence", "words_of"]


def _only_item(value: Any) -> Any:
    """Return the text in a list of one, as some rows have it."""
    return value[0] if isinstance(value, list) and len(value) == 1 else value


Word = Annotated[
    str, BeforeValidator(_only_item), StringConstraints(strip_whitespace=True, pattern=r"[^\W_]")
]
"""A word or phrase with a letter or digit, or a list of just that."""


def words_of(text: str) -> list[str]:
    """Return the words in lower case, without the marks around them; bare marks are left out.

    Example:
        >>> words_of("“It's” well-known - YES!")
        ["it's", 'well-known', 'yes']
    """
    return bare_words(text.lower())


def words_by_sentence(text: str) -> list[list[str]]:
    """Return the words of each sentence that has any, as `words_of` does.

    Raises:
        ExtraMissingError: The extra `constraints` is not installed.

    Example:
        >>> words_by_sentence("Really?! Yes, it's me.")
        [['really'], ['yes', "it's", 'me']]
    """
    return [words for sentence in sentences_of(text) if (words := words_of(sentence))]
