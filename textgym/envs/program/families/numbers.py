"""Sequences of numbers, and numbers in an interval."""

from __future__ import annotations

import random
from collections.abc import Callable
from functools import cache, lru_cache
from itertools import accumulate, count, islice
from typing import Any, NamedTuple

from textgym.envs.generation import choice, listing, randint, sample
from textgym.envs.program.drafts import Draft

__all__ = ["intervals", "recurrences"]

_LARGE = 5_000  # the term of a large test


class _Rule(NamedTuple):
    """A recurrence: a(n) = p·a(n-1) + q·a(n-2) + s·n + r, with t more after a multiple of d."""

    start: tuple[int, int]
    p: int
    q: int
    r: int
    s: int
    t: int
    d: int
    modulus: int

    def terms(self) -> Any:
        """Yield the terms from a(0) on."""
        before, last = self.start
        yield before
        yield last
        for n in count(2):
            value = self.p * last + self.q * before + self.s * n + self.r
            if self.d and last % self.d == 0:
                value += self.t
            before, last = last, value % self.modulus
            yield last

    def term(self, n: int) -> int:
        """Return a(n)."""
        return int(next(islice(self.terms(), n, None)))


def recurrences(rng: random.Random, level: int) -> Draft:
    """Draft the n-th term of a recurrence, from level 4 on also a late one."""
    rule = _Rule(
        (randint(rng, 1, 9), randint(rng, 1, 9)),
        randint(rng, 1, 6),
        randint(rng, 1, 6),
        randint(rng, 1, 30),
        randint(rng, 1, 9) if level >= 2 else 0,
        randint(rng, 5, 60) if level >= 3 else 0,
        choice(rng, (2, 3, 4)) if level >= 3 else 0,
        choice(rng, (997, 1009, 9973, 10007, 99991)),
    )
    parts = [
        f"{rule.p} times a(n - 1)", f"{rule.q} times a(n - 2)",
        *([f"{rule.s} times n"] if rule.s else []), f"{rule.r}",
    ]  # fmt: skip
    extra = (
        f" If a(n - 1) is divisible by {rule.d}, add {rule.t} more before the remainder is taken."
    )
    late = f" The program must be fast for n up to {_LARGE}." if level >= 4 else ""
    added = f" + {rule.s} * i" if rule.s else ""
    more = f"        if b % {rule.d} == 0:\n            c += {rule.t}\n" if rule.d else ""
    a, b = rule.start
    program = (
        f"def term(n):\n    a, b = {a}, {b}\n    for i in range(2, n + 2):\n"
        f"        c = {rule.p} * b + {rule.q} * a{added} + {rule.r}\n{more}"
        f"        a, b = b, c % {rule.modulus}\n    return a\n"
    )
    changed = [
        rule._replace(**{name: getattr(rule, name) + 1}) for name in ("p", "q", "r", "s", "modulus")
    ]
    changed += [rule._replace(start=(a, b + 1)), rule._replace(start=(a + 1, b))]
    if rule.d:
        changed += [rule._replace(t=rule.t + 1), rule._replace(d=0), rule._replace(d=rule.d + 1)]
    return Draft(
        entry="term",
        statement=(
            f"The sequence a begins with a(0) = {a} and a(1) = {b}. For n of 2 or more, a(n) is "
            f"the remainder in a division by {rule.modulus} of the sum of {listing(parts)}."
            f"{extra if rule.d else ''} Return a(n) for an integer `n` of 0 or more.{late}"
        ),
        names={"n": "int"},
        program=program,
        solve=rule.term,
        rivals=[other.term for other in changed],
        draw=lambda rng: (randint(rng, 0, 12 + 6 * level),),
        content=["recurrences", list(rule)],
        large=(_LARGE - randint(rng, 0, 500),) if level >= 4 else None,
    )


class _Condition(NamedTuple):
    """A condition on a number.

    Attributes:
        words: Continues "the number of integers that ….", with `<k>` for a parameter.
        code: An expression of `x`.
        holds: The same as an independent function of the number and the parameter.
        low: The lowest value of the parameter.
        high: The highest.
    """

    words: str
    code: str
    holds: Callable[[int, int], bool]
    low: int
    high: int


