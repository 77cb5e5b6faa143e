"""Integer arithmetic: expressions, equations with a blank, and number sequences.

Invariants: every answer is computed from the numbers shown, and the wrong options are the answers
for slightly different numbers.
"""

import random
from collections.abc import Callable, Sequence
from operator import add, mul, sub

from ..item import Item, choice, corners, four, offer, pair, randbelow, randint

_ASK = (
    "What is {}?",
    "Work out {}.",
    "Calculate {}.",
    "Which number equals {}?",
)
_BLANK = (
    "Which number belongs in the blank: {}?",
    "What must replace the blank to make this true: {}?",
    "Find the missing number: {}.",
)
_ORDER = " Multiplication comes before addition and subtraction."
_NEXT = (
    "{rule} Which number comes next: {terms}, ...?",
    "Look at the sequence {terms}, ... {rule} What is the next number?",
    "What is the next number of {terms}, ...? {rule}",
)
Draft = tuple[str, Sequence[int] | None]


def arithmetic(rng: random.Random, level: int) -> Item:
    """Evaluate an expression.

    Level 1 adds and subtracts up to 20, 2 does so with two-digit numbers, 3 multiplies and
    divides, 4 mixes two operations by precedence, 5 has brackets and three operations.
    """
    text, values = (_small, _larger, _product, _by_precedence, _in_brackets)[level - 1](rng)
    if values is None:
        return arithmetic(rng, level)
    return offer(choice(rng, _ASK).format(text) + (_ORDER if level == 4 else ""), values)


def _small(rng: random.Random) -> Draft:
    gaps = (1, 2, 10)
    return _sum(rng, pair(rng, 3, 20, gaps), pair(rng, 3, 20, gaps))


def _larger(rng: random.Random) -> Draft:
    gaps = (1, 2, 10, 20)
    return _sum(rng, pair(rng, 21, 99, gaps), pair(rng, 21, 99, gaps))


def _sum(rng: random.Random, a: tuple[int, int], b: tuple[int, int]) -> Draft:
    """Add or subtract two numbers, with a positive result."""
    if min(a) > max(b) and randbelow(rng, 2):
        return f"{a[0]} - {b[0]}", corners(sub, a, b)
    return f"{a[0]} + {b[0]}", corners(add, a, b)


def _product(rng: random.Random) -> Draft:
    """Multiply or divide."""
    a, b = pair(rng, 12, 99, (1, 2, 10)), pair(rng, 3, 9)
    if randbelow(rng, 2):
        return f"{a[0]} * {b[0]}", corners(mul, a, b)
    quotients = four(rng, 12, 99, (1, 2, 10, 20))
    return f"{quotients[0] * b[0]} / {b[0]}", quotients


def _by_precedence(rng: random.Random) -> Draft:
    """Add a product to a number, or subtract a number from a product."""
    a, b, c = pair(rng, 3, 60, (1, 2, 10)), pair(rng, 3, 20), randint(rng, 3, 12)
    if randbelow(rng, 2):
        return f"{a[0]} + {b[0]} * {c}", corners(lambda a, b: a + b * c, a, b)
    c += max(a)
    return f"{b[0]} * {c} - {a[0]}", corners(lambda a, b: b * c - a, a, b)


def _in_brackets(rng: random.Random) -> Draft:
    """Multiply a sum and a difference, and subtract a third number."""
    a, b, d = (randint(rng, 4, 30) for _ in range(3))
    c, e = pair(rng, 6, 32), pair(rng, 4, 30, (1, 2, 10))
    text = f"({a} + {b}) * ({c[0] + d} - {d}) - {e[0]}"
    return text, corners(lambda c, e: (a + b) * c - e, c, e)


