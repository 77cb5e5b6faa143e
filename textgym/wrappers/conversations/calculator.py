"""`calculator`: arithmetic as a tool.

Invariant: any expression is evaluated in bounded time and memory.
"""

from __future__ import annotations

import ast
import math
import operator
from collections.abc import Callable
from typing import Any

from textgym.errors import ToolError

__all__ = ["calculator"]

Number = int | float
MAX_LENGTH = 500  # characters of an expression
MAX_DIGITS = 100  # to round to
MAX_BITS = 4096  # of a whole number; larger ones are refused
_NAMES = {"pi": math.pi, "e": math.e}


def calculator(expression: str) -> str:
    """Calculate the value of an arithmetic expression.

    Args:
        expression: Numbers, + - * / // % **, parentheses, pi, e, and the functions sqrt, log (one
            or two arguments), exp, sin, cos, tan, abs, round, floor, ceil, min, max, gcd and
            factorial.
    """
    if len(expression) > MAX_LENGTH:
        raise ToolError(f"the expression has over {MAX_LENGTH} characters")
    try:
        tree = ast.parse(expression.strip(), mode="eval")
        return str(_checked(_value(tree.body)))
    except (SyntaxError, RecursionError, MemoryError):
        raise ToolError("this is not an arithmetic expression") from None
    except (ArithmeticError, ValueError, TypeError) as error:
        raise ToolError(f"this has no value: {error}") from None


def _value(node: ast.AST) -> Number:
    """Return the value of a node.

    Raises:
        ToolError: It is not arithmetic.
    """
    if isinstance(node, ast.Constant) and type(node.value) in (int, float):
        return _checked(node.value)
    if isinstance(node, ast.Name) and node.id in _NAMES:
        return _NAMES[node.id]
    if isinstance(node, ast.UnaryOp) and type(node.op) in _UNARY:
        return _checked(_UNARY[type(node.op)](_value(node.operand)))
    if isinstance(node, ast.BinOp) and type(node.op) in _BINARY:
        return _checked(_BINARY[type(node.op)](_value(node.left), _value(node.right)))
    if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and not node.keywords:
        function = _FUNCTIONS.get(node.func.id)
        if function:
            return _checked(function(*map(_value, node.args)))
    raise ToolError(f"only arithmetic can be calculated, not {ast.unparse(node)[:50]!r}")


def _checked(value: Any) -> Number:
    """Return a number that is neither complex nor too large."""
    if isinstance(value, complex):
        raise ToolError("the result is not a real number")
    if isinstance(value, int) and value.bit_length() > MAX_BITS:
        raise ToolError("a number is too large")
    number: Number = value
    return number


def _power(base: Number, exponent: Number) -> Any:
    both_whole = isinstance(base, int) and isinstance(exponent, int)
    if both_whole and int(base).bit_length() * abs(exponent) > MAX_BITS:
        raise ToolError("a number is too large")
    return base**exponent


def _factorial(number: Number) -> int:
    if number > 400:  # factorial(400) has 2,887 bits
        raise ToolError("a number is too large")
    return math.factorial(number)  # type: ignore[arg-type]  # a float raises a TypeError


def _round(number: Number, digits: int | None = None) -> Number:
    if digits is not None and abs(digits) > MAX_DIGITS:
        raise ToolError(f"numbers are rounded to at most {MAX_DIGITS} digits")
    return round(number, digits)


_UNARY: dict[type[ast.unaryop], Callable[[Any], Any]] = {
    ast.UAdd: operator.pos,
    ast.USub: operator.neg,
}
_BINARY: dict[type[ast.operator], Callable[[Any, Any], Any]] = {
    ast.Add: operator.add,
    ast.Sub: operator.sub,
    ast.Mult: operator.mul,
    ast.Div: operator.truediv,
    ast.FloorDiv: operator.floordiv,
    ast.Mod: operator.mod,
    ast.Pow: _power,
}
_FUNCTIONS: dict[str, Callable[..., Any]] = {
    "abs": abs,
    "ceil": math.ceil,
    "cos": math.cos,
    "exp": math.exp,
    "factorial": _factorial,
    "floor": math.floor,
    "gcd": math.gcd,
    "log": math.log,
    "max": max,
    "min": min,
    "round": _round,
    "sin": math.sin,
    "sqrt": math.sqrt,
    "tan": math.tan,
}
