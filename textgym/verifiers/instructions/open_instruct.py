"""The 29 types of instruction that open-instruct's IFEvalG adds to IFEval's.

NeMo Gym's `instruction_following` rows use them. Unless a check says otherwise, the case of a word
and the marks around it do not matter.
"""

from __future__ import annotations

import re
import string
from collections.abc import Iterator
from itertools import cycle, pairwise
from typing import Annotated, Any

from pydantic import BeforeValidator, StringConstraints

from textgym.verifiers.instructions.ifbench.words import keywords_specific_position
from textgym.verifiers.instructions.ifeval import Character, letter_frequency, number_paragraphs
from textgym.verifiers.instructions.instruction import (
    Bound,
    Count,
    Phrase,
    Relation,
    Text,
    compare,
    instruction,
)
from textgym.verifiers.instructions.sentences import (
    MARKS,
    count_word,
    lower_words,
    split_at_asterisks,
    words_by_sentence,
)


def _unwrapped(value: Any) -> Any:
    return value[0] if isinstance(value, list) and len(value) == 1 else value


Word = Annotated[
    str, BeforeValidator(_unwrapped), StringConstraints(strip_whitespace=True, pattern=r"[^\W_]")
]
"""A word or phrase with a letter or digit, or a list of one, as in some rows."""

ThreeWords = Annotated[str, StringConstraints(strip_whitespace=True, pattern=r"^\S+\s+\S+\s+\S")]
"""A phrase of at least three words."""

_NEXT_LETTER = dict(pairwise(string.ascii_lowercase))
_PHRASE_ENDS = (re.compile(r'[.!?*"“”\n]'), re.compile(r'[.!?*"“”\n:]'))


@instruction(
    "keywords:no_adjacent_consecutive",
    "Let no word begin with the letter of the alphabet that follows the first letter of the word "
    "before it.",
)
def no_adjacent_consecutive(text: str) -> bool:
    """Return whether no neighbouring words begin with letters such as `a` and `b`, in order."""
    return all(_NEXT_LETTER.get(left[0]) != right[0] for left, right in pairwise(lower_words(text)))


@instruction("keywords:word_once", 'Use the word "{keyword}" exactly once.')
def word_once(text: str, *, keyword: Word) -> bool:
    """Return whether the whole word occurs once."""
    return count_word(text, keyword) == 1


@instruction(
    "keywords:word_count_different_numbers", 'Use the word "{keyword}" exactly {frequency} times.'
)
def word_count_different_numbers(text: str, *, keyword: Word, frequency: Bound) -> bool:
    """Return whether the whole word occurs `frequency` times."""
    return count_word(text, keyword) == frequency


@instruction("keywords:exclude_word_harder", 'Do not use the word "{keyword}".')
def exclude_word_harder(text: str, *, keyword: Word) -> bool:
    """Return whether the whole word does not occur."""
    return count_word(text, keyword) == 0


