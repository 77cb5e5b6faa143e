"""Properties and notations of integers: primes, divisors, number bases, Roman numerals.

Invariants: exactly one option has the required property; the notation of numbers in other bases and
in Roman numerals is unique.
"""

import random
from bisect import bisect
from collections.abc import Sequence
from math import gcd, lcm

from textgym.envs.generation import Unfit, choice, randbelow, randint, redrawn, sample
from textgym.envs.mcqa.families.question import Item, corners, four, offer, pair

_MAX_NUMBER = 3000
# questions by kind of pair: both numbers are prime, only the first, only the second, neither
_PAIRS = (
    ("In which of these pairs are both numbers prime?", "Find the pair of two primes."),
    ("In which of these pairs is the first number prime and the second not?",),
    ("In which of these pairs is the second number prime and the first not?",),
    ("In which of these pairs is neither number prime?", "Find the pair without a prime."),
)
_HEX = " (base 16, digits 0-9 and A-F)"
_ROMAN = (
    tuple("M" * i for i in range(4)),
    ("", "C", "CC", "CCC", "CD", "D", "DC", "DCC", "DCCC", "CM"),
    ("", "X", "XX", "XXX", "XL", "L", "LX", "LXX", "LXXX", "XC"),
    ("", "I", "II", "III", "IV", "V", "VI", "VII", "VIII", "IX"),
)


def _least_factors() -> list[int]:
    """List the least prime factor of each number up to _MAX_NUMBER."""
    factors = list(range(_MAX_NUMBER + 1))
    for p in range(53, 1, -1):
        factors[p * p :: p] = [p] * len(range(p * p, _MAX_NUMBER + 1, p))
    return factors


_LEAST_FACTORS = _least_factors()


def _pools(low: int, high: int, least: int, most: int) -> tuple[list[int], list[int]]:
    """List the primes of a range, and the composites whose least prime factor is in another range.

    With factors of 2, 3 or 5, the last digits or the distances would reveal the answer.
    """
    numbers = range(low, high)
    return (
        [n for n in numbers if _LEAST_FACTORS[n] == n],
        [n for n in numbers if least <= _LEAST_FACTORS[n] <= most and _LEAST_FACTORS[n] < n],
    )


_PRIMES = tuple(
    _pools(*limits)
    for limits in (
        (100, 800, 7, 13), (200, 1200, 7, 19), (400, 1800, 7, 31), (800, 2400, 11, 53),
        (1000, _MAX_NUMBER, 17, 53),
    )
)  # fmt: skip


def primes(rng: random.Random, level: int) -> Item:
    """Distinguish primes from composite numbers, in pairs of four different kinds.

    Levels 1 to 5 stay under 800, 1,200, 1,800, 2,400 and 3,000. The least prime factors of the
    composites are 7 to 13, 7 to 19, 7 to 31, 11 to 53, and 17 to 53.
    """
    prime, composite = _PRIMES[level - 1]
    middle = randint(rng, prime[0], prime[-1])
    primes, composites = (sample(rng, _around(pool, middle), 4) for pool in (prime, composite))
    pairs = [
        (primes[0], primes[1]), (primes[2], composites[0]), (composites[1], primes[3]),
        (composites[2], composites[3]),
    ]  # fmt: skip
    kinds = sample(rng, range(4), 4)
    return offer(choice(rng, _PAIRS[kinds[0]]), [pairs[kind] for kind in kinds], _and)


def _and(pair: tuple[int, int]) -> str:
    return f"{pair[0]} and {pair[1]}"


def _around(numbers: list[int], middle: int) -> list[int]:
    """Return the numbers of a sorted list that are nearest to a value."""
    place = bisect(numbers, middle)
    first = min(max(place - 3, 0), len(numbers) - 6)
    return numbers[first : first + 6]


def _by_divisors() -> dict[int, list[int]]:
    """Group the composites up to 1,000 by their number of divisors, in ascending order."""
    counts = [0] * 1001
    for d in range(1, 1001):
        for n in range(d, 1001, d):
            counts[n] += 1
    groups = {count: [n for n in range(1001) if counts[n] == count] for count in range(3, 25)}
    return {count: numbers for count, numbers in groups.items() if len(numbers) >= 10}


_BY_DIVISORS = _by_divisors()
_DIVISOR_COUNTS = tuple(_BY_DIVISORS)
_LARGEST_FACTORS = (3, 5, 7, 11, 13, 17, 19)


def divisors(rng: random.Random, level: int) -> Item:
    """Divide: remainders, common divisors and multiples.

    Level 1 asks for a remainder, level 2 for the greatest common divisor, level 3 for the least
    common multiple, level 4 for the largest prime factor or the number of divisors, level 5 for the
    remainder of a power or the greatest common divisor of three numbers.
    """
    values: Sequence[int]
    if level == 1:
        by = choice(rng, (5, 6, 7, 8, 9, 11, 12))
        values = sample(rng, range(by), 4)
        ask = choice(rng, ("What is the remainder of {} divided by {}?", "What is {} modulo {}?"))
        question = ask.format(by * randint(rng, 2, 8) + values[0], by)
    elif level == 2:
        values = four(rng, 2, 24, (1, 2, 3, 4, 6))
        a, b = _coprime(rng, 2)
        ask = choice(rng, ("greatest common divisor of", "largest number that divides both"))
        question = f"What is the {ask} {a * values[0]} and {b * values[0]}?"
    elif level == 3:
        k, one, other = randint(rng, 1, 3), pair(rng, 2, 15, (1, 2, 3)), pair(rng, 2, 15, (1, 2, 3))
        ask = choice(
            rng, ("least common multiple of", "smallest positive number divisible by both")
        )
        values = corners(lambda a, b: lcm(k * a, k * b), one, other)
        if {k * n for n in (*one, *other)} & {*values}:
            raise Unfit
        question = f"What is the {ask} {k * one[0]} and {k * other[0]}?"
    elif level == 4:
        return _factors(rng)
    elif randbelow(rng, 2):
        by, base, power = randint(rng, 7, 23), pair(rng, 2, 15), pair(rng, 3, 24)
        values = corners(lambda a, d: pow(a, d, by), base, power)
        a, d = base[0], power[0]
        question = f"What is the remainder of {a}^{d} ({a} to the power {d}) divided by {by}?"
    else:
        values = [2 * n for n in four(rng, 2, 24, (1, 2, 3, 4, 6))]
        a, b, c = (n * values[0] for n in _coprime(rng, 3))
        question = f"What is the greatest common divisor of {a}, {b} and {c}?"
    return offer(question, values)


