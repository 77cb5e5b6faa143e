"""Arithmetic: expressions, equations with a blank, sequences, fractions, percentages, comparisons.

Invariants:

- Every answer is computed from the numbers shown. The wrong options are the answers for slightly
  different numbers.
- Fractions are in lowest terms and never whole. Percentages have integer answers by construction.
  Compared quantities all differ.
"""

from __future__ import annotations

import random
from collections.abc import Callable, Sequence
from operator import add, mul, sub

from textgym.envs.generation import Unfit, choice, randbelow, randint, sample
from textgym.envs.mcqa.families.question import (
    Item,
    Values,
    are_fractions,
    corners,
    four,
    lowest,
    offer,
    pair,
)

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


def arithmetic(rng: random.Random, level: int) -> Item:
    """Evaluate an expression.

    Level 1 adds and subtracts up to 20, level 2 does so with two-digit numbers, level 3 multiplies
    and divides, level 4 mixes two operations by precedence, level 5 has brackets and three
    operations.
    """
    text, values = (_small, _larger, _product, _by_precedence, _in_brackets)[level - 1](rng)
    return offer(choice(rng, _ASK).format(text) + (_ORDER if level == 4 else ""), values)


def _small(rng: random.Random) -> Values:
    gaps = (1, 2, 10)
    return _sum(rng, pair(rng, 3, 20, gaps), pair(rng, 3, 20, gaps))


def _larger(rng: random.Random) -> Values:
    gaps = (1, 2, 10, 20)
    return _sum(rng, pair(rng, 21, 99, gaps), pair(rng, 21, 99, gaps))


def _sum(rng: random.Random, a: tuple[int, int], b: tuple[int, int]) -> Values:
    """Add or subtract two numbers, with a positive result."""
    if min(a) > max(b) and randbelow(rng, 2):
        return f"{a[0]} - {b[0]}", corners(sub, a, b)
    return f"{a[0]} + {b[0]}", corners(add, a, b)


def _product(rng: random.Random) -> Values:
    """Multiply or divide."""
    a, b = pair(rng, 12, 99, (1, 2, 10)), pair(rng, 3, 9)
    if randbelow(rng, 2):
        return f"{a[0]} * {b[0]}", corners(mul, a, b)
    quotients = four(rng, 12, 99, (1, 2, 10, 20))
    return f"{quotients[0] * b[0]} / {b[0]}", quotients


def _by_precedence(rng: random.Random) -> Values:
    """Add a product to a number, or subtract a number from a product."""
    a, b, c = pair(rng, 3, 60, (1, 2, 10)), pair(rng, 3, 20), randint(rng, 3, 12)
    if randbelow(rng, 2):
        return f"{a[0]} + {b[0]} * {c}", corners(lambda a, b: a + b * c, a, b)
    c += max(a)
    return f"{b[0]} * {c} - {a[0]}", corners(lambda a, b: b * c - a, a, b)


def _in_brackets(rng: random.Random) -> Values:
    """Multiply a sum and a difference, and subtract a third number."""
    a, b, d = (randint(rng, 4, 30) for _ in range(3))
    c, e = pair(rng, 6, 32), pair(rng, 4, 30, (1, 2, 10))
    text = f"({a} + {b}) * ({c[0] + d} - {d}) - {e[0]}"
    return text, corners(lambda c, e: (a + b) * c - e, c, e)


