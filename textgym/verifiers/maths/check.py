r"""The check of one answer against a gold, which runs in a worker process.

Invariants: the reply can be encoded as JSON; no text raises an exception; answers that the
libraries cannot compare are not equal.
"""

from __future__ import annotations

import re
from itertools import pairwise
from typing import Any

import sympy

from textgym.verifiers.maths.equality import equal
from textgym.verifiers.maths.forms import Form
from textgym.verifiers.maths.guards import OverLimit
from textgym.verifiers.maths.parsing.reading import Reading, read
from textgym.verifiers.maths.parsing.spelling import connected
from textgym.verifiers.maths.values import plainly_differ
from textgym.verifiers.maths.working.worked_out import is_to_be_computed, is_worked_out

__all__ = ["SAMPLES", "check"]

_APPROXIMATELY = re.compile(r"(?<=.)(?:\\approx(?![a-zA-Z])|≈)")
_ASKS_FOR_PERCENT = re.compile(
    r"\bpercent(?:age)?\b|\brate\b|\b(?:what|how many)\s+\\?%", re.IGNORECASE
)


def check(gold: str, answer: str, *, form: Form = "any", question: str = "") -> dict[str, Any]:
    r"""Compare an answer with a gold.

    Args:
        gold: The correct answer in LaTeX.
        answer: The answer in LaTeX.
        form: How far the answer must be evaluated, see `forms`.
        question: The question; "" if unknown.

    Returns:
        `equal`, `unevaluated` (the answer still has to be computed or solved, or equals the gold
        but is not evaluated) and `extracted`, the parsed answer as text. If a limit was exceeded,
        only `over`.

    Example:
        >>> check(r"\frac{1}{2}", "0.5")
        {'equal': True, 'unevaluated': False, 'extracted': '1/2'}
        >>> check("8", r"8^{998} \bmod 11")["unevaluated"]
        True
    """
    try:
        reply = _check(gold, answer, form, question)
        connective, parts = connected(answer)
        if reply["equal"] or connective != "or":
            return reply
        spellings = [_check(gold, part, form, question) for part in parts]
        return spellings[0] if all(part["equal"] for part in spellings) else reply
    except (OverLimit, MemoryError):
        return {"over": True}
    except Exception:  # sympy raises many types of exceptions
        return _reply(None)


def _check(gold: str, answer: str, form: Form, question: str) -> dict[str, Any]:
    wanted, stated = read(gold), [read(side) for side in _APPROXIMATELY.split(answer)]
    readings = [reading for reading in stated if reading is not None]
    if wanted is None or not readings or len(readings) < len(stated):
        return _reply(None)
    sides = [reading.node for reading in readings]
    is_numeric = all(isinstance(side, sympy.Expr) for side in sides)
    if is_numeric and any(plainly_differ(*pair) for pair in pairwise(sides)):
        return _reply(readings[0])
    replies = [_compare(wanted, found, form, question) for found in readings]
    return next((reply for reply in replies if reply["equal"]), replies[0])


def _compare(wanted: Reading, found: Reading, form: Form, question: str) -> dict[str, Any]:
    if is_to_be_computed(wanted, found):
        return _reply(found, unevaluated=True)
    if not equal(wanted, found):
        if not _ASKS_FOR_PERCENT.search(question):
            return _reply(found)
        wanted, found = _without_percent(wanted), _without_percent(found)
        if not equal(wanted, found):
            return _reply(found)
    worked_out = is_worked_out(wanted, found, form, question)
    return _reply(found, equal=worked_out, unevaluated=not worked_out)


def _reply(
    found: Reading | None, *, equal: bool = False, unevaluated: bool = False
) -> dict[str, Any]:
    return {"equal": equal, "unevaluated": unevaluated, "extracted": _shown(found)}


def _shown(found: Reading | None) -> str:
    if found is None:
        return ""
    try:
        return re.sub(r"\bI\b", "i", str(found.node))
    except Exception:  # sympy cannot print every object that it can parse
        return ""


def _without_percent(reading: Reading) -> Reading:
    """Return a percentage without its percent sign, or any other reading unchanged."""
    node = reading.node
    if isinstance(node, sympy.Mul) and isinstance(node.args[-1], sympy.UnevaluatedExpr):
        return Reading(node.args[0], reading.latex.replace("\\%", ""), reading.unit)
    return reading


SAMPLES = (
    ("\\frac{1}{2}", "\\frac{2}{4}", True),
    ("42", "41", False),
    ("x^2+2x+1", "y = (x+1)^2", True),
    ("\\sqrt{2}", "\\frac{2}{\\sqrt{2}}", True),
    ("(1, 2]", "\\left( 1, 2 \\right]", True),
    ("\\{1, 2\\}", "2, 1", True),
    ("x < 3", "(-\\infty, 3)", True),
    ("\\text{even}", "\\text{odd}", False),
    ("\\begin{pmatrix} 1 \\\\ 2 \\end{pmatrix}", "\\begin{bmatrix} 1 \\\\ 2 \\end{bmatrix}", True),
    ("10\\%", "\\frac{1}{10}", True),
    ("2 + i", "i + 2", True),
)
"""Golds, answers, and whether they are equal. The fork server checks them once before it forks
workers, because the first parse of each kind of formula is slow."""
