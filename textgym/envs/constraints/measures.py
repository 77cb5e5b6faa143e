"""Drawing instructions whose arguments are read off the finished text, close to what it has."""

from __future__ import annotations

import re
from collections import Counter

from textgym.envs.constraints.witness import Arguments, WitnessDraft, largest, read_off, smallest
from textgym.envs.generation import choice, randint, sample
from textgym.verifiers.instructions import INSTRUCTIONS

_AT_LEAST, _LESS_THAN = "at least", "less than"
_WORD = re.compile(r"[a-z]{2,}")
_LETTERS = "abcdefghiklmnoprstuvwy"
_FEWEST = 3  # of a letter or word that is counted
_USUAL_SHARE = 52  # of stop words, in per cent
_USUAL_REPEATS = 9  # of the most frequent word
_MOST_NUMBERS = 60
_SLACK = 3  # of a number of words, in per cent, and of a number of letters


def _about(draft: WitnessDraft, count: int) -> int:
    """Draw a small difference from a number of words."""
    return randint(draft.rng, 0, 1 + count * _SLACK // 100)


@read_off("length_constraints:number_words", "length", "length squeezed")
def _number_words(draft: WitnessDraft, text: str) -> Arguments:
    id = "length_constraints:number_words"
    count = largest(id, text, len(text.split()), lambda n: {"num_words": n, "relation": _AT_LEAST})
    if draft.rng.random() < 0.5:
        return {"num_words": count - _about(draft, count), "relation": _AT_LEAST}
    return {"num_words": count + 1 + _about(draft, count), "relation": _LESS_THAN}


@read_off("count:word_count_range", "length", "length squeezed")
def _word_count_range(draft: WitnessDraft, text: str) -> Arguments:
    id = "count:word_count_range"
    count = smallest(id, text, len(text.split()), lambda n: {"min_words": 0, "max_words": n})
    least, most = count - _about(draft, count), count + _about(draft, count)
    return {"min_words": least, "max_words": most}


@read_off("count:unique_word_count", "", "squeezed")
def _unique_word_count(draft: WitnessDraft, text: str) -> Arguments:
    count = largest(
        "count:unique_word_count", text, len({*text.lower().split()}), lambda n: {"N": n}
    )
    return {"N": count - _about(draft, count)}


@read_off("ratio:stop_words", "", "squeezed")
def _stop_words(draft: WitnessDraft, text: str) -> Arguments:
    return {
        "percentage": smallest("ratio:stop_words", text, _USUAL_SHARE, lambda n: {"percentage": n})
    }


@read_off("words:repeats", "", "squeezed")
def _repeats(draft: WitnessDraft, text: str) -> Arguments:
    return {"small_n": smallest("words:repeats", text, _USUAL_REPEATS, lambda n: {"small_n": n})}


@read_off("count:numbers")
def _numbers(draft: WitnessDraft, text: str) -> Arguments | None:
    check = INSTRUCTIONS["count:numbers"].check
    return next(({"N": n} for n in range(_MOST_NUMBERS) if check(text, N=n)), None)


@read_off("keywords:letter_frequency")
def _letter_frequency(draft: WitnessDraft, text: str) -> Arguments | None:
    letter = choice(draft.rng, _LETTERS)
    count = text.lower().count(letter)
    if count < _FEWEST:
        return None
    if draft.rng.random() < 0.5:
        bound, relation = count - randint(draft.rng, 0, min(_SLACK, count - 1)), _AT_LEAST
    else:
        bound, relation = count + 1 + randint(draft.rng, 0, _SLACK), _LESS_THAN
    return {"letter": letter, "let_frequency": bound, "let_relation": relation}


@read_off("keywords:frequency", "", "squeezed")
def _frequency(draft: WitnessDraft, text: str) -> Arguments | None:
    counts = Counter(_WORD.findall(text.lower()))
    words = sorted(word for word, count in counts.items() if count >= _FEWEST)
    if not words:
        return None
    word = choice(draft.rng, words)
    count = text.lower().count(word)
    if draft.rng.random() < 0.5:
        return {"keyword": word, "frequency": count, "relation": _AT_LEAST}
    return {"keyword": word, "frequency": count + 1, "relation": _LESS_THAN}


@read_off("keywords:forbidden_words")
def _forbidden_words(draft: WitnessDraft, text: str) -> Arguments | None:
    lowered = text.lower()
    usual = (*draft.brief.job.usual, *_COMMON)
    words = [word for word in usual if word not in lowered]
    count = randint(draft.rng, 3, 6)
    return {"forbidden_words": sample(draft.rng, words, count)} if len(words) >= count else None


_COMMON = (
    "the", "and", "of", "with", "for", "our", "is", "will", "this", "please", "all", "you", "we",
    "at", "on", "from", "also", "more", "just", "has", "be",
)  # fmt: skip
