r"""The operators and functions in a formula, by kind.

Operators are looked for in the text, because the parser computes some of them: it reads a
determinant as a number. Functions, powers and roots count where they are taken of numbers.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

import sympy

from textgym.verifiers.maths.parsing.nodes import expressions_in, unknowns_of

__all__ = ["closed_parts", "functions_in", "operators_in"]

_OPERATORS = {
    "integral": r"\\(?:i*int|oint)(?![a-z])",
    "derivative": r"\\frac\s*\{\s*(?:d|\\partial)\b[^{}]*\}\s*\{\s*(?:d|\\partial)",
    "limit": r"\\lim",
    "sum": r"\\sum",
    "product": r"\\prod",
    "determinant": r"\\det|\{[vV]matrix\}",
    "remainder": r"\\[bp]?mod(?![a-z])|(?<![a-z])mod(?![a-z])",
    "divisor": r"(?<![a-z])(?:gcd|lcm)(?![a-z])",
    "factorial": r"!(?!=)",
    "binomial": r"\\(?:binom|choose)",
    "rounding": r"\\[lr]?(?:floor|ceil)(?![a-z])",
    "extremum": r"\\(?:max|min|sup|inf)(?![a-z])",
    "intersection": r"\\cap(?![a-z])",
    "difference": r"\\(?:setminus|backslash)",
    "substitution": r"\|\s*[_^]",
    "gamma": r"\\Gamma\s*\(",
}
_FUNCTIONS = {
    "trigonometric": r"\\(?:arc)?(?:sin|cos|tan|cot|sec|csc)(?![a-z])",
    "logarithm": r"\\(?:ln|log|lg)(?![a-z])",
    "exponential": r"\\exp(?![a-z])|(?<![a-zA-Z\\])e\s*\^",
}
_NAMED_OPERATOR = re.compile(r"\\operatorname\s*\{\s*([a-zA-Z]+)")
_TRIGONOMETRIC = (
    sympy.sin, sympy.cos, sympy.tan, sympy.cot, sympy.sec, sympy.csc, sympy.asin, sympy.acos,
    sympy.atan, sympy.acot, sympy.asec, sympy.acsc,
)  # fmt: skip
_EXPONENTIAL = (
    sympy.exp, sympy.sinh, sympy.cosh, sympy.tanh, sympy.asinh, sympy.acosh, sympy.atanh,
)  # fmt: skip


def _any_of(patterns: dict[str, str]) -> re.Pattern[str]:
    return re.compile("|".join(f"(?P<{kind}>{pattern})" for kind, pattern in patterns.items()))


_OPERATOR, _FUNCTION = _any_of(_OPERATORS), _any_of(_FUNCTIONS)


def operators_in(latex: str) -> set[str]:
    r"""Return the kinds of operators in a formula.

    Example:
        >>> sorted(operators_in(r"\binom{5}{2} + \int_0^1 x\,dx"))
        ['binomial', 'integral']
    """
    named = {f"\\{name}" for name in _NAMED_OPERATOR.findall(latex)}
    return named | {found.lastgroup or "" for found in _OPERATOR.finditer(latex)}


def functions_in(node: Any, latex: str) -> set[str]:
    """Return the kinds of functions, roots and powers of numbers.

    Args:
        node: What the formula was read as.
        latex: The formula, in which functions stand that the parser has computed.
    """
    kinds = {kind for part in closed_parts(node) for kind in _kind_of(part)}
    if not any(map(unknowns_of, expressions_in(node))):
        kinds |= {found.lastgroup or "" for found in _FUNCTION.finditer(latex)}
    return kinds


def _kind_of(part: Any) -> Iterator[str]:
    if isinstance(part, _TRIGONOMETRIC):
        yield "trigonometric"
    elif isinstance(part, _EXPONENTIAL) or (part.is_Pow and part.base == sympy.E):
        yield "exponential"
    elif isinstance(part, sympy.log):
        yield "logarithm"
    elif isinstance(part, sympy.Abs):
        yield "absolute value"
    elif part.is_Pow and part.exp != -1 and part.base != 10:  # a fraction, or a power of ten
        yield "power" if part.exp.is_Integer else "root"


def closed_parts(node: Any) -> Iterator[Any]:
    """Give the parts of a node that hold no variable."""
    for expression in expressions_in(node):
        for part in sympy.preorder_traversal(expression):
            if not unknowns_of(part):
                yield part
