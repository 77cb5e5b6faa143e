r"""Whether an answer is evaluated, or is still the computation that the question asks for.

`8^{998} \bmod 11` equals 5, and `\frac{2}{5} + \frac{1}{3}` equals `\frac{11}{15}`, but neither
answers a question that asks for its value. Invariants: an answer may contain any computation that
the gold contains, and an answer that is written like the gold is always accepted.

Operators are searched for in the text, because the parser evaluates some of them; it reads a
determinant as a number, for example. An answer with an operator that the gold does not have is
rejected without a comparison. In an answer that equals the gold, `steps` finds the remaining
computations.
"""

from __future__ import annotations

import re
from typing import Any

import sympy

from textgym.verifiers.math.equality import aligned
from textgym.verifiers.math.question import is_taken_from
from textgym.verifiers.math.reading import (
    Reading,
    expressions_in,
    is_relation,
    is_solved,
    unknowns_of,
    value_of,
)
from textgym.verifiers.math.steps import (
    Left,
    is_closed,
    is_simplified_root,
    leaves_in,
    left_in,
)
from textgym.verifiers.math.verdict import Form
from textgym.verifiers.math.written import Node, read_written

__all__ = ["is_to_be_computed", "is_worked_out"]

_MATRIX = re.compile(r"\\begin\s*\{")
_COMMAND = re.compile(r"\\[a-zA-Z]+|\\[^a-zA-Z]|[|!']")
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


def is_to_be_computed(gold: Reading, answer: Reading) -> bool:
    """Return whether an answer still has to be computed or solved, unlike the gold.

    Such an answer has an operator that the gold does not have, such as an integral, or it is an
    equation or inequality that is not solved. Its value is not considered.
    """
    if gold.latex == answer.latex:
        return False
    gold_node, node = aligned(gold.node, answer.node)
    if is_relation(node) and not is_solved(node):
        return not is_relation(gold_node) or is_solved(gold_node)
    latex = _compared_side(answer, node)
    is_tuple = isinstance(gold_node, sympy.Tuple | sympy.Interval)
    matrices = len(_MATRIX.findall(gold.latex)) or is_tuple
    if len(_MATRIX.findall(latex)) > matrices:
        return True
    return not _operators_in(latex) <= _operators_in(gold.latex)


def is_worked_out(gold: Reading, answer: Reading, form: Form = "any", question: str = "") -> bool:
    """Return whether an answer that equals the gold is evaluated.

    Args:
        gold: The correct answer.
        answer: An answer that equals it, and for which `is_to_be_computed` is false.
        form: How far the answer must be evaluated.
        question: The question; "" if unknown.
    """
    if gold.latex == answer.latex or isinstance(answer.node, str):
        return True
    gold_node, node = aligned(gold.node, answer.node)
    latex = _compared_side(answer, node)
    written, model = read_written(latex), read_written(_compared_side(gold, gold_node))
    if written is None:
        return model is None and {*_COMMAND.findall(latex)} <= {*_COMMAND.findall(gold.latex)}
    if not any(map(unknowns_of, expressions_in(node))) and _has_variables(written):
        return False  # the parser read a name as a function, as in \gamma(6)
    left = left_in(written)
    allowed = Left() if model is None else left_in(model)
    if left.padding > allowed.padding or not left.kinds <= allowed.kinds:
        return False
    more_steps = len(left.steps) - len(allowed.steps)
    if more_steps > 0 and (form != "any" or len(left.steps) > 1 or not _is_reduced(left, allowed)):
        return False
    if form != "any" and not _has_form(form, written, left, model):
        return False
    return not is_taken_from(
        question,
        gold=gold_node,
        answer=node,
        whole=answer.node,
        left=left,
        allowed=allowed,
        lengths=None if model is None else (leaves_in(model), leaves_in(written)),
    )


def _compared_side(reading: Reading, node: Any) -> str:
    r"""Return the formula that is compared; for `6 \cdot 7 = 42`, this is the last side."""
    if node is reading.node:
        return reading.latex
    return value_of(reading)[1]


def _has_variables(written: Node) -> bool:
    """Return whether a formula has a variable other than one that a relation is solved for."""
    if written.kind == "relation":
        return any(part.kind != "name" and _has_variables(part) for part in written.parts)
    if written.kind == "list":
        return any(map(_has_variables, written.parts))
    return not is_closed(written)


def _is_reduced(left: Left, allowed: Left) -> bool:
    """Return whether fractions are in lowest terms, and roots simplified, unlike those allowed."""
    roots = {*left.radicands} - {*allowed.radicands}
    return {*left.reducible} <= {*allowed.ratios} and all(map(is_simplified_root, roots))


def _has_form(form: Form, written: Node, left: Left, model: Node | None) -> bool:
    if any(below and above % below == 0 for above, below in left.ratios):
        return False
    if form == "evaluated":
        return True
    return (
        not left.reducible
        and all(map(is_simplified_root, left.radicands))
        and not left.irrational_denominators
        and (model is None or _has_decimals(model) or not _has_decimals(written))
    )


def _has_decimals(node: Node) -> bool:
    return any(part.kind == "number" and "." in part.text for part in node.walk())


def _operators_in(latex: str) -> set[str]:
    r"""Return the kinds of operators in a formula.

    Example:
        >>> sorted(_operators_in(r"\binom{5}{2} + \int_0^1 x\,dx"))
        ['binomial', 'integral']
    """
    named = {f"\\{name}" for name in _NAMED_OPERATOR.findall(latex)}
    return named | {match.lastgroup or "" for match in _OPERATOR.finditer(latex)}
