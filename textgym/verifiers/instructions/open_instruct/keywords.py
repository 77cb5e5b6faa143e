"""Instructions on words that the text has or lacks, how often, and with which letters."""

from __future__ import annotations

import re
import string
from itertools import pairwise

from textgym.verifiers.instructions.ifbench.reading import MARKS, count_word
from textgym.verifiers.instructions.ifbench.words import keywords_specific_position
from textgym.verifiers.instructions.ifeval.arguments import Bound, Count
from textgym.verifiers.instructions.instruction import instruction
from textgym.verifiers.instructions.open_instruct.reading import Word, words_of

_NEXT_LETTER = dict(pairwise(string.ascii_lowercase))
_PHRASE_ENDS = (re.compile(r'[.!?*"“”\n]'), re.compile(r'[.!?*"“”\n:]'))


@instruction(
    "keywords:no_adjacent_consecutive",
    "Let no word begin with the letter of the alphabet that follows the first letter of the word "
    "before it.",
)
def no_adjacent_consecutive(text: str) -> bool:
    """Tell whether no two neighbouring words begin with letters such as `a` and `b`, in order."""
    return all(_NEXT_LETTER.get(left[0]) != right[0] for left, right in pairwise(words_of(text)))


@instruction("keywords:word_once", 'Use the word "{keyword}" exactly once.')
def word_once(text: str, *, keyword: Word) -> bool:
    """Tell whether the word stands in the text once as a whole, in any case."""
    return count_word(text, keyword) == 1


@instruction(
    "keywords:word_count_different_numbers", 'Use the word "{keyword}" exactly {frequency} times.'
)
def word_count_different_numbers(text: str, *, keyword: Word, frequency: Bound) -> bool:
    """Tell whether the word stands in the text so often as a whole, in any case."""
    return count_word(text, keyword) == frequency


@instruction("keywords:exclude_word_harder", 'Do not use the word "{keyword}".')
def exclude_word_harder(text: str, *, keyword: Word) -> bool:
    """Tell whether the word stands nowhere in the text as a whole, in any case."""
    return count_word(text, keyword) == 0


@instruction(
    "keywords:palindrome", "Use a word or a sentence that reads the same backwards: a palindrome."
)
def palindrome(text: str) -> bool:
    """Tell whether a word or a whole phrase with three letters or more is a palindrome.

    Letters and digits alone count, in any case. Phrases end at full stops, question and exclamation
    marks, double quotation marks, asterisks and line breaks; they may end at colons.
    """
    phrases = (phrase for ends in _PHRASE_ENDS for phrase in ends.split(text))
    return any(map(_is_palindrome, text.split())) or any(map(_is_palindrome, phrases))


def _is_palindrome(phrase: str) -> bool:
    letters = [letter for letter in phrase.lower() if letter.isalnum()]
    return len(letters) >= 3 and letters == letters[::-1]


@instruction(
    "keywords:keyword_specific_position",
    'Use the word "{keyword}" in sentence number {n}, as word number {m} of that sentence.',
)
def keyword_specific_position(text: str, *, keyword: Word, n: Count, m: Count) -> bool:
    """Tell whether the `m`th word of the `n`th sentence is the keyword, in any case."""
    return keywords_specific_position(text, keyword=keyword, n=n, m=m)


@instruction(
    "keywords:start_end",
    "Begin and end with the same word, and write nothing after it, not even a full stop.",
)
def start_end(text: str) -> bool:
    """Tell whether the last of several words is the first one, in any case, without a mark."""
    words = words_of(text)
    return len(words) > 1 and text.split()[-1].lower().lstrip(MARKS) == words[0]
