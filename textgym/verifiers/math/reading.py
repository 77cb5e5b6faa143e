"""Parsing LaTeX into sympy objects, and the parts of these objects.

Invariants: nothing is evaluated beyond what the parser evaluates; the letter `i` is the imaginary
unit, and every other variable is real; a formula that cannot be parsed is kept as text.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

import sympy
from latex2sympy2_extended import is_expr_of_only_symbols
from latex2sympy2_extended.latex2sympy2 import (
    NormalizationConfig,
    latex2sympy,
    normalize_latex,
)
from latex2sympy2_extended.logic import And
from latex2sympy2_extended.sets import FiniteSet
from math_verify.grader import unwrap_fcs
from sympy.core.function import AppliedUndef
from sympy.core.relational import Relational

from textgym.verifiers.math.guards import OverLimit, is_long
from textgym.verifiers.math.spelling import connected, spell

__all__ = [
    "INFINITE", "NOT_SOLVED", "Reading", "as_set", "difference_of", "expressions_in",
    "is_assignment", "is_equation", "is_relation", "is_solved", "items_of", "links_of", "read",
    "sides_of", "unknowns_of", "value_of", "value_side",
]  # fmt: skip

_SIDE = re.compile(
    r"(?P<open>[({]|\\begin(?![a-z]))|(?P<close>[)}]|\\end(?![a-z]))|(?<![\\<>!])(?P<equals>=)"
)
_BRACKET = re.compile(r"[][(){},;]")
_AND_SO_ON = re.compile(r"[,;]\s*\\[lc]?dots(?![a-z])")
_CACHE_SIZE = 4096
_NORMALIZED = NormalizationConfig(
    basic_latex=True, units=False, malformed_operators=False, nits=True, boxed="none"
)
_ORDER = re.compile(r"[<>]|\\(?:le|ge|neq)(?![a-zA-Z])")
_SUBSCRIPT = re.compile(
    r"(?<!\w)(?P<digits>(?=[A-F]*+\d)[\dA-F]++|[A-F]++(?=_\{?16))_\s*\{?\s*(?:\\text\{)?\s*"
    r"(?P<base>\d+|two|eight|ten|sixteen)\s*\}*$"
)
_BASES = {"two": "2", "eight": "8", "ten": "10", "sixteen": "16"}
INFINITE = (sympy.oo, -sympy.oo)
NOT_SOLVED = (NotImplementedError, ValueError, TypeError, AttributeError, KeyError)
"""The exceptions that sympy raises if it cannot solve or evaluate something."""


@dataclass(frozen=True, slots=True)
class Reading:
    """A parsed formula.

    Attributes:
        node: The sympy object, or the text itself if it cannot be parsed.
        latex: The formula that was parsed.
        unit: The unit after it; "" if there is none.
    """

    node: Any
    latex: str
    unit: str = ""


@lru_cache(_CACHE_SIZE)
def read(latex: str) -> Reading | None:
    r"""Parse a formula; None if it is empty.

    Raises:
        OverLimit: The parser would take too long.

    Example:
        >>> read(r"12\,i").node, read(r"5\text{ cm}").unit
        (12*I, 'cm')
    """
    if is_long(latex):
        raise OverLimit
    formula, unit = spell(latex)
    based = _SUBSCRIPT.search(formula)
    if based is not None:
        formula, unit = (
            formula[: based.end("digits")],
            f"base {_BASES.get(based['base'], based['base'])}",
        )
        if not based["digits"].isdigit():  # letters are not variables
            digits = formula.rpartition("=")[2].strip()
            return Reading(digits, digits, unit)
    if not formula:
        return None
    connective, parts = connected(formula)
    if _AND_SO_ON.search(formula):
        node = formula
    elif connective and all(map(_ORDER.search, parts)):
        node = _conditions(connective, parts)
    else:
        if connective == "or" and all("=" in part for part in parts):
            formula = ",".join(parts)
        formula = normalize_latex(formula, _NORMALIZED)
        node, formula = _parse(formula)
    return Reading(node, formula, unit)


def _conditions(connective: str, parts: list[str]) -> Any:
    """Return the set of numbers that satisfy one of several conditions, or all of them."""
    nodes = [_parse(normalize_latex(part, _NORMALIZED))[0] for part in parts]
    sets = [as_set(node) for node in nodes if is_relation(node)]
    if len(sets) < len(parts) or None in sets:
        return connective.join(parts)
    return sympy.Union(*sets) if connective == "or" else sympy.Intersection(*sets)


def sides_of(latex: str) -> list[str]:
    r"""Split a formula at its equals signs outside brackets.

    Example:
        >>> sides_of(r"y = 2 \cdot 3 = 6"), sides_of("x^7|_{x=8}")
        (['y ', ' 2 \\cdot 3 ', ' 6'], ['x^7|_{x=8}'])
    """
    depth, start, sides = 0, 0, []
    for sign in _SIDE.finditer(latex):
        if sign["open"]:
            depth += 1
        elif sign["close"]:
            depth = max(0, depth - 1)
        elif not depth:
            sides.append(latex[start : sign.start()])
            start = sign.end()
    return [*sides, latex[start:]]


def _is_list(latex: str) -> bool:
    """Return whether a formula contains a comma or semicolon outside brackets."""
    depth = 0
    for sign in _BRACKET.findall(latex):
        depth += {"(": 1, "[": 1, "{": 1, ",": 0, ";": 0}.get(sign, -1)
        if sign in ",;" and depth <= 0:
            return True
    return False


def _parse(latex: str) -> tuple[Any, str]:
    """Parse a formula or else the part after its last equals sign; also return the parsed text."""
    node = _parsed(latex)
    if node is not None:
        return node, latex
    *names, last = [latex] if _is_list(latex) else sides_of(latex)
    value = _parsed(last.strip()) if names else None
    if value is None:
        return latex, latex
    name = _parsed(names[-1])
    if isinstance(name, sympy.Add | sympy.Mul | sympy.Number | sympy.Interval):
        return sympy.Eq(name, value, evaluate=False), latex
    return value, last.strip()


def _parsed(latex: str) -> Any:
    try:
        node = latex2sympy(latex, is_real=True, convert_degrees=False, normalization_config=None)
    except MemoryError:
        raise
    except Exception:  # the parser raises many types of exceptions
        return None
    return canonical(node) if isinstance(node, (sympy.Basic, sympy.MatrixBase)) else None


def canonical(node: Any) -> Any:
    """Return a node in which `i` is the imaginary unit and all other variables are real."""
    if isinstance(node, sympy.MatrixBase):
        return node.applyfunc(_canonical_expression)
    if isinstance(node, (sympy.FiniteSet, And, sympy.Tuple)):
        rebuilt = [canonical(item) for item in items_of(node)]
        kind = FiniteSet if isinstance(node, sympy.FiniteSet) else type(node)
        return kind(*rebuilt, evaluate=False) if kind is And else kind(*rebuilt)
    if isinstance(node, Relational):
        return type(node)(canonical(node.lhs), canonical(node.rhs), evaluate=False)
    if isinstance(node, sympy.Interval):
        ends = canonical(node.start), canonical(node.end)
        if any(end.has(sympy.I) for end in ends):
            return sympy.Tuple(*ends) if node.left_open and node.right_open else node
        return node if ends == (node.start, node.end) else type(node)(*ends, *node.args[2:])
    return _canonical_expression(node)


def _canonical_expression(node: Any) -> Any:
    if not isinstance(node, sympy.Basic):
        return node
    changes = {
        symbol: sympy.I if symbol.name == "i" else sympy.Symbol(symbol.name, real=True)
        for symbol in node.free_symbols
        if isinstance(symbol, sympy.Symbol) and (symbol.name == "i" or not symbol.is_real)
    }
    if not changes:
        return node
    with sympy.evaluate(False):
        return node.xreplace(changes)


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
    """Return whether a node is an equation that begins with a name, such as `x = 3`.

    A list or set is a value of any term: `a + b = (3, 4)`.
    """
    if not is_equation(node):
        return False
    link = links_of(node)[0]
    return is_expr_of_only_symbols(link.lhs) or isinstance(link.rhs, sympy.Tuple | sympy.Set)


def value_side(equation: Any) -> tuple[Any, int]:
    """Return the side of an equation that has the value, and its index: 0 or -1.

    This is the last side of `x = 3` and `6 * 7 = 42`, but the first side of `3 = x`.
    """
    links = links_of(equation)
    first, last = links[0].lhs, links[-1].rhs
    names_last = isinstance(last, sympy.Symbol) and not is_expr_of_only_symbols(first)
    return (first, 0) if names_last else (last, -1)


def value_of(reading: Reading) -> tuple[Any, str]:
    """Return the value that a formula states, such as 3 for `x = 3`, and its LaTeX.

    Example:
        >>> value_of(read("x = 3"))
        (3, '3')
    """
    if not is_equation(reading.node):
        return reading.node, reading.latex
    value, place = value_side(reading.node)
    return value, sides_of(reading.latex)[place]


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
        solutions = unwrap_fcs(node).as_set()
    except NOT_SOLVED:
        return None
    return None if solutions is sympy.S.EmptySet else solutions


def _hides_infinity(side: Any) -> bool:
    return side not in INFINITE and side.has(*INFINITE, sympy.zoo, sympy.nan)
