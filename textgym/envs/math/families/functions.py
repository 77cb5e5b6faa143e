"""Functions: values and inverses, logarithms, complex numbers.

Invariants: all values that a question asks for exist, and arguments of logarithms are positive.
"""

import random
from fractions import Fraction

from textgym.envs.drawing import choice, randbelow, randint, sample

from .problem import Number, Problem, nonzero, number, polynomial, scaled, sum_of, value_at

_LOGARITHM = (
    "Solve ${}$ for real $x$.",
    "Find the real number $x$ with ${}$.",
    "For which real $x$ is ${}$?",
)


def values(rng: random.Random, level: int) -> Problem:
    """Evaluate a function.

    Level 1 is linear, 2 quadratic, 3 a composition, 4 the inverse of a quotient, 5 a quotient
    applied three times.
    """
    x, a = randint(rng, -9, 9), randint(rng, 2, 9)
    b, c, d = (nonzero(rng, 9) for _ in range(3))
    if level <= 2:
        f = [a, b] if level == 1 else [a, b, c]
        value = Fraction(value_at(f, x))
        given, asked = f"$f(x) = {polynomial(f)}$", f"f({x})"
    elif level == 3:
        value = Fraction(value_at([a, b, c], value_at([d, a], x)))
        given = f"$f(x) = {polynomial([a, b, c])}$ and $g(x) = {polynomial([d, a])}$"
        asked = f"f(g({x}))"
    else:
        quotient = f"\\frac{{{polynomial([a, b])}}}{{{polynomial([c, d])}}}"
        given = f"$f(x) = {quotient}$"
        value = Fraction(x)
        if a * d == b * c:
            return values(rng, level)
        for _ in range(1 if level == 4 else 3):
            matrix = (d, -b, -c, a) if level == 4 else (a, b, c, d)
            bottom = matrix[2] * value + matrix[3]
            if not bottom:
                return values(rng, level)
            value = (matrix[0] * value + matrix[1]) / bottom
        asked = f"f^{{-1}}({x})" if level == 4 else f"f(f(f({x})))"
    ask = choice(rng, ("Let {}. Find ${}$.", "If {}, what is ${}$?", "Given {}, evaluate ${}$."))
    return Problem(ask.format(given, asked), number(value))


def logarithms(rng: random.Random, level: int) -> Problem:
    """Solve an equation with logarithms or exponents.

    Level 1 asks for the argument, 2 wraps it in a linear term, 3 adds two logarithms, 4 hides a
    quadratic in an exponential, 5 has two different bases.
    """
    base = randint(rng, 2, 7)
    k = randint(rng, 2, 5 if base < 4 else 3)
    a, b = randint(rng, 2, 9), nonzero(rng, 30)
    answer: Number
    if level == 1:
        base, k = randint(rng, 2, 30), choice(rng, (-3, -2, -1, 2, 3, 4))
        equation, answer = f"\\log_{{{base}}} x = {k}", Fraction(base) ** k
    elif level == 2:
        equation = f"\\log_{{{base}}} ({polynomial([a, b])}) = {k}"
        answer = Fraction(base**k - b, a)
    elif level == 3:
        i = randint(rng, 0, k // 2)
        answer, other = base ** (k - i), base**i
        shift = randint(rng, 1 - other, 12)
        answer -= shift
        second = polynomial([1, shift + other - base ** (k - i)])
        first = polynomial([1, shift])
        equation = f"\\log_{{{base}}} ({first}) + \\log_{{{base}}} ({second}) = {k}"
    elif level == 4:
        i, j = sample(rng, range(1, 8 if base < 4 else 6), 2)
        times = randint(rng, 1, 4)
        middle = f"{base**i + base**j} \\cdot {base}^{{{scaled(times, 'x')}}}"
        quadratic = f"{base}^{{{2 * times}x}} - {middle} + {base ** (i + j)}"
        ask = choice(
            rng,
            (
                "Find the {1} real solution of ${0} = 0$.",
                "What is the {1} real number $x$ with ${0} = 0$?",
            ),
        )
        larger = randbelow(rng, 2)
        answer = Fraction(max(i, j) if larger else min(i, j), times)
        word = "largest" if larger else "smallest"
        return Problem(ask.format(quadratic, word), number(answer))
    else:
        base, t = choice(rng, (2, 3, 5)), randint(rng, 1, 6)
        i, j = sample(rng, (1, 2, 3), 2)
        p, q = randint(rng, 1, 4), randint(rng, 1, 4)
        terms = [scaled(times, f"\\log_{{{base**power}}} x") for times, power in ((p, i), (q, j))]
        equation = f"{sum_of(*terms)} = {number(Fraction(t * p, i) + Fraction(t * q, j))}"
        answer = base**t
    if equation.endswith(f" = {number(answer)}"):
        return logarithms(rng, level)
    return Problem(choice(rng, _LOGARITHM).format(equation), number(answer))


Gauss = tuple[Fraction, Fraction]


def _times(z: Gauss, w: Gauss) -> Gauss:
    return z[0] * w[0] - z[1] * w[1], z[0] * w[1] + z[1] * w[0]


def _complex(z: Gauss) -> str:
    return sum_of(number(z[0]), scaled(z[1], "i"))


def complex_numbers(rng: random.Random, level: int) -> Problem:
    """Calculate with complex numbers.

    Level 1 adds, 2 multiplies, 3 divides, 4 takes a power, 5 divides a power by a number.
    """
    a, b, c, d = (Fraction(nonzero(rng, 9)) for _ in range(4))
    if level >= 4:
        a, b = Fraction(a % 4 + 1), Fraction(b % 4 + 1) * choice(rng, (-1, 1))
    z, w = (a, b), (c, d)
    n = randint(rng, 3, 6)
    size = c * c + d * d
    inverse = (c / size, -d / size)
    power = z
    for _ in range(n - 1):
        power = _times(power, z)
    both = f"$z = {_complex(z)}$ and $w = {_complex(w)}$"
    given, what, value = (
        (both, "the sum of $z$ and $w$", (a + c, b + d)),
        (both, "the product of $z$ and $w$", _times(z, w)),
        (both, "the quotient of $z$ by $w$", _times(z, inverse)),
        (f"$z = {_complex(z)}$", f"$z^{n}$", power),
        (both, f"the quotient of $z^{n}$ by $w$", _times(power, inverse)),
    )[level - 1]
    if value in (z, w):
        return complex_numbers(rng, level)
    ask = choice(
        rng, ("Let {}. Find {} in the form $a + bi$.", "If {}, what is {}? Write it as $a + bi$.")
    )
    return Problem(ask.format(given, what), _complex(value))
