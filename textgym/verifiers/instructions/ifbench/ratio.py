"""Instructions on shares and ratios: stop words, kinds of sentences, overlap with another text."""

from __future__ import annotations

import re
from collections import Counter
from functools import lru_cache

from textgym.verifiers.instructions.ifbench.reading import Text, bare_words
from textgym.verifiers.instructions.ifeval.arguments import Bound
from textgym.verifiers.instructions.instruction import instruction
from textgym.verifiers.instructions.sentences import CLOSING, EMPHASIS, sentences_of

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
"""Function words of English, and what an apostrophe cuts contractions into."""
_TOLERANCE = 2
"""Percentage points by which an overlap may differ."""


@instruction(
    "ratio:stop_words", "Let no more than {percentage} per cent of your words be stop words."
)
def stop_words(text: str, *, percentage: Bound) -> bool:
    """Tell whether stop words are at most `percentage` per cent of the words."""
    words = re.findall(r"\w+", text.lower())
    count = sum(word in _STOP_WORDS for word in words)
    return bool(words) and count / len(words) * 100 <= percentage


def _kinds(text: str) -> Counter[str]:
    """Count the sentences by their last mark, before closing quotes, brackets and emphasis.

    Marks alone are no sentence.
    """
    return Counter(
        sentence.rstrip(CLOSING + EMPHASIS)[-1:]
        for sentence in sentences_of(text)
        if any(map(str.isalnum, sentence))
    )


@instruction(
    "ratio:sentence_type", "Write exactly two declarative sentences for each question that you ask."
)
def sentence_type(text: str) -> bool:
    """Tell whether twice as many sentences end with a full stop as with a question mark."""
    kinds = _kinds(text)
    return kinds["."] == 2 * kinds["?"] > 0


@instruction(
    "ratio:sentence_balance",
    "Write as many declarative sentences as questions and as exclamations.",
)
def sentence_balance(text: str) -> bool:
    """Tell whether equally many sentences end with a full stop, a `?` and a `!`, and any do."""
    kinds = _kinds(text)
    return kinds["."] == kinds["?"] == kinds["!"] > 0


@instruction(
    "ratio:sentence_words",
    "Write three sentences with the same number of characters, no two of which consist of the same "
    "words.",
)
def sentence_words(text: str) -> bool:
    """Tell whether there are three sentences of one length, which differ in their words."""
    sentences = sentences_of(text)
    if len(sentences) != 3:
        return False
    lengths = {len(sentence.strip()) for sentence in sentences}
    words = {frozenset(bare_words(sentence.lower())) for sentence in sentences}
    return len(words) == 3 and len(lengths) == 1


def _trigrams(text: str) -> set[str]:
    return {text[start : start + 3] for start in range(len(text) - 2)}


_trigrams_of_reference = lru_cache(maxsize=16)(_trigrams)


@instruction(
    "ratio:overlap",
    "Of the different sequences of three characters in your answer, {percentage} per cent, give or "
    "take two points, must also stand in this text: {reference_text}",
)
def overlap(text: str, *, percentage: Bound, reference_text: Text) -> bool:
    """Tell whether the share of the text's trigrams that the reference has too is as asked."""
    own = _trigrams(text)
    if not own:
        return False
    shared = len(own & _trigrams_of_reference(reference_text)) / len(own) * 100
    return percentage - _TOLERANCE <= shared <= percentage + _TOLERANCE
