"""Algebra: equations, systems, inequalities, polynomials, functions, logarithms, complex numbers.

Invariants: equations are built from their solutions, which are exact; if the answer can be written
in several ways, the question says which form is required; all values that a question asks for
exist, and arguments of logarithms are positive.
"""

from __future__ import annotations

import random
from fractions import Fraction
from math import comb

from textgym.envs.generation import choice, randbelow, randint, sample
from textgym.envs.math.families.matrices import determinant
from textgym.envs.math.families.problem import (
    Number,
    Problem,
    nonzero,
    number,
    point,
    polynomial,
    scaled,
    sum_of,
    surd,
    value_at,
)

_SOLVE = ("Solve ${}$ for $x$.", "Find $x$ if ${}$.", "For which $x$ is ${}$?")
_SYSTEM = (
    "Solve the system ${}$. Give the solution as {}.",
    "The numbers satisfy ${}$. Find {}.",
    "Which values fulfil ${}$ at once? Answer with {}.",
)
_INTERVAL = (
    "Solve ${}$. Give the solution set in interval notation.",
    "For which real $x$ is ${}$? Answer in interval notation.",
    "Write the set of all real $x$ with ${}$ in interval notation.",
)


def linear_equations(rng: random.Random, level: int) -> Problem:
    """Solve a linear equation.

    Level 1 has one operation, level 2 two, level 3 the unknown on both sides, level 4 brackets on
    both sides, level 5 fractions.
    """
    x, a = randint(rng, -12, 20), randint(rng, 2, 9)
    b, c, d, e = (nonzero(rng, 12) for _ in range(4))
    solution: Number = x
    if level == 1:
        b *= 5
        left, right = polynomial([1, b]), str(x + b)
        if randbelow(rng, 2):
            left, right = polynomial([a, 0]), str(a * x)
    elif level == 2:
        left, right = polynomial([a, b]), str(a * x + b)
    elif level == 3:
        left, right = polynomial([a + 1, b]), polynomial([c - 12, (a + 13 - c) * x + b])
    elif level == 4:
        left = f"{a}({polynomial([1, b])})"
        right = sum_of(f"{a + 3}({polynomial([2, c])})", str(d))
        solution = Fraction(a * b - (a + 3) * c - d, a + 6)
    else:
        bottom = randint(rng, a + 1, a + 6)
        first, second = polynomial([abs(d) + 1, b]), polynomial([1, c])
        left = f"\\frac{{{first}}}{{{a}}} + \\frac{{{second}}}{{{bottom}}}"
        right = str(e)
        solution = Fraction(a * bottom * e - b * bottom - c * a, (abs(d) + 1) * bottom + a)
    if right == number(solution):
        return linear_equations(rng, level)
    return Problem(choice(rng, _SOLVE).format(f"{left} = {right}"), number(solution))


def systems(rng: random.Random, level: int) -> Problem:
    """Solve a system of linear equations.

    Level 1 gives sum and difference, level 2 has two unknowns and small coefficients, level 3
    larger coefficients and fractional solutions, level 4 three unknowns one after the other, level
    5 three at once.
    """
    names = "xyz" if level > 3 else "xy"
    values: list[Number] = [randint(rng, -12, 15) for _ in names]
    if level == 3:
        values = [Fraction(int(v), randint(rng, 2, 5)) for v in values]
    rows = {1: [[1, 1], [1, -1]], 4: [[1, 1, 1], [0, 1, nonzero(rng, 4)], [0, 0, 3]]}.get(level)
    while rows is None or not determinant(rows):
        most = {2: 4, 3: 12, 5: 4}[level]
        rows = [[nonzero(rng, most) for _ in names] for _ in names]
    equations = []
    for row in rows:
        total = sum((c * v for c, v in zip(row, values, strict=True)), Fraction(0))
        scale = total.denominator
        left = sum_of(*(scaled(c * scale, name) for c, name in zip(row, names, strict=True)))
        equations.append(f"{left} = {number(total * scale)}")
    asked = f"the ordered {'pair' if level < 4 else 'triple'} $({', '.join(names)})$"
    question = choice(rng, _SYSTEM).format(", \\quad ".join(equations), asked)
    return Problem(question, point(*values))


