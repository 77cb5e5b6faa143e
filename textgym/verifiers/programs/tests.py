"""Tests of programs, and whether what came out of a box is right.

Invariants: an expected value stays on this side; what came out of a box is compared as plain data,
so no object of a candidate takes part in a comparison; a value that is much longer than the
expected one is wrong without being read.
"""

from __future__ import annotations

import json
import math
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from decimal import Decimal, InvalidOperation
from typing import Any, Literal

from textgym.json_values import canonical_json
from textgym.verifiers.programs.plain_data import Unplain, decode, encode

__all__ = ["COMPARISONS", "Comparison", "Test", "holds", "share_above_chance"]

Comparison = Literal["same", "equal", "json", "close", "true", "false", "lines", "tokens", "code"]
COMPARISONS: tuple[Comparison, ...] = (
    "same", "equal", "json", "close", "true", "false", "lines", "tokens", "code",
)  # fmt: skip
"""How a value is compared with the expected one:

- `same`: of the same types and equal; floats may differ by a millionth.
- `equal`: equal as in Python, so 1 is 1.0 and True.
- `json`: equal if tuples are lists; where a float is expected, a number may differ from it by a
  hundred-thousandth.
- `close`: a number that differs by less than `tolerance`.
- `true`, `false`: true or false as in Python's `if`.
- `lines`: the same lines, without white space at their ends and empty lines at the end.
- `tokens`: as `lines`, but equal numbers may be written differently; where a number with a decimal
  point or exponent is expected, one may differ from it by a millionth.
- `code`: the test is code, which runs in a box of its own and says itself whether it holds.
"""

_RELATIVE = {"same": 1e-6, "json": 1e-5, "tokens": 1e-6}
_SPARE = 10_000  # characters by which a value may be longer than the expected one, and wrong


@dataclass(frozen=True, slots=True)
class Test:
    """One test of a program.

    Attributes:
        given: What the box is given: `args` and `kwargs` of a call in the form of `encode`, or
            `init` and `calls` of a class, or `stdin`.
        expected: The expected value as plain data, or the expected output as a text. If the test is
            code, None.
        compare: How it is compared.
        tolerance: The tolerance of `close`.
        shown: Whether the prompt shows the test.
        large: Whether the input is large, so that a slow program does not finish.
        fresh: Whether the test needs a box that has seen no other test.
        code: The test itself, if it is code.
    """

    __test__ = False  # pytest does not collect it

    given: Mapping[str, Any]
    expected: Any
    compare: Comparison = "same"
    tolerance: float = 0.0
    shown: bool = False
    large: bool = False
    fresh: bool = False
    code: str = ""


def holds(test: Test, value: str) -> bool:
    r"""Return whether what came out of the box is right.

    Args:
        test: The test.
        value: What was printed, or the value as JSON in the form of `encode`.

    Example:
        >>> holds(Test({"args": []}, (1, 2)), '{"$tuple":[1,2]}')
        True
        >>> holds(Test({"args": []}, (1, 2)), "[1,2]")
        False
        >>> holds(Test({"stdin": ""}, "1 2", "lines"), "1 2 \n\n")
        True
    """
    if test.compare in ("lines", "tokens"):
        if len(value) > 2 * len(test.expected) + _SPARE:
            return False
        return _same_lines(test.expected, value, test.compare == "tokens")
    if test.compare not in ("true", "false"):
        if len(value) > 4 * len(json.dumps(encode(test.expected))) + _SPARE:
            return False
    elif len(value) > _SPARE:
        return test.compare == "true"
    try:
        got = decode(json.loads(value, parse_constant=_no_constant))
        return _equal(test, got)
    except (Unplain, ValueError, TypeError, RecursionError, OverflowError):
        return False


def _no_constant(name: str) -> Any:
    raise ValueError(name)


