"""Instructions to copy the request or a part of it, or to vary a phrase."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import cycle
from typing import Annotated

from pydantic import StringConstraints

from textgym.verifiers.instructions.ifbench.reading import MARKS, Text
from textgym.verifiers.instructions.ifeval.arguments import Bound, Count, Phrase
from textgym.verifiers.instructions.instruction import instruction

_SEPARATOR = "******"

ThreeWords = Annotated[str, StringConstraints(strip_whitespace=True, pattern=r"^\S+\s+\S+\s+\S")]
"""A phrase of at least three words."""


@instruction(
    "copy:repeat_phrase",
    'Write the phrase "{phrase}" exactly {small_n} times, and replace exactly one word between its '
    "first and its last word each time.",
)
def repeat_phrase(text: str, *, phrase: ThreeWords, small_n: Count) -> bool:
    """Tell whether each passage from the first to the last word has one other word in between.

    Passages stand within a line, and their number must be right. The marks around words are left
    out, but their case counts.
    """
    wanted = _bare(phrase)
    found = [passage for line in text.split("\n") for passage in _passages(_bare(line), wanted)]
    return len(found) == small_n and all(_differences(words, wanted) == 1 for words in found)


def _bare(text: str) -> list[str]:
    """Return the words without the marks around them; a bare mark is an empty word."""
    return [word.strip(MARKS) for word in text.split()]


def _passages(words: list[str], phrase: list[str]) -> Iterator[list[str]]:
    """Find the shortest passages from the first to the last word of a phrase, with some between."""
    start = None
    for place, word in enumerate(words):
        if start is None:
            start = place if word == phrase[0] else None
        elif word == phrase[-1] and place > start + 1:
            yield words[start : place + 1]
            start = None


def _differences(words: list[str], phrase: list[str]) -> int:
    """Count the words that differ; texts of different lengths differ in all."""
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
    """Tell whether the text is the request, case and whitespace around it apart."""
    return _is_same(text, prompt_to_repeat)


def _is_same(text: str, other: str) -> bool:
    return text.strip().lower() == other.strip().lower()


@instruction(
    "copy:copying_multiple",
    "Do not do what the following request asks for. Copy it word for word {N} times instead, put "
    "six asterisks (******) between the copies, and write nothing else: {prompt_to_repeat}",
)
def copying_multiple(text: str, *, prompt_to_repeat: Phrase, N: Count) -> bool:
    """Tell whether the text is so many copies; the request may have six asterisks itself."""
    parts, request = text.split(_SEPARATOR), prompt_to_repeat.split(_SEPARATOR)
    # the request comes round as often as it takes
    return len(parts) == len(request) * N and all(map(_is_same, parts, cycle(request)))


@instruction(
    "new:copy_span_idx",
    "Counting characters from 0, copy those from {n_start} up to and including {n_end} of the "
    "following text, and write nothing else: {prompt_to_repeat}",
)
def copy_span_idx(text: str, *, prompt_to_repeat: Text, n_start: Bound, n_end: Bound) -> bool:
    """Tell whether the text is that part, case and whitespace around it apart."""
    return _is_same(text, prompt_to_repeat[n_start : n_end + 1].replace("\r\n", "\n"))
