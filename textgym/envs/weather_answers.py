"""Whether an answer about the weather is right: a word or a number.

Invariants: a text has at most one answer, so a text that denies its answer or has several guesses
is wrong; any text is read in linear time.
"""

from __future__ import annotations

import re

from textgym.verifiers.denial import (
    CONTRACTED,
    DOUBTED,
    EXCEPTED,
    FALSE,
    NEGATIONS,
    OTHER,
)
from textgym.verifiers.exact import equal_number, normalize_answer, read_number
from textgym.verifiers.extract import final_number

__all__ = ["CONDITIONS", "MAX_ANSWER_LENGTH", "is_right"]

CONDITIONS = ("clear", "cloudy", "foggy", "rainy", "snowy", "stormy", "sunny", "windy")
MAX_ANSWER_LENGTH = 200
_REJECTION = re.compile(
    rf"\b(?:{NEGATIONS}|{FALSE}|excluded|ruled out|far from it)\b|{CONTRACTED}|~~",
    re.IGNORECASE,
)
MAX_ITEM_WORDS = 2  # of an item in a list of guesses
_VERBS = frozenset(("is", "s", "was", "are", "will", "has", "says", "shows", "reports", "reported"))
_SMALL_WORDS = _VERBS | {
    "be", "it", "its", "the", "a", "an", "of", "in", "at", "with", "weather", "currently", "now",
}  # fmt: skip
_NUMBER = re.compile(r"[-+−$]{0,2}\d+(?:\.\d+)?")
_BETWEEN_NUMBERS = re.compile(r"(?<=\d)\s*(?:[,;/|&:–-]|\band\b|\bto\b|\s)\s*", re.IGNORECASE)
MAX_OTHER_WORDS = 1  # beside a word that the generator does not have, as in "light drizzle"
_MARKS = " \t\r\n.*_`$"
_SEPARATOR = re.compile(r"[,;/|]|\b(?:or|and)\b")
_NEGATION = re.compile(
    rf"\b(?:{NEGATIONS}|{FALSE}|{DOUBTED}|{OTHER}|{EXCEPTED}|no(?! doubt)"
    rf"|without(?!(?: an?y?)? doubt)|lacks)\b|{CONTRACTED}|≠|!=|\\(?:neq?|not|x?cancel|sout)\b|~~",
    re.IGNORECASE,
)
_NOT_ONE = re.compile(
    r"(?:\bor\W{1,3}|\d\W{0,3}(?:[a-z]{1,10}\W{1,3})?(?:to|and|through)\W{1,3}"
    r"|[\d)]\s{0,3}[-+*/×÷]\s{0,3}|\b(?:at (?:least|most)|over|under|above|below|up to"
    r"|(?:more|less|fewer|higher|lower|greater|warmer|colder) than|(?:minimum|maximum) of)\W{1,3}"
    r"|[<>≤≥±]\s{0,3})[-+−$]{0,2}\Z",
    re.IGNORECASE,
)
"""What makes a number behind it a guess of several, a bound, or a part of a calculation."""
_NOT_ONE_BEHIND = re.compile(
    r"\W{0,3}(?:degrees|°?[CF])?\W{0,3}(?:(?:or|and) (?:more|less|up|higher|lower|above|below)\b"
    r"|at (?:least|most)\b|minimum\b|maximum\b)|\s?\+(?!\w)",
    re.IGNORECASE,
)
_ALTERNATIVE = re.compile(r"\b(?:or|vs|versus)\b", re.IGNORECASE)
_LAST_NUMBER = re.compile(
    r"(?P<alternative>\d\D{0,20}\bor\b\D{0,20})?"
    r"(?:(?P<calculation>\d\s*)?(?P<minus>\b(?:minus|negative)\s+))?(?P<number>[-+−$]{0,2}\d[\d.,]*)(?=\D*\Z)",
    re.IGNORECASE,
)


def is_right(answer: str, expected: str) -> bool:
    """Return whether an answer is the expected word or number.

    Args:
        answer: What a text states, see `stated_answer`.
        expected: The right answer.

    Example:
        >>> is_right("It is sunny.", "sunny"), is_right("sunny or rainy", "sunny")
        (True, False)
        >>> is_right("minus 5 degrees", "-5"), is_right("not 5", "5")
        (True, False)
    """
    if read_number(expected) is not None:
        return equal_number(expected, _number_in(answer))
    if _ALTERNATIVE.search(answer) and not _ALTERNATIVE.search(expected):
        return False
    items = [item for item in _SEPARATOR.split(answer) if not re.search(r"\d", item)]
    is_list = len(items) > 1 and all(len(item.split()) <= MAX_ITEM_WORDS for item in items)
    answer, expected = normalize_answer(answer), normalize_answer(expected)
    found = re.search(rf"(?<!\w){re.escape(expected)}(?!\w)", answer)
    if found is None or _NEGATION.search(answer, 0, found.start()):
        return False
    if _REJECTION.search(answer, found.end()):
        return False
    before = re.findall(r"\w+", answer[: found.start()])
    behind = re.findall(r"\w+", answer[found.end() :])
    is_list = is_list or _are_several(before, behind)
    if is_list and expected not in CONDITIONS and answer != expected:
        return False
    return not {*before, *behind} & {*CONDITIONS} - {*re.findall(r"\w+", expected)}


def _number_in(answer: str) -> str:
    """Return the last number of an answer; "" if there is none, or the answer denies it."""
    end = answer[-MAX_ANSWER_LENGTH:]
    last = _LAST_NUMBER.search(end)
    if last is None:
        return final_number(answer)
    if (
        last["alternative"]
        or (last["minus"] and last["calculation"])
        or _are_numbers(end.strip(_MARKS))
        or _NOT_ONE.search(end, 0, last.start("number"))
        or _NOT_ONE_BEHIND.match(end, last.end())
        or _NEGATION.search(end, 0, last.start())
        or _REJECTION.search(end, last.end())
    ):
        return ""
    return f"-{final_number(answer)}" if last["minus"] else final_number(answer)


def _are_numbers(text: str) -> bool:
    """Return whether a text is several numbers and nothing else."""
    items = _BETWEEN_NUMBERS.split(text.strip("[](){}"))
    return len(items) > 1 and all(map(_NUMBER.fullmatch, items)) and read_number(text) is None


def _are_several(before: list[str], behind: list[str]) -> bool:
    """Return whether the words around one word are more guesses, and not a sentence about it."""
    verb = next((place for place, word in enumerate(before) if word in _VERBS), None)
    words = [*before, *behind] if verb is None else before[verb:]
    if verb is not None and words.count(words[0]) > 1:
        return True  # "it is drizzle, it is sleet"
    others = [word for word in words if len(word) > 1 and not word.isdecimal()]
    return len([word for word in others if word not in _SMALL_WORDS]) > MAX_OTHER_WORDS