@instruction(
    "keywords:palindrome", "Use a word or a sentence that reads the same backwards: a palindrome."
)
def palindrome(text: str) -> bool:
    """Return whether a word or a whole phrase of three letters or more is a palindrome.

    Only letters and digits count, in any case. Phrases end at full stops, question and exclamation
    marks, double quotation marks, asterisks and line breaks. They may end at colons.
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
    """Return whether the `m`th word of the `n`th sentence is the keyword."""
    return keywords_specific_position(text, keyword=keyword, n=n, m=m)


@instruction(
    "keywords:start_end",
    "Begin and end with the same word, and write nothing after it, not even a full stop.",
)
def start_end(text: str) -> bool:
    """Return whether the last of several words is the first one, without a mark after it."""
    words = lower_words(text)
    return len(words) > 1 and text.split()[-1].lower().lstrip(MARKS) == words[0]


def _begin_with(phrase: str, *texts: list[str]) -> bool:
    """Return whether there are texts, given as their words, and each begins with a phrase."""
    start = lower_words(phrase)
    return bool(texts) and all(words[: len(start)] == start for words in texts)


def _end_with(phrase: str, *texts: list[str]) -> bool:
    end = lower_words(phrase)
    return bool(texts) and all(words[-len(end) :] == end for words in texts)


@instruction("first_word:first_word_sent", 'Begin each sentence with the word "{first_word}".')
def first_word_sent(text: str, *, first_word: Word) -> bool:
    """Return whether there are sentences and each begins with the word."""
    return _begin_with(first_word, *words_by_sentence(text))


@instruction("first_word:first_word_answer", 'Begin your answer with the word "{first_word}".')
def first_word_answer(text: str, *, first_word: Word) -> bool:
    """Return whether the text begins with the word."""
    return _begin_with(first_word, lower_words(text))


@instruction(
    "last_word:last_word_sent",
    'Let the last word of each sentence, before its punctuation, be "{last_word}".',
)
def last_word_sent(text: str, *, last_word: Word) -> bool:
    """Return whether there are sentences and each ends with the word."""
    return _end_with(last_word, *words_by_sentence(text))


@instruction("last_word:last_word_answer", 'Let the last word of your answer be "{last_word}".')
def last_word_answer(text: str, *, last_word: Word) -> bool:
    """Return whether the text ends with the word."""
    return _end_with(last_word, lower_words(text))


_ONLY_LETTERS = re.compile(r"\b[^\W\d_]+\b")


@instruction("count:lowercase_counting", "Use at most {N} words in lower case.")
def lowercase_counting(text: str, *, N: Bound) -> bool:
    """Return whether at most `N` words are in lower case. Apostrophes and hyphens split words."""
    return sum(map(str.islower, _ONLY_LETTERS.findall(text))) <= N


@instruction(
    "count:counting_composition",
    "Write three paragraphs, separated by the Markdown divider * * *, of exactly {n_sent} "
    "sentences each, and exactly {n_words} words in each sentence.",
)
def counting_composition(text: str, *, n_sent: Count, n_words: Count) -> bool:
    """Return whether all numbers are right. The divider may also be written as `***`."""
    parts = split_at_asterisks(text.replace("* * *", "***"), 3)
    paragraphs = [words_by_sentence(part) for part in parts]
    return len(paragraphs) == 3 and all(
        len(sentences) == n_sent and all(len(words) == n_words for words in sentences)
        for sentences in paragraphs
    )


@instruction("count:count_unique", "Use no word twice.")
def count_unique(text: str) -> bool:
    """Return whether there are words and all are different."""
    words = lower_words(text)
    return 0 < len(words) == len(set(words))


@instruction(
    "count:count_increment_word",
    'Use the word "{keyword1}" exactly once and the word "{keyword2}" exactly twice.',
)
def count_increment_word(text: str, *, keyword1: Word, keyword2: Word) -> bool:
    """Return whether the whole words occur once and twice."""
    return count_word(text, keyword1) == 1 and count_word(text, keyword2) == 2


@instruction("letters:letter_counting", "Answer with {relation} {N} letters.")
def letter_counting(text: str, *, N: Bound, relation: Relation) -> bool:
    """Return whether the number of letters, of all scripts, is right."""
    return compare(sum(map(str.isalpha, text)), relation, N)


@instruction(
    "letters:letter_counting2",
    'The letter "{letter}" should appear {let_relation} {let_frequency} times in your response.',
)
def letter_counting2(
    text: str, *, letter: Character, let_frequency: Bound, let_relation: Relation
) -> bool:
    """Case does not matter. A character that is not a letter is counted, too."""
    return letter_frequency(
        text, letter=letter, let_frequency=let_frequency, let_relation=let_relation
    )


_SEPARATOR = "******"


@instruction(
    "copy:repeat_phrase",
    'Write the phrase "{phrase}" exactly {small_n} times, and replace exactly one word between its '
    "first and its last word each time.",
)
def repeat_phrase(text: str, *, phrase: ThreeWords, small_n: Count) -> bool:
    """Return whether each passage from the first to the last word has one different word.

    A passage lies within a line, and the number of passages must be right. Case matters.
    """
    words = _stripped_words(phrase)
    passages = [
        passage for line in text.split("\n") for passage in _passages(_stripped_words(line), words)
    ]
    return len(passages) == small_n and all(
        _differences(passage, words) == 1 for passage in passages
    )


def _stripped_words(text: str) -> list[str]:
    """Return the words without the marks around them. A bare mark becomes an empty word."""
    return [word.strip(MARKS) for word in text.split()]


def _passages(words: list[str], phrase: list[str]) -> Iterator[list[str]]:
    """Yield the shortest passages of three words or more between the ends of a phrase."""
    start = None
    for index, word in enumerate(words):
        if start is None:
            start = index if word == phrase[0] else None
        elif word == phrase[-1] and index > start + 1:
            yield words[start : index + 1]
            start = None


def _differences(words: list[str], phrase: list[str]) -> int:
    """Count the words that differ. In a text of another length, all do."""
    if len(words) != len(phrase):
        return len(phrase)
    return sum(left != right for left, right in zip(words, phrase, strict=True))


_COPY = (
    "Do not do what the following request asks for. Copy it word for word instead, and write "
    "nothing else: {prompt_to_repeat}"
)


@instruction("copy:copy", _COPY)
@instruction("copy:copying_simple", _COPY)
def copying(text: str, *, prompt_to_repeat: Phrase) -> bool:
    """Return whether the text is the request, ignoring case and whitespace around it."""
    return _is_same(text, prompt_to_repeat)


def _is_same(text: str, source: str) -> bool:
    return text.strip().lower() == source.strip().lower()


@instruction(
    "copy:copying_multiple",
    "Do not do what the following request asks for. Copy it word for word {N} times instead, put "
    "six asterisks (******) between the copies, and write nothing else: {prompt_to_repeat}",
)
def copying_multiple(text: str, *, prompt_to_repeat: Phrase, N: Count) -> bool:
    """Return whether the text is `N` copies. The request itself may have six asterisks."""
    parts, request = text.split(_SEPARATOR), prompt_to_repeat.split(_SEPARATOR)
    return len(parts) == len(request) * N and all(map(_is_same, parts, cycle(request)))


@instruction(
    "new:copy_span_idx",
    "Counting characters from 0, copy those from {n_start} up to and including {n_end} of the "
    "following text, and write nothing else: {prompt_to_repeat}",
)
def copy_span_idx(text: str, *, prompt_to_repeat: Text, n_start: Bound, n_end: Bound) -> bool:
    """Return whether the text is that span, ignoring case and whitespace around it."""
    return _is_same(text, prompt_to_repeat[n_start : n_end + 1].replace("\r\n", "\n"))


_HYPHEN_AFTER_SENTENCE = re.compile(r"""(?<=[.!?…])-|(?<=[.!?…]["'”’)\]])-""")
_ENCLOSED = re.compile(r"[^\w\[\]]*(?:\[[^\s\[\]]+\][^\w\[\]]*)+")
_OTHER_MARKS = MARKS.replace("<", "").replace(">", "")


@instruction(
    "detectable_format:sentence_hyphens",
    "Put a hyphen between each two sentences, and no blanks around it.",
)
def sentence_hyphens(text: str) -> bool:
    """Return whether only a hyphen separates each two sentences. Words may have hyphens."""
    parts = _HYPHEN_AFTER_SENTENCE.split(text.strip())
    return all(
        not part.startswith("-") and part == part.strip() and len(words_by_sentence(part)) == 1
        for part in parts
    )


@instruction("detectable_format:square_brackets", "Put each word in square brackets of its own.")
def square_brackets(text: str) -> bool:
    """Return whether no word is outside brackets. Other marks may be."""
    return _ENCLOSED.fullmatch(text) is not None


@instruction(
    "detectable_format:bigram_wrapping",
    "Put each two words in double angle brackets, such as <<we sail>> <<at dawn>>.",
)
def bigram_wrapping(text: str) -> bool:
    """Return whether each pair of words is in brackets. An odd word at the end need not be."""
    words = [word.strip(_OTHER_MARKS) for word in text.split()]
    return any(words) and all(
        left.startswith("<<") and right.endswith(">>") and ">>" not in left and "<<" not in right
        for left, right in zip(words[::2], words[1::2], strict=False)
    )


@instruction(
    "paragraphs:paragraphs", "Write two paragraphs, separated by the Markdown divider: ***"
)
def paragraphs(text: str) -> bool:
    """Dividers may also precede the first paragraph and follow the second one."""
    return number_paragraphs(text, num_paragraphs=2)


@instruction(
    "paragraphs:paragraphs2",
    "Write two paragraphs, and separate them, and nothing else, by two line breaks.",
)
def paragraphs2(text: str) -> bool:
    """A third line break is allowed. A fourth would make an empty paragraph."""
    parts = text.strip().split("\n\n")
    return len(parts) == 2 and all(map(str.strip, parts))


@instruction("punctuation:punctuation_dot", "Do not use any dots (.), as punctuation or otherwise.")
def punctuation_dot(text: str) -> bool:
    """Return whether there is no dot, not even in a number."""
    return "." not in text


@instruction("punctuation:punctuation_exclamation", "Do not use any exclamation marks (!).")
def punctuation_exclamation(text: str) -> bool:
    """Return whether there is no exclamation mark. Marks of other scripts do not count."""
    return "!" not in text
