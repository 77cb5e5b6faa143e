"""The question item, and how every family draws its options.

A distractor is the right answer to a question that a typical slip turns this one into: a number
off by one or by ten, the next place of a slice, another row of a table. So a family first draws
four such answers, then which of their questions it asks.

Invariants: all randomness comes from the generator that is handed in; the four options differ;
each of them is as likely to be the right one as any other, whatever the four are, so that
nothing but the question tells which it is. Therefore nothing that is drawn or rejected before
the right one is chosen may depend on it.
"""

import random
from collections.abc import Callable, Sequence
from math import gcd
from typing import NamedTuple, TypeVar

from textgym.envs.drawing import below, between, pick, some

__all__ = [
    "Item", "are_fractions", "below", "between", "content_of", "corners", "four", "lowest",
    "offer", "pair", "pick", "plural", "some",
]  # fmt: skip

A = TypeVar("A")
B = TypeVar("B")
T = TypeVar("T")


class Item(NamedTuple):
    """A question, its one right answer and three wrong ones.

    Attributes:
        question: The question.
        right: The right option.
        wrong: The three others.
        content: What decides the split; by default the four options, whichever is right. Another
            content is given where few sets of options belong to very many questions. It must not
            tell which option is right: if the facts were shared out among the splits, the right
            option of a test question would be the one that was never right in training.
    """

    question: str
    right: str
    wrong: Sequence[str]
    content: str = ""


def content_of(item: Item) -> str:
    """Return what decides an item's split, the same whichever of its options is the right one.

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
    """Tell whether texts that `lowest` wrote are positive, and none is whole."""
    return all("/" in text and text[0] != "-" for text in texts)


def pair(rng: random.Random, low: int, high: int, gaps: Sequence[int] = (1, 2)) -> tuple[int, int]:
    """Draw two numbers of a range that differ by one of the gaps; either may be the larger."""
    gap = pick(rng, gaps)
    first = between(rng, low, high - gap)
    return (first, first + gap) if below(rng, 2) else (first + gap, first)


def four(rng: random.Random, low: int, high: int, gaps: Sequence[int] = (1, 2, 3)) -> list[int]:
    """Draw four numbers of a range, in random order: one, and it with one, the other or both gaps.

    Args:
        rng: The random generator.
        low: The least number.
        high: The greatest number.
        gaps: Different gaps, of which two are drawn; any two fit into the range together.
    """
    one, other = some(rng, gaps, 2)
    start = between(rng, low, high - one - other)
    return some(rng, (start, start + one, start + other, start + one + other), 4)


def corners(
    function: Callable[[A, B], T], first: tuple[A, A], second: tuple[B, B]
) -> tuple[T, T, T, T] | None:
    """Return what a function makes of two arguments, then of the other choices of either.

    The first value belongs to `first[0]` and `second[0]`, with which the question is asked. None
    where two of the four are equal.
    """
    (a, other_a), (b, other_b) = first, second
    values = function(a, b), function(other_a, b), function(a, other_b), function(other_a, other_b)
    return values if len({*values}) == 4 else None


def offer(
    question: str, values: Sequence[T], show: Callable[[T], str] = str, content: str = ""
) -> Item:
    """Make an item from four values, the right one first; show writes a value as an option."""
    right, *wrong = map(show, values)
    return Item(question, right, wrong, content)
