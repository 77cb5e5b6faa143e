"""The option letter that a sentence names, such as "it is B, not A".

The sentence is read as a list of words and punctuation marks. Invariants:

- A letter counts only as a word of its own, so not in "B2", "B-cell" or "Bee".
- The article "A", the pronoun "I", and a letter that the sentence rejects ("not B", "B is wrong")
  do not count.
- A sentence that offers several letters names none.
- The time is linear in the length of the sentence.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator, Sequence
from itertools import pairwise
from typing import NamedTuple

from textgym.verifiers.choices.letters import is_latin_letter

__all__ = ["named_letter"]

_TOKEN = re.compile(r"[^\W_]+(?:['’-][^\W_]+)*|[^\w\s*`]")
_OPENING_MARKS = frozenset("\"'“‘«<([{$~")
_OPENING_QUOTES = frozenset("([\"'“‘")
_CLOSING_QUOTES = frozenset(")]\"'”’")
_LIST_MARKS = frozenset(").:]")
_DASHES = frozenset("-–—")

# "A metal" is an article and a noun; "A is right" is an option and a verb.
_WORDS_AFTER_OPTION_A = frozenset([
    "and", "as", "because", "but", "due", "fits", "for", "given", "instead", "is", "it", "must",
    "nor", "not", "or", "over", "rather", "seems", "should", "since", "was", "will", "with",
    "would",
])  # fmt: skip
_WORDS_AFTER_OPTION_I = frozenset(["and", "as", "because", "due", "is", "nor", "or", "since"])

_NEGATIONS = frozenset(["not", "never", "neither", "nor", "except", "excluding", "than", "cannot"])
_NEGATING_PHRASES = (("anything", "but"), ("all", "but"), ("instead", "of"))
_NEGATION_ENDS = frozenset(["but", "so", "rather", "because", "since", "therefore"])
_NEGATION_REACH = 4  # words between a negation and the letter that it rejects
_VERBS = ("is", "was", "can", "could", "would", "does", "must", "should")
_NEGATED_VERBS = frozenset(["can't", "cannot", *(f"{verb}n't" for verb in _VERBS)])
_COPULAS = (("is",), ("was",), ("seems",), ("can", "be"), ("must", "be"))
_REJECTIONS = (
    ("wrong",), ("false",), ("incorrect",), ("impossible",), ("excluded",), ("eliminated",),
    ("ruled", "out"),
)  # fmt: skip

_LINKS = frozenset([*"/|&,;+", "or", "and", "nor"])
_HEDGES = frozenset(["maybe", "perhaps", "possibly", "option"])


class _Token(NamedTuple):
    """A word or a punctuation mark; Markdown's marks are left out.

    Attributes:
        text: The word or mark.
        word: The word in lower case with plain apostrophes; "" for a mark.
        starts_line: Whether a line break precedes it.
        is_spaced: Whether white space follows it.
    """

    text: str
    word: str
    starts_line: bool
    is_spaced: bool

    @property
    def is_letter(self) -> bool:
        return is_latin_letter(self.text)


def named_letter(text: str, letters: Collection[str]) -> str:
    """Return the one letter that a sentence names; "" if it names none, or several.

    1. If the sentence begins with a letter, in either case, it names that letter.
    2. Otherwise it names the only capital letter of `letters` in it.
    3. It names none if another of `letters` stands next to that one as an alternative ("A or B",
       "A/B", "A B"), or begins an item of a list ("A: iron, B: zinc").

    Args:
        text: The sentence.
        letters: The options' capital letters.

    Example:
        >>> named_letter("(B), since A is too light", "ABC"), named_letter("option B", "ABC")
        ('B', 'B')
        >>> named_letter("A or B", "ABC"), named_letter("not A but B", "ABC")
        ('', 'B')
    """
    tokens = list(_tokens(text))
    rejected = set(_rejected(tokens))
    named = [
        place
        for place, token in enumerate(tokens)
        if token.is_letter and place not in rejected and not _is_article_or_pronoun(tokens, place)
    ]
    if not named:
        return ""
    if all(token.text in _OPENING_MARKS for token in tokens[: named[0]]):
        letter = tokens[named[0]].text.upper()
    else:
        capitals = {tokens[place].text for place in named}.intersection(letters)
        letter = capitals.pop() if len(capitals) == 1 else ""
    if letter not in letters or _lists_another(tokens, letter, letters):
        return ""
    options = [place for place in named if tokens[place].text.upper() in letters]
    return "" if _offers_another(tokens, letter, options) else letter


def _tokens(text: str) -> Iterator[_Token]:
    end = 0
    for found in _TOKEN.finditer(text):
        word = found[0].lower().replace("’", "'") if found[0][0].isalnum() else ""
        starts_line = text.find("\n", end, found.start()) >= 0
        end = found.end()
        yield _Token(found[0], word, starts_line, text[end : end + 1].isspace())


def _is_article_or_pronoun(tokens: Sequence[_Token], place: int) -> bool:
    """Tell whether a letter is the word "a" or "I", by the word behind it."""
    known = {"a": _WORDS_AFTER_OPTION_A, "i": _WORDS_AFTER_OPTION_I}.get(tokens[place].word)
    if known is None or not tokens[place].is_spaced or place + 1 == len(tokens):
        return False
    following = tokens[place + 1]
    return "a" <= following.text[0] <= "z" and following.word not in known


def _rejected(tokens: Sequence[_Token]) -> Iterator[int]:
    """Yield the places of the capital letters that a sentence rejects."""
    for place, token in enumerate(tokens):
        if _is_capital(tokens, place) and _is_rejected_behind(tokens, place + 1):
            yield place
        end = place + 1 if token.word in _NEGATIONS or token.word.endswith("n't") else 0
        for phrase in _NEGATING_PHRASES:
            end = end or _skip_phrase(tokens, place, phrase)
        if end:
            letter = _skip_marks(tokens, _skip_words(tokens, end), _OPENING_QUOTES)
            if _is_capital(tokens, letter):
                yield letter


def _is_capital(tokens: Sequence[_Token], place: int) -> bool:
    return place < len(tokens) and tokens[place].is_letter and tokens[place].text.isupper()


def _skip_words(tokens: Sequence[_Token], place: int) -> int:
    """Skip the words through which a negation reaches."""
    end = min(place + _NEGATION_REACH, len(tokens))
    while place < end and tokens[place].text.islower() and tokens[place].text.isascii():
        if tokens[place].word in _NEGATION_ENDS:
            break
        place += 1
    return place


def _skip_marks(tokens: Sequence[_Token], place: int, marks: Collection[str]) -> int:
    while place < len(tokens) and tokens[place].text in marks:
        place += 1
    return place


def _skip_phrase(tokens: Sequence[_Token], place: int, phrase: Sequence[str]) -> int:
    """Return the place behind a phrase; 0 if the tokens here are not that phrase."""
    end = place + len(phrase)
    return end if [token.word for token in tokens[place:end]] == list(phrase) else 0


def _is_rejected_behind(tokens: Sequence[_Token], place: int) -> bool:
    """Tell whether the words here reject the letter before: "(B) cannot be", "is clearly wrong"."""
    place = _skip_marks(tokens, place, _CLOSING_QUOTES)
    words = [token.word for token in tokens[place : place + 2]]
    if words and words[0] in _NEGATED_VERBS:
        return True
    if len(words) == 2 and words[0] in _VERBS and words[1] in ("not", "never"):
        return True
    if place < len(tokens) and tokens[place].text in (":", ",", *_DASHES):
        place += 1
    for phrase in _COPULAS:
        place = _skip_phrase(tokens, place, phrase) or place
    if place < len(tokens) and (tokens[place].word.endswith("ly") or tokens[place].word == "also"):
        place += 1
    ends = [end for phrase in _REJECTIONS if (end := _skip_phrase(tokens, place, phrase))]
    return bool(ends) and not (ends[0] < len(tokens) and tokens[ends[0]].word)


def _lists_another(tokens: Sequence[_Token], letter: str, letters: Collection[str]) -> bool:
    """Tell whether another option's letter begins an item of a list, as in "…, A) iron"."""
    for place, token in enumerate(tokens[:-1]):
        if not token.is_letter or token.text == letter or token.text not in letters:
            continue
        mark = tokens[place + 1]
        if not (mark.text in (":", ")", "]") or (mark.text == "." and mark.is_spaced)):
            continue
        first = place
        while first and tokens[first - 1].text in ("(", "["):
            first -= 1
        before = tokens[first - 1] if first else None
        if tokens[first].starts_line or (
            before and (before.text in (",", ";", "|") or before.word in ("or", "and"))
        ):
            return True
    return False


