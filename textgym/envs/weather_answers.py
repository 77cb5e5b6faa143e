"""Whether an answer about the weather is right: a word or a number.

Invariants: a text has at most one answer, so a text that denies its answer or has several guesses
is wrong; any text is read in linear time.
"""

from __future__ import annotations

import re

from textgym.verifiers.exact import equal_number, normalize_answer, read_number
from textgym.verifiers.extract import final_number

__all__ = ["CONDITIONS", "MAX_ANSWER_LENGTH", "is_right"]

CONDITIONS = ("clear", "cloudy", "foggy", "rainy", "snowy", "stormy", "sunny", "windy")
MAX_ANSWER_LENGTH = 200
_REJECTION = re.compile(
    r"\b(?:not|never|wrong|false|incorrect|excluded|ruled out|far from it)\b|n['’]t\b|~~",
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
    r"\b(?:not|no|never|nor|neither|except|unlike|instead of|rather than|far from"
    r"|(?:any|every)thing but|all but|other than|without|lacks|hardly|excluding|wrong|opposite of"
    r"|nobody|doubt)\b|n['’]t\b|≠|!=|\\(?:neq?|not|x?cancel|sout)\b|~~",
    re.IGNORECASE,
)
_LAST_NUMBER = re.compile(
    r"(?P<alternative>\d\D{0,20}\bor\b\D{0,20})?(?P<calculation>\d\s*)?"
    r"(?P<minus>\b(?:minus|negative)\s+)?[-+−$]{0,2}\d[\d.,]*(?=\D*\Z)",
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
