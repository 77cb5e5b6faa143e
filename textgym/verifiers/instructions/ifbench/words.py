"""Instructions on words, names, numbers and marks: which, how many, and where.

A word's case and the punctuation around it do not matter, unless a check says otherwise.
"""

from __future__ import annotations

import re
import string
import warnings
from collections import Counter
from collections.abc import Callable
from functools import cache, lru_cache
from itertools import pairwise
from math import isqrt
from typing import Any

from textgym.verifiers.instructions.instruction import Bound, Count, Phrase, Text, instruction
from textgym.verifiers.instructions.sentences import (
    MARKS,
    bare_words,
    count_word,
    lower_words,
    needs_constraints,
    split_sentences,
    without_emphasis,
    word_tokens,
    words_without_punctuation,
)

_CONSONANTS = frozenset("bcdfghjklmnpqrstvwxyz")
_LETTERS = string.ascii_lowercase


@instruction(
    "words:alphabet",
    "Let each word begin with the letter of the alphabet that follows the first letter of the word "
    "before it, A after Z.",
)
def alphabet(text: str) -> bool:
    """Return whether the words' first letters follow the alphabet, starting anywhere."""
    letters = [word[0].lower() for word in words_without_punctuation(text)]
    if not letters or letters[0] not in list(_LETTERS):
        return False
    first = _LETTERS.index(letters[0])
    return all(letter == _LETTERS[(first + i) % 26] for i, letter in enumerate(letters))


@instruction(
    "words:vowel", "Write one paragraph that has no more than three of the vowels a, e, i, o, u."
)
def vowel(text: str) -> bool:
    """Return whether the text is one line with at most three different vowels."""
    paragraph = text.strip()
    return "\n" not in paragraph and len(set("aeiou").intersection(paragraph.lower())) <= 3


@instruction("words:consonants", "Use only words that have two consonants next to each other.")
def consonants(text: str) -> bool:
    """Return whether there are words and each has two adjacent consonants, such as `y`."""
    words = lower_words(text)
    return bool(words) and all(
        any(left in _CONSONANTS and right in _CONSONANTS for left, right in pairwise(word))
        for word in words
    )


@instruction(
    "words:palindrome",
    "Use at least ten words of five or more letters that read the same backwards.",
)
def palindrome(text: str) -> bool:
    """Return whether ten words of at least five characters are palindromes."""
    words = words_without_punctuation(text.lower())
    return sum(len(word) >= 5 and word == word[::-1] for word in words) >= 10


@instruction("words:prime_lengths", "Use only words whose number of letters is a prime number.")
def prime_lengths(text: str) -> bool:
    """Return whether all words, without their punctuation, have a prime length."""
    return all(map(_is_prime, {len(word) for word in words_without_punctuation(text)}))


def _is_prime(number: int) -> bool:
    return number > 1 and all(number % divisor for divisor in range(2, isqrt(number) + 1))


@instruction("words:repeats", "Use no word more than {small_n} times.")
def repeats(text: str, *, small_n: Bound) -> bool:
    """Return whether no word occurs more than `small_n` times."""
    counts = Counter(words_without_punctuation(text.lower()))
    return max(counts.values(), default=0) <= small_n


@instruction(
    "words:no_consecutive", "Let no word begin with the same letter as the word before it."
)
def no_consecutive(text: str) -> bool:
    """Return whether adjacent words, even across sentences, begin with different letters."""
    words = words_without_punctuation(text.lower())
    return all(left[0] != right[0] for left, right in pairwise(words))


@instruction(
    "words:odd_even_syllables",
    "Alternate between words with an odd and words with an even number of syllables.",
)
def odd_even_syllables(text: str) -> bool:
    """Return whether words with odd and even numbers of syllables alternate."""
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
    """Return whether each sentence begins with the last word of the one before."""
    words = map(lower_words, split_sentences(text))
    return all(left and right and left[-1] == right[0] for left, right in pairwise(words))


@instruction(
    "words:paragraph_last_first",
    "Write each paragraph on a line of its own, and end it with the word that it begins with.",
)
def paragraph_last_first(text: str) -> bool:
    """Return whether each line's last word is its first one."""
    paragraphs = map(lower_words, text.split("\n"))
    return all(words[0] == words[-1] for words in paragraphs if words)


@instruction("words:start_verb", "Begin your answer with a verb.")
def start_verb(text: str) -> bool:
    """Return whether a part-of-speech tagger takes the first word for a verb."""
    return _opens_with_verb(text.lstrip(MARKS + string.whitespace)[:_OPENING])


@lru_cache(maxsize=64)
def _opens_with_verb(opening: str) -> bool:
    tokens = word_tokens(opening)
    if not tokens or not tokens[0][0].isalpha():
        return False
    # A capital at the beginning makes some verbs look like names.
    tags = [_tagger()([first, *tokens[1:]]) for first in (tokens[0], tokens[0].lower())]
    return any(tag.startswith("VB") for tag in tags)


_OPENING = 500
"""Characters that are read to find the part of speech of a text's first word."""