def missing(rng: random.Random, level: int) -> Item:
    """Fill the blank of an equation.

    Level 1 has small sums, 2 two-digit sums and differences, 3 products and quotients,
    4 a product and a sum, 5 the same blank on both sides.
    """
    low, high, gaps = (11, 89, (1, 2, 10, 20)) if level == 2 else (3, 20, (1, 2, 3, 10))
    values = four(rng, low, high, gaps)
    x = values[0]
    a, b = randint(rng, 2, 12), randint(rng, 2, 20)
    if level <= 2:
        a = b if level == 1 else randint(rng, 13, 89)
        shape = randbelow(rng, 3)
        if shape == 0:
            text = f"{a} + __ = {a + x}"
        elif shape == 1:
            text = f"__ - {a} = {x - a}" if min(values) > a else f"__ + {a} = {x + a}"
        else:
            text = f"{a + x} - __ = {a}"
    elif level == 3:
        text = f"{a} * __ = {a * x}" if randbelow(rng, 2) else f"{a * x} / __ = {a}"
    elif level == 4:
        sign = randbelow(rng, 2)
        text = f"{a} * __ + {b} = {a * x + b}" if sign else f"{a} * __ - {b} = {a * x - b}"
    else:
        more = randint(rng, 2, 9)
        rest = more * x - b
        tail = f"+ {rest}" if rest >= 0 else f"- {-rest}"
        text = f"{a + more} * __ - {b} = {a} * __ {tail}"
        text = f"{text} (the same number in both blanks)"
    return offer(choice(rng, _BLANK).format(text), values)


_Term = Callable[[int, int, int], int]  # of a start, a step and an index


def sequences(rng: random.Random, level: int) -> Item:
    """Continue a sequence, given the kind of its rule.

    Level 1 adds a fixed number, 2 subtracts or multiplies by one, 3 has steps that grow
    evenly, 4 alternates a multiplication with an addition, 5 interleaves two sequences.
    """
    # even gaps, so that the parity does not reveal the answer
    starts, steps, last = pair(rng, 1, 40, (2, 4)), pair(rng, 2, 12, (2,)), 5
    term: _Term
    if level == 1:
        rule, term = "The same number is added each time.", _added
    elif level == 2 and randbelow(rng, 2):
        rule, term = "The same number is subtracted each time.", _subtracted
    elif level == 2:
        rule = "Each number is the one before it times the same number."
        starts, steps, last, term = pair(rng, 1, 7), pair(rng, 2, 5), 4, _multiplied
    elif level == 3:
        rule = "The step from one number to the next grows by the same amount each time."
        term = _growing(randint(rng, 1, 6))
    elif level == 4:
        rule, times = (
            "Two operations take turns: a multiplication and an addition.",
            randbelow(rng, 2),
        )
        starts, last, term = pair(rng, 1, 9, (2,)), 6 - times, _alternating(2 + times)
    else:
        rule = "Two sequences take turns; each of them adds its own fixed number."
        last = 7 + randbelow(rng, 2)
        other_step = choice(rng, [step for step in range(2, 13) if step not in steps])
        term = _interleaved(last % 2, randint(rng, 1, 40), other_step)
    values = corners(lambda start, step: term(start, step, last), starts, steps)
    if values is None:
        return sequences(rng, level)
    shown = ", ".join([str(term(starts[0], steps[0], place)) for place in range(last)])
    return offer(choice(rng, _NEXT).format(rule=rule, terms=shown), values)


def _added(start: int, step: int, place: int) -> int:
    return start + step * place


def _subtracted(start: int, step: int, place: int) -> int:
    return start + step * (9 - place)


def _multiplied(start: int, factor: int, place: int) -> int:
    return int(start * factor**place)


def _growing(growth: int) -> _Term:
    return lambda start, step, place: start + step * place + growth * place * (place - 1) // 2


def _alternating(times: int) -> _Term:
    def term(start: int, step: int, place: int) -> int:
        for i in range(place):
            start = start + step if i % 2 else start * times
        return start

    return term


def _interleaved(parity: int, other_start: int, other_step: int) -> _Term:
    def term(start: int, step: int, place: int) -> int:
        if place % 2 != parity:
            return other_start + other_step * (place // 2)
        return start + step * (place // 2)

    return term