@redrawn
def _coprime(rng: random.Random, n: int) -> list[int]:
    """Draw different numbers whose greatest common divisor is 1."""
    numbers = sample(rng, range(2, 16), n)
    if gcd(*numbers) > 1:
        raise Unfit
    return numbers


def _factors(rng: random.Random) -> Item:
    """Ask for the largest prime factor or the number of divisors."""
    if randbelow(rng, 2):
        primes = _neighbours(rng, _LARGEST_FACTORS)
        n = primes[0] * randint(rng, 2, min(primes[0], 15)) * randint(rng, 2, min(primes[0], 10))
        return offer(f"What is the largest prime factor of {n}?", primes)
    counts = _neighbours(rng, _DIVISOR_COUNTS)
    n = choice(rng, _BY_DIVISORS[counts[0]])
    return offer(f"How many positive divisors has {n}, counting 1 and {n}?", counts)


def _neighbours(rng: random.Random, numbers: Sequence[int]) -> list[int]:
    """Draw four of five consecutive numbers, in random order."""
    start = randbelow(rng, len(numbers) - 4)
    return sample(rng, numbers[start : start + 5], 4)


def _digits(n: int, base: int) -> str:
    """Write a number in a base from 2 to 10."""
    text = ""
    while n:
        n, digit = divmod(n, base)
        text = str(digit) + text
    return text


def bases(rng: random.Random, level: int) -> Item:
    """Write numbers in other bases.

    Level 1 reads binary, level 2 writes binary, level 3 reads octal and hexadecimal, level 4 turns
    binary into hexadecimal or back, level 5 adds in a base from 3 to 9.
    """
    low, high = ((5, 63), (17, 255), (17, 511), (17, 511), (30, 400))[level - 1]
    base = randint(rng, 3, 9)
    gaps = (1, 2, 4, 8) if level < 3 else (1, 2, 4, 8, 16) if level < 5 else (1, base, 4 * base)
    values = four(rng, low, high, gaps)
    n = values[0]
    if level == 1:
        ask = choice(
            rng, ("What is binary {:b} in decimal?", "Which decimal number is {:b} in base 2?")
        )
        return offer(ask.format(n), values)
    if level == 2:
        ask = choice(rng, ("How is decimal {} written in binary?", "What is {} in base 2?"))
        return offer(ask.format(n), values, "{:b}".format)
    if level == 3:
        shape = choice(rng, ("octal {:o} (base 8)", "hexadecimal {:X}" + _HEX))
        return offer(f"What is {shape.format(n)} in decimal?", values)
    if level == 4 and randbelow(rng, 2):
        text = f"How is binary {n:b} written in hexadecimal{_HEX}?"
        return offer(text, values, "{:X}".format)
    if level == 4:
        text = f"How is hexadecimal {n:X}{_HEX} written in binary?"
        return offer(text, values, "{:b}".format)
    a = randint(rng, min(values) // 4, min(values) // 2)
    text = f"In base {base}, what is {_digits(a, base)} + {_digits(n - a, base)}?"
    text += f" All numbers, also the options, are in base {base}."
    return offer(text, values, lambda value: _digits(value, base))


def _roman(n: int) -> str:
    """Write a number from 1 to 3999 in Roman numerals."""
    thousands, hundreds, tens, ones = _ROMAN
    return thousands[n // 1000] + hundreds[n // 100 % 10] + tens[n // 10 % 10] + ones[n % 10]


def roman(rng: random.Random, level: int) -> Item:
    """Read and write Roman numerals.

    Level 1 reads up to 90, level 2 writes up to 400, level 3 reads up to 1,000, level 4 writes up
    to 3,900, level 5 adds or subtracts two numerals and writes the result.
    """
    low, high = ((4, 90), (51, 400), (101, 1000), (400, 3900), (60, 900))[level - 1]
    gaps = ((1, 2, 5), (1, 2, 5, 10), (1, 5, 10, 40, 100))[min(level, 3) - 1]
    values = four(rng, low, high, gaps)
    n = values[0]
    if level == 1 or level == 3:
        ask = choice(
            rng, ("Which number is the Roman numeral {}?", "What is {} in ordinary digits?")
        )
        return offer(ask.format(_roman(n)), values)
    if level < 5:
        ask = choice(rng, ("How is {} written in Roman numerals?", "Which Roman numeral means {}?"))
        return offer(ask.format(n), values, _roman)
    other = randint(rng, 11, 400)
    if other < min(values) and randbelow(rng, 2):
        text = f"{_roman(n - other)} + {_roman(other)}"
    else:
        text = f"{_roman(n + other)} - {_roman(other)}"
    ask = choice(rng, ("In Roman numerals, what is {}?", "Work out {} in Roman numerals."))
    return offer(ask.format(text), values, _roman)
