r"""The problem type, and functions that write exact numbers as LaTeX.

Invariants: numbers are exact, int or `Fraction`; fractions are in lowest terms; square roots have
no square factor; terms of 0 are omitted.
"""

import random
from collections.abc import Sequence
from fractions import Fraction
from math import isqrt
from typing import NamedTuple

from textgym.envs.generation import choice, randint
from textgym.verifiers.math import Form

__all__ = [
    "Number", "Problem", "nonzero", "number", "point", "polynomial", "scaled", "sum_of", "surd",
    "value_at",
]  # fmt: skip

Number = int | Fraction


class Problem(NamedTuple):
    """A question and its answer in LaTeX, without dollar signs.

    Attributes:
        question: The question.
        answer: The evaluated answer.
        form: How far an answer must be evaluated to be accepted.
    """

    question: str
    answer: str
    form: Form = "evaluated"


def nonzero(rng: random.Random, most: int) -> int:
    """Draw an integer from -most to most, except 0."""
    return choice(rng, (-1, 1)) * randint(rng, 1, most)


def value_at(coefficients: Sequence[Number], x: Number) -> Number:
    """Return the value of a polynomial, given its coefficients with the highest power first.

    Example:
        >>> value_at([2, 0, 1], 3)
        19
    """
    value: Number = 0
    for coefficient in coefficients:
        value = value * x + coefficient
    return value


def number(value: Number) -> str:
    r"""Write a number.

    Example:
        >>> number(7), number(Fraction(-6, 4))
        ('7', '-\\frac{3}{2}')
    """
    return scaled(value, "")


def scaled(value: Number, unit: str) -> str:
    r"""Write a number times a unit such as `\pi` or `x^2`.

    Example:
        >>> scaled(-1, "x"), scaled(0, "x"), scaled(Fraction(3, 2), "\\pi"), scaled(4, "")
        ('-x', '0', '\\frac{3\\pi}{2}', '4')
    """
    value = Fraction(value)
    if not value:
        return "0"
    top = abs(value.numerator)
    over = unit if unit and top == 1 else f"{top}{unit}"
    sign = "-" if value < 0 else ""
    return (
        f"{sign}\\frac{{{over}}}{{{value.denominator}}}" if value.denominator > 1 else sign + over
    )


def surd(outside: Number, inside: int, unit: str = "") -> str:
    r"""Write `outside` times the square root of `inside`, which is positive, times a unit.

    Example:
        >>> surd(1, 72), surd(Fraction(1, 2), 12), surd(2, 9), surd(3, 5, "\\pi")
        ('6\\sqrt{2}', '\\sqrt{3}', '6', '3\\sqrt{5}\\pi')
    """
    for factor in range(isqrt(inside), 1, -1):
        if inside % factor**2 == 0:
            outside, inside = outside * factor, inside // factor**2
            break
    return scaled(outside, unit if inside == 1 else f"\\sqrt{{{inside}}}{unit}")


def sum_of(*terms: str) -> str:
    """Write a sum, with minus signs for negative terms and without terms of 0.

    Example:
        >>> sum_of("x^2", "0", "-3x", "2"), sum_of("0")
        ('x^2 - 3x + 2', '0')
    """
    text = ""
    for term in terms:
        if term == "0":
            continue
        if not text:
            text = term
        else:
            text += f" - {term[1:]}" if term.startswith("-") else f" + {term}"
    return text or "0"


def polynomial(coefficients: Sequence[Number], x: str = "x") -> str:
    r"""Write a polynomial, with the highest power first.

    Example:
        >>> polynomial([1, 0, -2, 5]), polynomial([Fraction(1, 2), 0])
        ('x^3 - 2x + 5', '\\frac{x}{2}')
    """
    powers = range(len(coefficients) - 1, -1, -1)
    units = ["" if power == 0 else x if power == 1 else f"{x}^{power}" for power in powers]
    return sum_of(*(scaled(c, unit) for c, unit in zip(coefficients, units, strict=True)))


def point(*values: Number) -> str:
    r"""Write an ordered pair or triple.

    Example:
        >>> point(2, Fraction(-1, 3))
        '(2, -\\frac{1}{3})'
    """
    return f"({', '.join(map(number, values))})"
