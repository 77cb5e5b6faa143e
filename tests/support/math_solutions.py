"""Solutions of the generated mathematical problems that do not use the generator.

Each solver reads only the question's text, and enumerates, searches or calls sympy. It returns the
answer as a sympy value or a tuple of values, or a function that checks an answer.
"""

from __future__ import annotations

import itertools
import math
import re
from collections import Counter
from collections.abc import Callable
from fractions import Fraction
from functools import cache
from typing import Any

import sympy
from latex2sympy2_extended import latex2sympy
from sympy import I, Rational, oo, sqrt

X, Y, N = sympy.symbols("x y n")
PLAIN = {"x": X, "y": Y, "n": N, "z": sympy.Symbol("z"), "i": I}


def read(latex: str) -> Any:
    """Parse LaTeX into an evaluated sympy value."""
    found = latex2sympy(latex)
    if isinstance(found, sympy.MatrixBase):
        return sympy.Matrix(found).applyfunc(sympy.nsimplify)
    return found.subs({s: PLAIN[s.name] for s in found.free_symbols if s.name in PLAIN}).doit()


def read_answer(latex: str) -> Any:
    """Parse an answer: a value, a matrix, or several values in brackets or between commas."""
    if latex.startswith("\\begin"):
        return read(latex)
    if latex.startswith("("):
        inner = re.fullmatch(r"\((.*)\)", latex)
        if inner and ", " in latex:
            return tuple(read(part) for part in inner[1].split(", "))
    if ", " in latex:
        return tuple(read(part) for part in latex.split(", "))
    return read(latex)


def same(one: Any, other: Any) -> bool:
    """Return whether two values are equal."""
    if isinstance(one, tuple):
        return len(one) == len(other) and all(map(same, one, other))
    difference = one - other
    if isinstance(difference, sympy.MatrixBase):
        return all(entry == 0 for entry in difference)
    return sympy.simplify(difference) == 0


def formulas(question: str) -> list[str]:
    """List the formulas between dollar signs."""
    return re.findall(r"\$([^$]+)\$", question)


def numbers(question: str) -> list[int]:
    """List the integers in a question."""
    return [int(text) for text in re.findall(r"-?\d+", question)]


def close(one: Any, other: Any) -> bool:
    """Return whether two numbers agree to 25 digits."""
    return bool(abs(sympy.N(one - other, 40)) < 10**-25)


def close_to(value: Any) -> Callable[[str], bool]:
    """Return a function that checks whether an answer has a value, to 25 digits."""
    return lambda answer: close(read(answer), value)


# Numbers.


def steps(question: str) -> Any:
    value = Rational(0)
    for sentence in re.findall(
        r"(Start|Add|Subtract|Multiply|Divide|Square)(?: with| by)? (?:\$([^$]+)\$|the)", question
    ):
        verb, n = sentence[0], read(sentence[1]) if sentence[1] else None
        value = {
            "Start": lambda v, n: n, "Add": lambda v, n: v + n, "Subtract": lambda v, n: v - n,
            "Multiply": lambda v, n: v * n, "Divide": lambda v, n: v / n,
            "Square": lambda v, n: v**2,
        }[verb](value, n)  # fmt: skip
    return value


fractions = steps


def percentages(question: str) -> Any:
    n = numbers(question)
    if "litres" in question:
        strong, had, weak, wanted = n
        return sympy.solve((X * strong + had * weak) - wanted * (X + had), X)[0]
    signs = [1 if word == "raised" else -1 for word in re.findall("raised|lowered", question)]
    if "before" in question or "at first" in question:
        return sympy.solve(X + X * signs[0] * Rational(n[0], 100) - n[1], X)[0]
    if not signs:
        return Rational(n[0] * n[1], 100)
    value = Rational(n[0])
    for sign, percent in zip(signs, n[1:], strict=True):
        value += value * sign * Rational(percent, 100)
    return value


def roots(question: str) -> Any:
    if "reciprocal" in question or "multiplied" in question:
        return 1 / read(formulas(question)[0])
    n = numbers(question)
    if "Add" in question or "Three squares" in question:
        return sqrt(n[0]) + sqrt(n[1]) - sqrt(n[2])
    return sqrt(n[0]) if len(n) == 1 else sqrt(sum(edge**2 for edge in n))