def _equal(test: Test, got: Any) -> bool:
    expected = test.expected
    if test.compare in ("true", "false"):
        return bool(got) is (test.compare == "true")
    if test.compare == "equal":
        return bool(got == expected)
    if test.compare == "close":
        return isinstance(got, (int, float)) and abs(got - expected) < test.tolerance
    return _same(expected, got, _RELATIVE[test.compare], strict=test.compare == "same")


def _same(expected: Any, got: Any, relative: float, strict: bool) -> bool:
    """Return whether two values are the same.

    Args:
        expected: The expected value.
        got: The other value.
        relative: The relative difference that floats may have.
        strict: Whether types must be the same, except that an integer may be given for a float.
    """
    if isinstance(expected, float) and type(got) in (int, float):
        return expected == got or math.isclose(expected, got, rel_tol=relative, abs_tol=relative)
    listed = (list, tuple)
    if strict and type(expected) is not type(got):
        return False
    if isinstance(expected, listed) and isinstance(got, listed):
        return len(expected) == len(got) and all(
            _same(one, other, relative, strict) for one, other in zip(expected, got, strict=True)
        )
    if isinstance(expected, dict) and isinstance(got, dict):
        return expected.keys() == got.keys() and all(
            _same(value, got[key], relative, strict) for key, value in expected.items()
        )
    return bool(expected == got)


def _same_lines(expected: str, got: str, tokens: bool) -> bool:
    one, other = (
        [line.strip() if tokens else line.rstrip() for line in text.strip("\n\r\t ").splitlines()]
        if tokens
        else [line.rstrip() for line in text.rstrip().splitlines()]
        for text in (expected, got)
    )
    if len(one) != len(other):
        return False
    return all(
        line == second or (tokens and _same_tokens(line.split(), second.split()))
        for line, second in zip(one, other, strict=True)
    )


def _same_tokens(expected: Sequence[str], got: Sequence[str]) -> bool:
    return len(expected) == len(got) and all(
        one == other or _same_number(one, other) for one, other in zip(expected, got, strict=True)
    )


def _same_number(expected: str, got: str) -> bool:
    """Return whether a text is the number that is expected: exactly, if that is an integer."""
    try:
        one, other = Decimal(expected), Decimal(got)
    except InvalidOperation:
        return False
    if not (one.is_finite() and other.is_finite()):
        return False
    if one == other:
        return True
    if not any(mark in expected.lower() for mark in ".e"):
        return False
    values = float(one), float(other)
    if not all(map(math.isfinite, values)):
        return False
    return math.isclose(*values, rel_tol=_RELATIVE["tokens"], abs_tol=_RELATIVE["tokens"])


def share_above_chance(tests: Sequence[Test], passed: Sequence[bool]) -> float:
    """Return how much of hidden tests a program passes, beyond what any constant passes.

    Tests with the same expected value count as one, which all of them must pass; so do tests whose
    value is one of their arguments. One of these groups is what a constant passes, or a program
    that returns its argument, and counts nothing.

    Args:
        tests: The tests.
        passed: Whether each was passed.

    Example:
        >>> tests = [Test({"args": [n]}, n % 3) for n in (3, 4, 5, 6)]
        >>> share_above_chance(tests, [True, False, False, True])
        0.0
        >>> share_above_chance(tests, [True, False, True, True])
        0.5
    """
    groups: dict[str, list[bool]] = {}
    for test, right in zip(tests, passed, strict=True):
        if not test.shown:
            groups.setdefault(_group_of(test), []).append(right)
    if len(groups) < 2:
        return 0.0
    full = Counter(all(results) for results in groups.values())[True]
    return max(0, full - 1) / (len(groups) - 1)


def _group_of(test: Test) -> str:
    if test.compare in ("lines", "tokens"):
        expected = str(test.expected).split()
        return "echo" if expected == str(test.given["stdin"]).split() else canonical_json(expected)
    if test.compare in ("true", "false", "code"):
        return test.compare
    expected = encode(test.expected)
    for index, argument in enumerate(test.given.get("args", ())):
        if argument == expected:
            return f"argument {index}"
    return canonical_json(expected)