def quadratics(rng: random.Random, level: int) -> Problem:
    """Solve a quadratic equation.

    Level 1 asks for the larger of two integer solutions, level 2 for both, level 3 has fractions,
    level 4 square roots, level 5 complex numbers.
    """
    p, q = sample(rng, [n for n in range(-12, 13) if n], 2)
    a = randint(rng, 2, 6)
    both = "List both solutions, separated by a comma."
    if level == 1:
        asked, answer = "Give the larger solution.", str(max(p, q))
        shown = polynomial([1, -p - q, p * q])
    elif level == 2:
        asked, answer = both, f"{min(p, q)}, {max(p, q)}"
        shown = polynomial([1, -p - q, p * q])
    elif level == 3:
        b = randint(rng, 2, 5)
        first, second = sorted((Fraction(p, a), Fraction(q, b)))
        if first == second:
            return quadratics(rng, level)
        asked, answer = both, f"{number(first)}, {number(second)}"
        shown = polynomial([a * b, -b * p - a * q, p * q])
    elif level == 4:
        n = choice(rng, (2, 3, 5, 6, 7, 8, 10, 11, 12, 13))
        asked = "Give the larger solution, exactly."
        answer = sum_of(number(Fraction(p, a)), surd(Fraction(1, a), n))
        shown = polynomial([a * a, -2 * a * p, p * p - n])
    else:
        asked = "Give the solution with positive imaginary part."
        part = abs(q) if randbelow(rng, 2) else 0
        n = part * part if part else choice(rng, (2, 3, 5, 6, 7))
        height = number(part) if part > 1 else "" if part else f"\\sqrt{{{n}}}"
        answer = sum_of(str(p), f"{height}i")
        shown = polynomial([1, -2 * p, p * p + n])
    ask = choice(
        rng,
        (
            "Solve ${} = 0$. {}",
            "Consider the equation ${} = 0$. {}",
            "What are the solutions of ${} = 0$? {}",
        ),
    )
    return Problem(ask.format(shown, asked), answer)


def vieta(rng: random.Random, level: int) -> Problem:
    """Find a symmetric function of a polynomial's roots.

    Level 1 asks for a quadratic's sum or product, level 2 the sum of squares, level 3 the sum of
    reciprocals of a cubic, level 4 the sum of squares of a cubic, level 5 the sum of cubes of a
    cubic.
    """
    a = randint(rng, 1, 6) if level < 4 else 1
    b, c, d = (nonzero(rng, 15) for _ in range(3))
    s, t, u = Fraction(-b, a), Fraction(c, a), Fraction(-d, a)
    if level <= 2:
        shown, names = polynomial([a, b, c]), "two roots $r$ and $s$"
    else:
        shown, names = polynomial([a, b, c, d]), "three roots $r$, $s$ and $t$"
    asked, value = (
        choice(rng, (("the sum of the roots", s), ("the product of the roots", t))),
        ("$r^2 + s^2$", s * s - 2 * t),
        ("$\\frac{1}{r} + \\frac{1}{s} + \\frac{1}{t}$", t / u),
        ("$r^2 + s^2 + t^2$", s * s - 2 * t),
        ("$r^3 + s^3 + t^3$", s**3 - 3 * s * t + 3 * u),
    )[level - 1]
    ask = choice(
        rng,
        (
            "The polynomial ${0}$ has the {1}, complex and repeated ones included. Find {2}.",
            "Let ${0}$ have the {1} in the complex numbers, counted with multiplicity. "
            "What is {2}?",
        ),
    )
    return Problem(ask.format(shown, names, asked), number(value))


