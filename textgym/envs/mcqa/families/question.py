"""The question item, and functions that draw its options.

A distractor is the correct answer to a similar question, which a typical mistake leads to: a number
off by one or by ten, the next index of a slice, another row of a table. A family first draws four
such answers, and then which of their questions to ask.

Invariants: all randomness comes from the given generator; the four options differ; given the four
options, each is equally likely to be the correct one, so only the question reveals it. To keep this
property, nothing that is drawn or rejected before the correct option is chosen may depend on it.
"""

import random
from collections.abc import Callable, Sequence
from math import gcd
from typing import Any, NamedTuple, TypeVar

from textgym.envs.generation import Unfit, choice, randbelow, randint, sample

__all__ = [
    "Item", "Values", "ValuesInUnit", "are_fractions", "content_of", "corners", "four", "lowest",
    "offer", "pair", "plural",
]  # fmt: skip

A = TypeVar("A")
B = TypeVar("B")
T = TypeVar("T")

Values = tuple[str, Sequence[Any]]
"""A question and the values of its options, the correct one first."""

ValuesInUnit = tuple[str, Sequence[int], str]
"""A question, the values of its options, the correct one first, and their unit."""


class Item(NamedTuple):
    """A question with one correct option and three wrong ones, on level 0 only one.

    Attributes:
        question: The question.
        right: The correct option.
        wrong: The others.
        content: What decides the split; "" for the four options, whichever of them is correct. Give
            something else if a few sets of options belong to very many questions. It must not
            reveal the correct option: if facts were divided among the splits, the correct option of
            a test question would be the only one that is never correct in training.
    """

    question: str
    right: str
    wrong: Sequence[str]
    content: str = ""


def content_of(item: Item) -> str:
    """Return what decides an item's split, regardless of which of its options is correct.

    Example:
        >>> content_of(Item("How much is 5 + 9?", "14", ("13", "15", "16")))
        "['13', '14', '15', '16']"
    """
    return item.content or str(sorted((item.right, *item.wrong)))


def plural(n: int, noun: str) -> str:
    """Write a count with its noun: '1 apple', '2 apples'."""
    return f"{n} {noun}" if n == 1 else f"{n} {noun}s"


def lowest(top: int, bottom: int) -> str:
    """Write a fraction in lowest terms, or a whole number: '2/3', '4'."""
    common = gcd(top, bottom)
    return f"{top // common}/{bottom // common}" if common < bottom else str(top // common)


def are_fractions(texts: Sequence[str]) -> bool:
    """Return whether all strings, as written by `lowest`, are positive and not whole."""
    return all("/" in text and text[0] != "-" for text in texts)


def pair(rng: random.Random, low: int, high: int, gaps: Sequence[int] = (1, 2)) -> tuple[int, int]:
    """Draw two numbers of a range that differ by one of the gaps, in random order."""
    gap = choice(rng, gaps)
    first = randint(rng, low, high - gap)
    return (first, first + gap) if randbelow(rng, 2) else (first + gap, first)


def four(rng: random.Random, low: int, high: int, gaps: Sequence[int] = (1, 2, 3)) -> list[int]:
    """Draw four numbers in random order: a number, and it plus one or both of two gaps.

    Args:
        rng: The random generator.
        low: The smallest number.
        high: The largest number.
        gaps: Different gaps. Two are drawn; the sum of any two must fit into the range.
    """
    first, second = sample(rng, gaps, 2)
    start = randint(rng, low, high - first - second)
    numbers = start, start + first, start + second, start + first + second
    return sample(rng, numbers, 4)


def corners(
    function: Callable[[A, B], T], first: tuple[A, A], second: tuple[B, B]
) -> tuple[T, T, T, T]:
    """Return the four values of a function for two choices of each of its two arguments.

    The first value is for `first[0]` and `second[0]`, which the question uses.

    Raises:
        Unfit: Two of the values are equal.
    """
    (a, other_a), (b, other_b) = first, second
    values = function(a, b), function(other_a, b), function(a, other_b), function(other_a, other_b)
    if len({*values}) < 4:
        raise Unfit
    return values


def offer(
    question: str, values: Sequence[T], show: Callable[[T], str] = str, content: str = ""
) -> Item:
    """Make an item from four values, the correct one first. `show` formats a value."""
    right, *wrong = map(show, values)
    return Item(question, right, wrong, content)
