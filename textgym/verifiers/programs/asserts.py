"""Tests from Python's `assert` statements.

`assert f(1, 2) == 3` is read as a call and an expected value, so the expected value never enters
the candidate's box. What cannot be read so, such as a loop or a helper function, stays code. It
runs in a box of its own, which reaches the candidate's box only through calls with plain data.
"""

from __future__ import annotations

import ast
import builtins
from collections.abc import Iterator
from typing import Any

from textgym.verifiers.programs.plain_data import encode
from textgym.verifiers.programs.tests import Test

__all__ = ["called_names", "preamble_of", "read_check", "read_statements", "unknown_names"]

_MAX_SIZE = 1_000_000
_CALLS = {
    "set": set,
    "frozenset": frozenset,
    "tuple": tuple,
    "list": list,
    "dict": dict,
    "float": float,
}


class _NotReadError(Exception):
    """An expression is not a plain value."""


def read_statements(source: str, entry: str) -> list[Test] | None:
    r"""Return the tests in `assert` statements; None if a statement cannot be read so.

    Args:
        source: The statements.
        entry: The name of the function that they call.

    Example:
        >>> tests = read_statements("assert f(2) == (1, 2)\nassert abs(f(3) - 0.5) < 1e-6", "f")
        >>> [(test.given["args"], test.expected, test.compare) for test in tests]
        [([2], (1, 2), 'equal'), ([3], 0.5, 'close')]
        >>> read_statements("for n in range(9): assert f(n) == n", "f") is None
        True
    """
    try:
        return list(_tests(ast.parse(source).body, {entry}))
    except (_NotReadError, SyntaxError, ValueError, RecursionError):
        return None


def read_check(source: str, entry: str) -> list[Test] | None:
    r"""Return the tests in a function `check(candidate)`; None if one of them cannot be read.

    Example:
        >>> [test.expected for test in read_check("def check(f):\n  assert f(2) == 3", "double")]
        [3]
    """
    try:
        tree = ast.parse(source)
        (check,) = (
            item for item in tree.body
            if isinstance(item, ast.FunctionDef) and item.name == "check"
        )  # fmt: skip
        return list(_tests(check.body, {check.args.args[0].arg}))
    except (_NotReadError, SyntaxError, ValueError, IndexError, RecursionError):
        return None


def preamble_of(prompt: str, entry: str) -> str:
    r"""Return what a prompt of code defines before its unfinished function: imports and helpers.

    Example:
        >>> preamble_of('import math\n\ndef area(r):\n    "The area."\n', "area")
        'import math'
    """
    try:
        tree = ast.parse(prompt)
    except (SyntaxError, ValueError, RecursionError):
        try:
            tree = ast.parse(f"{prompt}\n    pass\n")
        except (SyntaxError, ValueError, RecursionError):
            return ""
    kept = [item for item in tree.body if getattr(item, "name", "") != entry]
    return ast.unparse(ast.Module(kept, []))


def called_names(source: str) -> list[str]:
    """Return the names that a program calls and neither it nor Python defines."""
    tree = ast.parse(source)
    calls = [
        node.func.id
        for node in ast.walk(tree)
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Name)
    ]
    return [name for name in dict.fromkeys(calls) if not hasattr(builtins, name)]


def unknown_names(source: str, *known: str) -> list[str]:
    r"""Return the names that code uses, but neither the code nor Python defines.

    Args:
        source: The code.
        *known: Names that are defined elsewhere.

    Example:
        >>> unknown_names("tree = Node(1)\nassert depth(tree) == 1", "depth")
        ['Node']
    """
    tree = ast.parse(source)
    stored = {*known}
    loaded: dict[str, None] = {}
    for node in ast.walk(tree):
        if isinstance(node, ast.Name):
            if isinstance(node.ctx, ast.Load):
                loaded[node.id] = None
            else:
                stored.add(node.id)
        elif isinstance(node, (ast.FunctionDef, ast.ClassDef)):
            stored.add(node.name)
        elif isinstance(node, ast.arg):
            stored.add(node.arg)
        elif isinstance(node, (ast.Import, ast.ImportFrom)):
            stored |= {(alias.asname or alias.name).partition(".")[0] for alias in node.names}
    return [name for name in loaded if name not in stored and not hasattr(builtins, name)]


def _tests(statements: list[ast.stmt], names: set[str]) -> Iterator[Test]:
    for item in statements:
        if isinstance(item, ast.Pass):
            continue
        if isinstance(item, ast.Expr) and not isinstance(item.value, ast.Call):
            continue  # a text, or a name
        if not isinstance(item, ast.Assert):
            raise _NotReadError
        if not isinstance(item.test, ast.Constant):
            yield _test(item.test, names)
        elif not item.test.value:
            raise _NotReadError


