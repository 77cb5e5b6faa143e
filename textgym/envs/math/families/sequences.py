"""Sequences and series: arithmetic, geometric, and by recurrence.

Invariants: the question states the rule, and terms are counted from 1.
"""

import random
from fractions import Fraction

from textgym.envs.generation import choice, randbelow, randint
from textgym.envs.math.families.problem import (
    Number,
    Problem,
    nonzero,
    number,
    polynomial,
    scaled,
    sum_of,
)

_ORDINALS = {1: "1st", 2: "2nd", 3: "3rd"}


def _ordinal(n: int) -> str:
    return _ORDINALS.get(n, f"{n}th")


def arithmetic_series(rng: random.Random, level: int) -> Problem:
    """Find a term or a sum of an arithmetic sequence.

    Level 1 asks for a term, level 2 for a term given two others, level 3 for a sum, level 4 for a
    sum given two terms, level 5 for the number of terms of a sum.
    """
    a, d = randint(rng, -30, 60), choice(rng, (-1, 1)) * randint(rng, 2, 15)
    n, i = randint(rng, 12, 60), randint(rng, 2, 5)
    j = i + randint(rng, 2, 8)
    known = f"an arithmetic sequence has ${a}$ as its first and ${a + d}$ as its second term"
    other = f"the {_ordinal(i)} and {_ordinal(j)} terms of an arithmetic sequence are "
    other += f"${a + (i - 1) * d}$ and ${a + (j - 1) * d}$"
    total = n * a + d * n * (n - 1) // 2
    given = known if level in (1, 3) else other
    asked, value = (
        f"its {_ordinal(n)} term" if level < 3 else f"the sum of its first ${n}$ terms",
        a + (n - 1) * d if level < 3 else total,
    )
    if level == 5:
        a, d = abs(a) + 1, abs(d)
        total = n * a + d * n * (n - 1) // 2
        given = f"an arithmetic sequence begins with ${a}, {a + d}, \\dots$"
        asked, value = f"the number of its first terms whose sum is ${total}$", n
    ask = choice(rng, ("If {}, what is {}?", "Suppose {}. Find {}."))
    return Problem(ask.format(given, asked), str(value))


def geometric_series(rng: random.Random, level: int) -> Problem:
    """Find a term or a sum of a geometric sequence.

    Level 1 asks for a term, level 2 for one with a fractional ratio, level 3 for a sum, level 4 for
    an infinite sum, level 5 for the ratio given an infinite sum.
    """
    a, n = randint(rng, 2, 30), randint(rng, 4, 8)
    bottom = randint(rng, 2, 9)
    ratio = Fraction(randint(rng, 1, bottom - 1) * choice(rng, (-1, 1)), bottom)
    if level in (1, 3):
        ratio = Fraction(choice(rng, (-3, -2, 2, 3, 4, 5)))
    endless = Fraction(a) / (1 - ratio)
    given = f"a geometric sequence has first term ${a}$ and ratio ${number(ratio)}$"
    value: Number
    if level <= 2:
        asked, value = f"its {_ordinal(n)} term", a * ratio ** (n - 1)
    elif level == 3:
        asked, value = f"the sum of its first ${n}$ terms", sum(a * ratio**i for i in range(n))
    elif level == 4:
        asked, value = "the sum of all its terms", endless
    else:
        given = f"the terms of a geometric sequence with first term ${a}$ add up to "
        given += f"${number(endless)}$"
        asked, value = "its ratio", ratio
    ask = choice(rng, ("If {}, what is {}?", "Suppose {}. Find {}."))
    return Problem(ask.format(given, asked), number(value))


def recurrences(rng: random.Random, level: int) -> Problem:
    """Find a term of a recursive sequence.

    Level 1 has a sum, level 2 a product and a sum, level 3 two previous terms, level 4 a quotient,
    level 5 asks for a late term, which needs a formula.
    """
    a, b, p = randint(rng, 1, 12), randint(rng, 1, 12), randint(rng, 2, 4)
    q, n = nonzero(rng, 9), randint(rng, 5, 8)
    start = f"a_1 = {a}"
    value: Number = a
    if level == 1:
        n += 10
        rule, value = f"a_{{n+1}} = {polynomial([1, q], 'a_n')}", a + (n - 1) * q
    elif level == 2:
        rule = f"a_{{n+1}} = {polynomial([p, q], 'a_n')}"
        for _ in range(n - 1):
            value = p * value + q
    elif level == 3:
        start = f"a_1 = {a}$, $a_2 = {b}"
        rule = f"a_{{n+2}} = {sum_of(scaled(p, 'a_{n+1}'), scaled(q, 'a_n'))}"
        before, value = a, b
        for _ in range(n - 2):
            before, value = value, p * value + q * before
    elif level == 4:
        rule = f"a_{{n+1}} = \\frac{{{p}}}{{a_n + {b}}}"
        n = n - 1 - randbelow(rng, 2)
        value = Fraction(a)
        for _ in range(n - 1):
            value = p / (value + b)
    else:
        n = randint(rng, 30, 200)
        rule = f"a_{{n+1}} = a_n {'+' if q > 0 else '-'} {abs(q)}n"
        value = a + q * n * (n - 1) // 2
    if f"= {number(value)}$" in f"{start}$":
        return recurrences(rng, level)
    ask = choice(
        rng,
        (
            "A sequence has ${}$ and ${}$ for all $n \\ge 1$. Find $a_{{{}}}$.",
            "Let ${}$ and ${}$ for every positive $n$. What is $a_{{{}}}$?",
        ),
    )
    return Problem(ask.format(start, rule, n), number(value))