_CONDITIONS = {
    "divisible": _Condition(
        "are divisible by <k>", "x % <k> == 0", lambda x, k: x // k * k == x, 2, 6
    ),
    "not divisible": _Condition(
        "are not divisible by <k>", "x % <k> != 0", lambda x, k: x not in range(0, x + 1, k), 2, 6
    ),
    "sum": _Condition(
        "have a sum of digits that is divisible by <k>",
        "sum(map(int, str(x))) % <k> == 0",
        lambda x, k: _digit_sum(x) % k == 0, 2, 5,
    ),
    "digit": _Condition(
        "contain the digit <k>", "'<k>' in str(x)", lambda x, k: k in _digits(x), 1, 8
    ),
    "no digit": _Condition(
        "do not contain the digit <k>", "'<k>' not in str(x)",
        lambda x, k: all(digit != k for digit in _digits(x)), 1, 8,
    ),
    "last": _Condition(
        "have a last digit of <k> or more", "x % 10 >= <k>", lambda x, k: _digits(x)[0] >= k, 2, 7
    ),
    "distinct": _Condition(
        "have at least <k> different digits", "len(set(str(x))) >= <k>",
        lambda x, k: len({*_digits(x)}) >= k, 2, 3,
    ),
    "bits": _Condition(
        "have at least <k> ones when they are written in binary", "bin(x).count('1') >= <k>",
        lambda x, k: sum(x >> place & 1 for place in range(x.bit_length())) >= k, 3, 5,
    ),
}  # fmt: skip


_HIGHEST = 1_700  # of the integers in tests


@cache
def _meets(name: str, k: int) -> tuple[bool, ...]:
    """Return for each integer from 0 on whether it meets a condition."""
    return tuple(x > 0 and _CONDITIONS[name].holds(x, k) for x in range(_HIGHEST + 1))


@lru_cache(64)
def _sums_upto(used: tuple[tuple[str, int], ...], summed: bool) -> tuple[int, ...]:
    """Return for each integer the sum or number of those up to it that meet conditions."""
    tables = [_meets(name, k) for name, k in used]
    met = map(all, zip(*tables, strict=True)) if tables else [True] * (_HIGHEST + 1)
    return tuple(accumulate(yes * (x if summed else 1) for x, yes in enumerate(met)))


def _digits(x: int) -> list[int]:
    digits = []
    while x:
        x, digit = divmod(x, 10)
        digits.append(digit)
    return digits or [0]


def _digit_sum(x: int) -> int:
    return sum(_digits(x))


def intervals(rng: random.Random, level: int) -> Draft:
    """Draft a question about the integers in an interval that meet conditions."""
    n = min(1 + level, 4)
    drawn = [
        (name, randint(rng, _CONDITIONS[name].low, _CONDITIONS[name].high))
        for name in sample(rng, _CONDITIONS, n)
    ]
    summed, modulus = level >= 3, choice(rng, (89, 97, 101, 991))

    def answer(used: list[tuple[str, int]], low: int, high: int, modulus: int = modulus) -> int:
        upto = _sums_upto(tuple(used), summed)
        return (upto[high] - upto[low - 1]) % modulus if summed else upto[high] - upto[low - 1]

    rivals = [[*drawn[:place], *drawn[place + 1 :]] for place in range(n)]
    rivals += [
        [*drawn[:place], (name, k + 1), *drawn[place + 1 :]]
        for place, (name, k) in enumerate(drawn)
    ]
    words = [_CONDITIONS[name].words.replace("<k>", str(k)) for name, k in drawn]
    code = " and ".join(f"({_CONDITIONS[name].code.replace('<k>', str(k))})" for name, k in drawn)
    which = "the sum of the integers" if summed else "the number of integers"
    after = f", as its remainder in a division by {modulus}" if summed else ""
    total = f"sum(found) % {modulus}" if summed else "len(found)"

    def draw(rng: random.Random) -> tuple[Any, ...]:
        low = randint(rng, 1, 900)
        return low, low + randint(rng, 0, 150 * min(level, 3))

    return Draft(
        entry="tally",
        statement=(
            f"Return {which} from `low` to `high`, both included, that {listing(words)}{after}."
        ),
        names={"low": "int", "high": "int"},
        program=(
            f"def tally(low, high):\n    found = [x for x in range(low, high + 1) if {code}]\n"
            f"    return {total}\n"
        ),
        solve=lambda low, high: answer(drawn, low, high),
        rivals=[
            *(lambda low, high, used=used: answer(used, low, high) for used in rivals),
            lambda low, high: answer(drawn, low, high - 1),
            lambda low, high: answer(drawn, low + 1, high),
            *([lambda low, high: answer(drawn, low, high, modulus + 1)] if summed else []),
        ],
        draw=draw,
        content=["intervals", sorted(map(list, drawn)), modulus if summed else 0],
    )
