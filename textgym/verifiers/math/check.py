r"""The check of one answer against a gold, which runs in a worker process.

Invariants: the reply can be encoded as JSON; no text raises an exception; answers that the
libraries cannot compare are not equal.
"""

from __future__ import annotations

import math
import re
from collections.abc import Callable
from fractions import Fraction
from itertools import combinations
from string import ascii_lowercase
from typing import Any

import sympy
from sympy.core.function import AppliedUndef, Function

from textgym.verifiers.math.equality import equal
from textgym.verifiers.math.guards import OverLimit, complete_parser, guard_sympy
from textgym.verifiers.math.moments import ASKS_FOR_RATIO
from textgym.verifiers.math.quantities import conversion, states_quantity
from textgym.verifiers.math.reading import (
    Reading,
    is_equation,
    is_relation,
    links_of,
    read,
    sides_of,
    unknowns_of,
    value_of,
    value_side,
)
from textgym.verifiers.math.spelling import connected, powers_of_ten
from textgym.verifiers.math.values import difference
from textgym.verifiers.math.verdict import Form
from textgym.verifiers.math.worked_out import is_to_be_computed, is_worked_out

__all__ = ["check", "load"]

_APPROXIMATELY = re.compile(r"(?<=.)(?:\\approx(?![a-zA-Z])|≈)")
_NAMED = re.compile(r"(\A\s*[a-zA-Z](?:_\{?\w+\}?)?\s*)(?:\\approx(?![a-zA-Z])|≈)")
_SAME = re.compile(r"\A\s*(?:\\approx(?![a-z])|≈|=|(?:or|i\.e\.,?)\s)")
_TO_ONE = re.compile(r"[^:]+: ?1 ?")
_SPACE = re.compile(r"[\s{}]|\\[,;! ]")
_MAX_TERM = 100  # characters of a term that is searched for in the question
_LIST = re.compile(r"\(([^()]{1,100})\)")
_DECIMAL = re.compile(
    r"[-+]?\d[\d,]*+(?:\.(?P<places>\d*))?(?:(?P<percent>\\?%)|\\(?:times|cdot)10\^(?P<power>-?\d+))?"
)
_NAMES_HEXADECIMAL = re.compile(
    r"\bhex(?:adecimal)?\b|\bbase[ -]\$?(?:16|sixteen)\b|\d[A-F]*\)?_ ?\{?16\b", re.IGNORECASE
)
_HEXADECIMAL = re.compile(r"(?=[A-F]*\d)(?=\d*[A-F])[\dA-F]+")
_MIN_POWER = 4  # of a rounded number such as 3 * 10^8; 5 * 10^1 is close to many integers
_ASKS_FOR_PERCENT = re.compile(
    r"\bpercent(?:age)?\b|\brate\b|\b(?:what|how many)\s+\\?%", re.IGNORECASE
)
_ASKS_FOR_PAIR = re.compile(
    r"\b(?:pairs?|points?|coordinates?|vertex|vertices|midpoint|cent(?:er|re)|vectors?)\b",
    re.IGNORECASE,
)
_ASKS_FOR_TERM = re.compile(
    r"\b(?:what(?:['’]s| is| are)|find|compute|calculate|determine|evaluate) (?:the )?"
    r"(?:(?:exact|numerical|total) |value of (?:the )?){0,3}"
    r"(?:(?P<sum>sum)(?! of (?:the |their |all )?"
    r"(?:squares?|cubes?|reciprocals|products|powers|digits|coefficients|absolute)\b)"
    r"|(?P<magnitude>absolute value|modulus|magnitude|norm|length|distance))\b",
    re.IGNORECASE,
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
        if connective != "or":
            return reply
        if reply["equal"]:
            gold_reading = read(gold)
            node = gold_reading and gold_reading.node
            # The parts of a pair, a tuple or an interval are not alternatives.
            return _reply(None) if isinstance(node, sympy.Tuple | sympy.Interval) else reply
        spellings = [_check(gold, part, form, question) for part in parts]
        return spellings[0] if all(part["equal"] for part in spellings) else reply
    except (OverLimit, MemoryError):
        return {"over": True}
    except Exception:  # sympy raises many types of exceptions
        return _reply(None)


def _check(gold: str, answer: str, form: Form, question: str) -> dict[str, Any]:
    is_hexadecimal = _NAMES_HEXADECIMAL.search(f"{gold} {question}")
    spelled = _in_base_sixteen if is_hexadecimal else powers_of_ten
    gold, answer = spelled(gold), _NAMED.sub(r"\1=", spelled(answer))
    gold_reading = read(gold)
    stated = [read(side) for side in _repeated(answer) or _APPROXIMATELY.split(answer)]
    readings = [reading for reading in stated if reading is not None]
    if gold_reading is None or not readings or len(readings) < len(stated):
        return _reply(None)
    numbers = list(map(value_of, readings))
    if not all(_is_number(value) for value, _ in numbers):
        del readings[1:]  # what is approximately equal to a set or a formula is another one
    elif not all(_is_rounding(*pair) for pair in combinations(numbers, 2)):
        return _reply(readings[0])
    replies = [_compare(gold_reading, reading, form, question) for reading in readings]
    return next((reply for reply in replies if reply["equal"]), replies[0])


def _in_base_sixteen(text: str) -> str:
    return f"{text}_{{16}}" if _HEXADECIMAL.fullmatch(text) else text


def _repeated(answer: str) -> list[str]:
    r"""Return both numbers of an answer such as `3/8 (37.5\%)` if they are equal; else nothing."""
    first, _, second = answer.rstrip(" .").removesuffix(")").rpartition("(")
    if not first.endswith((" ", "~", "\\,", "\\;", "\\quad")) or ")" in second:
        return []
    sides = [first, _SAME.sub("", second)]
    readings = [reading for reading in map(read, sides) if reading is not None]
    readings[1:] = [_in_unit(reading, readings[0].unit) for reading in readings[1:]]
    numbers = list(map(value_of, readings))
    are_numbers = len(numbers) == len(sides) and all(_is_number(value) for value, _ in numbers)
    return sides if are_numbers and _is_rounding(numbers[0], numbers[1]) else []


def _in_unit(reading: Reading, unit: str, question: str = "") -> Reading:
    """Return a quantity in a unit into which it converts; otherwise as it is.

    A quantity that the question states is not converted: it is what is to be converted.
    """
    node, factor = reading.node, conversion(reading.unit, unit)
    if factor is None or factor == 1 or not isinstance(node, sympy.Rational | sympy.Float):
        return reading
    exact = sympy.Rational(str(node))
    if states_quantity(question, Fraction(int(exact.p), int(exact.q)), reading.unit, unit):
        return reading
    value = exact * sympy.Rational(*factor.as_integer_ratio())
    return Reading(value, str(value), unit)


def _is_number(value: Any) -> bool:
    return isinstance(value, sympy.Expr) and not unknowns_of(value)


def _is_rounding(first: tuple[Any, str], second: tuple[Any, str]) -> bool:
    r"""Return whether two numbers are equal, or one is the other rounded to fewer places.

    Otherwise `100 \approx 101` would be two guesses.
    """
    (exact, more), (rounded, fewer) = sorted(
        ((value, _places(latex)) for value, latex in (first, second)),
        key=lambda number: -math.inf if number[1] is None else -number[1],
    )
    gap = difference(exact, rounded)
    if not gap or fewer is None or fewer == more:
        return gap == 0
    unit = 10.0**-fewer
    is_cut_off = fewer > 0 and gap * (difference(exact, sympy.S.Zero) or 0) > 0
    return abs(gap) <= (unit if is_cut_off else unit / 2)


def _places(latex: str) -> int | None:
    """Return how many decimal places a number is written with; None if it is not a decimal."""
    decimal = _DECIMAL.fullmatch(_SPACE.sub("", latex))
    if decimal is None:
        return None
    power = int(decimal["power"] or 0)
    if decimal["power"] and 0 <= power < _MIN_POWER:
        return None
    return len(decimal["places"] or "") + 2 * bool(decimal["percent"]) - power


def _compare(gold: Reading, answer: Reading, form: Form, question: str) -> dict[str, Any]:
    is_ratio = _TO_ONE.fullmatch(answer.latex) and not _TO_ONE.fullmatch(gold.latex)
    if is_ratio and not ASKS_FOR_RATIO.search(question):
        return _reply(answer)  # 42:1 is a ratio, and not the number 42
    about_asked = _about_asked_term(gold, answer, question)
    if is_to_be_computed(gold, answer) or about_asked is None:
        return _reply(answer, unevaluated=True)
    answer = about_asked
    is_range = is_relation(answer.node) and not is_equation(answer.node)  # such as 3 < x < 4
    if _ASKS_FOR_PAIR.search(question) and is_range and not is_relation(gold.node):
        return _reply(answer)
    answer = _in_unit(answer, gold.unit, question)
    if not equal(gold, answer):
        if not _ASKS_FOR_PERCENT.search(question):
            return _reply(answer)
        gold, answer = _without_percent(gold), _without_percent(answer)
        if not equal(gold, answer):
            return _reply(answer)
    worked_out = is_worked_out(gold, answer, form, question)
    return _reply(answer, equal=worked_out, unevaluated=not worked_out)


def _about_asked_term(gold: Reading, answer: Reading, question: str) -> Reading | None:
    """Return an answer that gives the value of a name, or of a term that the question asks for.

    Returns None for an answer such as `2x = 42`, whose term the question does not ask for.
    """
    if not is_equation(answer.node) or is_relation(gold.node):
        return answer
    side, _ = value_side(answer.node)
    others = [part for link in links_of(answer.node) for part in link.args if part is not side]
    if any(isinstance(part, sympy.Tuple) for part in others):
        return _in_asked_order(answer, question)
    if not any(map(_is_term, others)) or _contains_term(question, answer):
        return answer
    return answer if any(_is_asked_for(part, question) for part in others) else None


def _in_asked_order(answer: Reading, question: str) -> Reading | None:
    """Return the values of `(x, y) = (1, 2)` if the question has the names in the same order.

    If it does not have them, `aligned` puts the values in the order of letters. Returns None if it
    has them only in an order that is neither of these.
    """
    names = _LIST.findall(_SPACE.sub("", sides_of(answer.latex)[0]))[:1]
    asked = _LIST.findall(_SPACE.sub("", question))
    if any(name in asked for name in names):
        return Reading(*value_of(answer), answer.unit)
    letters = [sorted(name.split(",")) for name in names]
    orders = [order for order in asked if sorted(order.split(",")) in letters]
    return answer if all(order.replace(",", "") in ascii_lowercase for order in orders) else None


def _contains_term(question: str, answer: Reading) -> bool:
    """Return whether a question contains the term whose value an equation gives.

    The term must not be a part of another term, or a side of an equation in the question.
    """
    texts = [_SPACE.sub("", text) for text in sides_of(answer.latex)]
    del texts[value_side(answer.node)[1]]
    terms = (r"[\s{}]*".join(map(re.escape, text)) for text in texts if 0 < len(text) < _MAX_TERM)
    before = r"(?<![\w=+*/^<>-])(?<![=+*/^<>-] )"
    behind = r"(?![\s}]?[+*/^<>-]|[\s}]?=\s?[^?$\\_.\s]|\w)"
    return any(re.search(before + term + behind, question) for term in terms)


def _is_asked_for(node: Any, question: str) -> bool:
    """Return whether a question asks in words for the sum or the absolute value that a term is."""
    asked = {match.lastgroup for match in _ASKS_FOR_TERM.finditer(question)}
    names = (part for arg in node.args for part in sympy.preorder_traversal(arg))
    return {sympy.Add: "sum", sympy.Abs: "magnitude"}.get(type(node)) in asked and all(
        isinstance(name, sympy.Symbol | sympy.Mul) for name in names
    )


def _is_term(node: Any) -> bool:
    """Return whether an expression combines a variable with numbers, powers or functions."""
    if not isinstance(node, sympy.Expr) or not unknowns_of(node) or node.has(sympy.Derivative):
        return False
    return any(
        (
            isinstance(part, sympy.Add | sympy.Pow | sympy.Abs | Function)
            and not isinstance(part, AppliedUndef)
        )
        or (part.is_Mul and any(factor.is_Number for factor in part.args))
        for part in sympy.preorder_traversal(node)
    )


def _reply(
    answer: Reading | None, *, equal: bool = False, unevaluated: bool = False
) -> dict[str, Any]:
    return {"equal": equal, "unevaluated": unevaluated, "extracted": _shown(answer)}


def _shown(answer: Reading | None) -> str:
    if answer is None:
        return ""
    try:
        return re.sub(r"\bI\b", "i", str(answer.node))
    except Exception:  # sympy cannot print every object that it can parse
        return ""


def _without_percent(reading: Reading) -> Reading:
    """Return a percentage without its percent sign, or any other reading unchanged."""
    node = reading.node
    if isinstance(node, sympy.Mul) and isinstance(node.args[-1], sympy.UnevaluatedExpr):
        return Reading(node.args[0], reading.latex.replace("\\%", ""), reading.unit)
    return reading


_SAMPLES = (
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


def load() -> Callable[..., dict[str, Any]]:
    """Prepare this process, and return `check`.

    The first parse of each kind of formula is slow, so some are checked before workers are forked.

    Raises:
        RuntimeError: The libraries give wrong verdicts.
    """
    guard_sympy()
    complete_parser()
    for gold, answer, equal_to_it in _SAMPLES:
        if check(gold, answer)["equal"] is not equal_to_it:
            raise RuntimeError(f"the check of {gold} and {answer} gives {not equal_to_it}")
    return check