def missing(rng: random.Random, level: int) -> Item:
    """Fill the blank of an equation.

    Level 1 has small sums, level 2 two-digit sums and differences, level 3 products and quotients,
    level 4 a product and a sum, level 5 the same blank on both sides.
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

    Level 1 adds a fixed number, level 2 subtracts or multiplies by one, level 3 has steps that grow
    evenly, level 4 alternates a multiplication with an addition, level 5 interleaves two sequences.
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


_LOWEST = (
    "What is {}? Give the answer in lowest terms.",
    "Work out {} and write the result as a fraction in lowest terms.",
    "Which fraction in lowest terms equals {}?",
)
_RANKS = ("smallest", "second smallest", "second largest", "largest")
_IN_ORDER = (
    "Which of these is the {rank}: {list}?",
    "Of {list}, which is the {rank}?",
    "Compare {list}. Which is the {rank}?",
)
_CHANGES = ((1, "raised"), (-1, "lowered"))
_LENGTHS = (("mm", 1), ("cm", 10), ("m", 1000), ("km", 1_000_000))


def fractions(rng: random.Random, level: int) -> Item:
    """Calculate with fractions.

    Level 1 reduces a fraction, level 2 adds or subtracts with equal denominators, level 3 with
    different ones, level 4 multiplies or divides, level 5 combines three fractions by precedence.
    """
    a, c, e = pair(rng, 1, 8), pair(rng, 1, 8), pair(rng, 1, 5)
    b, d, f = sample(rng, range(3, 13), 3)
    if level == 1:
        a, below_it, k = pair(rng, 1, 9), pair(rng, 3, 14), randint(rng, 2, 9)
        text, values = f"{a[0] * k}/{below_it[0] * k}", corners(lowest, a, below_it)
    elif level <= 3:
        b, d = (b + 8, b + 8) if level == 2 else (b, d)
        sign = choice(rng, (1, -1))
        text = f"{a[0]}/{b} {'+' if sign > 0 else '-'} {c[0]}/{d}"
        values = corners(lambda a, c: lowest(a * d + sign * c * b, b * d), a, c)
    elif level == 4 and randbelow(rng, 2):
        text = f"({a[0]}/{b}) * ({c[0]}/{d})"
        values = corners(lambda a, c: lowest(a * c, b * d), a, c)
    elif level == 4:
        text = f"({a[0]}/{b}) divided by ({c[0]}/{d})"
        values = corners(lambda a, c: lowest(a * d, b * c), a, c)
    else:
        g = randint(rng, 1, 8)
        text = f"{a[0]}/{b} + ({g}/{d}) * ({e[0]}/{f})"
        values = corners(lambda a, e: lowest(a * d * f + b * g * e, b * d * f), a, e)
    if not are_fractions(values):
        raise Unfit
    return offer(choice(rng, _LOWEST).format(text), values)


def percentages(rng: random.Random, level: int) -> Item:
    """Calculate with percentages.

    Level 1 takes a simple percentage of a number, level 2 any multiple of 5%, level 3 raises or
    lowers a price, level 4 asks what percentage a part is, level 5 undoes a change or chains two
    changes.
    """
    values: Sequence[int]
    twenties = pair(rng, 2, 40, (1, 2, 10))  # whole numbers are 20 times these
    if level <= 2:
        fives = pair(rng, 1, 19, (1, 2, 4))  # percentages are 5 times these
        if level == 1:
            one, other = sample(rng, (2, 4, 5, 10, 15), 2)
            fives = one, other
        ask = choice(rng, ("What is {}% of {}?", "How much is {}% of {}?", "Calculate {}% of {}."))
        question = ask.format(5 * fives[0], 20 * twenties[0])
        return offer(question, corners(mul, twenties, fives))
    if level == 4:
        percents, k = [5 * n for n in four(rng, 1, 19, (1, 2, 4))], randint(rng, 2, 40)
        ask = choice(rng, ("{0} is what percentage of {1}?", "What percentage of {1} is {0}?"))
        return offer(ask.format(k * percents[0] // 5, 20 * k), percents, "{}%".format)
    good = choice(rng, ("coat", "bicycle", "lamp", "table", "phone", "ticket", "chair", "camera"))
    if level == 3:
        sign, word = choice(rng, _CHANGES)
        fives = pair(rng, 1, 10)
        values = corners(lambda whole, change: whole * (20 + sign * change), twenties, fives)
        text = f"The price of a {good} is ${20 * twenties[0]}. It is {word} by {5 * fives[0]}%. "
        text += "What is it now?"
    elif randbelow(rng, 2):
        sign, word = choice(rng, _CHANGES)
        change = randint(rng, 1, 10)
        values = [20 * n for n in four(rng, 2, 40, (1, 2, 3, 10))]
        after = values[0] * (20 + sign * change) // 20
        text = f"After being {word} by {5 * change}%, the price of a {good} is ${after}. "
        text += "What was it before?"
    else:
        rises, falls, k = pair(rng, 1, 10), pair(rng, 1, 10), randint(rng, 1, 6)
        values = corners(lambda rise, fall: k * (20 + rise) * (20 - fall), rises, falls)
        text = (
            f"The price of a {good} is ${400 * k}. It is raised by {5 * rises[0]}%, and then the "
            f"new price is lowered by {5 * falls[0]}%. What is it now?"
        )
    return offer(text, values, "${}".format)


def comparing(rng: random.Random, level: int) -> Item:
    """Find the quantity with a given rank among four.

    Level 1 compares whole numbers, level 2 decimals, level 3 fractions, level 4 fractions with
    decimals and percentages, level 5 lengths in four units or powers.
    """
    if level == 1:
        sizes = sample(rng, range(10, 100), 4)
        texts = list(map(str, sizes))
    elif level == 2:
        start = randint(rng, 1, 8) * 1000
        sizes = [start + part for part in sample(rng, range(1, 1000), 4)]
        for i in range(4):
            sizes[i] -= sizes[i] % choice(rng, (1, 10, 100))
        texts = [f"{size / 10000:g}" for size in sizes]
    elif level == 3 or level == 4:
        pairs = [(top, top + randint(rng, 1, 5)) for top in sample(rng, range(1, 11), 4)]
        sizes = [top * 27720000 // bottom for top, bottom in pairs]
        texts = [f"{top}/{bottom}" for top, bottom in pairs]
        if level == 4:
            sizes[:2] = [size // 277200 * 277200 for size in sizes[:2]]
            texts[:2] = f"{sizes[0] // 277200}%", f"{sizes[1] / 27720000:g}"
    elif randbelow(rng, 2):
        start = randint(rng, 20, 800)
        counts = [start + spread for spread in sample(rng, range(1, 60), 4)]
        sizes = [count * 10000 for count in counts]
        texts = [
            f"{size / scale:.7g} {unit}"
            for size, (unit, scale) in zip(sizes, sample(rng, _LENGTHS, 4), strict=True)
        ]
    else:
        powers = [(base, randint(rng, 2, 9 - base // 2)) for base in sample(rng, range(2, 13), 4)]
        sizes = [base**power for base, power in powers]
        texts = [f"{base}^{power}" for base, power in powers]
    if len({*sizes}) < 4:
        raise Unfit
    place = randbelow(rng, 4)
    right = texts[sizes.index(sorted(sizes)[place])]
    question = choice(rng, _IN_ORDER).format(rank=_RANKS[place], list=", ".join(texts))
    if level == 5 and "^" in right:
        question += " Here a^b means a to the power b."
    return Item(question, right, [text for text in texts if text != right])