def exponents(question: str) -> Callable[[str], bool]:
    equation = read(next(text for text in formulas(question) if "=" in text))

    def fits(answer: str) -> bool:
        left, right = (side.subs(N, read(answer)) for side in equation.args)
        return close(sympy.log(left), sympy.log(right))

    return fits


# Algebra.


def linear_equations(question: str) -> Any:
    found = sympy.solve(read(next(text for text in formulas(question) if "=" in text)), X)
    assert len(found) == 1
    return found[0]


def systems(question: str) -> Any:
    names = formulas(question)[-1]
    unknowns = [PLAIN[name] for name in names.strip("()").split(", ")]
    told = formulas(question)[0].split(", \\quad ")
    found = list(sympy.linsolve([read(equation) for equation in told], unknowns))
    assert len(found) == 1
    assert not found[0].free_symbols
    return tuple(found[0])


def quadratics(question: str) -> Any:
    found = sympy.solve(read(formulas(question)[0]), X)
    assert len(found) == 2
    if "imaginary" in question:
        return next(value for value in found if sympy.im(value) > 0)
    found.sort()
    return found[1] if "larger" in question else tuple(found)


def vieta(question: str) -> Callable[[str], bool]:
    values = sympy.Poly(read(formulas(question)[0]), X).nroots(n=45, maxsteps=500)
    names = dict(zip("rst", values, strict=False))
    wanted = formulas(question)[-1]
    if "product" in question:
        value: Any = sympy.prod(values)
    elif "sum of the roots" in question:
        value = sum(values)
    else:
        found = latex2sympy(wanted)
        value = found.subs({symbol: names[symbol.name] for symbol in found.free_symbols})
    return close_to(value)


def intervals(answer: str, at: Any) -> bool:
    """Return whether a number is in one of the intervals."""
    for opened, low, high, closed in re.findall(r"([(\[])(.+?), (.+?)([)\]])", answer):
        ends = [-oo if t == "-\\infty" else oo if t == "\\infty" else read(t) for t in (low, high)]
        above = at >= ends[0] if opened == "[" else at > ends[0]
        below = at <= ends[1] if closed == "]" else at < ends[1]
        if above and below:
            return True
    return False


def inequalities(question: str) -> Callable[[str], bool]:
    told = read(next(text for text in formulas(question) if len(text) > 1))

    def fits(answer: str) -> bool:
        ends = [read(text) for text in re.findall(r"-?\\frac\{\d+\}\{\d+\}|-?\d+", answer)]
        near = {end + step for end in ends for step in (-1000, -Rational(1, 100), 0,
                                                        Rational(1, 100), 1000)}  # fmt: skip
        for at in near:
            left = told.lhs.subs(X, at)
            holds = left.is_finite and bool(told.func(left, told.rhs.subs(X, at)))
            if bool(holds) != intervals(answer, at):
                return False
        return True

    return fits


def coefficients(question: str) -> Any:
    product, term = sorted(formulas(question), key=len, reverse=True)
    power = sympy.degree(read(term), X)
    return sympy.expand(read(product)).coeff(X, power)


# Functions.


def values(question: str) -> Any:
    told = dict(re.findall(r"\$([fg])\(x\) = ([^$]+)\$", question))
    wanted = formulas(question)[-1]
    at = numbers(wanted)[-1]
    f = read(told["f"])
    if "^{-1}" in wanted:
        found = sympy.solve(sympy.Eq(f, at), X)
        assert len(found) == 1
        return found[0]
    value = Rational(at)
    if "g(" in wanted:
        value = read(told["g"]).subs(X, value)
    for _ in range(wanted.count("f(")):
        value = f.subs(X, value)
    return value


