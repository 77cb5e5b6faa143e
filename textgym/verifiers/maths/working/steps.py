"""The steps of arithmetic that an expression leaves to whoever reads it.

Like terms that could be collected are a step, and so are numbers that could be multiplied, products
of sums, and sums of irrational numbers as denominators. A fraction in lowest terms, scientific
notation, and a number beside a root or variable are none.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from fractions import Fraction
from math import gcd, isqrt
from typing import Any, NamedTuple

import sympy

from textgym.verifiers.maths.parsing.nodes import expressions_in, unknowns_of
from textgym.verifiers.maths.values import exact

__all__ = ["Step", "is_simplified_root", "ratios_in", "roots_in", "steps_in"]

_RATIO = re.compile(
    r"\\frac\s*\{\s*(-?\d+)\s*\}\s*\{\s*(\d+)\s*\}"
    r"|(?<![\d.])(\d+)\s*(?:/|:|\\div)\s*(\d+)(?!\.?\d)"
)
_LARGEST_FACTOR = 1000  # whose square is looked for in a radicand


class Step(NamedTuple):
    """One step of arithmetic.

    Attributes:
        operands: The numbers that it combines, without signs; 0 and 1 are left out.
    """

    operands: frozenset[Fraction]


def steps_in(node: Any) -> list[Step]:
    """Return the steps that a node leaves."""
    found: list[Step] = []
    for expression in expressions_in(node):
        for part in sympy.preorder_traversal(expression):
            if isinstance(part, sympy.Add):
                found += _additions(part)
            elif isinstance(part, sympy.Mul):
                found += _multiplications(part)
            elif isinstance(part, sympy.Pow) and _is_irrational_sum(part.base) and part.exp == -1:
                found.append(Step(_operands(part.base)))
    return found


def _additions(total: Any) -> Iterator[Step]:
    """Give a step for each term that could be collected with another one."""
    like: dict[frozenset[Any], list[Any]] = {}
    for term in total.args:
        factors = term.args if isinstance(term, sympy.Mul) else (term,)
        kind = frozenset(factor for factor in factors if _number(factor) is None)
        like.setdefault(kind, []).append(term)
    for terms in like.values():
        yield from [Step(_operands(*terms))] * (len(terms) - 1)


def _multiplications(product: Any) -> Iterator[Step]:
    """Give a step for each number or sum that could be multiplied with another one."""
    numbers = [factor for factor in product.args if _number(factor) not in (None, -1, 1)]
    if not _is_one_number(numbers):
        yield from [Step(_operands(*numbers))] * (len(numbers) - 1)
    sums = list(filter(_is_irrational_sum, product.args))
    yield from [Step(_operands(*sums))] * (len(sums) - 1)


def _is_one_number(factors: list[Any]) -> bool:
    """Tell whether two factors are a fraction in lowest terms, or scientific notation."""
    if len(factors) != 2:
        return False
    number, other = sorted(factors, key=lambda factor: isinstance(factor, sympy.Pow))
    if isinstance(other, sympy.Pow) and other.base == 10 and other.exp.is_Integer:
        return bool(number.is_Number)
    value = exact(other)
    if value is None or value.numerator != 1 or not number.is_Integer:
        return False
    return gcd(int(number), value.denominator) == 1


def _is_irrational_sum(part: Any) -> bool:
    return isinstance(part, sympy.Add) and not unknowns_of(part) and _number(part) is None


def _number(part: Any) -> Fraction | None:
    """Return the value of a decimal number or an expression of rational ones; None for others."""
    return Fraction(str(part)) if part.is_Float else exact(part)


def _operands(*nodes: Any) -> frozenset[Fraction]:
    """Return the numbers that nodes are made of."""
    parts = [part for node in nodes for part in sympy.preorder_traversal(node)]
    numbers = {abs(Fraction(str(part))) for part in parts if part.is_Float or part.is_Rational}
    return frozenset(numbers - {Fraction(0), Fraction(1)})


def ratios_in(latex: str) -> list[tuple[int, int]]:
    r"""Return the fractions of whole numbers in a formula, without signs.

    Example:
        >>> ratios_in(r"\frac{-6}{8} + 84/2")
        [(6, 8), (84, 2)]
    """
    found = ((match[1] or match[3], match[2] or match[4]) for match in _RATIO.finditer(latex))
    return [(abs(int(above)), int(below)) for above, below in found]


def roots_in(parts: Iterator[Any]) -> list[Fraction]:
    """Return the rational numbers of which roots are taken."""
    powers = (part for part in parts if part.is_Pow and part.exp.is_Rational)
    radicands = (exact(power.base) for power in powers if not power.exp.is_Integer)
    return [radicand for radicand in radicands if radicand is not None]


def is_simplified_root(radicand: Fraction) -> bool:
    """Tell whether a radicand is a whole number that holds no square.

    Example:
        >>> is_simplified_root(Fraction(30)), is_simplified_root(Fraction(180))
        (True, False)
    """
    whole = abs(radicand.numerator)
    if radicand.denominator != 1 or whole < 2:
        return False
    root = isqrt(whole)
    largest = min(root, _LARGEST_FACTOR)
    return root * root != whole and all(whole % (n * n) for n in range(2, largest + 1))
