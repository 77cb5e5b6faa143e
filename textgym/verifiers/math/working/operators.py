r"""The operators in a formula, by kind.

They are searched for in the text, because the parser evaluates some of them; it reads a determinant
as a number, for example. An answer with an operator that the gold does not have is rejected without
a comparison. In an answer that equals the gold, `steps` finds the remaining computations.
"""

from __future__ import annotations

import re

__all__ = ["operators_in"]

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
_NAMED_OPERATOR = re.compile(r"\\operatorname\s*\{\s*([a-zA-Z]+)")
_OPERATOR = re.compile("|".join(f"(?P<{kind}>{pattern})" for kind, pattern in _OPERATORS.items()))


def operators_in(latex: str) -> set[str]:
    r"""Return the kinds of operators in a formula.

    Example:
        >>> sorted(operators_in(r"\binom{5}{2} + \int_0^1 x\,dx"))
        ['binomial', 'integral']
    """
    named = {f"\\{name}" for name in _NAMED_OPERATOR.findall(latex)}
    return named | {found.lastgroup or "" for found in _OPERATOR.finditer(latex)}
