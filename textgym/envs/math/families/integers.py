"""Number theory: divisors, remainders of powers, congruences, number bases, factorials.

Invariants: answers are integers, computed exactly.
"""

import random
from math import gcd, isqrt, lcm

from textgym.envs.generation import choice, randint
from textgym.envs.math.families.problem import Problem

_PRIMES = (2, 3, 5, 7, 11, 13)
_DIGITS = "0123456789"
_DIVISORS = (
    (
        "How many positive divisors does ${}$ have?",
        "Count the positive whole numbers that divide ${}$.",
    ),
    (
        "What is the sum of all positive divisors of ${}$?",
        "Add up all positive whole numbers that divide ${}$. What is the sum?",
    ),
    (
        "How many positive whole numbers up to ${0}$ have no common factor with it but $1$?",
        "Find the number of positive whole numbers up to ${0}$ that are coprime to ${0}$.",
    ),
)


def _factors(n: int) -> dict[int, int]:
    found: dict[int, int] = {}
    divisor = 2
    while n > 1:
        if divisor > isqrt(n):
            divisor = n
        while n % divisor == 0:
            found[divisor] = found.get(divisor, 0) + 1
            n //= divisor
        divisor += 1
    return found


def divisors(rng: random.Random, level: int) -> Problem:
    """Find divisors.

    Level 1 asks for a greatest common divisor, level 2 for a least common multiple, level 3 for the
    number of divisors, level 4 for their sum, level 5 for the count of numbers coprime to another.
    """
    if level <= 2:
        k = randint(rng, 2, 24)
        a, b = k * randint(rng, 4, 30), k * randint(rng, 4, 30)
        if a % b == 0 or b % a == 0:
            return divisors(rng, level)
        if level == 1:
            ask = choice(
                rng,
                (
                    "Find the greatest common divisor of ${}$ and ${}$.",
                    "What is the largest number that divides both ${}$ and ${}$?",
                ),
            )
            return Problem(ask.format(a, b), str(gcd(a, b)))
        ask = choice(
            rng,
            (
                "Find the least common multiple of ${}$ and ${}$.",
                "What is the smallest positive number divisible by ${}$ and by ${}$?",
            ),
        )
        return Problem(ask.format(a, b), str(lcm(a, b)))
    n = randint(rng, 5, 40) * randint(rng, 4, 30) * (1, 1, 4)[level - 3]
    if level == 3:
        n = 2 ** randint(rng, 0, 5) * 3 ** randint(rng, 0, 3) * 5 ** randint(rng, 0, 2)
        n *= choice(rng, (7, 11, 13, 49, 77, 91))
    number_of, total, prime_to = 1, 1, n
    for prime, power in _factors(n).items():
        number_of *= power + 1
        total *= (prime ** (power + 1) - 1) // (prime - 1)
        prime_to -= prime_to // prime
    answer = (number_of, total, prime_to)[level - 3]
    return Problem(choice(rng, _DIVISORS[level - 3]).format(n), str(answer))


def remainders(rng: random.Random, level: int) -> Problem:
    """Find the remainder of a product, a power or a sum of powers.

    Level 1 divides a product, level 2 a small power, level 3 a large power by a prime, level 4 by
    100 or 1000, level 5 a sum of two large powers.
    """
    a, b, m = randint(rng, 12, 99), randint(rng, 12, 99), randint(rng, 7, 40)
    k, j = randint(rng, 50, 999), randint(rng, 50, 999)
    if level == 1:
        text, value = f"{a} \\cdot {b}", a * b % m
    elif level == 2:
        a, k = a % 11 + 2, k % 6 + 3
        text, value = f"{a}^{k}", a**k % m
        if a**k < m:
            return remainders(rng, level)
    elif level == 3:
        m = choice(rng, (11, 13, 17, 19, 23, 29, 31, 37))
        a = a % (m - 2) + 2
        text, value = f"{a}^{{{k}}}", pow(a, k, m)
    elif level == 4:
        m = choice(rng, (100, 1000))
        text, value = f"{a}^{{{k}}}", pow(a, k, m)
    else:
        m += 30
        text, value = f"{a}^{{{k}}} + {b}^{{{j}}}", (pow(a, k, m) + pow(b, j, m)) % m
    ask = choice(
        rng,
        (
            "What is the remainder when ${}$ is divided by ${}$?",
            "Find the remainder of ${}$ on division by ${}$.",
            "The number ${}$ is divided by ${}$ with remainder. What is the remainder?",
        ),
    )
    return Problem(ask.format(text, m), str(value))