def logarithms(question: str) -> Callable[[str], bool]:
    told = next(text for text in formulas(question) if "=" in text)
    equation = read(told)
    difference = equation.lhs - equation.rhs
    if "\\cdot" in told:
        base = int(told.split("^")[0])
        times = int(re.findall(r"(\d*)x", told)[1] or 1)
        middle, last = (int(n) for n in re.findall(r" (\d+)(?= \\cdot|$| =)", told)[:2])
        exact = sorted(sympy.log(y, base) / times for y in sympy.solve(Y**2 - middle * Y + last, Y))
        return close_to(exact[-1] if "largest" in question else exact[0])

    def fits(answer: str) -> bool:
        at = read(answer)
        if "\\log" in told:
            arguments = [log.args[0].subs(X, at) for log in difference.atoms(sympy.log)
                         if log.args[0].has(X)]  # fmt: skip
            assert all(argument > 0 for argument in arguments)
        return close(difference.subs(X, at), 0)

    return fits


def complex_numbers(question: str) -> Any:
    told = {name: read(text) for name, text in re.findall(r"\$([zw]) = ([^$]+)\$", question)}
    z, w = told["z"], told.get("w")
    power = re.search(r"\$z\^(\d)\$", question)
    z = z ** int(power[1]) if power else z
    if "sum" in question:
        return sympy.expand(z + w)
    if "product" in question:
        return sympy.expand(z * w)
    if w is None:
        return sympy.expand(z)
    return sympy.expand(z * w.conjugate() / sympy.expand(w * w.conjugate()))


# Calculus.


def function_of(question: str) -> Any:
    return read(re.search(r"\$f\(x\) = ([^$]+)\$", question)[1])  # type: ignore[index]


def derivatives(question: str) -> Any:
    return sympy.diff(function_of(question), X, 2 if "second" in question else 1)


def integrals(question: str) -> Any:
    if "parabola" in question or "curves" in question:
        one, other = (read(text.removeprefix("y = ")) for text in formulas(question))
        low, high = sorted(sympy.solve(one - other, X))
        return abs(sympy.integrate(one - other, (X, low, high)))
    low, high = (int(text.removeprefix("x = ")) for text in formulas(question)[-2:])
    return sympy.integrate(function_of(question), (X, low, high))


def limits(question: str) -> Any:
    quotient, *rest = formulas(question)
    target = rest[-1].removeprefix("x \\to ")
    infinite = {"\\infty": oo, "-\\infty": -oo}
    return sympy.limit(read(quotient), X, infinite.get(target) or int(target))


def extrema(question: str) -> Any:
    f = function_of(question)
    still = [at for at in sympy.solve(sympy.diff(f, X), X) if at.is_real]
    if "local" in question:
        second = sympy.diff(f, X, 2)
        sign = -1 if "maximum" in question else 1
        return next(f.subs(X, at) for at in still if sign * second.subs(X, at) > 0)
    where = re.search(r"\$(-?\d+) \\le x \\le (-?\d+)\$", question)
    if where:
        low, high = map(int, where.groups())
        still = [low, high, *(at for at in still if low <= at <= high)]
    elif "x > 0" in question:
        still = [at for at in still if at > 0]
        assert sympy.limit(f, X, oo) == sympy.limit(f, X, 0, "+") == oo
    else:
        assert (sympy.limit(f, X, oo) == oo) == ("smallest" in question)
    return (max if "largest" in question else min)(f.subs(X, at) for at in still)


def tangents(question: str) -> Any:
    if "xy" in question:
        told = next(text for text in formulas(question) if "xy" in text)
        curve = sympy.expand(read(re.sub(r"xy", "x \\\\cdot y", told.split(" = ")[0])))
        p, q = numbers(formulas(question)[-1])
        at = {X: p, Y: q}
        assert curve.subs(at) == int(told.split(" = ")[1])
        return -(sympy.diff(curve, X) / sympy.diff(curve, Y)).subs(at)
    f = read(formulas(question)[0].removeprefix("y = "))
    at = int(formulas(question)[1].removeprefix("x = "))
    slope = sympy.diff(f, X).subs(X, at)
    if "slope" in question:
        return slope
    slope = -1 / slope if "normal" in question else slope
    line = slope * (X - at) + f.subs(X, at)

    def fits(answer: str) -> bool:
        assert answer.startswith("y = ")
        return same(read(answer.removeprefix("y = ")), line)

    return fits


