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
import re
from collections.abc import Callable, Sequence
from math import gcd
from typing import NamedTuple, TypeVar

from textgym.envs.drawing import choice, randbelow, randint, sample

__all__ = [
    "Item", "are_fractions", "choice", "corners", "fact_of", "four", "lowest", "offer", "offer_few",
    "pair", "plural", "randbelow", "randint", "sample",
]  # fmt: skip

_DIGITS = re.compile(r"\d+")

A = TypeVar("A")
B = TypeVar("B")
T = TypeVar("T")


class Item(NamedTuple):
    """A question, its one right answer and three wrong ones.

    Attributes:
        question: The question.
        right: The right option.
        wrong: The three others.
        fact: What must be known or worked out, however it is put; by default the numbers of the
            question and the right option tell that.
    """

    question: str
    right: str
    wrong: Sequence[str]
    fact: str = ""


def fact_of(item: Item) -> str:
    """Return what an item asks for, however it is put: its fact, or its answer and its numbers.

    Example:
        >>> fact_of(Item("How much is 5 + 9?", "14", ("13", "15", "16")))
        '14 from 5 9'
    """
    return item.fact or f"{item.right} from {' '.join(sorted(_DIGITS.findall(item.question)))}"


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
    gap = choice(rng, gaps)
    first = randint(rng, low, high - gap)
    return (first, first + gap) if randbelow(rng, 2) else (first + gap, first)


def four(rng: random.Random, low: int, high: int, gaps: Sequence[int] = (1, 2, 3)) -> list[int]:
    """Draw four numbers of a range, in random order: one, and it with one, the other or both gaps.

    Args:
        rng: The random generator.
        low: The least number.
        high: The greatest number.
        gaps: Different gaps, of which two are drawn; any two fit into the range together.
    """
    one, other = sample(rng, gaps, 2)
    start = randint(rng, low, high - one - other)
    return sample(rng, (start, start + one, start + other, start + one + other), 4)


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
    question: str, values: Sequence[T], show: Callable[[T], str] = str, fact: str = ""
) -> Item:
    """Make an item from four values, the right one first; show writes a value as an option."""
    right, *wrong = map(show, values)
    return Item(question, right, wrong, fact)


def offer_few(
    question: str, values: Sequence[T], show: Callable[[T], str] = str, fact: str = ""
) -> Item:
    """Make an item whose options are a part of what it asks for.

    They are that where the question is about the options themselves, such as which of them is a
    prime. They have to be where the facts are few and each has an answer of its own, such as
    capitals: if the facts were shared out among the splits, the right option of a test question
    would be the one that was never right in training.
    """
    item = offer(question, values, show)
    return item._replace(fact=f"{fact} {item.right} of {sorted((item.right, *item.wrong))}")