def inequalities(rng: random.Random, level: int) -> Problem:
    """Solve an inequality.

    Level 1 is linear, level 2 linear with the unknown on both sides, level 3 has an absolute value,
    level 4 is quadratic, level 5 a quotient.
    """
    low = randint(rng, -15, 10)
    high = low + randint(rng, 1, 12)
    a, b = randint(rng, 2, 9), nonzero(rng, 12)
    strict = randbelow(rng, 2)
    less, more = ("<", ">") if strict else ("\\le", "\\ge")
    opened, closed = "()" if strict else "[]"
    if level <= 2:
        edge = Fraction(low, randint(rng, 1, 4))
        x_left = a if level == 1 else randint(rng, -9, -1)
        x_right = 0 if level == 1 else randint(rng, 1, 9)
        scale = edge.denominator
        left = polynomial([x_left * scale, b])
        right = polynomial([x_right * scale, b + (x_left - x_right) * edge * scale])
        below_edge = bool(randbelow(rng, 2))
        relation = less if below_edge == (x_left > x_right) else more
        shown = f"{left} {relation} {right}"
        end = number(edge)
        answer = f"(-\\infty, {end}{closed}" if below_edge else f"{opened}{end}, \\infty)"
    elif level == 3:
        shown = f"|{polynomial([2, -low - high])}| {less} {high - low}"
        answer = f"{opened}{low}, {high}{closed}"
    elif level == 4:
        inner = randbelow(rng, 2)
        shown = f"{polynomial([a, -a * (low + high), a * low * high])} {less if inner else more} 0"
        outer = f"(-\\infty, {low}{closed} \\cup {opened}{high}, \\infty)"
        answer = f"{opened}{low}, {high}{closed}" if inner else outer
    else:
        shown = f"\\frac{{{polynomial([a, -a * low])}}}{{{polynomial([1, -high])}}} {more} 0"
        answer = f"(-\\infty, {low}{closed} \\cup ({high}, \\infty)"
    return Problem(choice(rng, _INTERVAL).format(shown), answer)


def coefficients(rng: random.Random, level: int) -> Problem:
    """Find a coefficient of a product.

    Level 1 multiplies two linear factors, level 2 with leading coefficients, level 3 three factors,
    level 4 raises a factor to a power, level 5 multiplies that by another factor.
    """
    a, b, c, d, e = (nonzero(rng, 12) for _ in range(5))
    if level <= 2:
        p, q = (1, 1) if level == 1 else (randint(rng, 2, 9), randint(rng, 2, 9))
        product, power = f"({polynomial([p, a])})({polynomial([q, b])})", 1
        value = p * b + q * a
    elif level == 3:
        p, q, r = (randint(rng, 1, 4) for _ in range(3))
        factors = (polynomial([p, a]), polynomial([q, b]), polynomial([r, c]))
        product, power = "".join(f"({factor})" for factor in factors), choice(rng, (1, 2))
        squares = p * q * c + p * r * b + q * r * a
        value = squares if power == 2 else p * b * c + q * a * c + r * a * b
    else:
        p, n = randint(rng, 1, 3), randint(rng, 4, 7)
        a = a % 5 + 1 if level == 4 else (a % 3 + 1) * choice(rng, (-1, 1))
        power = randint(rng, 2, n - 1)
        product = f"({polynomial([p, a])})^{n}"
        value = comb(n, power) * p**power * a ** (n - power)
        if level == 5:
            product = f"({polynomial([d, e])}){product}"
            value = e * value + d * comb(n, power - 1) * p ** (power - 1) * a ** (n - power + 1)
    term = "x" if power == 1 else f"x^{power}"
    ask = choice(
        rng,
        (
            "What is the coefficient of ${1}$ in the expansion of ${0}$?",
            "Expand ${0}$. What is the coefficient of ${1}$?",
            "When ${0}$ is multiplied out, which number stands before ${1}$?",
        ),
    )
    return Problem(ask.format(product, term), str(value))


_LOGARITHM = (
    "Solve ${}$ for real $x$.",
    "Find the real number $x$ with ${}$.",
    "For which real $x$ is ${}$?",
)


def values(rng: random.Random, level: int) -> Problem:
    """Evaluate a function.

    Level 1 is linear, level 2 quadratic, level 3 a composition, level 4 the inverse of a quotient,
    level 5 a quotient applied three times.
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

    Level 1 asks for the argument, level 2 wraps it in a linear term, level 3 adds two logarithms,
    level 4 hides a quadratic in an exponential, level 5 has two different bases.
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

    Level 1 adds, level 2 multiplies, level 3 divides, level 4 takes a power, level 5 divides a
    power by a number.
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
