"""The parts of sympy objects: members, links of a chain, unknowns, and solved relations."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import sympy
from latex2sympy2_extended import is_expr_of_only_symbols
from latex2sympy2_extended.logic import And
from math_verify.grader import unwrap_fcs
from sympy.core.function import AppliedUndef
from sympy.core.relational import Relational

__all__ = [
    "INFINITE",
    "NOT_SOLVED",
    "as_set",
    "difference_of",
    "expressions_in",
    "is_assignment",
    "is_equation",
    "is_relation",
    "is_solved",
    "items_of",
    "links_of",
    "unknowns_of",
    "value_side",
]

INFINITE = (sympy.oo, -sympy.oo)
NOT_SOLVED = (NotImplementedError, ValueError, TypeError, AttributeError, KeyError)
"""The exceptions that sympy raises if it cannot solve or evaluate something."""


def items_of(node: Any) -> list[Any]:
    """Return the items of a set, tuple or chain in the order in which they were written."""
    return list(getattr(node, "_unsorted_args", node.args))


def links_of(relation: Any) -> list[Any]:
    """Return the parts of a chain such as `1 < x < 2`, or the relation itself."""
    return items_of(relation) if isinstance(relation, And) else [relation]


def expressions_in(node: Any) -> Iterator[Any]:
    """Yield the expressions in a set, tuple, matrix or relation."""
    if isinstance(node, sympy.MatrixBase):
        yield from node.flat()
    elif isinstance(node, sympy.Expr):
        yield node
    elif isinstance(node, sympy.Interval):
        yield from (node.start, node.end)
    elif isinstance(node, sympy.Basic):
        for item in items_of(node):
            yield from expressions_in(item)


def unknowns_of(node: Any) -> set[Any]:
    """Return the variables and the applied undefined functions of an expression or relation."""
    if is_relation(node):
        sides = [side for link in links_of(node) for side in (link.lhs, link.rhs)]
        return set().union(*map(unknowns_of, sides))
    return {*node.free_symbols, *node.atoms(AppliedUndef)}


def difference_of(relation: Any) -> Any:
    """Return the left side of a relation minus the right side, unevaluated."""
    return sympy.Add(relation.lhs, sympy.Mul(-1, relation.rhs, evaluate=False), evaluate=False)


def is_relation(node: Any) -> bool:
    """Return whether a node is an equation, an inequality, or a chain of them."""
    if isinstance(node, And):
        return all(isinstance(part, Relational) for part in items_of(node))
    return isinstance(node, Relational)


def is_equation(node: Any) -> bool:
    """Return whether a node is an equation or a chain of equations."""
    return is_relation(node) and all(isinstance(part, sympy.Eq) for part in links_of(node))


def is_assignment(node: Any) -> bool:
    """Return whether a node is an equation that begins with a name, such as `x = 3`."""
    return is_equation(node) and is_expr_of_only_symbols(links_of(node)[0].lhs)


def value_side(equation: Any) -> tuple[Any, int]:
    """Return the side of an equation that has the value, and its index: 0 or -1.

    This is the last side of `x = 3` and `6 * 7 = 42`, but the first side of `3 = x`.
    """
    links = links_of(equation)
    first, last = links[0].lhs, links[-1].rhs
    names_last = isinstance(last, sympy.Symbol) and not is_expr_of_only_symbols(first)
    return (first, 0) if names_last else (last, -1)


def is_solved(relation: Any) -> bool:
    """Return whether every link of a relation has an isolated variable on one side."""
    return all(
        _is_alone(link.lhs, link.rhs) or _is_alone(link.rhs, link.lhs)
        for link in links_of(relation)
    )


def _is_alone(side: Any, other: Any) -> bool:
    return isinstance(side, sympy.Symbol | AppliedUndef) and not other.has(side)


def as_set(node: Any, *, solved: bool = True) -> Any:
    """Return the set of numbers that satisfy a relation in one variable.

    A set is returned unchanged. Returns None for other nodes, and for relations without a solution.

    Args:
        node: Any node.
        solved: Whether to accept only relations that are solved.
    """
    if not is_relation(node):
        return node if isinstance(node, sympy.Set) else None
    sides = [side for link in links_of(node) for side in (link.lhs, link.rhs)]
    if len(unknowns_of(node)) != 1 or any(map(_hides_infinity, sides)):
        return None
    if solved and not is_solved(node):
        return None
    try:
        found = unwrap_fcs(node).as_set()
    except NOT_SOLVED:
        return None
    return None if found is sympy.S.EmptySet else found


def _hides_infinity(side: Any) -> bool:
    return side not in INFINITE and side.has(*INFINITE, sympy.zoo, sympy.nan)
