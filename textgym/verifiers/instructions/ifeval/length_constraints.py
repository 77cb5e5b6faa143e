"""Instructions about the number of words, sentences and paragraphs."""

from __future__ import annotations

import re

import regex

from textgym.verifiers.instructions.ifeval.arguments import (
    Bound,
    Count,
    Phrase,
    Relation,
    compare,
)
from textgym.verifiers.instructions.ifeval.dividers import divided
from textgym.verifiers.instructions.instruction import instruction
from textgym.verifiers.instructions.sentences import EMPHASIS, sentences_of

__all__ = ["nth_paragraph_first_word", "number_paragraphs", "number_sentences", "number_words"]

_WORD = regex.compile(r"[\p{L}\p{N}][\p{L}\p{N}\p{M}_]*+")
_OTHER_STOPS = re.compile("[।॥۔؟。！？]")
_QUOTATION_MARKS = "'\"“”„‘’‚«»‹›"
_WORD_ENDS = _QUOTATION_MARKS + EMPHASIS + ".,?!:;…–—"


@instruction("length_constraints:number_words", "Answer with {relation} {num_words} words.")
def number_words(text: str, *, num_words: Bound, relation: Relation) -> bool:
    """A word is a run of letters, digits and underscores: `don't` counts as two, as does `up-hill`.

    A word does not begin with an underscore, which is emphasis there. Combining marks, such as the
    vowel signs of Devanagari, do not split it.
    """
    return compare(len(_WORD.findall(text)), relation, num_words)


@instruction(
    "length_constraints:number_sentences",
    "Your response should have {relation} {num_sentences} sentences.",
)
def number_sentences(text: str, *, num_sentences: Bound, relation: Relation) -> bool:
    """Sentences of other scripts end at their own marks, such as `।` and `。`."""
    return compare(sum(map(_count_parts, sentences_of(text))), relation, num_sentences)


def _count_parts(sentence: str) -> int:
    """Count the sentences in what English punctuation leaves whole."""
    return sum(bool(_WORD.search(part)) for part in _OTHER_STOPS.split(sentence)) or 1


@instruction(
    "length_constraints:number_paragraphs",
    "Write {num_paragraphs} paragraphs, and separate them by the Markdown divider: ***",
)
def number_paragraphs(text: str, *, num_paragraphs: Count) -> bool:
    """Dividers may also stand before the first paragraph and after the last one."""
    paragraphs = divided(text, 3)
    return len(paragraphs) == num_paragraphs and all(paragraphs)


@instruction(
    "length_constraints:nth_paragraph_first_word",
    "Write {num_paragraphs} paragraphs, and separate them, and nothing else, by a blank line. "
    'Paragraph {nth_paragraph} must start with the word "{first_word}".',
)
def nth_paragraph_first_word(
    text: str, *, num_paragraphs: Count, nth_paragraph: Count, first_word: Phrase
) -> bool:
    """Blank parts are no paragraphs, wherever they stand.

    Case does not matter, nor do quotation marks and emphasis around the word and punctuation after
    it.
    """
    paragraphs = [paragraph for part in text.split("\n\n") if (paragraph := part.strip())]
    if len(paragraphs) != num_paragraphs or nth_paragraph > num_paragraphs:
        return False
    word = first_word.lower()
    start = paragraphs[nth_paragraph - 1].lower().lstrip(_QUOTATION_MARKS + EMPHASIS)
    after = start[len(word) : len(word) + 1]
    return start.startswith(word) and (after.isspace() or after in _WORD_ENDS)