def congruences(rng: random.Random, level: int) -> Problem:
    """Find the smallest number that solves congruences.

    Level 1 has two small moduli, level 2 one with a coefficient, level 3 two larger moduli, level 4
    three, level 5 two with coefficients.
    """
    count, most = ((2, 9), (1, 40), (2, 30), (3, 18), (2, 25))[level - 1]
    moduli: list[int] = []
    while len(moduli) < count:
        m = randint(rng, 4 if level < 3 else 10, most)
        if all(gcd(m, other) == 1 for other in moduli):
            moduli.append(m)
    product = 1
    for m in moduli:
        product *= m
    x = randint(rng, 1 if count == 1 else max(moduli), product - 1)
    given = []
    for m in moduli:
        a = 1
        if level in (2, 5):
            fitting = [a for a in range(2, m) if gcd(a, m) == 1 and (a - 1) * x % m]
            if not fitting:
                return congruences(rng, level)
            a = choice(rng, fitting)
        left = "x" if a == 1 else f"{a}x"
        given.append(f"${left} \\equiv {a * x % m} \\pmod{{{m}}}$")
    shown = " and ".join(given) if count < 3 else f"{given[0]}, {given[1]} and {given[2]}"
    ask = choice(
        rng,
        (
            "Find the smallest positive whole number $x$ with {}.",
            "What is the least positive integer $x$ such that {}?",
        ),
    )
    return Problem(ask.format(shown), str(x))


def _in_base(n: int, base: int) -> str:
    text = ""
    while n:
        text = _DIGITS[n % base] + text
        n //= base
    return text or "0"


def bases(rng: random.Random, level: int) -> Problem:
    """Calculate in number bases under ten.

    Level 1 reads a numeral, level 2 writes one, level 3 adds two, level 4 multiplies two, level 5
    finds the base.
    """
    base = randint(rng, 3, 9)
    a, b = randint(rng, base**2, base**4 - 1), randint(rng, base, base**3 - 1)
    if level == 1:
        base = randint(rng, 2, 9)
        ask = choice(
            rng,
            (
                "Write the base-{1} numeral {0} in base ten.",
                "Which decimal number is {0} in base {1}?",
            ),
        )
        return Problem(ask.format(_in_base(a, base), base), str(a))
    if level == 2:
        ask = choice(
            rng,
            (
                "Write ${}$ in base {}. Give the digits only.",
                "What are the digits of ${}$ in base {}?",
            ),
        )
        return Problem(ask.format(a, base), _in_base(a, base))
    if level < 5:
        word, value = ("sum", a + b) if level == 3 else ("product", a * b)
        ask = choice(
            rng,
            (
                "In base {0}, find the {1} of {2} and {3}. Give the digits only.",
                "The base-{0} numerals {2} and {3} have which {1}, in base {0}? Give the "
                "digits only.",
            ),
        )
        shown = ask.format(base, word, _in_base(a, base), _in_base(b, base))
        return Problem(shown, _in_base(value, base))
    base = randint(rng, 5, 40)
    digits = [randint(rng, 1, 4), randint(rng, 0, 4), randint(rng, 0, 4)]
    value = (digits[0] * base + digits[1]) * base + digits[2]
    shown = "".join(map(str, digits))
    ask = choice(
        rng,
        (
            "In which base does the numeral {} mean ${}$?",
            "The numeral {} in some base equals the decimal number ${}$. Find the base.",
        ),
    )
    return Problem(ask.format(shown, value), str(base))


def factorials(rng: random.Random, level: int) -> Problem:
    """Find the highest power of a number that divides a factorial.

    Level 1 counts final zeros, level 2 a prime's power, level 3 a prime's power in a quotient,
    level 4 a composite number's power, level 5 final zeros in another base, of a quotient.
    """
    n = randint(rng, 20, 400) if level < 4 else randint(rng, 50, 900)
    less, prime = randint(rng, 5, n - 5), choice(rng, _PRIMES)
    if level == 1:
        ask = choice(
            rng,
            (
                "How many zeros does ${}!$ end with?",
                "How many zeros stand at the end of the decimal digits of ${}!$?",
            ),
        )
        return Problem(ask.format(n), str(_power_in(n, 5)))
    ask = choice(
        rng,
        (
            "What is the largest $k$ for which ${0}^k$ divides ${1}$?",
            "Find the greatest whole number $k$ such that ${1}$ is a multiple of ${0}^k$.",
        ),
    )
    quotient = f"\\frac{{{n}!}}{{{less}!}}"
    if level == 2:
        return Problem(ask.format(prime, f"{n}!"), str(_power_in(n, prime)))
    if level == 3:
        value = _power_in(n, prime) - _power_in(less, prime)
        return Problem(ask.format(prime, quotient), str(value))
    m = choice(rng, (4, 6, 8, 9, 10, 12, 14, 15, 18, 20, 21, 24))
    if level == 4:
        value = min(_power_in(n, p) // power for p, power in _factors(m).items())
        return Problem(ask.format(m, f"{n}!"), str(value))
    value = min((_power_in(n, p) - _power_in(less, p)) // q for p, q in _factors(m).items())
    ask = choice(
        rng,
        (
            "How many zeros does ${}$ end with when it is written in base {}?",
            "The number ${}$ is written in base {}. How many zeros are at its end?",
        ),
    )
    return Problem(ask.format(quotient, m), str(value))


def _power_in(n: int, prime: int) -> int:
    """Return the exponent of a prime in n factorial."""
    count = 0
    while n:
        n //= prime
        count += n
    return count
