"""The models find planted shortcuts of each kind, and nothing where there are none."""

from __future__ import annotations

import random
from collections.abc import Callable

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from shortcut_accuracy import shortcut_accuracy

from textgym.checks.shortcuts.choices import Choice, surface
from textgym.errors import UsageError

Options = tuple[str, list[str]]  # a prompt, and options of which the first is right
LETTERS = "abcdefghijklmnopqrstuvwxyz"


def word(rng: random.Random, length: int = 6) -> str:
    return "".join(rng.choices(LETTERS, k=length))


def number(rng: random.Random) -> int:
    return rng.randrange(100, 1000)


def longest(rng: random.Random) -> Options:
    return "Which?", [word(rng, 8), *(word(rng, rng.randrange(4, 8)) for _ in range(3))]


def hub(rng: random.Random) -> Options:
    right = word(rng)
    places = rng.sample(range(6), 3)
    return "Which?", [right, *(f"{right[:i]}#{right[i + 1 :]}" for i in places)]


def second_smallest(rng: random.Random) -> Options:
    low, *others = sorted(rng.sample(range(100, 1000), 4))
    return "How many?", [str(n) for n in (others[0], low, *others[1:])]


def between_two(rng: random.Random) -> Options:
    right, step = number(rng), rng.randrange(1, 30)
    others = (right - step, right + step, right + 3 * step)
    return "How many?", [str(n) for n in (right, *others)]


def round_number(rng: random.Random) -> Options:
    others = (10 * number(rng) + rng.randrange(1, 10) for _ in range(3))
    return "How many?", [str(n) for n in (10 * number(rng), *others)]


def double(rng: random.Random) -> Options:
    right = number(rng)
    return "How many?", [str(n) for n in (right, 2 * right, number(rng) + 1000, number(rng))]


def word_of_the_prompt(rng: random.Random) -> Options:
    words = [word(rng) for _ in range(4)]
    return f"Tell something of {words[0]}.", words


def last_in_the_prompt(rng: random.Random) -> Options:
    words = [word(rng) for _ in range(4)]
    return f"Of {', '.join(reversed(words))}: which?", words


def lowest_terms(rng: random.Random) -> Options:
    parts = [(rng.randrange(1, 9), rng.randrange(10, 19)) for _ in range(4)]
    return "How much?", [
        f"{top}/{bottom}" if not i else f"{3 * top}/{3 * bottom + 90}"
        for i, (top, bottom) in enumerate(parts)
    ]


PLANTED = (
    longest, hub, second_smallest, between_two, round_number, double, word_of_the_prompt,
    last_in_the_prompt, lowest_terms,
)  # fmt: skip


def planted(plant: Callable[[random.Random], Options], n: int, seed: int) -> list[Choice]:
    rng, found = random.Random(seed), []
    for _ in range(n):
        prompt, options = plant(rng)
        order = rng.sample(range(len(options)), len(options))
        found.append(Choice(prompt, [options[i] for i in order], order.index(0)))
    return found


@pytest.mark.parametrize("plant", PLANTED)
def test_a_planted_shortcut_is_found(plant: Callable[[random.Random], Options]) -> None:
    found = shortcut_accuracy(planted(plant, 200, 1), planted(plant, 100, 2))
    assert max(found.values()) > 0.8, found


def longest_or_shortest(rng: random.Random) -> Options:
    """The longest word is right if it is among numbers, the shortest if it is among words."""
    if rng.random() < 0.5:
        return "Which?", [word(rng, 9), *(word(rng, rng.randrange(4, 8)) for _ in range(3))]
    return "Which?", [str(rng.randrange(10, 99)), *(str(number(rng) * 10**i) for i in range(3))]


def test_trees_find_a_shortcut_that_depends_on_another_feature() -> None:
    train, test = planted(longest_or_shortest, 400, 1), planted(longest_or_shortest, 200, 2)
    assert shortcut_accuracy(train, test)["trees"] > 0.9


def exchangeable(rng: random.Random) -> Options:
    return "How many?", [str(number(rng)) for _ in range(4)]


@pytest.mark.parametrize(
    ("n", "most"),  # four standard errors above chance
    [(200, 0.38), pytest.param(1000, 0.30, marks=pytest.mark.slow)],
)
def test_exchangeable_options_have_no_shortcut(n: int, most: float) -> None:
    found = shortcut_accuracy(planted(exchangeable, n, 1), planted(exchangeable, n, 2))
    assert max(found.values()) < most, found


def test_the_same_questions_give_the_same_accuracy() -> None:
    train, test = planted(between_two, 100, 1), planted(between_two, 100, 2)
    assert shortcut_accuracy(train, test) == shortcut_accuracy(train, test)


@settings(max_examples=50, deadline=None)
@given(st.text(), st.lists(st.text(), min_size=2, max_size=5))
def test_features_of_any_texts_are_finite(prompt: str, options: list[str]) -> None:
    assert np.isfinite(surface([Choice(prompt, options, 0)])).all()


@pytest.mark.parametrize(
    "option", ["9" * 5000, "0/0", "1/" + "0" * 400, "-.5", "\ud800", "", " ", "1:2:3", "٣"]
)
def test_features_of_odd_options_are_finite(option: str) -> None:
    assert np.isfinite(surface([Choice(option, (option, "1"), 0)])).all()


@pytest.mark.parametrize(
    "choices",
    [[], [Choice("", ("a", "b"), 0), Choice("", ("a", "b", "c"), 0)]],
    ids=["none", "two"],
)
def test_questions_with_different_numbers_of_options_are_refused(choices: list[Choice]) -> None:
    with pytest.raises(UsageError, match="all questions need the same number of options"):
        surface(choices)