def _offers_another(tokens: Sequence[_Token], letter: str, options: Sequence[int]) -> bool:
    """Tell whether the letter and one next to it, at these places, are alternatives."""
    for left, right in pairwise(options):
        pair = {tokens[left].text.upper(), tokens[right].text.upper()}
        if letter in pair and len(pair) == 2:
            behind = tokens[right + 1].text if right + 1 < len(tokens) else ")"
            if _are_alternatives(tokens[left + 1 : right], behind):
                return True
    return False


def _are_alternatives(between: Sequence[_Token], behind: str) -> bool:
    """Tell whether two letters are alternatives, by the tokens between and the mark behind them."""
    texts = [token.word or token.text for token in between]
    if not texts or (len(texts) == 2 and texts[0] in (")", "]") and texts[1] in ("(", "[")):
        return True  # "A B", "(A)(B)"
    if _LIST_MARKS.issuperset([*texts, behind]):
        return True  # "A. B."
    start = _skip_marks(between, 0, _CLOSING_QUOTES)
    links = texts[start:]
    if links and links[0] in _LINKS and (_LINKS | _HEDGES | _OPENING_QUOTES).issuperset(links):
        return True  # "A, B", "A) and maybe (B"
    while texts and texts[-1] in _OPENING_QUOTES:
        texts.pop()
    return texts[-1:] == ["or"] or texts[-2:] == ["or", "option"]  # "A if hot, or B"
