"""Calculus: derivatives, integrals, limits, extreme values, tangents.

Invariants: answers are computed from the coefficients with integers and fractions; constants such
as e remain symbols.
"""

import random
from collections.abc import Sequence
from fractions import Fraction

from textgym.envs.generation import choice, randbelow, randint, sample
from textgym.envs.math.families.problem import (
    Number,
    Problem,
    nonzero,
    number,
    polynomial,
    scaled,
    sum_of,
    surd,
    value_at,
)


def _derived(coefficients: Sequence[Number]) -> list[Number]:
    degree = len(coefficients) - 1
    return [c * (degree - i) for i, c in enumerate(coefficients[:-1])]


def _exponential(rate: int) -> str:
    return f"e^{{{scaled(rate, 'x')}}}"


def derivatives(rng: random.Random, level: int) -> Problem:
    """Differentiate a function.

    Level 1 is a quadratic, level 2 a polynomial of degree 4 or 5, level 3 a sum of sines and
    exponentials, level 4 a product, level 5 the second derivative of a product.
    """
    a, b, c, d = (nonzero(rng, 9) for _ in range(4))
    if level <= 2:
        f = [a, b, c] if level == 1 else [a, *(randint(rng, -9, 9) for _ in range(4)), d]
        f = f if level == 1 or randbelow(rng, 2) else f[1:]
        shown, answer = polynomial(f), polynomial(_derived(f))
        if "x" not in answer:
            return derivatives(rng, level)
    elif level == 3:
        b, d = abs(b) % 8 + 2, d % 5 + 2
        wave, derived, sign = choice(rng, (("sin", "cos", 1), ("cos", "sin", -1)))
        shown = sum_of(scaled(a, f"\\{wave}({b}x)"), scaled(c, _exponential(d)))
        answer = sum_of(scaled(sign * a * b, f"\\{derived}({b}x)"), scaled(c * d, _exponential(d)))
    elif level == 4:
        d = d if d > 1 else d - 2
        shown = f"({polynomial([a, b])}){_exponential(d)}"
        answer = f"({polynomial([a * d, a + b * d])}){_exponential(d)}"
    else:
        d = d % 4 + 2
        second = [a * d * d, 4 * a * d + b * d * d, 2 * a + 2 * b * d + c * d * d]
        shown = f"({polynomial([a, b, c])}){_exponential(d)}"
        answer = f"({polynomial(second)}){_exponential(d)}"
    what = "second derivative" if level == 5 else "derivative"
    ask = choice(
        rng,
        (
            "Find the {0} of $f(x) = {1}$.",
            "Let $f(x) = {1}$. What is its {0}?",
            "Determine the {0} of $f(x) = {1}$ with respect to $x$.",
        ),
    )
    return Problem(ask.format(what, shown), answer)


def integrals(rng: random.Random, level: int) -> Problem:
    """Integrate a function between two bounds.

    Level 1 is linear, level 2 quadratic, level 3 a cubic, level 4 the area between a parabola and a
    line, level 5 a product with an exponential.
    """
    low = randint(rng, 0, 4) if level < 3 else randint(rng, -4, 1)
    high = low + randint(rng, 1, 4)
    f = [nonzero(rng, 9) for _ in range(level + 1)]
    if level == 4:
        a, m = nonzero(rng, 5), randint(rng, -6, 6)
        parabola = [a, m - a * (low + high), f[0] + a * low * high]
        ask = choice(
            rng,
            (
                "Find the area enclosed by the parabola $y = {}$ and the line $y = {}$.",
                "The curves $y = {}$ and $y = {}$ enclose a region. What is its area?",
            ),
        )
        question = ask.format(polynomial(parabola), polynomial([m, f[0]]))
        return Problem(question, number(Fraction(abs(a) * (high - low) ** 3, 6)))
    if level == 5:
        a, b, k = f[0], f[1], randint(rng, 1, 6)
        low, high, shown = 0, k, f"({polynomial([a, b])})e^x"
        power = "e" if k == 1 else f"e^{k}"
        answer = sum_of(scaled(a * k + b - a, power), number(a - b))
    else:
        degree = len(f) - 1
        integral: list[Number] = [Fraction(c, degree + 1 - i) for i, c in enumerate(f)]
        integral.append(0)
        shown, answer = polynomial(f), number(value_at(integral, high) - value_at(integral, low))
    ask = choice(
        rng,
        (
            "Integrate $f(x) = {}$ from $x = {}$ to $x = {}$.",
            "What is the definite integral of $f(x) = {}$ from $x = {}$ to $x = {}$?",
            "Evaluate the integral of $f(x) = {}$ over $x$ from ${}$ to ${}$.",
        ),
    )
    return Problem(ask.format(shown, low, high), answer)


