"""The three measures of copying have the values of `difflib`, and take no more than linear time."""

from __future__ import annotations

import re
from difflib import SequenceMatcher

import pytest
from hypothesis import given
from hypothesis import strategies as st

from textgym.envs.haystack.lc_niah import OVERLAP_METRICS, lcs, ngram16, seq_match

words = st.sampled_from(["a", "b", "ab", "ba", "A", "é", "\n", " ", "\t ", "İ", "x1", "\x1c"])
texts = st.lists(words, max_size=60).map("".join) | st.text(max_size=60)
long_texts = st.lists(st.sampled_from([*"aaabbc z.\n", "the "]), min_size=200, max_size=500)


def normalized(text: str) -> str:
    return re.sub(r"\s+", " ", text.strip().lower())


@given(texts, texts | long_texts.map("".join))
def test_measures_equal_the_slow_ways(reasoning: str, prompt: str) -> None:
    one, other = normalized(reasoning), normalized(prompt)
    ratio = SequenceMatcher(None, one, other).ratio() if one else 0.0
    assert seq_match(reasoning, prompt) == ratio
    matcher = SequenceMatcher(None, one, other, autojunk=False)
    longest = matcher.find_longest_match(0, len(one), 0, len(other)).size
    assert lcs(reasoning, prompt) == (longest / len(one) if one else 0.0)


@given(st.lists(words, max_size=40).map(" ".join), st.lists(words, max_size=40).map(" ".join))
def test_runs_of_words_equal_the_slow_way(reasoning: str, prompt: str) -> None:
    one, other = normalized(reasoning).split(), normalized(prompt).split()
    runs, of_prompt = (
        {tuple(items[i : i + 16]) for i in range(len(items) - 15)} for items in (one, other)
    )
    expected = len(runs & of_prompt) / len(runs) if runs else 0.0
    assert ngram16(reasoning, prompt) == expected


@pytest.mark.parametrize("name", OVERLAP_METRICS)
def test_without_reasoning_nothing_is_copied(name: str) -> None:
    measure = OVERLAP_METRICS[name]
    assert measure("", "a b") == measure(" \n", "a b") == measure(" ", "") == 0.0


@pytest.mark.parametrize("name", OVERLAP_METRICS)
@pytest.mark.parametrize(
    "reasoning",
    ["a" * 10**6, "ab" * 500_000, "q z " * 250_000, "the quick fox " * 70_000, "\ud800" * 10**6],
    ids=lambda text: ascii(text[:6]),
)
def test_a_megabyte_is_measured(name: str, reasoning: str) -> None:
    prompt = "the quick brown fox jumps over the lazy dog; " * 4_000 + "q z " * 400
    assert 0.0 <= OVERLAP_METRICS[name](reasoning, prompt) <= 1.0


def test_where_the_ratio_takes_too_long_its_upper_bound_stands_in() -> None:
    letters = [chr(0x4E00 + number) for number in range(150)]
    for copies, is_bounded in ((3, False), (200, True)):
        prompt, reasoning = "".join(letters * copies), "".join(letters[::-1] * copies)
        matcher = SequenceMatcher(None, reasoning, prompt)
        bound = matcher.quick_ratio()
        found = seq_match(reasoning, prompt)
        assert found == bound if is_bounded else found == matcher.ratio() < bound


def test_the_first_hundred_thousand_characters_of_a_reasoning_are_compared() -> None:
    assert lcs("x" * 100_000 + "abc", "abc") == 0.0
    assert lcs("abc" + "x" * 99_997 + "y" * 100_000, "abc") == 3 / 100_000