# Number theory.


def divisors(question: str) -> Any:
    n = numbers(question.replace("but $1$", ""))
    if "common divisor" in question or "divides both" in question:
        return max(d for d in range(1, n[0] + 1) if n[0] % d == n[1] % d == 0)
    if "multiple" in question or "divisible by" in question:
        return next(m for m in itertools.count(n[0], n[0]) if m % n[1] == 0)
    if "factor" in question or "coprime" in question:
        return sum(math.gcd(n[0], k) == 1 for k in range(1, n[0] + 1))
    found = [d for d in range(1, n[0] + 1) if n[0] % d == 0]
    return sum(found) if "sum" in question else len(found)


def remainders(question: str) -> Any:
    told, modulus = formulas(question)
    return int(read(told)) % int(modulus)


def congruences(question: str) -> Any:
    told = [
        (int(a or 1), int(r), int(m))
        for a, r, m in re.findall(r"\$(\d*)x \\equiv (\d+) \\pmod\{(\d+)\}\$", question)
    ]
    return next(x for x in itertools.count(1) if all(a * x % m == r for a, r, m in told))


def bases(question: str) -> Any:
    n = numbers(question)
    if "decimal number is" in question:
        return int(str(n[0]), n[1])
    if "base ten" in question:
        base, numeral = re.search(r"base-(\d+) numeral (\d+)", question).groups()  # type: ignore[union-attr]
        return int(numeral, int(base))
    if "Find the base" in question or "which base" in question:
        return next(b for b in range(5, 100) if digits_in(n[1], b) == [*map(int, str(n[0]))])
    if "sum" in question or "product" in question:
        base, *texts = re.findall(r"\d+", question)[:3]
        one, other = (int(text, int(base)) for text in texts)
        value = one + other if "sum" in question else one * other
        return int("".join(map(str, digits_in(value, int(base)))))
    return int("".join(map(str, digits_in(n[0], n[1]))))


