"""Instructions on how often something stands in a text: words, names, numbers, marks."""

from __future__ import annotations

import re

from textgym.verifiers.instructions.ifbench.reading import (
    bare_words,
    count_word,
    without_emphasis,
    words_without_punctuation,
)
from textgym.verifiers.instructions.ifeval.arguments import Bound, Count, Phrase
from textgym.verifiers.instructions.instruction import instruction
from textgym.verifiers.instructions.sentences import word_tokens

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
_WORD = re.compile(r"[^\W_]\w*")
_JAPANESE = re.compile("[\u3040-\u30ff\u4e00-\u9fff]")


@instruction("count:word_count_range", "Write between {min_words} and {max_words} words.")
def word_count_range(text: str, *, min_words: Bound, max_words: Bound) -> bool:
    """Tell whether the number of words is in the range. A hyphen or apostrophe parts two words."""
    return min_words <= len(_WORD.findall(text)) <= max_words


@instruction("count:unique_word_count", "Write at least {N} different words.")
def unique_word_count(text: str, *, N: Bound) -> bool:
    """Tell whether there are at least `N` words, case and punctuation around them apart."""
    return len(set(bare_words(text.lower()))) >= N


@instruction(
    "count:conjunctions",
    "Use at least {small_n} different words of these: and, but, for, nor, or, so, yet.",
)
def conjunctions(text: str, *, small_n: Bound) -> bool:
    """Tell whether at least `small_n` different coordinating conjunctions stand in the text."""
    return len(_CONJUNCTIONS.intersection(bare_words(text.lower()))) >= small_n


@instruction(
    "count:person_names",
    "Mention at least {N} different ones of these names: " + ", ".join(_NAMES) + ".",
)
def person_names(text: str, *, N: Bound) -> bool:
    """Tell whether at least `N` of the names stand in the text as whole words, capitalised."""
    return len(set(_NAMES).intersection(re.findall(r"[^\W_]+", text))) >= N


@instruction("count:numbers", "Write exactly {N} numbers in digits.")
def numbers(text: str, *, N: Bound) -> bool:
    """Tell whether there are exactly `N` numbers; `3.14` and `100,000` are one each."""
    return len(re.findall(r"\d+", " ".join(words_without_punctuation(text)))) == N


@instruction(
    "count:punctuation",
    "Use each of these marks at least once: full stop, comma, semicolon, colon, question mark, "
    "exclamation mark, and beside them an interrobang (?!).",
)
def punctuation(text: str) -> bool:
    """Tell whether all marks stand in the text, the interrobang's own marks not counted."""
    for interrobang in ("?!", "!?", "‽"):
        if interrobang in text:
            return set(".,;:?!") <= set(text.replace(interrobang, "", 1))
    return False


@instruction(
    "count:words_japanese",
    "Write in Japanese each word whose place in your answer is a multiple of {N}.",
)
def words_japanese(text: str, *, N: Count) -> bool:
    """Tell whether every `N`th word has a Japanese character; numbers and bare marks may stay."""
    every = text.split()[N - 1 :: N]
    words = [word for part in every for word in bare_words(part)]
    return all(word.isdigit() or _JAPANESE.search(word) for word in words)


@instruction("count:pronouns", "Use at least {N} pronouns.")
def pronouns(text: str, *, N: Bound) -> bool:
    """Tell whether there are at least `N` pronouns, repeated ones counted each time."""
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
    """Tell whether each keyword stands in the text exactly as often as it should."""
    words = (keyword1, keyword2, keyword3, keyword4, keyword5)
    return all(count_word(text, word) == times for word, times in zip(words, _TIMES, strict=True))
