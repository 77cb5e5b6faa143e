r"""Comparison of two parsed formulas, item by item.

Invariants: two expressions are equal only if their finite values agree (`values`); an infinity
equals only the same infinity, written explicitly; sets, tuples, intervals, matrices and relations
are compared part by part, so both rules apply to each part; the type of the gold decides how an
answer is compared.
"""

from __future__ import annotations

import re
from string import ascii_lowercase
from typing import Any

import math_verify
import sympy

from textgym.verifiers.math.reading import (
    INFINITE,
    NOT_SOLVED,
    Reading,
    as_set,
    difference_of,
    is_assignment,
    is_equation,
    is_relation,
    items_of,
    links_of,
    unknowns_of,
    value_side,
)
from textgym.verifiers.math.values import (
    identical,
    is_smooth,
    plainly_differ,
    proportion,
    same_number,
)

__all__ = ["aligned", "equal"]

_FLIPPED = {
    sympy.StrictLessThan: sympy.StrictGreaterThan,
    sympy.LessThan: sympy.GreaterThan,
    sympy.StrictGreaterThan: sympy.StrictLessThan,
    sympy.GreaterThan: sympy.LessThan,
    sympy.Eq: sympy.Eq,
    sympy.Ne: sympy.Ne,
}
_PLACES = 6
_NOTATION = re.compile(r"\{(\w)\}|\s")  # which texts that cannot be parsed may differ in
_EMPTY = re.compile(r"\\emptyset|\\\{\s*\\\}")


def equal(gold: Reading, answer: Reading) -> bool:
    """Return whether an answer equals the gold.

    A unit may be missing on either side, but two different units make them unequal.
    """
    is_base = answer.unit.startswith("base ") and answer.unit != "base 10"
    if answer.unit and answer.unit != gold.unit and (gold.unit or is_base):
        return False
    if gold.latex == answer.latex:
        return True
    if isinstance(gold.node, sympy.Tuple | sympy.Interval) and answer.latex.startswith("\\{"):
        return False  # a set has no order
    if answer.node is sympy.S.EmptySet and not _EMPTY.fullmatch(answer.latex):
        return False  # such as an interval with reversed endpoints
    return _equal(gold.node, answer.node)


def _equal(gold: Any, answer: Any) -> bool:
    if isinstance(gold, str) or isinstance(answer, str):
        texts = isinstance(gold, str) and isinstance(answer, str)
        return texts and _NOTATION.sub(r"\1", gold) == _NOTATION.sub(r"\1", answer)
    if is_equation(answer) and not is_equation(gold) and not _is_consistent(answer):
        return False
    gold, answer = aligned(gold, answer)
    if is_relation(gold) and is_relation(answer):
        return _same_relation(gold, answer)
    if is_relation(gold) or is_relation(answer):
        sets = as_set(gold, solved=False), as_set(answer)
        return None not in sets and _same_set(*sets)
    is_ordered = isinstance(gold, sympy.Tuple | sympy.Interval)
    if is_ordered and isinstance(answer, sympy.MatrixBase) and 1 in answer.shape:
        answer = sympy.Tuple(*answer.flat())
    if isinstance(gold, sympy.Set | sympy.Tuple) or isinstance(answer, sympy.Set | sympy.Tuple):
        return _same_set(gold, answer)
    gold, answer = _as_matrix(gold), _as_matrix(answer)
    if isinstance(gold, sympy.MatrixBase) or isinstance(answer, sympy.MatrixBase):
        return (
            isinstance(gold, sympy.MatrixBase)
            and isinstance(answer, sympy.MatrixBase)
            and gold.shape == answer.shape
            and all(map(_same_expression, gold.flat(), answer.flat()))
        )
    return _same_expression(gold, answer)


def aligned(gold: Any, answer: Any) -> tuple[Any, Any]:
    """Return both nodes. If only one is an equation, the side that has its value replaces it.

    The values of `(y, x) = (2, 1)` are put in the order of the names.
    """
    if is_equation(answer) and not is_equation(gold):
        value, place = value_side(answer)
        link = links_of(answer)[place]
        names = _members(link.lhs) if place == -1 else None
        if names and len(names) > 1 and all(isinstance(name, sympy.Symbol) for name in names):
            values = _members(value, distinct=False) or []
            return gold, sympy.Tuple(*_in_order_of_names(names, values))
        return gold, value
    if is_assignment(gold) and not is_equation(answer):
        return value_side(gold)[0], answer
    return gold, answer


# Expressions


def _same_expression(gold: Any, answer: Any) -> bool:
    if not isinstance(gold, sympy.Expr) or not isinstance(answer, sympy.Expr):
        return False
    if gold in INFINITE or answer in INFINITE:
        return bool(gold == answer)
    word = _word(gold)
    if word and word == _word(answer):
        return True
    if unknowns_of(gold) != unknowns_of(answer):
        return False
    if not unknowns_of(gold):
        return same_number(gold, answer)
    if not identical(gold, answer):
        return False
    if is_smooth(gold) and is_smooth(answer):
        return True
    equal: bool = math_verify.verify([gold], [answer], _PLACES, timeout_seconds=None)
    return equal


def _word(expression: Any) -> str:
    r"""Return the word that an expression spells, from `\text{even}` or from adjacent letters."""
    factors = items_of(expression) if expression.is_Mul else [expression]
    if all(factor.is_Symbol or factor == sympy.E for factor in factors):
        return "".join("e" if factor == sympy.E else factor.name for factor in factors).lower()
    return ""


