"""Texts that go through steps."""

from __future__ import annotations

import random
from itertools import groupby
from typing import Any

from textgym.envs.generation import choice, randint
from textgym.envs.program.drafts import Draft
from textgym.envs.program.families.pipelines import (
    Step,
    draw_uses,
    program_of,
    rivals_of,
    run,
    statement_of,
)

__all__ = ["strings"]

_ALPHABET = "abcdefghijklmnopqrstuvwxyz"
_COMMON = "aabcdeeefghiilmnoopprsttu"


def _shifted(text: str, k: int) -> str:
    turned = _ALPHABET[k % 26 :] + _ALPHABET[: k % 26]
    return text.translate(str.maketrans(_ALPHABET, turned))


def _counted(text: str) -> str:
    return "".join(f"{letter}{len(list(group))}" for letter, group in groupby(text))


def _collapsed(text: str) -> str:
    return "".join(letter for letter, _ in groupby(text))


def _by_length(text: str) -> str:
    words = text.split()
    longest = max(map(len, words), default=0)
    return " ".join(word for size in range(longest + 1) for word in words if len(word) == size)


def _without_every(text: str, k: int) -> str:
    return "".join(text[start : start + k - 1] for start in range(0, len(text), k))


def _turned(text: str, k: int) -> str:
    for _ in range(k):
        text = text[1:] + text[:1]
    return text


def _long_words(text: str, k: int) -> str:
    return " ".join(filter(lambda word: len(word) >= k, text.split()))


def _mirrored_long(text: str, k: int) -> str:
    return " ".join("".join(reversed(w)) if len(w) > k else w for w in text.split())


def _rotated_words(text: str, k: int) -> str:
    words = text.split()
    return " ".join(words[(place + k) % len(words)] for place in range(len(words)))


def _doubled(text: str, k: int) -> str:
    out = ""
    for place, letter in enumerate(text):
        out += letter + (letter if (place + 1) % k == 0 else "")
    return out


STEPS = {
    "order": Step(
        "put the words in reverse order", 'text = " ".join(text.split()[::-1])',
        lambda text: " ".join(reversed(text.split())),
    ),
    "mirror": Step(
        "reverse the letters of each word that has more than <a> letters",
        'text = " ".join(w[::-1] if len(w) > <a> else w for w in text.split())',
        _mirrored_long, ((2, 5),),
    ),
    "vowels": Step(
        "remove the vowels a, e, i, o and u",
        'text = "".join(c for c in text if c not in "aeiou")',
        lambda text: text.translate(dict.fromkeys(map(ord, "aeiou"))),
    ),
    "shift": Step(
        "replace each letter from a to z by the letter that is <a> places later in the alphabet, "
        "where a follows z",
        'text = "".join(chr((ord(c) - 97 + <a>) % 26 + 97) if "a" <= c <= "z" else c '
        "for c in text)", _shifted, ((1, 24),),
    ),
    "drop": Step(
        "remove every character whose position, counted from 1, is a multiple of <a>; spaces "
        "count",
        'text = "".join(c for i, c in enumerate(text, 1) if i % <a>)', _without_every, ((2, 5),),
    ),
    "double": Step(
        "double every character whose position, counted from 1, is a multiple of <a>; spaces count",
        'text = "".join(c if i % <a> else c * 2 for i, c in enumerate(text, 1))',
        _doubled, ((2, 6),),
    ),
    "counts": Step(
        "replace each run of equal characters by that character and the length of the run, as in "
        "a3b1",
        'out = ""\ni = 0\nwhile i < len(text):\n    j = i\n'
        "    while j < len(text) and text[j] == text[i]:\n        j += 1\n"
        "    out += text[i] + str(j - i)\n    i = j\ntext = out", _counted,
    ),
    "collapse": Step(
        "of equal characters next to each other, keep only one",
        'text = "".join(c for i, c in enumerate(text) if not i or c != text[i - 1])', _collapsed,
    ),
    "lengths": Step(
        "sort the words by length, the shortest first; words of the same length keep their order",
        'text = " ".join(sorted(text.split(), key=len))', _by_length,
    ),
    "turn": Step(
        "move the first character to the end, <a> times; an empty text stays empty",
        "if text:\n    k = <a> % len(text)\n    text = text[k:] + text[:k]", _turned, ((1, 9),),
    ),
    "words": Step(
        "move the first word to the end, <a> times",
        "words = text.split()\nk = <a> % len(words) if words else 0\n"
        'text = " ".join(words[k:] + words[:k])', _rotated_words, ((1, 3),),
    ),
    "long": Step(
        "keep only the words with at least <a> letters",
        'text = " ".join(w for w in text.split() if len(w) >= <a>)', _long_words, ((3, 5),),
    ),
}  # fmt: skip


def strings(rng: random.Random, level: int) -> Draft:
    """Draft a pipeline on a text of lower-case words."""
    uses = draw_uses(rng, STEPS, max(2, level))

    def draw(rng: random.Random) -> tuple[Any, ...]:
        words = []
        for _ in range(randint(rng, 3, 6)):
            word = "".join(choice(rng, _COMMON) for _ in range(randint(rng, 1, 7)))
            words.append(word.replace("e", "ee", 1) if rng.random() < 0.2 else word)
        return (" ".join(words),)

    return Draft(
        entry="rewrite",
        statement=(
            "Start with `text`, lower-case words that are separated by one space. "
            f"{statement_of(uses)} Return the text that is left. Words are what white space "
            "separates; where words are moved, sorted, reversed or removed, the text afterwards "
            "is the words, joined by one space."
        ),
        names={"text": "str"},
        program=program_of(uses, "def rewrite(text):", "return text"),
        solve=lambda text: run(uses, text),
        rivals=[lambda text, rival=rival: run(rival, text) for rival in rivals_of(uses)],
        draw=draw,
        content=["strings", [[use.name, list(use.values)] for use in uses]],
    )
