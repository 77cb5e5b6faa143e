"""Whether a text mentions a fact, such as a name, a date or a price, and which figures it has.

Invariant: the time is linear in the text.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Iterator
from dataclasses import dataclass
from functools import lru_cache

from textgym.envs.constraints.spellings import SpelledText, legible

__all__ = ["FactText", "Facts"]

_MONTHS = "january|february|march|april|may|june|july|august|september|october|november|december"
_FIGURE = re.compile(
    r"\$\d{1,9}(?:\.\d{1,9})?|(?<!\d)\d{1,2}:\d\d|(?<!\d)\d{3}-\d{4}|[a-z]{2}-\d{3}"
    rf"|(?<!\d)\d{{1,6}}(?: ?(?:percent|grams|minutes)| (?:{_MONTHS})(?![a-z])|(?:{_MONTHS}))"
)
_IN_NUMBER = (".", ",", ":")
_DIGITS = re.compile(r"\d+")
_LEADS = (1, 3, 0)  # how far before its first digits a figure may begin, as in `$5` and `KT-417`


class FactText:
    r"""A text in which facts are looked up.

    Case, line breaks, markup, and the kind of letters, blanks, quotes and dashes are
    ignored. A fact is found as whole words, and a number as a whole number. In a text without any
    white space, words cannot be separated, so only numbers must be whole.

    Args:
        text: The text.

    Example:
        >>> text = FactText("We meet on **14 June**,\nat HARBOUR HALL.")
        >>> text.mentions("14 June"), text.mentions("4 June"), text.mentions("Harbour Hall")
        (True, False, True)
    """

    def __init__(self, text: str) -> None:
        lines = (" ".join(line.split()) for line in legible(text).splitlines())
        self._lines = "\n".join(filter(None, lines))
        self._text = self._lines.replace("\n", " ").lower()
        self._is_squeezed = " " not in self._text

    def mentions(self, fact: str) -> bool:
        """Return whether the text has a fact."""
        return any(True for _ in self._places(fact, glued=self._is_squeezed))

    def hides(self, fact: str) -> bool:
        """Return whether the text has a fact, or has it without blanks or within longer words.

        Example:
            >>> FactText("We meetonthe14Juneagain.").hides("14 June")
            True
        """
        return self.mentions(fact) or any(True for _ in self._places(fact, glued=True))

    def beside(self, facts: Collection[str]) -> SpelledText:
        """Return the rest of the text, without some facts, to look up others in any spelling.

        Example:
            >>> FactText("Room 1, 4 June").beside(["4 June"]).gives("4 June")
            False
        """
        rest, lines = [], self._lines
        last = 0
        spans = (span for fact in facts for span in self._places(fact, glued=self._is_squeezed))
        for start, end in sorted(spans):
            rest.append(lines[last:start])
            last = max(last, end)
        return SpelledText(" / ".join([*rest, lines[last:]]), facts)

    def _places(self, fact: str, *, glued: bool) -> Iterator[tuple[int, int]]:
        """Yield where a fact stands, with or without its blanks, as a whole word.

        For a fact without blanks, only digits beside it matter, because the words around it cannot
        be separated.
        """
        wanted = ("" if glued else " ").join(_words_of(fact))
        start = self._text.find(wanted) if wanted else -1
        while start >= 0:
            end = start + len(wanted)
            if self._is_whole(start, end, str.isdigit if glued else str.isalnum):
                yield start, end
            start = self._text.find(wanted, start + 1)

    def figures(self) -> set[str]:
        """Return the prices, times, phone numbers, codes, dates and amounts of the text.

        Example:
            >>> sorted(FactText("On 3 May, 20 minutes before 6:30 pm: room 5.").figures())
            ['20minutes', '3may', '6:30']
        """
        figures, end = set(), 0
        for digits in _DIGITS.finditer(self._text):
            starts = (digits.start() - lead for lead in _LEADS)
            tried = (_FIGURE.match(self._text, start) for start in starts if start >= end)
            if figure := next(filter(None, tried), None):
                figures.add(figure[0].replace(" ", ""))
                end = figure.end()
        return figures

    def _is_whole(self, start: int, end: int, joins: Callable[[str], bool]) -> bool:
        text = self._text
        before, after = text[start - 1 : start] if start else "", text[end : end + 1]
        if after in _IN_NUMBER and text[end - 1].isdigit():
            after = text[end + 1 : end + 2] if text[end + 1 : end + 2].isdigit() else ""
        if before in _IN_NUMBER and text[start].isdigit() and not self._is_squeezed:
            before = text[start - 2 : start - 1] if text[max(0, start - 2)].isdigit() else ""
        return not (
            (joins(before) and joins(text[start])) or (joins(text[end - 1]) and joins(after))
        )


@lru_cache(maxsize=4096)
def _words_of(fact: str) -> list[str]:
    return legible(fact).lower().split()


@dataclass(frozen=True, slots=True)
class Facts:
    """The facts of a task.

    Attributes:
        required: Those that a text must mention.
        known: All that it may mention; empty if it may mention others.
        forbidden: Those that it must not mention.
    """

    required: tuple[str, ...] = ()
    known: tuple[str, ...] = ()
    forbidden: tuple[str, ...] = ()

    def share_in(self, text: str, if_wrong: float = 0.0) -> float:
        """Return the share of the required facts that a text mentions; 1 if none is required.

        Args:
            text: The text.
            if_wrong: What is returned if the text has a forbidden fact in any spelling, or a figure
                that no known fact has.

        Example:
            >>> facts = Facts(("3 May", "$5.00"), known=("3 May", "$5.00", "6:30 pm"))
            >>> facts.share_in("It is on 3 May, at 6:30 pm."), facts.share_in("3 May: $5.00, $7.00")
            (0.5, 0.0)
        """
        if not (self.required or self.known or self.forbidden):
            return 1.0
        stated = FactText(text)
        if self.forbidden:
            rest = stated.beside({*self.required, *self.known})
            if any(stated.hides(fact) or rest.gives(fact) for fact in self.forbidden):
                return if_wrong
        if self.known and stated.figures() - FactText(" / ".join(self.known)).figures():
            return if_wrong
        mentioned = sum(map(stated.mentions, self.required))
        return mentioned / len(self.required) if self.required else 1.0
