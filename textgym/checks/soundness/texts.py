"""Small changes of an answer in a text that make it wrong."""

from __future__ import annotations

import random
import re
from collections.abc import Callable, Mapping
from typing import Any

__all__ = ["TEXT_CHANGES", "answer_span", "asks_for_order", "reorder"]

_DIGITS = "123456789"
_LETTERS = "abcdefghijklmnopqrstuvwxyz"
_SIGNED = re.compile(r"-?\d+(\.\d+)?")
_COMMAND = re.compile(r"\\[A-Za-z]+")
_PART = r"[^\s,;\[\](){}]"
_LIST = re.compile(
    rf"(?<!{_PART})(?:{_PART}[^,;\n\[\](){{}}]*(?:[,;] ?[^,;\n\[\](){{}}]+)+"
    rf"|{_PART}+(?: {_PART}+)+)"
)
_SEPARATOR = re.compile(r"[,;] ?| ")
_NAMED = re.compile(r"\s*+[\"']?[\w -]{1,80}+[\"']?\s{0,5}[:=]")
_ORDER = re.compile(
    r"\b(?:sort|sorted|ascending|descending|increasing|decreasing|alphabetical(?:ly)?"
    r"|chronological(?:ly)?|ranked|reversed?|(?:in|by|into) (?:\w+ )?order(?! to)|in that order)\b",
    re.I,
)
_ANY_ORDER = re.compile(r"\bany order\b|\border (?:does not|doesn't|is not)\b", re.I)
_MAX_EXACT = 2  # digits of a number of which any may be changed; a tolerance may ignore later ones


def answer_span(text: str, *answers: Any) -> tuple[int, int]:
    r"""Return where a text has one of the answers, which are tried in order; else the whole text.

    Example:
        >>> answer_span(r"It is \boxed{7}.", "5", 7)
        (13, 14)
        >>> answer_span("seven", ["7"], "")
        (0, 5)
    """
    for answer in answers:
        words = str(answer) if isinstance(answer, (str, int, float)) else ""
        found = text.rfind(words) if words else -1
        if found >= 0:
            return found, found + len(words)
    return 0, len(text)


def change_digit(answer: str, rng: random.Random) -> str:
    """Return an answer with another digit in one of its numbers.

    In a long number the first digit is changed, so that a tolerance does not forgive it.

    Example:
        >>> change_digit("1234 m", random.Random(0))
        '8234 m'
    """
    numbers = list(re.finditer(r"\d+", answer))
    if not numbers:
        return answer
    found = rng.choice(numbers)
    exact = len(found.group()) <= _MAX_EXACT
    place = rng.randrange(found.start(), found.end()) if exact else found.start()
    digit = rng.choice([item for item in _DIGITS if item != answer[place]])
    return answer[:place] + digit + answer[place + 1 :]


def append_digit(answer: str, rng: random.Random) -> str:
    """Return an answer with one more digit at the end of one of its whole numbers.

    Example:
        >>> append_digit("0.5 of 12", random.Random(0))
        '0.5 of 127'
    """
    whole = list(re.finditer(r"(?<![\d.])\d+(?!\.?\d)", answer))
    if not whole:
        return answer
    end = rng.choice(whole).end()
    return answer[:end] + rng.choice(_DIGITS) + answer[end:]


def change_letter(answer: str, rng: random.Random) -> str:
    r"""Return an answer with another letter in place of one, but not in a command of LaTeX.

    Example:
        >>> change_letter(r"\sqrt{x}", random.Random(0))
        '\\sqrt{y}'
    """
    kept = {place for found in _COMMAND.finditer(answer) for place in range(*found.span())}
    places = [
        place
        for place, letter in enumerate(answer)
        if letter.lower() in _LETTERS and place not in kept
    ]
    if not places:
        return answer
    place = rng.choice(places)
    old = answer[place]
    new = _LETTERS[(_LETTERS.index(old.lower()) + 1) % len(_LETTERS)]
    return answer[:place] + (new.upper() if old.isupper() else new) + answer[place + 1 :]


def change_sign(answer: str, rng: random.Random) -> str:
    """Return an answer that is a number with the other sign.

    Example:
        >>> change_sign("-12.5", random.Random(0)), change_sign("3", random.Random(0))
        ('12.5', '-3')
    """
    if not _SIGNED.fullmatch(answer) or not answer.strip("-0."):
        return answer
    return answer[1:] if answer.startswith("-") else f"-{answer}"


def asks_for_order(prompt: str) -> bool:
    """Return whether a prompt asks for the parts of an answer in an order.

    Example:
        >>> asks_for_order("Sort 3, 1 and 2."), asks_for_order("Name them in any order.")
        (True, False)
    """
    return _ORDER.search(prompt) is not None and _ANY_ORDER.search(prompt) is None


def reorder(answer: str) -> str:
    """Return an answer with the parts of its longest list in reverse order.

    Parts that have names, as in an object of JSON, are left as they are.

    Example:
        >>> reorder("['a', 'b']"), reorder("seven")
        ("['b', 'a']", 'seven')
    """
    found = max(_LIST.finditer(answer), key=lambda match: len(match[0]), default=None)
    if found is None:
        return answer
    marks: list[str] = _SEPARATOR.findall(found[0])
    separator = max(marks, key=lambda mark: (mark != " ", marks.count(mark)))
    parts = found[0].split(separator)
    if all(_NAMED.match(part) for part in parts):
        return answer
    return answer[: found.start()] + separator.join(parts[::-1]) + answer[found.end() :]


TEXT_CHANGES: Mapping[str, Callable[[str, random.Random], str]] = {
    "a digit changed": change_digit,
    "a digit appended": append_digit,
    "a letter changed": change_letter,
    "the sign changed": change_sign,
}
"""Changes of an answer, by name. An answer that has nothing to change is returned as it is."""
