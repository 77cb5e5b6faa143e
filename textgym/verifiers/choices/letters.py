"""Option letters that stand alone or in front of a text.

Invariant: every function takes any text and linear time.
"""

from __future__ import annotations

import re
from typing import NamedTuple

__all__ = ["LetteredText", "is_latin_letter", "lone_letter", "split_letter", "to_latin_letters"]

_OPENING = " *_`\"'“‘«<([{$~"
_CLOSING = " *_`\"'”’»>)]}$~.,;:!?…"
_DASHES = "-–—"
_SINGLE = re.compile(r"\b\w\b")
_LATIN = dict(zip("أبجدঅবডঢＡＢＣＤ", "ABCD" * 3, strict=True))


class LetteredText(NamedTuple):
    """A letter and the text behind it, such as `B) zinc`.

    Attributes:
        letter: The letter, in its original case.
        mark: The characters between the letter and the text.
        text: The text.
    """

    letter: str
    mark: str
    text: str

    @property
    def is_marked(self) -> bool:
        """Whether `:`, `)`, `.` or a dash next to a space separates the letter from the text."""
        dash = any(mark in self.mark for mark in _DASHES) and " " in self.mark
        return dash or any(mark in self.mark for mark in ":).]")


def is_latin_letter(text: str) -> bool:
    """Tell whether a text is one of the letters A to Z, in either case.

    Example:
        >>> is_latin_letter("b"), is_latin_letter("é"), is_latin_letter("AB")
        (True, False, False)
    """
    return len(text) == 1 and text.isascii() and text.isalpha()


def to_latin_letters(text: str) -> str:
    """Replace Arabic, Bengali and full-width option letters that stand alone by A to D.

    Example:
        >>> to_latin_letters("(ب) or Ｃ, not جيد")
        '(B) or C, not جيد'
    """
    return _SINGLE.sub(lambda found: _LATIN.get(found[0], found[0]), text)


def lone_letter(text: str) -> str:
    """Return the letter if a text is one letter with any brackets or punctuation; otherwise "".

    Example:
        >>> lone_letter("**(B).**"), lone_letter("not B"), lone_letter("≠B")
        ('B', '', '')
    """
    bare = " ".join(text.split()).lstrip(_OPENING).rstrip(_CLOSING)
    return bare if is_latin_letter(bare) else ""


def split_letter(text: str) -> LetteredText | None:
    """Split a text into the letter that it begins with, the marks behind it, and the rest.

    Returns:
        The parts; None if the text does not begin with a single letter, or nothing follows it.

    Example:
        >>> split_letter("**B**) zinc"), split_letter("zinc")
        (LetteredText(letter='B', mark='**) ', text='zinc'), None)
    """
    text = " ".join(text.split()).lstrip(_OPENING)
    letter, behind = text[:1], text[1:]
    rest = behind.lstrip(_CLOSING + _DASHES)
    mark = behind[: len(behind) - len(rest)]
    if not (is_latin_letter(letter) and mark and rest):
        return None
    return LetteredText(letter, mark, rest)