def limits(rng: random.Random, level: int) -> Problem:
    """Find a limit.

    Level 1 cancels a difference of squares, level 2 a general factor, level 3 goes to infinity,
    level 4 has a square root, level 5 trigonometric and exponential functions.
    """
    a, b, c = randint(rng, 1, 12), nonzero(rng, 12), randint(rng, 2, 9)
    target = "0"
    if level == 1:
        k, target = nonzero(rng, 9), str(a)
        top, bottom = polynomial([k, 0, -k * a * a]), polynomial([1, -a])
        answer = str(2 * a * k)
    elif level == 2:
        p, target = choice(rng, (-1, 1)) * c, str(b)
        top = polynomial([p, a - p * b, -a * b])
        bottom = polynomial([1, c - b, -b * c])
        if b == -c:
            return limits(rng, level)
        answer = number(Fraction(p * b + a, b + c))
    elif level == 3:
        degree = randint(rng, 2, 4)
        numbers = [nonzero(rng, 9) for _ in range(2 * degree)]
        target = choice(rng, ("\\infty", "-\\infty"))
        top, bottom = polynomial([b, *numbers[:degree]]), polynomial([c, *numbers[degree:]])
        answer = number(Fraction(b, c))
    elif level == 4:
        k = nonzero(rng, 12)
        root = f"\\sqrt{{{polynomial([k, a * a])}}}"
        top, bottom = f"{root} - {a}", scaled(c, "x")
        answer = number(Fraction(k, 2 * a * c))
    else:
        a = a + 1
        top, bottom, value = choice(
            rng,
            (
                (f"\\sin({a}x)", f"e^{{{scaled(b, 'x')}}} - 1", Fraction(a, b)),
                (f"1 - \\cos({a}x)", f"{c}x^2", Fraction(a * a, 2 * c)),
                (f"\\ln(1 + {a}x)", f"\\sin({c}x)", Fraction(a, c)),
                (f"e^{{{a}x}} - 1 - {a}x", f"{c}x^2", Fraction(a * a, 2 * c)),
            ),
        )
        answer = number(value)
    quotient = f"\\frac{{{top}}}{{{bottom}}}"
    ask = choice(
        rng,
        (
            "What does ${}$ approach as $x \\to {}$?",
            "Find the limit of ${}$ as $x$ tends to ${}$.",
            "Determine the limit of ${}$ for $x \\to {}$.",
        ),
    )
    return Problem(ask.format(quotient, target), answer)