def digits_in(n: int, base: int) -> list[int]:
    return [*(digits_in(n // base, base) if n >= base else []), n % base]


def factorials(question: str) -> Any:
    shown = [int(text) for text in re.findall(r"(\d+)!", question)]
    number = math.factorial(shown[0])
    if len(shown) > 1:
        number //= math.factorial(shown[1])
    other = re.search(r"base (\d+)|\$(\d+)\^k\$", question)
    divisor = int(other[1] or other[2]) if other else 10
    count = 0
    while number % divisor == 0:
        number, count = number // divisor, count + 1
    return count


# Combinatorics.


def groups(question: str) -> Any:
    n = numbers(question)
    if "women" not in question:
        if "chair" in question:
            return sum(1 for _ in itertools.permutations(range(n[0]), 3))
        return sum(1 for _ in itertools.combinations(range(n[0]), n[1]))
    women, men, *rest = n
    if "refuse" in question:
        size = rest[0]
        return sum(
            math.comb(women - 1, w - she) * math.comb(men - 1, size - w - he)
            for she, he in ((0, 0), (1, 0), (0, 1))  # which of the two are in the team
            for w in range(max(1, she), size - he + 1)
        )
    if "at least" in question:
        size, least = rest
        return math.comb(women + men, size) - sum(
            math.comb(women, w) * math.comb(men, size - w) for w in range(least)
        )
    pairs = itertools.product(range(math.comb(women, rest[0])), range(math.comb(men, rest[1])))
    return sum(1 for _ in pairs)


def words(question: str) -> Any:
    letters = re.search(r"((?:[A-Z], )+[A-Z])\b", question)[1].split(", ")  # type: ignore[index]
    if "out of" in question:
        k = numbers(question)[0]
        return sum(1 for _ in itertools.permutations(letters, k))
    leader = re.search(r"([A-Z]) comes first", question)
    pair = re.search(r"([A-Z]) and ([A-Z]) (?:do not )?stand", question)

    @cache
    def ways(left: tuple[tuple[str, int], ...], last: str, touched: bool) -> int:
        if not left:
            return int(not pair or touched == ("do not" not in question))
        total = 0
        for letter, _ in left:
            if leader and not last and letter != leader[1]:
                continue
            fewer = tuple((a, c - (a == letter)) for a, c in left if c - (a == letter))
            beside = touched or (bool(pair) and {last, letter} == {*pair.groups()})  # type: ignore[union-attr]
            total += ways(fewer, letter, beside)
        return total

    return ways(tuple(sorted(Counter(letters).items())), "", False)


def paths(question: str) -> Any:
    (*_, w, h), *others = (
        [int(a), int(b)] for a, b in re.findall(r"\((\d+), (\d+)\)", question)[1:]
    )
    through = [at for at in others if f"through $({at[0]}, {at[1]})$" in question]
    avoided = [at for at in others if f"avoid $({at[0]}, {at[1]})$" in question]

    @cache
    def ways(x: int, y: int, passed: int) -> int:
        if x > w or y > h or [x, y] in avoided or ("line" in question and y > x):
            return 0
        passed += [x, y] in through
        if (x, y) == (w, h):
            return int(passed == len(through))
        return ways(x + 1, y, passed) + ways(x, y + 1, passed)

    return ways(0, 0, 0)


def sharing(question: str) -> Any:
    n, people = numbers(question)[:2]
    least = int((re.search(r"at least \$(\d+)", question) or [0, 0])[1])
    most = int((re.search(r"at most \$(\d+)", question) or [0, n])[1])

    @cache
    def ways(left: int, children: int) -> int:
        if not children:
            return int(left == 0 or "left over" in question)
        return sum(ways(left - k, children - 1) for k in range(least, min(most, left) + 1))

    return ways(n, people)


def multiples(question: str) -> Any:
    low, high, *by = numbers(question)
    hits = [sum(k % n == 0 for n in by) for k in range(low, high + 1)]
    if "neither" in question or "none" in question:
        return hits.count(0)
    return hits.count(1) if "exactly" in question else len(hits) - hits.count(0)


# Probability.


def dice(question: str) -> Any:
    n = numbers(question)
    if "largest" in question:
        count, _, faces, top = n
        good = sum(math.comb(count, j) * (top - 1) ** (count - j) for j in range(1, count + 1))
        return Rational(good, faces**count)
    total = n[-1]
    if "A fair die" in question:
        sides = [n[1]]
    elif "Two fair dice" in question:
        sides = [n[1], n[3]]
    else:
        sides = [n[2]] * n[0]
    throws = [sum(throw) for throw in itertools.product(*(range(1, s + 1) for s in sides))]
    good = sum(t >= total if "at least" in question else t == total for t in throws)
    return Rational(good, len(throws))


def urns(question: str) -> Any:
    r, g, b, *rest = numbers(question)
    if "One is" in question:
        return Rational(g + b, r + g + b)
    count = 2 if "Two are" in question else 3 if "Three are" in question else rest[0]
    every: dict[tuple[int, int, int], int] = {
        (i, j, count - i - j): math.comb(r, i) * math.comb(g, j) * math.comb(b, count - i - j)
        for i in range(count + 1)
        for j in range(count - i + 1)
    }
    if "not all of them" in question:
        every.pop((count, 0, 0))
    if "same colour" in question:
        good = {drawn for drawn in every if max(drawn) == count}
    elif "all three" in question:
        good = {(1, 1, 1)}
    elif "at least" in question:
        good = {drawn for drawn in every if drawn[0] >= rest[1]}
    else:
        good = {drawn for drawn in every if drawn[0] == rest[1]}
    return Rational(sum(every[drawn] for drawn in good), sum(every.values()))


def expectations(question: str) -> Any:
    n = numbers(question)
    if "wins" in question:
        win, _, faces, k, lose = n
        return Rational(sum(win if face <= k else -lose for face in range(1, faces + 1)), faces)
    faces = n[1]
    if "twice" in question:
        pairs = itertools.product(range(n[0], faces + 1), repeat=2)
        return Rational(sum(map(max, pairs)), (faces - n[0] + 1) ** 2)
    if "times" in question:
        waits = sympy.solve(X - 1 - X * Rational(faces - n[2], faces), X)
        return waits[0] * n[3]
    if "until" in question:
        k = n[3]
        return sum(
            (-1) ** (size + 1) * math.comb(k, size) * Rational(faces, size)
            for size in range(1, k + 1)
        )
    return Rational(sum(range(n[0], faces + 1)), faces - n[0] + 1)


# Geometry.


def triangles(question: str) -> Any:
    n = numbers(question)
    if "area" in question and len(n) == 2:
        return sympy.Triangle((0, 0), (n[0], 0), (0, n[1])).area
    if "third side" in question and len(n) == 2:
        return sympy.Point(n[0], 0).distance(sympy.Point(0, n[1]))
    if "hypotenuse" in question:
        return next(at for at in sympy.solve(X**2 + n[0] ** 2 - n[1] ** 2, X) if at > 0)
    if "circ" in question and "third side" in question:
        a, b, degrees = n
        turn = sympy.pi * degrees / 180
        end = sympy.Point(b * sympy.cos(turn), b * sympy.sin(turn))
        return sympy.Point(a, 0).distance(end)
    triangle = sympy.Triangle(sss=tuple(n))
    return triangle.area if "area" in question else triangle.circumradius


def circles(question: str) -> Any:
    n = numbers(question)
    circle = sympy.Circle((0, 0), n[0])
    if "radii" in question:
        return abs(sympy.Circle((0, 0), n[1]).area - circle.area)
    if "chord" in question:
        angle = sympy.pi * n[1] / 180
        return Rational(n[0] ** 2, 2) * (angle - sympy.sin(angle))
    if "bounds" in question:
        share = Rational(n[0], 360)
        radius = n[1] * sympy.pi / (2 * sympy.pi * share)
        return sympy.Circle((0, 0), radius).area * share
    if "sector" in question:
        share = Rational(n[1], 360)
        arc = circle.circumference * share
        return circle.area * share if "area" in question else arc + 2 * n[0] * (
            "perimeter" in question)  # fmt: skip
    return circle.area if "area" in question else circle.circumference


def coordinates(question: str) -> Any:
    told = [sympy.Point(int(a), int(b)) for a, b in re.findall(r"\((-?\d+), (-?\d+)\)", question)]
    if "mid" in question:
        return tuple(told[0].midpoint(told[1]))
    if "line" in question:
        return sympy.Line(told[1], told[2]).distance(told[0])
    if "circle" in question:
        return tuple(sympy.Triangle(*told).circumcenter)
    return abs(sympy.Triangle(*told).area) if "triangle" in question else told[0].distance(told[1])


def solids(question: str) -> Any:
    pi, z = sympy.pi, sympy.Symbol("z")
    if "ball" in question:
        r = read(formulas(question)[0])
        volume = sympy.integrate(pi * (X**2 - z**2), (z, -X, X))
        return (volume if "volume" in question else sympy.diff(volume, X)).subs(X, r)
    n = numbers(question)
    if "box" in question:
        faces = sum(2 * a * b for a, b in itertools.combinations(n, 2))
        return math.prod(n) if "volume" in question else faces
    if "cut" in question:
        wide, narrow, height = n
        radius = wide + (narrow - wide) * z / height
        return sympy.integrate(pi * radius**2, (z, 0, height))
    r, h = n
    if "cone" in question:
        slope = sqrt(1 + Rational(r, h) ** 2)
        return sympy.integrate(2 * pi * Rational(r, h) * z * slope, (z, 0, h))
    return pi * r**2 * h if "volume" in question else 2 * pi * r * h + 2 * pi * r**2


# Sequences.


def ordinals(question: str) -> list[int]:
    return [int(text) for text in re.findall(r"(\d+)(?:st|nd|rd|th)\b", question)]


def arithmetic_series(question: str) -> Any:
    shown = [int(text) for text in re.findall(r"\$(-?\d+)\$", question)]
    places = ordinals(question)
    if "begins with" in question:
        a, b = numbers(formulas(question)[0])
        sums = itertools.accumulate(itertools.count(a, b - a))
        return next(k for k, total in enumerate(sums, 1) if total == numbers(question)[-1])
    at = (1, 2) if "as its first" in question else tuple(places[:2])
    first, d = sympy.solve([X + (k - 1) * Y - v for k, v in zip(at, shown, strict=False)],
                           [X, Y]).values()  # fmt: skip
    if "sum" in question:
        return sum(first + k * d for k in range(shown[-1]))
    return first + (places[-1] - 1) * d


def geometric_series(question: str) -> Any:
    told = formulas(question)
    a = int(told[0])
    if "add up" in question:
        return sympy.solve(a - (1 - X) * read(told[1]), X)[0]
    ratio = read(told[1])
    if "all its terms" in question:
        return sympy.summation(a * ratio**N, (N, 0, oo))
    count = ordinals(question)[-1] if "term" in question and "sum" not in question else int(told[2])
    terms = [a * ratio**k for k in range(count)]
    return sum(terms) if "sum" in question else terms[-1]


def recurrences(question: str) -> Any:
    known = {int(k): Fraction(v) for k, v in re.findall(r"a_(\d) = (-?\d+)", question)}
    told = re.search(r"a_\{n\+(\d)\} = ([^$]+)\$", question)
    assert told
    step, rule = int(told[1]), told[2]
    rule = re.sub(r"\\frac\{(\d+)\}\{(.+)\}$", r"\1/(\2)", rule)
    rule = re.sub(r"(?<=\d)(?=[an])", "*", rule).replace("a_{n+1}", "a(n+1)").replace("a_n", "a(n)")
    rule = re.sub(r"(\d+)/", r"F(\1)/", rule)
    wanted = int(re.findall(r"a_\{(\d+)\}", question)[-1])
    for place in range(max(known) + 1, wanted + 1):
        known[place] = eval(rule, {"n": place - step, "a": known.__getitem__, "F": Fraction})
    return Rational(known[wanted].numerator, known[wanted].denominator)


# Level 0.


def stated(question: str) -> Any:
    name, value = formulas(question)[0].split(" = ")
    assert question.endswith(f"What is ${name}$?")
    return sympy.Integer(value)


# Linear algebra.


def told_matrices(question: str) -> dict[str, Any]:
    found = re.findall(r"([ABv]) = (\\begin\{pmatrix\}.+?\\end\{pmatrix\})", question)
    return {name: read(text) for name, text in found}


def determinants(question: str) -> Any:
    told = told_matrices(question)
    power = re.search(r"A\^(\d) B", question)
    matrix = told["A"] ** int(power[1]) * told["B"] if power else told["A"]
    return matrix.det()


def matrices(question: str) -> Any:
    told = told_matrices(question)
    power = re.search(r"\$A\^(\d)\$", question)
    if "AX = B" in question:
        return told["A"].inv() * told["B"]
    if "inverse" in question:
        return told["A"].inv()
    return told["A"] ** int(power[1]) if power else told["A"] * told.get("B", told.get("v"))


def eigenvalues(question: str) -> Any:
    polynomial = told_matrices(question)["A"].charpoly(X)
    if "squares" in question:
        return close_to(sum(value**2 for value in polynomial.nroots(n=45)))
    found = sympy.roots(polynomial, multiple=True)
    assert len(found) == polynomial.degree()
    if "sum" in question or "product" in question:
        return sum(found) if "sum" in question else sympy.prod(found)
    return max(found)


def vectors(question: str) -> Any:
    told = {
        name: sympy.Matrix([int(n) for n in inner.split(", ")])
        for name, inner in re.findall(r"\$([uvw]) = \(([^)]+)\)\$", question)
    }
    u, v = told["u"], told["v"]
    if "dot" in question:
        return u.dot(v)
    if "length" in question:
        return (u - v).norm()
    if "volume" in question:
        return abs(sympy.Matrix.hstack(u, v, told["w"]).det())
    if "area" in question:
        return sqrt(u.dot(u) * v.dot(v) - u.dot(v) ** 2) / 2
    return tuple(u.cross(v))
