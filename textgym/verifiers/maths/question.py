r"""Whether an answer only repeats the question, its formulas or its numbers.

Formulas are compared by their shape, so that `1 \cdot \sqrt{180} + 0` is recognised as the
`\sqrt{180}` of the question, and `x + 2 + 3x` as its `3x + 2 + x`.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from fractions import Fraction
from functools import lru_cache
from math import gcd
from typing import Any

import sympy

from textgym.verifiers.maths.guards import OverLimit
from textgym.verifiers.maths.nodes import expressions_in, items_of, unknowns_of
from textgym.verifiers.maths.reading import read, sides_of
from textgym.verifiers.maths.spelling import plain_fractions
from textgym.verifiers.maths.steps import Left, is_simplified_root

__all__ = ["is_taken_from"]

_FORMULA = re.compile(
    r"\$\$?([^$]+)\$|\\\(((?:(?!\\[()]).)+)\\\)|\\\[((?:(?!\\[\[\]]).)+)\\\]", re.DOTALL
)
_RATIO = re.compile(
    r"\\frac\s*\{\s*-?(\d+)\s*\}\s*\{\s*(\d+)\s*\}"
    r"|(?<![\d.])(\d+)\s*(?:/|:|\\div)\s*(\d+)(?!\.?\d)"
)
_NUMBER = re.compile(r"\d+(?:(?:,|\{,\}|\\,)\d{3})*(?:\.\d+)?|\.\d+")
_FACTOR, _EXPAND = re.compile(r"\b[Ff]actor"), re.compile(r"\b[Ee]xpan[ds]")
_NOTATION = re.compile(r"\b(?:decimal|fraction)\b")
_MAX_FORMULAS, _MAX_LENGTH = 30, 500


def is_taken_from(
    question: str, *, gold: Any, found: Any, whole: Any, left: Left, allowed: Left
) -> bool:
    """Tell whether an answer that equals the gold was taken from the question, not worked out.

    Args:
        question: The question.
        gold: The gold's node.
        found: The answer's node, or the side of an equation that is compared.
        whole: The answer's node.
        left: What `found` leaves, as it is written.
        allowed: What the gold leaves.
    """
    return (
        _combines_numbers(question, left, allowed)
        or _changes_notation(question, gold, found)
        or _repeats_formula(question, gold, found, whole)
        or _is_not_rewritten(question, gold, found)
    )


def _combines_numbers(question: str, left: Left, allowed: Left) -> bool:
    """Tell whether steps, quotients or roots of the question's numbers are left in an answer."""
    numbers, ratios = _numbers(question), _ratios(question)
    steps = set(left.steps) - set(allowed.steps)
    if any(operands and operands <= numbers for operands in steps):
        return True
    if any(root in numbers and not is_simplified_root(root) for root in left.radicands):
        return True
    return any(
        {above, below} <= numbers if above % below == 0 else (above, below) in ratios
        for above, below in left.ratios
        if below and gcd(above, below) > 1
    )


def _changes_notation(question: str, gold: Any, found: Any) -> bool:
    """Tell whether a decimal should have become a fraction, or the other way round."""
    if sorted(map(_notation, (gold, found))) != ["decimal", "fraction"]:
        return False
    return bool(_NOTATION.search(question)) and abs(Fraction(str(found))) in _numbers(question)


def _notation(number: Any) -> str:
    if isinstance(number, sympy.Float):
        return "decimal"
    return "fraction" if isinstance(number, sympy.Rational) and not number.is_Integer else ""


def _repeats_formula(question: str, gold: Any, found: Any, whole: Any) -> bool:
    formulas = _formulas(question)
    if whole is not found and _shape(whole) in formulas:
        return True
    return _is_open(found) and _shape(found) in formulas and _shape(found) != _shape(gold)


def _is_not_rewritten(question: str, gold: Any, found: Any) -> bool:
    """Tell whether an answer should be factored, expanded or an interval, and is not."""
    if isinstance(gold, sympy.Interval) and isinstance(found, sympy.FiniteSet):
        return "interval" in question.lower()
    if not _is_open(found):
        return False
    more = _factored_sums(found) - _factored_sums(gold)
    return bool(_FACTOR.search(question) and more < 0) or bool(
        _EXPAND.search(question) and more > 0
    )


def _is_open(node: Any) -> bool:
    """Tell whether a node is an expression or relation with variables."""
    is_formula = isinstance(node, sympy.Basic) and not isinstance(node, sympy.Set | sympy.Tuple)
    return is_formula and any(map(unknowns_of, expressions_in(node)))


def _factored_sums(node: Any) -> int:
    """Return how many sums are factors of a product, or raised to a power."""
    return sum(
        isinstance(factor, sympy.Add)
        for expression in expressions_in(node)
        for part in sympy.preorder_traversal(expression)
        if isinstance(part, sympy.Mul | sympy.Pow)
        for factor in part.args
    )


@lru_cache(256)
def _numbers(question: str) -> frozenset[Fraction]:
    """Return the numbers in a question, fractions as a whole and in parts."""
    plain = {
        Fraction(re.sub(r"[^\d.]", "", text)) for text in _NUMBER.findall(plain_fractions(question))
    }
    return frozenset(plain | {Fraction(*ratio) for ratio in _ratios(question) if ratio[1]})


@lru_cache(256)
def _ratios(question: str) -> frozenset[tuple[int, int]]:
    found = _RATIO.findall(plain_fractions(question))
    return frozenset((int(a or c), int(b or d)) for a, b, c, d in found)


@lru_cache(256)
def _formulas(question: str) -> frozenset[Any]:
    """Return the shapes of a question's formulas, and of the sides of its equations."""
    shapes = set()
    for match in list(_FORMULA.finditer(question))[:_MAX_FORMULAS]:
        latex = next(filter(None, match.groups()))
        if len(latex) <= _MAX_LENGTH:
            shapes |= {_shape(node) for text in {latex, *sides_of(latex)} for node in _read(text)}
    return frozenset(shapes)


def _read(latex: str) -> Iterator[Any]:
    try:
        reading = read(latex)
    except OverLimit:
        return
    if reading is not None and isinstance(reading.node, sympy.Basic):
        yield reading.node


def _shape(node: Any) -> Any:
    """Return what a node is made of, whatever the order of its terms, factors and members.

    Terms of 0 and factors of 1 do not count.
    """
    if isinstance(node, sympy.Add | sympy.Mul):
        parts = [_shape(part) for part in _flat(node) if part != int(node.is_Mul)]
        return (node.func.__name__, *sorted(parts, key=str)) if len(parts) > 1 else parts[0]
    if isinstance(node, sympy.Basic) and node.args:
        parts = list(map(_shape, items_of(node)))
        is_set = isinstance(node, sympy.FiniteSet)
        return (node.func.__name__, *(sorted(parts, key=str) if is_set else parts))
    return node


def _flat(node: Any) -> Iterator[Any]:
    for part in node.args:
        if part.func is node.func:
            yield from _flat(part)
        else:
            yield part