@cache
def _tagger() -> Callable[[list[str]], str]:
    """Return a function that tags the first of some words with its part of speech."""
    try:
        from textblob.en import tag
    except ImportError:
        raise needs_constraints("recognizing verbs") from None

    def first_tag(tokens: list[str]) -> str:
        tagged: list[tuple[str, Any]] = tag(" ".join(tokens), tokenize=False)
        return str(tagged[0][1]) if tagged else ""

    with warnings.catch_warnings():  # on first use it reads its lexicon and leaves the file open
        warnings.simplefilter("ignore", ResourceWarning)
        first_tag(["Go"])
    return first_tag


def _split_contractions(text: str) -> list[str]:
    """Return the words of a text in lower case, with contractions split, without marks."""
    tokens = word_tokens(without_emphasis(text))
    return [token.lower() for token in tokens if any(map(str.isalnum, token))]


@instruction(
    "words:keywords_specific_position",
    'Use the word "{keyword}" in sentence number {n}, as word number {m} of that sentence.',
)
def keywords_specific_position(text: str, *, keyword: Phrase, n: Count, m: Count) -> bool:
    """Return whether the `m`th word of the `n`th sentence is the keyword."""
    sentences = split_sentences(text)
    words = _split_contractions(sentences[n - 1]) if len(sentences) >= n else []
    return len(words) >= m and words[m - 1] == keyword.lower()


@instruction(
    "words:words_position",
    'Use the word "{keyword}" as the second word of your answer, and again as the last but one.',
)
def words_position(text: str, *, keyword: Phrase) -> bool:
    """Return whether the second word and the last but one are the keyword."""
    word = keyword.lower()
    if not _is_near_both_ends(word, text):
        return False
    words = _split_contractions(text)
    return len(words) > 1 and words[1] == words[-2] == word


def _is_near_both_ends(word: str, text: str) -> bool:
    """Return False for most texts that do not follow `words_position`, without splitting them.

    Of the parts between blanks that have a letter or digit, one of the first two contains the
    second word of a text, and one of the last two the last but one.
    """
    parts = [part for part in text.split() if any(map(str.isalnum, part))]
    ends = (parts[:2], parts[-2:])
    return all(word.casefold() in " ".join(end).casefold() for end in ends)


_CONJUNCTIONS = {"and", "but", "for", "nor", "or", "so", "yet"}
_NAMES = [
    "Emma", "Liam", "Sophia", "Jackson", "Olivia", "Noah", "Ava", "Lucas", "Isabella", "Mason",
    "Mia", "Ethan", "Charlotte", "Alexander", "Amelia", "Benjamin", "Harper", "Leo", "Zoe",
    "Daniel", "Chloe", "Samuel", "Lily", "Matthew", "Grace", "Owen", "Abigail", "Gabriel",
    "Ella", "Jacob", "Scarlett", "Nathan", "Victoria", "Elijah", "Layla", "Nicholas", "Audrey",
    "David", "Hannah", "Christopher", "Penelope", "Thomas", "Nora", "Andrew", "Aria", "Joseph",
    "Claire", "Ryan", "Stella", "Jonathan",
]  # fmt: skip
_PRONOUNS = {
    "i", "me", "my", "mine", "myself", "we", "us", "our", "ours", "ourselves", "you", "your",
    "yours", "yourself", "yourselves", "he", "him", "his", "himself", "she", "her", "hers",
    "herself", "it", "its", "itself", "they", "them", "their", "theirs", "themselves", "this",
    "that", "these", "those", "who", "whom", "whose", "which", "what", "whoever", "whomever",
    "whatever", "whichever", "anybody", "anyone", "anything", "everybody", "everyone",
    "everything", "nobody", "nothing", "somebody", "someone", "something", "each", "either",
    "neither", "both", "all", "some", "any", "none",
}  # fmt: skip
_STOP_WORDS = {
    "i", "me", "my", "myself", "we", "our", "ours", "ourselves", "you", "your", "yours",
    "yourself", "yourselves", "he", "him", "his", "himself", "she", "her", "hers", "herself",
    "it", "its", "itself", "they", "them", "their", "theirs", "themselves", "what", "which",
    "who", "whom", "this", "that", "these", "those", "am", "is", "are", "was", "were", "be",
    "been", "being", "have", "has", "had", "having", "do", "does", "did", "doing", "a", "an",
    "the", "and", "but", "if", "or", "because", "as", "until", "while", "of", "at", "by", "for",
    "with", "about", "against", "between", "into", "through", "during", "before", "after",
    "above", "below", "to", "from", "up", "down", "in", "out", "on", "off", "over", "under",
    "again", "further", "then", "once", "here", "there", "when", "where", "why", "how", "all",
    "any", "both", "each", "few", "more", "most", "other", "some", "such", "no", "nor", "not",
    "only", "own", "same", "so", "than", "too", "very", "can", "will", "just", "should", "now",
    "s", "t", "d", "m", "o", "y", "ll", "re", "ve", "ma", "ain", "aren", "couldn", "didn",
    "doesn", "don", "hadn", "hasn", "haven", "isn", "mightn", "mustn", "needn", "shan",
    "shouldn", "wasn", "weren", "won", "wouldn",
}  # fmt: skip
"""Function words of English, and the parts of contractions around an apostrophe."""
_WORD = re.compile(r"[^\W_]\w*")
_JAPANESE = re.compile("[\u3040-\u30ff\u4e00-\u9fff]")
_TOLERANCE = 2
"""Percentage points by which an overlap may differ."""


