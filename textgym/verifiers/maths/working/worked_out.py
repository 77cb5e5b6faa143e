r"""Whether an answer was worked out, or is still the computation that was asked for.

`8^{998} \bmod 11` equals 8, and `\frac{2}{5} + \frac{1}{3}` equals `\frac{11}{15}`, but neither
answers the question that asks for it. Invariants: what the gold itself has is never held against an
answer, and an answer that is written like the gold always passes.
"""

from __future__ import annotations

import re
from math import gcd
from typing import Any

import sympy

from textgym.verifiers.maths.equality import aligned
from textgym.verifiers.maths.forms import Form
from textgym.verifiers.maths.parsing.nodes import expressions_in, is_relation, is_solved, value_side
from textgym.verifiers.maths.parsing.reading import EQUALS, Reading
from textgym.verifiers.maths.values import exact
from textgym.verifiers.maths.working.operators import closed_parts, functions_in, operators_in
from textgym.verifiers.maths.working.question import is_taken_from
from textgym.verifiers.maths.working.steps import is_simplified_root, ratios_in, roots_in, steps_in

__all__ = ["is_to_be_computed", "is_worked_out"]

_MATRIX = re.compile(r"\\begin\s*\{")


def is_to_be_computed(gold: Reading, found: Reading) -> bool:
    """Tell whether an answer is a computation that the gold is not, whatever its value.

    It holds an operator, such as an integral, or is an equation or inequality that is not solved.
    """
    if gold.latex == found.latex:
        return False
    wanted, given = aligned(gold.node, found.node)
    if is_relation(given) and not is_solved(given):
        return not is_relation(wanted) or is_solved(wanted)
    latex = _compared_side(found, given)
    if len(_MATRIX.findall(latex)) > len(_MATRIX.findall(gold.latex)):
        return True
    return not operators_in(latex) <= operators_in(gold.latex)


def is_worked_out(gold: Reading, found: Reading, form: Form = "any", question: str = "") -> bool:
    """Tell whether an answer that equals the gold leaves nothing to be computed.

    Args:
        gold: The right answer.
        found: An answer that is equal to it, and not `is_to_be_computed`.
        form: How far it has to be worked out.
        question: What was asked; "" where nobody knows.
    """
    if gold.latex == found.latex:
        return True
    wanted, given = aligned(gold.node, found.node)
    latex = _compared_side(found, given)
    allowed = functions_in(wanted, gold.latex)
    if any(expression.has(sympy.E) for expression in expressions_in(wanted)):
        allowed.add("exponential")
    if not functions_in(given, latex) <= allowed:
        return False
    if len(steps_in(given)) > max(len(steps_in(wanted)), form == "any"):
        return False
    if form != "any" and not _has_form(form, given, latex):
        return False
    return not is_taken_from(question, wanted, given, found.node, latex)


def _compared_side(found: Reading, given: Any) -> str:
    r"""Return the formula that is compared: of `6 \cdot 7 = 42`, the last side."""
    if given is found.node:
        return found.latex
    return EQUALS.split(found.latex)[value_side(found.node)[1]]


def _has_form(form: Form, node: Any, latex: str) -> bool:
    ratios = ratios_in(latex)
    if any(below and above % below == 0 for above, below in ratios):
        return False
    if form == "evaluated":
        return True
    in_lowest_terms = all(gcd(*ratio) == 1 for ratio in ratios)
    roots_are_simplified = all(map(is_simplified_root, roots_in(closed_parts(node))))
    powers = (part for part in closed_parts(node) if isinstance(part, sympy.Pow))
    denominators = (power for power in powers if power.exp.is_negative)
    return in_lowest_terms and roots_are_simplified and None not in map(exact, denominators)
