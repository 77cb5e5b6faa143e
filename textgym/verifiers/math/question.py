r"""Whether an answer only repeats formulas or numbers of the question.

Formulas are compared by their shape, so `1 \cdot \sqrt{180} + 0` is recognised as the
`\sqrt{180}` of the question, and `x + 2 + 3x` as its `3x + 2 + x`.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from fractions import Fraction
from functools import lru_cache
from itertools import product
from math import prod
from typing import Any

import sympy

from textgym.verifiers.math.guards import OverLimit
from textgym.verifiers.math.quantities import numbers_in_words
from textgym.verifiers.math.reading import (
    difference_of,
    expressions_in,
    is_relation,
    items_of,
    links_of,
    read,
    sides_of,
    unknowns_of,
)
from textgym.verifiers.math.spelling import plain_fractions
from textgym.verifiers.math.steps import Left, is_simplified_root, leaves_in
from textgym.verifiers.math.values import identical, proportion
from textgym.verifiers.math.written import read_written

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
_SIMPLIFY = re.compile(r"\b[Ss]implif|\b[Mm]ultipl(?:y|ied) out")
_NOTATION = re.compile(r"\b(?:decimal|fraction)\b")
_QUESTION = re.compile(
    r"^[ #*]{0,8}(?:(?:sub)?problem|question|exercise|input|q)\b[^:.\n]{0,12}[:.]", re.I | re.M
)
_SOLUTION = re.compile(
    r"^[ #*]{0,8}(?:solution|(?:final )?answer|output|a)\b[^:.\n]{0,12}:", re.I | re.M
)
_MAX_FORMULAS, _MAX_LENGTH = 30, 500
_MAX_NUMBERS = 50  # of a question that are combined


def is_taken_from(
    question: str,
    *,
    gold: Any,
    answer: Any,
    whole: Any,
    left: Left,
    allowed: Left,
    lengths: tuple[int, int] | None,
) -> bool:
    """Return whether an answer that equals the gold was taken from the question.

    Args:
        question: The question.
        gold: The gold's node.
        answer: The answer's node or, if it is an equation, the side that is compared.
        whole: The answer's node.
        left: The computations that are left in `answer`, as it is written.
        allowed: The computations that are left in the gold.
        lengths: The numbers of leaves in the gold and in the answer; None if unknown.
    """
    question = _last_question(question)
    return (
        _combines_numbers(question, left, allowed)
        or _disguises_step(question, gold, left, allowed)
        or _changes_notation(question, gold, answer)
        or _repeats_formula(question, gold, answer, whole)
        or _repeats_equation(question, gold, answer)
        or _is_not_rewritten(question, gold, answer)
        or (lengths is not None and _is_not_shorter(question, gold, answer, *lengths))
    )


@lru_cache(256)
def _last_question(text: str) -> str:
    """Return the last question of a text, without the solved examples before it."""
    solved = _SOLUTION.search(text)
    questions = list(_QUESTION.finditer(text, solved.end())) if solved else []
    return text[questions[-1].start() :] if questions else text


def _combines_numbers(question: str, left: Left, allowed: Left) -> bool:
    r"""Return whether an answer contains steps, quotients or roots of the question's numbers.

    Powers of ten do not matter: `0.15 \cdot 80` is 15 % of 80.
    """
    numbers, ratios = _numbers(question), _ratios(question)
    digits, steps = _digits(numbers), {*left.steps} - {*allowed.steps}
    if any(operands and operands <= numbers for operands in steps):
        return True
    if any(operands and operands <= digits for operands in map(_digits, steps)):
        return True
    if any(root in numbers and not is_simplified_root(root) for root in left.radicands):
        return True
    return any(
        _digits(ratio) <= digits if ratio[0] % ratio[1] == 0 else ratio in ratios
        for ratio in left.reducible
    )


def _disguises_step(question: str, gold: Any, left: Left, allowed: Left) -> bool:
    r"""Return whether an answer leaves a step to a value that takes one step from the question.

    It could be that step with other numbers: `39 - 1` for 40 - 2, or `\frac{80}{4}` for 40 over 2.
    """
    ratios = {*left.reducible} - {*allowed.ratios}
    is_open = len(left.steps) > len(allowed.steps) or any(a % b == 0 for a, b in ratios)
    is_number = isinstance(gold, sympy.Rational | sympy.Float)
    return is_open and is_number and abs(Fraction(str(gold))) in _results(question)


@lru_cache(256)
def _results(question: str) -> frozenset[Fraction]:
    """Return what one step of arithmetic makes of two numbers of a question."""
    results = set()
    for first, second in product(sorted(_numbers(question))[:_MAX_NUMBERS], repeat=2):
        results |= {first + second, abs(first - second), first * second, first * second / 100}
        results |= {first / second} if second else set()
    return frozenset(results)


def _digits(numbers: Iterable[Fraction | int]) -> set[Fraction | int]:
    """Return numbers other than powers of ten as integers: 15 for 0.15 and 1500."""
    digits = set()
    for number in numbers:
        while number and number.numerator % 10 == 0:
            number = Fraction(number, 10)
        while number.denominator % 2 == 0 or number.denominator % 5 == 0:
            number *= 10
        digits.add(number)
    return digits - {0, 1}


def _changes_notation(question: str, gold: Any, answer: Any) -> bool:
    """Return whether an answer is a decimal or fraction that should have been converted."""
    if sorted(map(_notation, (gold, answer))) != ["decimal", "fraction"]:
        return False
    return bool(_NOTATION.search(question)) and abs(Fraction(str(answer))) in _numbers(question)


def _notation(number: Any) -> str:
    if isinstance(number, sympy.Float):
        return "decimal"
    return "fraction" if isinstance(number, sympy.Rational) and not number.is_Integer else ""


def _repeats_formula(question: str, gold: Any, answer: Any, whole: Any) -> bool:
    formulas = _shapes(question)
    if whole is not answer and _shape(whole) in formulas:
        return True
    return _is_open(answer) and _shape(answer) in formulas and _shape(answer) != _shape(gold)


def _is_not_rewritten(question: str, gold: Any, answer: Any) -> bool:
    """Return whether an answer should be factored, expanded or an interval, but is not."""
    if isinstance(gold, sympy.Interval) and isinstance(answer, sympy.FiniteSet):
        return "interval" in question.lower()
    if not _is_open(answer):
        return False
    more = _factored_sums(answer) - _factored_sums(gold)
    if _FACTOR.search(question):
        count, number = _factors(answer)
        gold_count, gold_number = _factors(gold)
        return more < 0 or count < gold_count or number < gold_number
    is_product = any(_factored_sums(node) > 0 for node, _ in _formulas(question))
    rewrites = _EXPAND.search(question) or (_SIMPLIFY.search(question) and is_product)
    return bool(rewrites and more > 0)


def _factors(node: Any) -> tuple[int, Fraction]:
    """Return the number of non-numeric factors of a product, and its numeric factor."""
    if isinstance(node, sympy.Mul):
        counts, numbers = zip(*map(_factors, node.args), strict=True)
        return sum(counts), prod(numbers)
    if isinstance(node, sympy.Pow) and node.exp.is_Integer and node.exp > 0:
        return _factors(node.base)[0] * int(node.exp), Fraction(1)
    if isinstance(node, sympy.Rational):
        return 0, abs(Fraction(int(node.p), int(node.q)))
    return 1, Fraction(1)


def _repeats_equation(question: str, gold: Any, answer: Any) -> bool:
    """Return whether an answer is an equation of the question, scaled or rearranged.

    The gold is another form of that equation, for example with completed squares.
    """
    if not (is_relation(answer) and is_relation(gold)):
        return False
    if _factored_sums(answer) == _factored_sums(gold):
        return False
    asked = (node for node, _ in _formulas(question) if is_relation(node))
    return any(
        _factored_sums(node) == _factored_sums(answer)
        and unknowns_of(node) == unknowns_of(answer)
        and proportion(*(difference_of(links_of(link)[0]) for link in (node, answer))) is not None
        for node in asked
    )


def _is_not_shorter(
    question: str, gold: Any, answer: Any, gold_length: int, answer_length: int
) -> bool:
    """Return whether an answer is no shorter than the formula that it should simplify."""
    if answer_length <= gold_length + 1 or not _is_open(answer) or not isinstance(gold, sympy.Expr):
        return False
    return any(
        isinstance(node, sympy.Expr)
        and answer_length >= length
        and unknowns_of(node) == unknowns_of(gold)
        and identical(node, gold)
        for node, length in _formulas(question)
    )


def _is_open(node: Any) -> bool:
    """Return whether a node is an expression or relation with variables."""
    is_formula = isinstance(node, sympy.Basic) and not isinstance(node, sympy.Set | sympy.Tuple)
    return is_formula and any(map(unknowns_of, expressions_in(node)))


def _factored_sums(node: Any) -> int:
    """Return the number of sums that are factors of a product or raised to a power."""
    return sum(
        isinstance(factor, sympy.Add)
        for expression in expressions_in(node)
        for part in sympy.preorder_traversal(expression)
        if isinstance(part, sympy.Mul | sympy.Pow)
        and not (len(part.args) == 2 and part.args[0] == -1)  # a negative sum
        for factor in part.args
    )


@lru_cache(256)
def _numbers(question: str) -> frozenset[Fraction]:
    """Return the numbers in a question, including those in words and in fractions."""
    texts = _NUMBER.findall(plain_fractions(question))
    plain = {Fraction(re.sub(r"[^\d.]", "", text)) for text in texts}
    ratios = {Fraction(*ratio) for ratio in _ratios(question) if ratio[1]}
    return frozenset(plain | ratios | numbers_in_words(question))


@lru_cache(256)
def _ratios(question: str) -> frozenset[tuple[int, int]]:
    ratios = _RATIO.findall(plain_fractions(question))
    return frozenset((int(a or c), int(b or d)) for a, b, c, d in ratios)


@lru_cache(256)
def _formulas(question: str) -> tuple[tuple[Any, int], ...]:
    """Return a question's formulas and the sides of its equations, each with its length."""
    formulas: list[tuple[Any, int]] = []
    for match in list(_FORMULA.finditer(question))[:_MAX_FORMULAS]:
        latex = next(filter(None, match.groups()))
        if len(latex) <= _MAX_LENGTH:
            formulas += [
                pair for text in dict.fromkeys((latex, *sides_of(latex))) for pair in _read(text)
            ]
    return tuple(formulas)


@lru_cache(256)
def _shapes(question: str) -> frozenset[Any]:
    return frozenset(_shape(node) for node, _ in _formulas(question))


def _read(latex: str) -> Iterator[tuple[Any, int]]:
    try:
        reading = read(latex)
    except OverLimit:
        return
    if reading is not None and isinstance(reading.node, sympy.Basic):
        written = read_written(reading.latex)
        yield reading.node, len(reading.latex) if written is None else leaves_in(written)


def _shape(node: Any) -> Any:
    """Return the structure of a node, regardless of the order of terms, factors and members.

    Terms of 0 and factors of 1 are ignored.
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