@instruction("count:word_count_range", "Write between {min_words} and {max_words} words.")
def word_count_range(text: str, *, min_words: Bound, max_words: Bound) -> bool:
    """Return whether the number of words is in the range. Hyphens and apostrophes split words."""
    return min_words <= len(_WORD.findall(text)) <= max_words


@instruction("count:unique_word_count", "Write at least {N} different words.")
def unique_word_count(text: str, *, N: Bound) -> bool:
    """Return whether there are at least `N` different words."""
    return len(set(lower_words(text))) >= N


@instruction(
    "count:conjunctions",
    "Use at least {small_n} different words of these: and, but, for, nor, or, so, yet.",
)
def conjunctions(text: str, *, small_n: Bound) -> bool:
    """Return whether there are at least `small_n` different coordinating conjunctions."""
    return len(_CONJUNCTIONS.intersection(lower_words(text))) >= small_n


@instruction(
    "count:person_names",
    "Mention at least {N} different ones of these names: " + ", ".join(_NAMES) + ".",
)
def person_names(text: str, *, N: Bound) -> bool:
    """Return whether at least `N` of the names occur as whole, capitalised words."""
    return len(set(_NAMES).intersection(re.findall(r"[^\W_]+", text))) >= N


@instruction("count:numbers", "Write exactly {N} numbers in digits.")
def numbers(text: str, *, N: Bound) -> bool:
    """Return whether there are exactly `N` numbers. `3.14` and `100,000` are one each."""
    return len(re.findall(r"\d+", " ".join(words_without_punctuation(text)))) == N


@instruction(
    "count:punctuation",
    "Use each of these marks at least once: full stop, comma, semicolon, colon, question mark, "
    "exclamation mark, and beside them an interrobang (?!).",
)
def punctuation(text: str) -> bool:
    """Return whether all marks occur. The interrobang's own marks do not count."""
    for interrobang in ("?!", "!?", "‽"):
        if interrobang in text:
            return set(".,;:?!") <= set(text.replace(interrobang, "", 1))
    return False


@instruction(
    "count:words_japanese",
    "Write in Japanese each word whose place in your answer is a multiple of {N}.",
)
def words_japanese(text: str, *, N: Count) -> bool:
    """Return whether every `N`th word, unless it is a number, has a Japanese character."""
    words = [word for part in text.split()[N - 1 :: N] for word in bare_words(part)]
    return all(word.isdigit() or _JAPANESE.search(word) for word in words)


@instruction("count:pronouns", "Use at least {N} pronouns.")
def pronouns(text: str, *, N: Bound) -> bool:
    """Return whether there are at least `N` pronouns, not necessarily different ones."""
    words = word_tokens(without_emphasis(text.lower()).replace("/", " "))
    return sum(word in _PRONOUNS for word in words) >= N


_TIMES = (1, 2, 3, 5, 7)


@instruction(
    "count:keywords_multiple",
    'Use the word "{keyword1}" once, "{keyword2}" twice, "{keyword3}" three times, "{keyword4}" '
    'five times and "{keyword5}" seven times.',
)
def keywords_multiple(
    text: str,
    *,
    keyword1: Phrase,
    keyword2: Phrase,
    keyword3: Phrase,
    keyword4: Phrase,
    keyword5: Phrase,
) -> bool:
    """Return whether each keyword occurs exactly as often as requested."""
    words = (keyword1, keyword2, keyword3, keyword4, keyword5)
    return all(count_word(text, word) == times for word, times in zip(words, _TIMES, strict=True))


@instruction(
    "ratio:stop_words", "Let no more than {percentage} per cent of your words be stop words."
)
def stop_words(text: str, *, percentage: Bound) -> bool:
    """Return whether at most `percentage` per cent of the words are stop words."""
    words = re.findall(r"\w+", text.lower())
    count = sum(word in _STOP_WORDS for word in words)
    return bool(words) and count / len(words) * 100 <= percentage


def _trigrams(text: str) -> set[str]:
    return {text[start : start + 3] for start in range(len(text) - 2)}


_reference_trigrams = lru_cache(maxsize=16)(_trigrams)


@instruction(
    "ratio:overlap",
    "Of the different sequences of three characters in your answer, {percentage} per cent, give or "
    "take two points, must also stand in this text: {reference_text}",
)
def overlap(text: str, *, percentage: Bound, reference_text: Text) -> bool:
    """Return whether the share of the text's trigrams that the reference has is as requested."""
    trigrams = _trigrams(text)
    if not trigrams:
        return False
    shared = len(trigrams & _reference_trigrams(reference_text)) / len(trigrams) * 100
    return percentage - _TOLERANCE <= shared <= percentage + _TOLERANCE
