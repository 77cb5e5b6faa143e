"""Ways to read the words of a text that several groups of instructions share."""

from __future__ import annotations

import re
import string
import unicodedata
from typing import Annotated

from pydantic import Field

from textgym.verifiers.instructions.sentences import EMPHASIS

__all__ = [
    "MARKS",
    "QUOTATION_MARKS",
    "Text",
    "as_read",
    "ascii_letters",
    "bare_words",
    "count_word",
    "without_emphasis",
    "words_without_punctuation",
]

Text = Annotated[str, Field(min_length=1)]
"""A text that is not empty, as it is."""

QUOTATION_MARKS = "“”„‘’‚«»‹›"
"""The typographic quotation marks, of which ’ is an apostrophe too."""

MARKS = string.punctuation + QUOTATION_MARKS + "…–—"
"""The punctuation marks that may stand around a word."""

_DROP_EMPHASIS = str.maketrans(EMPHASIS, " " * len(EMPHASIS))
_AS_READ = str.maketrans("’", "'", "\u00ad\u200b\u200c\u200d\u2060\ufeff")
_DROP_PUNCTUATION = str.maketrans("", "", string.punctuation + QUOTATION_MARKS + "…")


def words_without_punctuation(text: str) -> list[str]:
    """Split at whitespace after punctuation is taken out; dashes stay within words.

    Example:
        >>> words_without_punctuation("“It’s” well-known - yes — 3–5!")
        ['Its', 'wellknown', 'yes', '3–5']
    """
    return [word for word in text.translate(_DROP_PUNCTUATION).split() if word.strip("–—")]


def bare_words(text: str) -> list[str]:
    """Split at whitespace, and take the punctuation around each word away.

    Example:
        >>> bare_words("“It's” well-known — **yes!**")
        ["It's", 'well-known', 'yes']
    """
    words = (word.strip(MARKS) for word in text.split())
    return [word for word in words if word]


def as_read(text: str) -> str:
    """Return a text without invisible characters, and with one kind of apostrophes.

    Example:
        >>> as_read("It’s")
        "It's"
    """
    return text.translate(_AS_READ)


def count_word(text: str, word: str) -> int:
    """Return how often a word stands in a text as a whole, in any case.

    Underscores around it are emphasis. Both are compared as they are read.

    Example:
        >>> count_word("Cat, _cat_’s concatenate", "cat")
        2
    """
    whole = rf"(?<!\w)_*{re.escape(as_read(word))}_*(?!\w)"
    return len(re.findall(whole, as_read(text), re.IGNORECASE))


def without_emphasis(text: str) -> str:
    """Return a text with blanks for the marks of emphasis, and one kind of apostrophes.

    Example:
        >>> without_emphasis("**It’s** me")
        "  It's   me"
    """
    return text.replace("’", "'").translate(_DROP_EMPHASIS)


def ascii_letters(text: str) -> str:
    """Return a text without marks on its letters and without all else that is not ASCII.

    Example:
        >>> ascii_letters("Chișinău")
        'Chisinau'
    """
    return unicodedata.normalize("NFKD", text).encode("ascii", "ignore").decode()