def _test(node: ast.expr, names: set[str]) -> Test:
    if isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.Not):
        return Test(_given(node.operand, names), False, "false")
    if isinstance(node, ast.Call) and not isinstance(node.func, ast.Attribute):
        return Test(_given(node, names), True, "true")
    if not isinstance(node, ast.Compare) or len(node.ops) != 1:
        raise _NotReadError
    left, operator, right = node.left, node.ops[0], node.comparators[0]
    if isinstance(operator, ast.Is):
        value = _value(right)
        if value is None or isinstance(value, bool):
            return Test(_given(left, names), value, "same")
        raise _NotReadError
    if isinstance(operator, ast.Lt):
        return _close(left, _value(right), names)
    if not isinstance(operator, ast.Eq):
        raise _NotReadError
    try:
        return Test(_given(left, names), _value(right), "equal")
    except _NotReadError:
        return Test(_given(right, names), _value(left), "equal")


def _close(node: ast.expr, tolerance: Any, names: set[str]) -> Test:
    """Read `abs(f(…) - value) < tolerance`."""
    is_abs = (
        isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id == "abs"
    )
    if not is_abs or not isinstance(tolerance, (int, float)) or len(node.args) != 1:  # type: ignore[attr-defined]
        raise _NotReadError
    difference = node.args[0]  # type: ignore[attr-defined]
    if not isinstance(difference, ast.BinOp) or not isinstance(difference.op, ast.Sub):
        raise _NotReadError
    value = _value(difference.right)
    if not isinstance(value, (int, float)):
        raise _NotReadError
    return Test(_given(difference.left, names), value, "close", float(tolerance))


def _given(node: ast.expr, names: set[str]) -> dict[str, Any]:
    """Return the arguments of a call of one of several names."""
    if not isinstance(node, ast.Call) or not isinstance(node.func, ast.Name):
        raise _NotReadError
    if node.func.id not in names:
        raise _NotReadError
    kwargs = {
        keyword.arg: encode(_value(keyword.value)) for keyword in node.keywords if keyword.arg
    }
    if len(kwargs) < len(node.keywords):
        raise _NotReadError
    given: dict[str, Any] = {"args": [encode(_value(argument)) for argument in node.args]}
    return {**given, "kwargs": kwargs} if kwargs else given


def _value(node: ast.expr) -> Any:
    """Return the value of an expression of constants.

    Raises:
        _NotReadError: It is another expression, or its value is large.
    """
    if isinstance(node, ast.Constant):
        return node.value
    if isinstance(node, ast.List):
        return [_value(item) for item in node.elts]
    if isinstance(node, ast.Tuple):
        return tuple(_value(item) for item in node.elts)
    if isinstance(node, ast.Set):
        return _hashable(set, [_value(item) for item in node.elts])
    if isinstance(node, ast.Dict) and None not in node.keys:
        pairs = zip(node.keys, node.values, strict=True)
        return _hashable(dict, [(_value(key), _value(item)) for key, item in pairs if key])
    if isinstance(node, ast.UnaryOp) and isinstance(node.op, (ast.USub, ast.UAdd)):
        value = _value(node.operand)
        if isinstance(value, (int, float, complex)):
            return -value if isinstance(node.op, ast.USub) else +value
    if isinstance(node, ast.BinOp):
        return _sum_or_product(node)
    if isinstance(node, ast.Call) and len(node.args) <= 1 and not node.keywords:
        make = _CALLS.get(node.func.id) if isinstance(node.func, ast.Name) else None
        if make is not None:
            return _hashable(make, *[_value(item) for item in node.args])
    raise _NotReadError


def _hashable(make: Any, *args: Any) -> Any:
    try:
        return make(*args)
    except (TypeError, ValueError) as error:
        raise _NotReadError from error


def _sum_or_product(node: ast.BinOp) -> Any:
    left, right = _value(node.left), _value(node.right)
    numbers = (int, float, complex)
    both = isinstance(left, numbers) and isinstance(right, numbers)
    if isinstance(node.op, ast.Add) and (both or type(left) is type(right) in (str, list, tuple)):
        return left + right
    if isinstance(node.op, ast.Sub) and both:
        return left - right
    if isinstance(node.op, ast.Div) and both and right:
        return left / right
    if isinstance(node.op, ast.Mult) and both:
        return left * right
    is_int = type(right) is int
    if isinstance(node.op, ast.Mult) and isinstance(left, (str, list)) and is_int:
        repeats = len(left) * right <= _MAX_SIZE
        if repeats:
            return left * right
    is_small = is_int and type(left) is int and abs(left) <= 1000 and 0 <= right <= 100
    if isinstance(node.op, ast.Pow) and is_small:
        return left**right
    raise _NotReadError