def extrema(rng: random.Random, level: int) -> Problem:
    """Find an extreme value.

    Level 1 has a parabola with leading coefficient 1, level 2 any parabola, level 3 a local
    extremum of a cubic, level 4 a cubic on an interval, level 5 the sum of a multiple and a
    reciprocal.
    """
    p, k = randint(rng, -9, 9), randint(rng, -20, 20)
    word = "smallest"
    if level <= 2:
        a = 1 if level == 1 else choice(rng, (-1, 1)) * randint(rng, 2, 9)
        b = nonzero(rng, 15) if level == 2 else -2 * p
        word = "smallest" if a > 0 else "largest"
        shown, where = polynomial([a, b, k]), "real $x$"
        answer = number(k - Fraction(b * b, 4 * a))
    elif level <= 4:
        low, high = sorted(sample(rng, range(-5, 6), 2))
        low, high = low - (low + high) % 2, high
        a = randint(rng, 1, 3) * 2
        f = [a, -3 * a * (low + high) // 2, 3 * a * low * high, k]
        if level == 3:
            word, at = choice(rng, (("maximum", low), ("minimum", high)))
            ask = choice(
                rng,
                (
                    "Find the value of $f(x) = {}$ at its local {}.",
                    "The function $f(x) = {}$ has a local {}. What is its value there?",
                ),
            )
            return Problem(ask.format(polynomial(f), word), number(value_at(f, at)))
        left, right = low - randint(rng, 0, 2), high + randint(rng, 0, 4)
        candidates = [value_at(f, x) for x in (left, low, high, right)]
        word, value = choice(rng, (("largest", max(candidates)), ("smallest", min(candidates))))
        shown, where, answer = polynomial(f), f"${left} \\le x \\le {right}$", number(value)
    else:
        a, b, c = randint(rng, 1, 20), randint(rng, 1, 20), randint(rng, 1, 12)
        shown, where = f"{scaled(a, 'x')} + \\frac{{{b}}}{{x}} + {c}", "$x > 0$"
        answer = sum_of(surd(2, a * b), str(c))
        if "sqrt" not in answer:
            answer = str(c + int(surd(2, a * b)))
    ask = choice(
        rng,
        (
            "What is the {1} value of $f(x) = {0}$ for {2}?",
            "Find the {1} value that $f(x) = {0}$ takes for {2}.",
        ),
    )
    return Problem(ask.format(shown, word, where), answer)


def tangents(rng: random.Random, level: int) -> Problem:
    """Find a slope or a tangent.

    Level 1 asks for the slope of a parabola, level 2 for its tangent, level 3 for the tangent of a
    cubic, level 4 for a normal, level 5 for the slope of an implicit curve.
    """
    x = randint(rng, -6, 6)
    f: list[Number] = [nonzero(rng, 7) for _ in range(3 if level < 3 else 4)]
    slope, height = value_at(_derived(f), x), value_at(f, x)
    if level == 1:
        ask = choice(
            rng,
            (
                "What is the slope of $y = {}$ at $x = {}$?",
                "How steep is the curve $y = {}$ at $x = {}$? Give its slope.",
            ),
        )
        return Problem(ask.format(polynomial(f), x), number(slope))
    if level == 5:
        a, b, c = randint(rng, 1, 5), nonzero(rng, 5), randint(rng, 1, 5)
        p, q = nonzero(rng, 6), nonzero(rng, 6)
        if not b * p + 2 * c * q:
            return tangents(rng, level)
        curve = sum_of(scaled(a, "x^2"), scaled(b, "xy"), scaled(c, "y^2"))
        total = a * p * p + b * p * q + c * q * q
        ask = choice(
            rng,
            (
                "What is the slope of the curve ${} = {}$ at the point $({}, {})$?",
                "Find the value of $\\frac{{dy}}{{dx}}$ on ${} = {}$ at $({}, {})$.",
            ),
        )
        question = ask.format(curve, total, p, q)
        return Problem(question, number(-Fraction(2 * a * p + b * q, b * p + 2 * c * q)))
    if not slope:
        return tangents(rng, level)
    name = "normal line" if level == 4 else "tangent"
    slope = Fraction(-1) / slope if level == 4 else slope
    ask = choice(
        rng,
        (
            "Find the {} to $y = {}$ at $x = {}$, in the form $y = mx + b$.",
            "Give the equation of the {} to $y = {}$ at $x = {}$, solved for $y$.",
        ),
    )
    line = polynomial([slope, height - slope * x])
    return Problem(ask.format(name, polynomial(f), x), f"y = {line}")
