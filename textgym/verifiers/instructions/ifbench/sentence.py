"""Instructions on single sentences and on how one follows from another."""

from __future__ import annotations

from itertools import pairwise

from textgym.verifiers.instructions.ifbench.reading import (
    MARKS,
    count_word,
    words_without_punctuation,
)
from textgym.verifiers.instructions.ifeval.arguments import Bound, Count, Phrase
from textgym.verifiers.instructions.instruction import instruction
from textgym.verifiers.instructions.sentences import sentences_of


@instruction(
    "sentence:alliteration_increment",
    "Let each sentence have more neighbouring words with the same first letter than the sentence "
    "before it.",
)
def alliteration_increment(text: str) -> bool:
    """Tell whether the number of words in alliterations grows with each sentence."""
    counts = (_alliterating_words(sentence) for sentence in sentences_of(text))
    return all(before < after for before, after in pairwise(counts))


def _alliterating_words(sentence: str) -> int:
    """Count the words that stand next to one with the same first letter."""
    words = (word.lstrip(MARKS) for word in sentence.lower().split())
    letters = [word[0] for word in words if word]
    same = [left == right for left, right in pairwise(letters)]
    return sum(left or right for left, right in pairwise([False, *same, False]))


@instruction(
    "sentence:increment", "Write each sentence with exactly {small_n} more words than the last."
)
def increment(text: str, *, small_n: Bound) -> bool:
    """Tell whether each sentence has exactly `small_n` words more than the one before it."""
    counts = (len(words_without_punctuation(sentence)) for sentence in sentences_of(text))
    return all(after == before + small_n for before, after in pairwise(counts))


@instruction("sentence:keyword", 'Use the word "{word}" in sentence number {N}.')
def keyword(text: str, *, word: Phrase, N: Count) -> bool:
    """Tell whether the `N`th sentence has the word as a whole, in any case."""
    sentences = sentences_of(text)
    return len(sentences) >= N and count_word(sentences[N - 1], word) > 0
