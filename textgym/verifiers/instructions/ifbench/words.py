"""Instructions on single words: their letters, lengths, syllables, and where they stand."""

from __future__ import annotations

import string
import warnings
from collections import Counter
from collections.abc import Callable
from functools import cache, lru_cache
from itertools import pairwise
from math import isqrt
from typing import Any

from textgym.verifiers.instructions.ifbench.reading import (
    MARKS,
    bare_words,
    without_emphasis,
    words_without_punctuation,
)
from textgym.verifiers.instructions.ifeval.arguments import Bound, Count, Phrase
from textgym.verifiers.instructions.instruction import instruction
from textgym.verifiers.instructions.sentences import needs_constraints, sentences_of, word_tokens

_CONSONANTS = frozenset("bcdfghjklmnpqrstvwxyz")
_LETTERS = string.ascii_lowercase


@instruction(
    "words:alphabet",
    "Let each word begin with the letter of the alphabet that follows the first letter of the word "
    "before it, A after Z.",
)
def alphabet(text: str) -> bool:
    """Tell whether the words' first letters go through the alphabet, from any letter on."""
    letters = [word[0].lower() for word in words_without_punctuation(text)]
    if not letters or letters[0] not in list(_LETTERS):
        return False
    first = _LETTERS.index(letters[0])
    return all(letter == _LETTERS[(first + i) % 26] for i, letter in enumerate(letters))


@instruction(
    "words:vowel", "Write one paragraph that has no more than three of the vowels a, e, i, o, u."
)
def vowel(text: str) -> bool:
    """Tell whether the text is one line with at most three different vowels."""
    paragraph = text.strip()
    return "\n" not in paragraph and len(set("aeiou").intersection(paragraph.lower())) <= 3


@instruction("words:consonants", "Use only words that have two consonants next to each other.")
def consonants(text: str) -> bool:
    """Tell whether there are words and each has two neighbouring consonants; `y` is one."""
    words = bare_words(text.lower())
    return bool(words) and all(
        any(left in _CONSONANTS and right in _CONSONANTS for left, right in pairwise(word))
        for word in words
    )


@instruction(
    "words:palindrome",
    "Use at least ten words of five or more letters that read the same backwards.",
)
def palindrome(text: str) -> bool:
    """Tell whether ten words of at least five characters are palindromes."""
    words = words_without_punctuation(text.lower())
    return sum(len(word) >= 5 and word == word[::-1] for word in words) >= 10


@instruction("words:prime_lengths", "Use only words whose number of letters is a prime number.")
def prime_lengths(text: str) -> bool:
    """Tell whether all words, without their punctuation, are of prime length."""
    lengths = {len(word) for word in words_without_punctuation(text)}
    return all(_is_prime(length) for length in lengths)


def _is_prime(number: int) -> bool:
    return number > 1 and all(number % divisor for divisor in range(2, isqrt(number) + 1))


@instruction("words:repeats", "Use no word more than {small_n} times.")
def repeats(text: str, *, small_n: Bound) -> bool:
    """Tell whether no word stands in the text more than `small_n` times, case apart."""
    counts = Counter(words_without_punctuation(text.lower()))
    return max(counts.values(), default=0) <= small_n


@instruction(
    "words:no_consecutive", "Let no word begin with the same letter as the word before it."
)
def no_consecutive(text: str) -> bool:
    """Tell whether neighbouring words begin with different letters, across sentences too."""
    words = words_without_punctuation(text.lower())
    return all(left[0] != right[0] for left, right in pairwise(words))


@instruction(
    "words:odd_even_syllables",
    "Alternate between words with an odd and words with an even number of syllables.",
)
def odd_even_syllables(text: str) -> bool:
    """Tell whether words with odd and even numbers of syllables alternate."""
    count = _syllable_counter()
    odd = (count(word) % 2 for word in words_without_punctuation(text.lower()))
    return all(left != right for left, right in pairwise(odd))


