r"""Numerical values of expressions, which confirm every verdict of equality.

mpmath computes each node from the values of its arguments, to as many digits as the comparison
needs. Invariants: a value is finite, and so is the value of each part, so an expression that
contains an infinity, a pole or an indeterminate form has no value; nothing is simplified.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from fractions import Fraction
from hashlib import blake2b
from typing import Any

import mpmath
import sympy
from mpmath import mp
from mpmath.libmp import NoConvergence
from sympy.core.function import AppliedUndef

from textgym.verifiers.math.guards import MAX_BITS, OverLimit

__all__ = [
    "difference",
    "exact",
    "identical",
    "is_smooth",
    "plainly_differ",
    "proportion",
    "same_number",
]

_DIGITS = 30  # precision of the first comparison
_FINAL_DIGITS = 100  # precision of the second, in addition to the digits that cancel
_MAX_DIGITS = 3_000
_MAX_EXPONENT = 10**12
_MAX_GAMMA = 10**6
_POINTS = 6
_DECIMAL_PLACES = 6  # to which a number written with a decimal point is compared
_MAX_RELATIVE_ERROR = 0.005  # of such a number
_ROUNDING = 1 + 1e-9


class NoValue(ArithmeticError):
    """The expression has no finite value, or the value cannot be computed."""


class _Evaluation:
    """An evaluation of expressions at a point.

    Args:
        point: The values of symbols and of applied undefined functions.

    Attributes:
        scale: The largest magnitude of any intermediate value.
    """

    def __init__(self, point: Mapping[Any, Any]) -> None:
        self.point = point
        self.scale = mpmath.mpf(1)

    def value(self, node: Any) -> Any:
        """Return a node's value.

        Raises:
            NoValue: The node has no finite value.
        """
        try:
            value = self._value(node)
        except (ValueError, ZeroDivisionError, OverflowError, TypeError, NoConvergence):
            raise NoValue(f"{type(node).__name__} has no value at this point") from None
        if not mpmath.isfinite(value):
            raise NoValue(f"{type(node).__name__} is not finite at this point")
        self.scale = max(self.scale, abs(value))
        return value

    def _value(self, node: Any) -> Any:
        if node.is_Symbol or isinstance(node, AppliedUndef) or _is_rate(node):
            if node not in self.point:
                raise NoValue(f"the point has no value for {node}")
            return self.point[node]
        if node.is_Integer:
            return mpmath.mpf(node.p)
        if node.is_Rational:
            return mpmath.mpf(node.p) / node.q
        if node.is_Float:
            return mpmath.mpf(str(node))  # the decimal as it was written
        if node.is_NumberSymbol:
            return node._to_mpmath(mp.prec)
        compute = _FUNCTIONS.get(type(node))
        if compute is None:
            raise NoValue(f"{type(node).__name__} is not supported")
        return compute(*map(self.value, node.args))


def _power(base: Any, exponent: Any) -> Any:
    if abs(exponent) > _MAX_EXPONENT and base not in (0, 1):
        raise OverLimit
    if base == 0 and mpmath.re(exponent) <= 0:
        raise NoValue("0 to a power that is not positive")
    return mpmath.power(base, exponent)


def _exp(exponent: Any) -> Any:
    if abs(exponent) > _MAX_EXPONENT:
        raise OverLimit
    return mpmath.exp(exponent)


def _log(number: Any, base: Any = None) -> Any:
    if number == 0 or base in (0, 1):
        raise NoValue("a logarithm of 0, or to the base 0 or 1")
    return mpmath.log(number) if base is None else mpmath.log(number) / mpmath.log(base)


def _whole(number: Any) -> Any:
    """Return the nearest integer if a number differs from it only by rounding, else the number."""
    if mpmath.im(number):
        raise NoValue("a complex number has no floor")
    near = mpmath.nint(number)
    return near if abs(number - near) < mpmath.mpf(10) ** (-mp.dps // 2) else number


def _factorial(number: Any) -> Any:
    if abs(number) > _MAX_GAMMA:
        raise OverLimit
    return mpmath.factorial(number)


def _binomial(above: Any, below: Any) -> Any:
    if max(abs(above), abs(below)) > _MAX_GAMMA:
        raise OverLimit
    return mpmath.binomial(above, below)


def _real(number: Any) -> Any:
    if mpmath.im(number):
        raise NoValue("complex numbers are not ordered")
    return mpmath.re(number)


_ELEMENTARY = (
    "sin cos tan cot sec csc asin acos atan acot asec acsc sinh cosh tanh asinh acosh atanh"
)
_FUNCTIONS: dict[type, Callable[..., Any]] = {
    sympy.Add: lambda *terms: mpmath.fsum(terms),
    sympy.Mul: lambda *factors: mpmath.fprod(factors),
    sympy.Pow: _power,
    sympy.exp: _exp,
    sympy.log: _log,
    sympy.Abs: abs,
    sympy.floor: lambda number: mpmath.floor(_whole(number)),
    sympy.ceiling: lambda number: mpmath.ceil(_whole(number)),
    sympy.factorial: _factorial,
    sympy.gamma: lambda number: _factorial(number - 1),
    sympy.binomial: _binomial,
    sympy.Mod: lambda number, modulus: number - modulus * mpmath.floor(_whole(number / modulus)),
    sympy.Max: lambda *numbers: max(map(_real, numbers)),
    sympy.Min: lambda *numbers: min(map(_real, numbers)),
    sympy.UnevaluatedExpr: lambda number: number,
    type(sympy.I): lambda: mpmath.mpc(0, 1),
    **{getattr(sympy, name): getattr(mpmath, name) for name in _ELEMENTARY.split()},
}
_STEPWISE = (sympy.Abs, sympy.floor, sympy.ceiling, sympy.Mod, sympy.Max, sympy.Min)


def is_smooth(expression: Any) -> bool:
    """Return whether an expression is analytic, so agreement at random points means identity."""
    return not expression.has(*_STEPWISE)


def exact(expression: Any) -> Fraction | None:
    """Return the exact value of an expression that consists of rational numbers.

    Returns None for other expressions, and if the value would be too large.
    """
    if expression.is_Rational:
        return Fraction(int(expression.p), int(expression.q))
    if not isinstance(expression, (sympy.Add, sympy.Mul, sympy.Pow)):
        return None
    parts = [exact(part) for part in expression.args]
    if any(part is None for part in parts):
        return None
    numbers: list[Fraction] = [part for part in parts if part is not None]
    if isinstance(expression, sympy.Pow):
        base, exponent = numbers
        size = max(base.numerator.bit_length(), base.denominator.bit_length())
        if exponent.denominator > 1 or (base == 0 and exponent <= 0):
            return None
        if size * abs(exponent.numerator) > MAX_BITS and abs(base) != 1:
            return None
        return base**exponent.numerator
    value = Fraction(isinstance(expression, sympy.Mul))
    for number in numbers:
        value = value + number if isinstance(expression, sympy.Add) else value * number
    return value


def same_number(first: Any, second: Any) -> bool:
    """Return whether two expressions without variables have the same finite value.

    Rational numbers are compared exactly. If a number is written with a decimal point, the values
    must agree to six places and to half a percent; if the first is written with a negative power of
    ten, to six places of what stands before the power. Other values must agree to 80 digits.
    """
    left, right = exact(first), exact(second)
    if left is not None and right is not None:
        return left == right
    try:
        return _agree(first, second, {})
    except NoValue:
        return False


def identical(gold: Any, answer: Any) -> bool:
    """Return whether two expressions agree at random values of their variables.

    They are compared at the points where the gold is real, or at all points if there is at most one
    of these. Both must have a value at two points or more.
    """
    unknowns = sorted(_unknowns(gold) | _unknowns(answer), key=str)
    points = [{name: _chance(str(name), index) for name in unknowns} for index in range(_POINTS)]
    real = [point for point in points if _is_real(gold, point)]
    agreed = 0
    for point in real if len(real) > 1 else points:
        try:
            if not _agree(gold, answer, point):
                return False
            agreed += 1
        except NoValue:
            if _has_value(gold, point) or _has_value(answer, point):
                return False
    return agreed > 1


def _is_real(expression: Any, point: Mapping[Any, Any]) -> bool:
    try:
        (value,), scale = _values((expression,), point, _DIGITS)
    except NoValue:
        return False
    return bool(abs(mpmath.im(value)) <= scale * mpmath.mpf(10) ** (5 - _DIGITS))


def plainly_differ(first: Any, second: Any) -> bool:
    """Return whether two expressions without variables differ by more than one percent."""
    try:
        (left, right), _ = _values((first, second), {}, _DIGITS)
    except NoValue:
        return False
    return bool(abs(left - right) > abs(right) / 100)


def difference(first: Any, second: Any) -> float | None:
    """Return the first number minus the second; None without real values, or if both are near 0."""
    try:
        (left, right), scale = _values((first, second), {}, _FINAL_DIGITS)
    except NoValue:
        return None
    gap, noise = left - right, scale * mpmath.mpf(10) ** (5 - _FINAL_DIGITS)
    if abs(mpmath.im(gap)) > noise or 0 < max(abs(left), abs(right)) <= noise:
        return None
    return 0.0 if abs(gap) <= noise else float(mpmath.re(gap))


def proportion(first: Any, second: Any) -> Any:
    """Return the real factor by which one expression is a multiple of the other, or None.

    The factor must be the same at all of some random values of the variables.
    """
    unknowns = sorted(_unknowns(first) | _unknowns(second), key=str)
    factor = None
    for index in range(_POINTS):
        point = {unknown: _chance(str(unknown), index) for unknown in unknowns}
        try:
            (left, right), scale = _values((first, second), point, _DIGITS)
        except NoValue:
            continue
        with mpmath.workdps(_DIGITS):
            noise = scale * mpmath.mpf(10) ** (10 - _DIGITS)
            if abs(left) < noise or abs(right) < noise:
                return None
            if factor is None:
                factor = left / right
            elif abs(left - factor * right) > noise * max(1, abs(factor)):
                return None
    return None if factor is None or mpmath.im(factor) else mpmath.re(factor)


def _unknowns(expression: Any) -> set[Any]:
    rates = filter(_is_rate, expression.atoms(sympy.Derivative))
    return {*expression.atoms(AppliedUndef), *expression.free_symbols, *rates}


def _is_rate(node: Any) -> bool:
    r"""Return whether a node is the derivative of a variable, such as `\frac{dy}{dt}`."""
    return isinstance(node, sympy.Derivative) and bool(node.expr.is_Symbol)


def _chance(name: str, index: int) -> Any:
    """Return a number from 1/4 to 4, or its negative, that depends only on the arguments."""
    drawn = blake2b(f"{name}/{index}".encode(), digest_size=6).digest()
    size = mpmath.mpf(int.from_bytes(drawn[:4], "big")) / 2**32
    sign = -1 if drawn[4] & 1 and index >= _POINTS // 2 else 1
    return sign * (mpmath.mpf("0.25") + size * mpmath.mpf("3.75"))


def _has_value(expression: Any, point: Mapping[Any, Any]) -> bool:
    try:
        _values((expression,), point, _DIGITS)
    except NoValue:
        return False
    return True


def _agree(gold: Any, answer: Any, point: Mapping[Any, Any]) -> bool:
    """Compare values at a point, first roughly, then to enough digits to rule out rounding."""
    (left, right), scale = _values((gold, answer), point, _DIGITS)
    apart = abs(left - right)
    if gold.has(sympy.Float) or answer.has(sympy.Float):
        near, unit = mpmath.mpf(10) ** -_DECIMAL_PLACES, _power_of_ten(gold)
        if not point:
            near *= unit / 2 * _ROUNDING
            return bool(apart <= near and apart <= abs(left) * _MAX_RELATIVE_ERROR)
        return bool(apart <= near * max(unit, abs(left)))
    noise = scale * mpmath.mpf(10) ** (5 - _DIGITS)
    if apart > noise:
        return False
    size = max(abs(left), abs(right))
    smallest = size if noise < size < 1 else mpmath.mpf(1)
    cancelled = mpmath.log10(scale / smallest)
    if cancelled > _MAX_DIGITS:
        raise NoValue("too many digits cancel")
    (left, right), _ = _values((gold, answer), point, _FINAL_DIGITS + int(cancelled))
    return bool(abs(left - right) <= smallest * mpmath.mpf(10) ** (20 - _FINAL_DIGITS))


def _power_of_ten(product: Any) -> Any:
    r"""Return the negative power of ten of a product such as `1.5\times10^{-7}`; 1 without one."""
    factors = (factor for factor in sympy.Mul.make_args(product) if factor.is_Pow)
    exponents = (factor.exp for factor in factors if factor.base == 10)
    # -1 is also the exponent of `\frac{x}{10}`.
    return mpmath.fprod(mpmath.power(10, e.p) for e in exponents if e.is_Integer and e < -1)


def _values(
    expressions: Sequence[Any], point: Mapping[Any, Any], digits: int
) -> tuple[list[Any], Any]:
    evaluation = _Evaluation(point)
    with mp.workdps(digits):
        return [evaluation.value(expression) for expression in expressions], evaluation.scale
