"""Guards that stop sympy before a computation that is too large to finish.

They raise `OverLimit` before such a computation starts. All other results are unchanged. The parser
of LaTeX is made to work with each version of antlr4 that its package supports.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from functools import wraps
from typing import Any

__all__ = ["MAX_BITS", "MAX_PRECISION", "OverLimit", "complete_parser", "guard_sympy", "is_long"]

MAX_BITS = 10_000_000
"""The maximum number of bits of an integer."""
MAX_PRECISION = MAX_BITS // 10
"""The maximum precision of a float, in bits."""

_MAX_LENGTH, _MAX_DEPTH, _MAX_MARKS, _MAX_BARS = 20_000, 25, 300, 100
_BRACKET = re.compile(r"[()\[\]{}]")


class OverLimit(BaseException):
    """A computation is too large to finish. `except Exception` does not catch this error."""


def is_long(latex: str) -> bool:
    r"""Return whether the parser would take many seconds.

    The parser is slow if an expression is very long, or has hundreds of commands and indices, tens
    of open brackets, or a hundred vertical bars.

    Example:
        >>> is_long("(" * 30 + "1" + ")" * 30), is_long("x^2 + 1" * 20)
        (True, False)
    """
    if not 2 * _MAX_DEPTH < len(latex) < _MAX_LENGTH:
        return len(latex) >= _MAX_LENGTH
    marks = latex.count("\\") + latex.count("^") + latex.count("_")
    if marks > _MAX_MARKS or latex.count("|") > _MAX_BARS:
        return True
    depth = 0
    for bracket in _BRACKET.findall(latex):
        depth += 1 if bracket in "([{" else -1
        if depth > _MAX_DEPTH:
            return True
    return False


def guard_sympy() -> None:
    """Wrap the functions of sympy and mpmath that may never finish."""
    from mpmath.libmp import libelefun
    from sympy import Integer, Rational, binomial, factorial
    from sympy.core import evalf, numbers

    def big_power(base: Any, exponent: Any) -> bool:
        bits = max(int(base.p).bit_length(), int(base.q).bit_length())
        return bool(exponent.is_Rational and bits * abs(exponent.p) > MAX_BITS * exponent.q)

    def big_factorial(_: Any, number: Any) -> bool:
        return bool(number.is_Integer and number.p * number.p.bit_length() > MAX_BITS)

    def big_binomial(_: Any, above: Any, below: Any) -> bool:
        return bool(below.is_Integer and abs(below.p) > MAX_PRECISION)

    def big_float_power(_: Any, exponent: Any, *__: Any) -> bool:
        _, _, shift, bits = exponent  # an mpmath float: sign, mantissa, exponent, bit count
        return bool(shift + bits > MAX_PRECISION)

    def big_precision(_: Any, bits: int, __: Any) -> bool:
        return bits > MAX_PRECISION

    def big_constant(bits: int, **_: Any) -> bool:
        return bits > MAX_PRECISION

    _wrap(Integer, "_eval_power", big_power)
    _wrap(Rational, "_eval_power", big_power)
    _wrap(factorial, "eval", big_factorial)
    _wrap(binomial, "eval", big_binomial)
    _wrap(numbers, "mpf_pow", big_float_power)
    _wrap(evalf, "evalf", big_precision)
    _wrap(libelefun, "pi_fixed", big_constant)
    _wrap(libelefun, "ln2_fixed", big_constant)


def complete_parser() -> None:
    """Add what the parsers for antlr4 before 4.13 lack, and the converter asks of each atom.

    Without it, percentages and all other atoms that the converter looks for later are unreadable.
    omegaconf, and so verl and SkyRL, need antlr4 4.9.
    """
    from latex2sympy2_extended.antlr_parser import PSParser

    if not hasattr(PSParser.AtomContext, "FUNC_GAMMA"):
        PSParser.AtomContext.FUNC_GAMMA = lambda _: None  # these parsers know no gamma function


def _wrap(owner: Any, name: str, is_over: Callable[..., bool]) -> None:
    original = owner.__dict__[name]
    plain = original.__func__ if isinstance(original, classmethod) else original

    @wraps(plain)
    def guarded(*arguments: Any, **options: Any) -> Any:
        if is_over(*arguments, **options):
            raise OverLimit
        try:
            return plain(*arguments, **options)
        except MemoryError:  # the library would ignore it
            raise OverLimit from None

    setattr(owner, name, classmethod(guarded) if isinstance(original, classmethod) else guarded)
