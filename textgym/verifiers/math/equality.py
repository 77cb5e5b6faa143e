r"""Comparison of two parsed formulas, item by item.

Invariants: two expressions are equal only if their finite values agree (`values`); an infinity
equals only the same infinity, written explicitly; sets, tuples, intervals, matrices and relations
are compared part by part, so both rules apply to each part; the type of the gold decides how an
answer is compared.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from string import ascii_lowercase
from typing import Any

import math_verify
import sympy

from textgym.verifiers.math.parsing.nodes import (
    INFINITE,
    NOT_SOLVED,
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
from textgym.verifiers.math.parsing.reading import Reading
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


def equal(gold: Reading, found: Reading) -> bool:
    """Return whether an answer equals the gold.

    A unit may be missing on either side, but two different units make them unequal.
    """
    is_base = found.unit.startswith("base ") and found.unit != "base 10"
    if found.unit and found.unit != gold.unit and (gold.unit or is_base):
        return False
    if gold.latex == found.latex:
        return True
    if isinstance(gold.node, sympy.Tuple | sympy.Interval) and found.latex.startswith("\\{"):
        return False  # a set has no order
    if found.node is sympy.S.EmptySet and not _EMPTY.fullmatch(found.latex):
        return False  # such as an interval with reversed endpoints
    return _equal(gold.node, found.node)


def _equal(gold: Any, found: Any) -> bool:
    if isinstance(gold, str) or isinstance(found, str):
        texts = isinstance(gold, str) and isinstance(found, str)
        return texts and _NOTATION.sub(r"\1", gold) == _NOTATION.sub(r"\1", found)
    if is_equation(found) and not is_equation(gold) and not _is_consistent(found):
        return False
    gold, found = aligned(gold, found)
    if is_relation(gold) and is_relation(found):
        return _same_relation(gold, found)
    if is_relation(gold) or is_relation(found):
        sets = as_set(gold, solved=False), as_set(found)
        return None not in sets and _same_set(*sets)
    if isinstance(gold, sympy.Tuple | sympy.Interval) and _is_vector(found):
        found = sympy.Tuple(*found.flat())
    if isinstance(gold, sympy.Set | sympy.Tuple) or isinstance(found, sympy.Set | sympy.Tuple):
        return _same_set(gold, found)
    gold, found = _as_matrix(gold), _as_matrix(found)
    if isinstance(gold, sympy.MatrixBase) or isinstance(found, sympy.MatrixBase):
        return (
            isinstance(gold, sympy.MatrixBase)
            and isinstance(found, sympy.MatrixBase)
            and gold.shape == found.shape
            and all(map(_same_expression, gold.flat(), found.flat()))
        )
    return _same_expression(gold, found)


def _is_vector(node: Any) -> bool:
    return isinstance(node, sympy.MatrixBase) and 1 in node.shape


def aligned(gold: Any, found: Any) -> tuple[Any, Any]:
    """Return both nodes. If only one is an equation, the side that has its value replaces it."""
    if is_equation(found) and not is_equation(gold):
        return gold, value_side(found)[0]
    if is_assignment(gold) and not is_equation(found):
        return value_side(gold)[0], found
    return gold, found


# Expressions


def _same_expression(gold: Any, found: Any) -> bool:
    if not isinstance(gold, sympy.Expr) or not isinstance(found, sympy.Expr):
        return False
    if gold in INFINITE or found in INFINITE:
        return bool(gold == found)
    word = _word(gold)
    if word and word == _word(found):
        return True
    if unknowns_of(gold) != unknowns_of(found):
        return False
    if not unknowns_of(gold):
        return same_number(gold, found)
    if not identical(gold, found):
        return False
    if is_smooth(gold) and is_smooth(found):
        return True
    equal: bool = math_verify.verify([gold], [found], _PLACES, timeout_seconds=None)
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


def _same_set(gold: Any, found: Any) -> bool:
    gold, found = _evaluated_set(gold), _evaluated_set(found)
    if isinstance(gold, sympy.Interval) and isinstance(found, sympy.Interval):
        return (
            gold.left_open == found.left_open
            and gold.right_open == found.right_open
            and _equal(gold.start, found.start)
            and _equal(gold.end, found.end)
        )
    if isinstance(gold, sympy.Union) and isinstance(found, sympy.Union):
        return _matched(list(gold.args), list(found.args))
    is_ordered = isinstance(gold, sympy.Tuple | sympy.Interval)
    wanted, given = _members(gold), _members(found, distinct=not is_ordered)
    if wanted is None or given is None:
        return bool(gold == found)
    if is_ordered and all(map(is_assignment, given)):
        given = _in_order_of_names(given)
    if is_ordered or _names_values(wanted, given):
        return len(wanted) == len(given) and all(map(_equal, wanted, given))
    return _matched(wanted, given)


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


def _names_values(wanted: Sequence[Any], given: Sequence[Any]) -> bool:
    """Return whether the gold consists of assignments and the answer contains no equation."""
    return all(map(is_assignment, wanted)) and not any(map(is_equation, given))


def _in_order_of_names(assignments: list[Any]) -> list[Any]:
    """Return assignments such as `y = 4, x = 3` in the order of letters that follow each other.

    Other names keep their order. If a name has two values, nothing is returned.
    """
    names = [str(links_of(assignment)[0].lhs) for assignment in assignments]
    if len(set(names)) < len(names):
        return []
    if "".join(sorted(names)) not in ascii_lowercase:
        return assignments
    return [
        assignment
        for _, assignment in sorted(zip(names, assignments, strict=True), key=lambda pair: pair[0])
    ]


def _matched(wanted: list[Any], given: list[Any]) -> bool:
    """Return whether two lists have equal items, in any order."""
    if len(wanted) != len(given):
        return False
    left = list(given)
    for item in wanted:
        for index, other in enumerate(left):
            if _equal(item, other):
                del left[index]
                break
        else:
            return False
    return True


# Equations and inequalities


def _is_consistent(equation: Any) -> bool:
    """Return whether a chain of equations has no clearly false part, such as 41 = 42."""
    numbers = [
        (link.lhs, link.rhs)
        for link in links_of(equation)
        if all(isinstance(side, sympy.Expr) and not unknowns_of(side) for side in link.args)
    ]
    return not any(plainly_differ(*sides) for sides in numbers)


def _same_relation(gold: Any, found: Any) -> bool:
    wanted, given = links_of(gold), links_of(found)
    if unknowns_of(gold) != unknowns_of(found):
        return False
    if len(wanted) == len(given) and all(map(_same_link, wanted, given)):
        return True
    if is_equation(gold) or is_equation(found):
        return False
    sets = as_set(gold, solved=False), as_set(found)
    return None not in sets and _same_set(*sets)


def _same_link(gold: Any, found: Any) -> bool:
    """Return whether two single relations are equivalent."""
    if type(gold) is not type(found):
        if type(found) is not _FLIPPED.get(type(gold)):
            return False
        found = type(gold)(found.rhs, found.lhs, evaluate=False)
    if gold.lhs == found.lhs and _equal(gold.rhs, found.rhs):
        return True
    sides = gold.lhs, gold.rhs, found.lhs, found.rhs
    if not all(isinstance(side, sympy.Expr) for side in sides):
        return False
    factor = proportion(difference_of(gold), difference_of(found))
    if factor is not None and (factor > 0 or isinstance(gold, sympy.Eq | sympy.Ne)):
        return True
    return isinstance(gold, sympy.Eq) and _same_solutions(gold, found)


def _same_solutions(gold: Any, found: Any) -> bool:
    """Return whether two equations have solutions for each variable, and the same ones."""
    for unknown in sorted(gold.free_symbols, key=str):
        try:
            wanted, given = sympy.solve(gold, unknown), sympy.solve(found, unknown)
        except NOT_SOLVED:
            return False
        if not wanted or not _matched(list(wanted), list(given)):
            return False
    return bool(gold.free_symbols)