def _as_matrix(node: Any) -> Any:
    """Evaluate sums and products of matrices."""
    if not isinstance(node, sympy.MatrixExpr):
        return node
    try:
        return node.doit()
    except NOT_SOLVED:
        return node


# Sets, intervals and tuples


def _same_set(gold: Any, answer: Any) -> bool:
    gold, answer = _evaluated_set(gold), _evaluated_set(answer)
    if isinstance(gold, sympy.Interval) and isinstance(answer, sympy.Interval):
        return (
            gold.left_open == answer.left_open
            and gold.right_open == answer.right_open
            and _equal(gold.start, answer.start)
            and _equal(gold.end, answer.end)
        )
    if isinstance(gold, sympy.Union) and isinstance(answer, sympy.Union):
        return _matched(list(gold.args), list(answer.args))
    is_ordered = isinstance(gold, sympy.Tuple | sympy.Interval)
    golds, answers = _members(gold), _members(answer, distinct=not is_ordered)
    if golds is None or answers is None:
        return bool(gold == answer)
    if is_ordered and all(map(is_assignment, answers)):
        answers = _in_order_of_names([links_of(item)[0].lhs for item in answers], answers)
    has_names = all(map(is_assignment, golds)) and not any(map(is_equation, answers))
    if is_ordered or has_names:
        return len(golds) == len(answers) and all(map(_equal, golds, answers))
    return _matched(golds, answers)


def _evaluated_set(node: Any) -> Any:
    """Evaluate unions, intersections and differences."""
    if isinstance(node, sympy.Union | sympy.Intersection | sympy.Complement):
        try:
            return node.func(*map(_evaluated_set, node.args))
        except NOT_SOLVED:
            return node
    return node


def _members(node: Any, distinct: bool = True) -> list[Any] | None:
    """Return the members of a finite set or tuple; None for other sets.

    A pair such as `(1, 2)` is parsed as an open interval. An expression is its own only member.
    """
    if isinstance(node, sympy.FiniteSet | sympy.Tuple):
        items = items_of(node)
        is_set = distinct and isinstance(node, sympy.FiniteSet)
        return list(dict.fromkeys(items)) if is_set else items
    if isinstance(node, sympy.Interval):
        return [node.start, node.end] if node.left_open and node.right_open else None
    return None if isinstance(node, sympy.Set) else [node]


def _in_order_of_names(names: list[Any], values: list[Any]) -> list[Any]:
    """Return values in the order of their names, if these are letters that follow each other.

    Values of other names keep their order. If a name has two values, nothing is returned.
    """
    letters = list(map(str, names))
    if len(set(letters)) < len(letters) or len(letters) != len(values):
        return []
    if "".join(sorted(letters)) not in ascii_lowercase:
        return values
    pairs = sorted(zip(letters, values, strict=True), key=lambda pair: pair[0])
    return [value for _, value in pairs]


def _matched(golds: list[Any], answers: list[Any]) -> bool:
    """Return whether two lists have equal items, in any order."""
    if len(golds) != len(answers):
        return False
    left = list(answers)
    for gold in golds:
        for index, answer in enumerate(left):
            if _equal(gold, answer):
                del left[index]
                break
        else:
            return False
    return True


# Equations and inequalities


def _is_consistent(equation: Any) -> bool:
    """Return whether a chain of equations has no clearly false part, such as 41 = 42."""
    lists = [link for link in links_of(equation) if isinstance(link.rhs, sympy.Tuple | sympy.Set)]
    if any(not link.lhs.free_symbols and not _equal(link.lhs, link.rhs) for link in lists):
        return False
    numbers = [
        (link.lhs, link.rhs)
        for link in links_of(equation)
        if all(isinstance(side, sympy.Expr) and not unknowns_of(side) for side in link.args)
    ]
    return not any(plainly_differ(*sides) for sides in numbers)


def _same_relation(gold: Any, answer: Any) -> bool:
    golds, answers = links_of(gold), links_of(answer)
    if unknowns_of(gold) != unknowns_of(answer):
        return False
    if len(golds) == len(answers) and all(map(_same_link, golds, answers)):
        return True
    if is_equation(gold) or is_equation(answer):
        return False
    sets = as_set(gold, solved=False), as_set(answer)
    return None not in sets and _same_set(*sets)


def _same_link(gold: Any, answer: Any) -> bool:
    """Return whether two single relations are equivalent."""
    if type(gold) is not type(answer):
        if type(answer) is not _FLIPPED.get(type(gold)):
            return False
        answer = type(gold)(answer.rhs, answer.lhs, evaluate=False)
    if gold.lhs == answer.lhs and _equal(gold.rhs, answer.rhs):
        return True
    sides = gold.lhs, gold.rhs, answer.lhs, answer.rhs
    if not all(isinstance(side, sympy.Expr) for side in sides):
        return False
    factor = proportion(difference_of(gold), difference_of(answer))
    if factor is not None and (factor > 0 or isinstance(gold, sympy.Eq | sympy.Ne)):
        return True
    return isinstance(gold, sympy.Eq) and _same_solutions(gold, answer)


def _same_solutions(gold: Any, answer: Any) -> bool:
    """Return whether two equations have solutions for each variable, and the same ones."""
    for unknown in sorted(gold.free_symbols, key=str):
        try:
            golds, answers = sympy.solve(gold, unknown), sympy.solve(answer, unknown)
        except NOT_SOLVED:
            return False
        if not golds or not _matched(list(golds), list(answers)):
            return False
    return bool(gold.free_symbols)
