r"""Option letters in a short text: one alone, one with a text behind it, or one in a line.

Invariants: a letter counts where it stands by itself. The article "A", the pronoun "I", and a
letter that the text denies ("not B", "B is wrong") do not count. All takes linear time.
"""

from __future__ import annotations

import re
from collections.abc import Collection
from itertools import pairwise
from typing import NamedTuple

__all__ = ["Label", "letter_alone", "letter_in_line", "read_label"]

_OPENERS = r"\s*_`\"'“‘«<(\[{$~"
_CLOSERS = r"\s*_`\"'”’»>)\]}$~.,;:!?…"
_ALONE = re.compile(rf"[{_OPENERS}]*+([A-Za-z])[{_CLOSERS}]*+")
_LABEL = re.compile(rf"[{_OPENERS}]*+([A-Za-z])([{_CLOSERS}–—-]*+)(.*)", re.DOTALL)
_OPENING = re.compile(rf"[{_OPENERS}]*+")
_STANDING = re.compile(r"(?<![^\W_])(?<![^\W_]['’-])[A-Za-z](?![^\W_])(?!['’-][^\W_])")
_AS_A_WORD = re.compile(
    r"[Aa]\s+(?!(?:and|as|because|but|due|fits|for|given|instead|is|it|must|nor|not|or|over|rather"
    r"|seems|should|since|was|will|with|would)\b)[a-z]"
    r"|[Ii]\s+(?!(?:and|as|because|due|is|nor|or|since)\b)[a-z]"
)
_DENIED = re.compile(
    r"(?i:\b(?:not|never|neither|nor|except|excluding|than|cannot|anything but|all but|instead of)"
    r"|n['’]t)(?:\s++(?!(?:but|so|rather|because|since|therefore)\b)[a-z]++){0,4}+"
    r"\s*+[(\[\"'“‘]?([A-Z])(?![^\W_])"
    r"|(?<![^\W_])([A-Z])[)\]\"'”’*_]*+"
    r"(?:\s+(?:(?:is|was|can|could|would|does|must|should)(?:n['’]t|\s*not|\s+never)|cannot)\b"
    r"|(?:\s*[:,–—-])?\s+(?:(?:is|was|seems|can be|must be)\s+)?(?:\w+ly\s+|also\s+)?"
    r"(?:wrong|false|incorrect|impossible|excluded|eliminated|ruled out)\b(?!\s+\w))"
)
_LABELLED = re.compile(r"(?:[,;|\n]|\b(?:or|and)\b)[^\S\n]*[(\[*]*+([A-Z])\**+(?:[:)\]]|\.\s)")
_LISTED = re.compile(r"\s*(?:[).:\]]|\Z)")
_ONLY_MARKS = re.compile(r"[\s).:\]]*")
_BESIDE = re.compile(
    r"[\s)\]\"'”’*_]*+(?:[/|&,;+]|\b(?:or|and|nor)\b)"
    r"(?:[\s/|&,;+(\[\"'“‘*_]|\b(?:or|and|nor|maybe|perhaps|possibly|option)\b)*+"
    r"|\s+|[)\]]\s*[(\[]|.*\bor\s+(?:option\s+)?[(\[\"'“‘*_]*+",
    re.IGNORECASE | re.DOTALL,
)


class Label(NamedTuple):
    """A letter with a text behind it, such as `B) zinc`.

    Attributes:
        letter: The letter, in the case that it is written in.
        mark: What stands between the letter and the text.
        text: The text.
    """

    letter: str
    mark: str
    text: str

    @property
    def is_marked(self) -> bool:
        """Whether the mark is one of `:` `)` `.`, or a dash beside a blank."""
        dash = any(mark in self.mark for mark in "-–—") and any(map(str.isspace, self.mark))
        return dash or any(mark in self.mark for mark in ":).]")


def letter_alone(text: str) -> str:
    """Return the letter that a text is but for brackets, quotes, markup and sentence marks; or "".

    Example:
        >>> letter_alone("**(B).**"), letter_alone("not B"), letter_alone("≠B")
        ('B', '', '')
    """
    found = _ALONE.fullmatch(text)
    return found[1] if found else ""


def read_label(text: str) -> Label | None:
    """Return the letter that a text begins with, its mark and the text behind it; None without.

    Example:
        >>> read_label("**B**) zinc"), read_label("zinc")
        (Label(letter='B', mark='**) ', text='zinc'), None)
    """
    found = _LABEL.match(text)
    if found is None or not (found[2] and found[3]):
        return None
    return Label(*found.groups())


def letter_in_line(line: str, letters: Collection[str]) -> str:
    """Return the one letter that a line names; "" where it names none, or several.

    That is the letter that the line begins with, in any case, or the only capital one. A letter
    with another beside it ("A or B", "A/B") is not named, nor one of several with texts ("A: iron,
    B: zinc").

    Example:
        >>> letter_in_line("(B), since A is too light", "ABC"), letter_in_line("option B", "ABC")
        ('B', 'B')
        >>> letter_in_line("A or B", "ABC"), letter_in_line("not A but B", "ABC")
        ('', 'B')
    """
    denied = {found.start(found.lastindex or 0) for found in _DENIED.finditer(line)}
    standing = [
        found
        for found in _STANDING.finditer(line)
        if found.start() not in denied and not _AS_A_WORD.match(line, found.start())
    ]
    leads = standing and _OPENING.fullmatch(line, 0, standing[0].start())
    named = {found.group() for found in standing if found.group() in letters}
    letter = standing[0].group().upper() if leads else "".join(named)
    labelled = {found[1] for found in _LABELLED.finditer(line)}.intersection(letters) - {letter}
    if letter not in letters or labelled or _has_another_beside(line, letter, standing, letters):
        return ""
    return letter


def _has_another_beside(
    line: str, letter: str, standing: list[re.Match[str]], letters: Collection[str]
) -> bool:
    options = [found for found in standing if found.group().upper() in letters]
    for left, right in pairwise(options):
        pair = left.group().upper(), right.group().upper()
        between = left.end(), right.start()
        if letter not in pair or pair[0] == pair[1]:
            continue
        if _BESIDE.fullmatch(line, *between):
            return True
        if _ONLY_MARKS.fullmatch(line, *between) and _LISTED.match(line, right.end()):
            return True
    return False