@cache
def _syllable_counter() -> Callable[[str], int]:
    try:
        import syllapy
    except ImportError:
        raise needs_constraints("counting syllables") from None
    return lambda word: int(syllapy.count(word))


@instruction(
    "words:last_first", "Begin each sentence with the last word of the sentence before it."
)
def last_first(text: str) -> bool:
    """Tell whether each sentence begins with the last word of the one before, case apart."""
    words = (bare_words(sentence.lower()) for sentence in sentences_of(text))
    return all(left and right and left[-1] == right[0] for left, right in pairwise(words))


@instruction(
    "words:paragraph_last_first",
    "Write each paragraph on a line of its own, and end it with the word that it begins with.",
)
def paragraph_last_first(text: str) -> bool:
    """Tell whether each line's last word is its first one, case and punctuation apart."""
    paragraphs = (bare_words(line.lower()) for line in text.split("\n"))
    return all(words[0] == words[-1] for words in paragraphs if words)


@instruction("words:start_verb", "Begin your answer with a verb.")
def start_verb(text: str) -> bool:
    """Tell whether the first word is a verb there, as a tagger of parts of speech finds it."""
    return _opens_with_verb(text.lstrip(MARKS + string.whitespace)[:_OPENING])


@lru_cache(maxsize=64)
def _opens_with_verb(opening: str) -> bool:
    tokens = word_tokens(opening)
    if not tokens or not tokens[0][0].isalpha():
        return False
    # A capital at the beginning of a sentence makes some verbs look like names.
    tags = [_tagger()([first, *tokens[1:]]) for first in (tokens[0], tokens[0].lower())]
    return any(tag.startswith("VB") for tag in tags)


_OPENING = 500
"""Characters at the beginning of a text that are read to tell its first word's part of speech."""


@cache
def _tagger() -> Callable[[list[str]], str]:
    """Return a function that gives the part of speech of the first of some words."""
    try:
        from textblob.en import tag
    except ImportError:
        raise needs_constraints("telling verbs") from None

    def first_tag(tokens: list[str]) -> str:
        tagged: list[tuple[str, Any]] = tag(" ".join(tokens), tokenize=False)
        return str(tagged[0][1]) if tagged else ""

    with warnings.catch_warnings():  # it reads its lexicon on first use, and leaves the file open
        warnings.simplefilter("ignore", ResourceWarning)
        first_tag(["Go"])
    return first_tag


def _words_apart_from_marks(text: str) -> list[str]:
    """Return the words of a text in lower case, contractions parted, without bare marks."""
    tokens = word_tokens(without_emphasis(text))
    return [token.lower() for token in tokens if any(map(str.isalnum, token))]


@instruction(
    "words:keywords_specific_position",
    'Use the word "{keyword}" in sentence number {n}, as word number {m} of that sentence.',
)
def keywords_specific_position(text: str, *, keyword: Phrase, n: Count, m: Count) -> bool:
    """Tell whether the `m`th word of the `n`th sentence is the keyword, in any case."""
    sentences = sentences_of(text)
    words = _words_apart_from_marks(sentences[n - 1]) if len(sentences) >= n else []
    return len(words) >= m and words[m - 1] == keyword.lower()


@instruction(
    "words:words_position",
    'Use the word "{keyword}" as the second word of your answer, and again as the last but one.',
)
def words_position(text: str, *, keyword: Phrase) -> bool:
    """Tell whether the second word and the last but one are the keyword, in any case."""
    wanted = keyword.lower()
    if not _stands_near_both_ends(wanted, text):
        return False
    words = _words_apart_from_marks(text)
    return len(words) > 1 and words[1] == words[-2] == wanted


def _stands_near_both_ends(word: str, text: str) -> bool:
    """Return False for most texts without splitting them exactly.

    The second word of a text stands in one of the first two parts between blanks that have a letter
    or digit, and the last but one in one of the last two.
    """
    parts = [part for part in text.split() if any(map(str.isalnum, part))]
    ends = (parts[:2], parts[-2:])
    return all(word.casefold() in " ".join(end).casefold() for end in ends)
