"""What of an answer reaches the package's scorer, and grades of our own.

Some scorers of reasoning-gym run the text of an answer as code (`eval`, sympy's `parse_expr`). So
`is_readable` lets only texts through that are expressions or literals. `strict_score` turns the
package's score into a strict one where the package accepts wrong answers.

Invariants: nothing here runs or imports what an answer says; a strict score is never higher than
the package's.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Callable, Mapping
from fractions import Fraction
from typing import Any

__all__ = ["OWN_GRADES", "is_readable", "strict_score"]

_FUNCTIONS = (
    "sin", "cos", "tan", "sec", "csc", "cot", "asin", "acos", "atan", "sinh", "cosh", "tanh",
    "exp", "log", "ln", "sqrt", "Abs", "pi", "E",
)  # fmt: skip
_NAME = rf"(?:{'|'.join(_FUNCTIONS)}|[A-Za-z])(?![A-Za-z_0-9])"
_EXPRESSION = re.compile(rf"(?:\s|\d+(?:\.\d*)?(?![\w.])|[-+*/^(),]|(?<![\w.]){_NAME})*")
_SUM = re.compile(r"[\d\s+\-*/()]*")
_NUMBER = re.compile(r"\d+(?:\.\d+)?")
_MAX_LENGTH, _MAX_LITERAL = 2_000, 50_000  # characters that are parsed


def is_readable(name: str, answer: str) -> bool:
    """Return whether an answer may be passed to the scorer of a generator.

    Example:
        >>> is_readable("simple_integration", "7*X**9 + sin(X) + C")
        True
        >>> is_readable("simple_integration", "Integral(63*X**8, X)")
        False
        >>> is_readable("spiral_matrix", "[1, 2, 3]"), is_readable("spiral_matrix", "exit()")
        (True, False)
    """
    if name in _AS_EXPRESSION:
        return len(answer) <= _MAX_LENGTH and _EXPRESSION.fullmatch(answer) is not None
    if name in _AS_SUM:
        return len(answer) <= _MAX_LENGTH and _SUM.fullmatch(answer) is not None
    if name in _AS_LITERAL:
        return _WORDS.fullmatch(answer) is not None or _is_literal(answer)
    return True


_AS_EXPRESSION = ("simple_integration", "intermediate_integration", "polynomial_multiplication")
_AS_SUM = ("countdown", "puzzle24")
_AS_LITERAL = ("binary_matrix", "n_queens", "spiral_matrix", "string_insertion")
_WORDS = re.compile(r"[\w\s,.]*")  # without brackets, nothing is called


def _is_literal(text: str) -> bool:
    if len(text) > _MAX_LITERAL:
        return False
    try:
        ast.literal_eval(text.strip())
    except (ValueError, SyntaxError, MemoryError, RecursionError, TypeError):
        return False
    return True


def strict_score(name: str, answer: str, entry: Mapping[str, Any], score: float) -> float:
    """Return 1 if an answer is right, else 0.

    Args:
        name: The generator.
        answer: The answer.
        entry: The task.
        score: The package's score of the answer.

    Example:
        >>> entry = {"answer": "False", "metadata": {}}
        >>> strict_score("game_of_life_halting", "True", entry, 1.0)
        0.0
    """
    own = OWN_GRADES.get(name)
    return float(score == 1.0 and (own is None or own(answer.strip(), entry)))


def _is_same_text(answer: str, entry: Mapping[str, Any]) -> bool:
    return answer.casefold() == str(entry["answer"]).strip().casefold()


def _has_as_many_words(answer: str, entry: Mapping[str, Any]) -> bool:
    """Check that an answer has no more words than the right one; the package reads the first."""
    return len(answer.split()) <= len(str(entry["answer"]).split())


def _has_as_many_numbers(answer: str, entry: Mapping[str, Any]) -> bool:
    """Check that an answer has as many numbers as the right one; the package searches for them."""
    return len(_NUMBER.findall(answer)) == len(_NUMBER.findall(str(entry["answer"])))


def _is_finite(answer: str, entry: Mapping[str, Any]) -> bool:
    """Check that an answer has no NaN: the package compares with it, and gives the full score."""
    return re.search(r"nan|inf", answer, re.IGNORECASE) is None


def _is_moves(answer: str, entry: Mapping[str, Any]) -> bool:
    """Check that an answer has only moves; the package picks the letters of moves from any text."""
    return re.fullmatch(r"[LRUD\s,]*", answer, re.IGNORECASE) is not None


def _is_close(answer: str, entry: Mapping[str, Any]) -> bool:
    """Compare a probability: within 1 %, where the package accepts 0 for any that is small."""
    right = entry["metadata"]["rational"]
    exact = Fraction(right["numerator"], right["denominator"])
    try:
        return abs(Fraction(answer.replace(",", "")) - exact) <= exact / 100
    except (ValueError, ZeroDivisionError):
        return False


def _makes_24(answer: str, entry: Mapping[str, Any]) -> bool:
    """Check that the numbers of the task, each once, make 24; the package checks only their range.

    The answer has already been read as a sum (`_SUM`).
    """
    numbers = sorted(map(int, re.findall(r"\d+", answer)))
    if numbers != sorted(entry["metadata"]["numbers"]) or "**" in answer or "//" in answer:
        return False
    try:
        return _value(ast.parse(answer.strip(), mode="eval").body) == 24
    except (SyntaxError, ValueError, ZeroDivisionError, RecursionError):
        return False


_OPERATIONS: dict[type, Callable[[Fraction, Fraction], Fraction]] = {
    ast.Add: lambda left, right: left + right,
    ast.Sub: lambda left, right: left - right,
    ast.Mult: lambda left, right: left * right,
    ast.Div: lambda left, right: left / right,
}


def _value(node: ast.AST) -> Fraction:
    if isinstance(node, ast.BinOp) and type(node.op) in _OPERATIONS:
        return _OPERATIONS[type(node.op)](_value(node.left), _value(node.right))
    if isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.USub):
        return -_value(node.operand)
    if isinstance(node, ast.Constant) and isinstance(node.value, int):
        return Fraction(node.value)
    raise ValueError("not a sum of numbers")


OWN_GRADES: dict[str, Callable[[str, Mapping[str, Any]], bool]] = {
    "coin_flip": _is_close,
    "complex_arithmetic": _is_finite,
    "fraction_simplification": _has_as_many_numbers,
    "game_of_life_halting": _is_same_text,
    "gsm_symbolic": _has_as_many_numbers,
    "letter_jumble": _has_as_many_words,
    "polynomial_equations": _has_as_many_numbers,
    "puzzle24": _makes_24,
    "sokoban": _is_moves,
    "spell_backward": _has_as_many_words,
    "time_intervals": _has_as_many_words,
}
"""Grades of generators whose package gives the full score to wrong answers."""
