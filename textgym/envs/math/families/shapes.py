"""Geometry: triangles, circles, coordinates, solids.

Invariants: lengths and areas are exact, in terms of square roots and pi.
"""

import random
from fractions import Fraction

from textgym.envs.generation import choice, randbelow, randint
from textgym.envs.math.families.problem import Problem, number, point, scaled, sum_of, surd

_EXACT = (
    "{} Give the exact value.",
    "{} Answer exactly.",
    "{} Leave square roots and $\\pi$ as they are.",
)


def triangles(rng: random.Random, level: int) -> Problem:
    """Measure a triangle.

    Level 1 asks for an area, level 2 for a side of a right triangle, level 3 for a side opposite an
    angle of 60 or 120 degrees, level 4 for an area given three sides, level 5 for the radius of the
    circumcircle.
    """
    a, b, c = randint(rng, 3, 25), randint(rng, 3, 25), randint(rng, 3, 25)
    if level == 1:
        ask = choice(
            rng,
            (
                "A triangle has a side of ${}$, and the height on it is ${}$. What is its area?",
                "The legs of a right triangle are ${}$ and ${}$. Find its area.",
            ),
        )
        return Problem(ask.format(a, b), number(Fraction(a * b, 2)))
    if level == 2:
        if randbelow(rng, 2):
            question = (
                f"The legs of a right triangle are ${a}$ and ${b}$. How long is the third side?"
            )
            answer = surd(1, a * a + b * b)
        else:
            question = (
                f"A right triangle has a leg of ${a}$ and a hypotenuse of ${a + b}$. How long "
            )
            question += "is the other leg?"
            answer = surd(1, (a + b) ** 2 - a * a)
    elif level == 3:
        angle, sign = choice(rng, ((60, -1), (120, 1)))
        question = f"Two sides of a triangle are ${a}$ and ${b}$, and the angle between them is "
        question += f"${angle}^\\circ$. How long is the third side?"
        answer = surd(1, a * a + b * b + sign * a * b)
    else:
        if not abs(a - b) < c < a + b:
            return triangles(rng, level)
        squared = (a + b + c) * (a + b - c) * (a - b + c) * (b + c - a)  # 16 areas squared
        question = f"A triangle has sides ${a}$, ${b}$ and ${c}$. What is "
        if level == 4:
            question, answer = question + "its area?", surd(Fraction(1, 4), squared)
        else:
            question += "the radius of the circle through its corners?"
            answer = surd(Fraction(a * b * c, squared), squared)
    return Problem(choice(rng, _EXACT).format(question), answer)


def circles(rng: random.Random, level: int) -> Problem:
    """Measure a circle or a part of one.

    Level 1 asks for an area or circumference, level 2 for the area of a ring, level 3 for an arc,
    level 4 for a sector given its arc, level 5 for a segment.
    """
    r, s = randint(rng, 2, 60), randint(rng, 1, 40)
    degrees = choice(
        rng, (10, 15, 20, 24, 30, 36, 40, 45, 50, 72, 80, 100, 108, 135, 150, 160, 200)
    )
    if level == 1:
        what, value = choice(rng, (("area", r * r), ("circumference", 2 * r)))
        question, answer = (
            f"What is the {what} of a circle with radius ${r}$?",
            scaled(value, "\\pi"),
        )
    elif level == 2:
        question = f"Two circles with the same centre have radii ${r}$ and ${r + s}$. What is the "
        question += "area of the ring between them?"
        answer = scaled((r + s) ** 2 - r * r, "\\pi")
    elif level == 3:
        question = f"A sector of a circle with radius ${r}$ has an angle of ${degrees}^\\circ$. "
        arc = scaled(Fraction(r * degrees, 180), "\\pi")
        what, answer = choice(
            rng,
            (
                ("What is its area?", scaled(Fraction(r * r * degrees, 360), "\\pi")),
                ("How long is its arc?", arc),
                ("What is its perimeter?", sum_of(str(2 * r), arc)),
            ),
        )
        question += what
    elif level == 4:
        question = (
            f"An arc of ${degrees}^\\circ$ of a circle has length ${s}\\pi$. What is the area "
        )
        question += "of the sector that it bounds?"
        radius = Fraction(180 * s, degrees)
        answer = scaled(radius * s / 2, "\\pi")
    else:
        angle, part, root = choice(rng, ((60, 6, 1), (90, 4, 0), (120, 3, 1)))
        question = (
            f"A chord of a circle with radius ${r}$ is seen from the centre under an angle of "
        )
        question += f"${angle}^\\circ$. What is the area between the chord and the shorter arc?"
        triangle = surd(Fraction(-r * r, 4), 3) if root else number(Fraction(-r * r, 2))
        answer = sum_of(scaled(Fraction(r * r, part), "\\pi"), triangle)
    return Problem(choice(rng, _EXACT).format(question), answer)


_COORDINATES = {
    1: (
        "Which point is in the middle between {} and {}?",
        "Find the midpoint of the segment from {} to {}.",
    ),
    2: (
        "How far is it from {} to {}? Give the exact distance.",
        "Find the exact distance between {} and {}.",
    ),
    3: (
        "What is the area of the triangle with corners {0}, {1} and {2}?",
        "A triangle has the corners {0}, {1} and {2}. Find its area.",
    ),
    4: (
        "How far is {2} from the line through {0} and {1}? Give the exact value.",
        "Find the exact distance of {2} from the line through {0} and {1}.",
    ),
    5: (
        "Find the centre of the circle through {0}, {1} and {2}.",
        "A circle passes through {0}, {1} and {2}. What is its centre?",
    ),
}


def coordinates(rng: random.Random, level: int) -> Problem:
    """Measure in a coordinate plane.

    Level 1 asks for a midpoint, level 2 for a distance, level 3 for the area of a triangle, level 4
    for the distance of a point from a line, level 5 for the centre of the circle through three
    points.
    """
    p, q, r = [(randint(rng, -12, 12), randint(rng, -12, 12)) for _ in range(3)]
    dx, dy = q[0] - p[0], q[1] - p[1]
    ex, ey = r[0] - p[0], r[1] - p[1]
    twice = dx * ey - dy * ex  # twice the signed area
    if p == q or (level > 2 and not twice):
        return coordinates(rng, level)
    question = choice(rng, _COORDINATES[level]).format(*[f"${point(*at)}$" for at in (p, q, r)])
    first, second = dx * dx + dy * dy, ex * ex + ey * ey  # squares of two sides
    if level == 1:
        answer = point(Fraction(p[0] + q[0], 2), Fraction(p[1] + q[1], 2))
    elif level == 2:
        answer = surd(1, first)
    elif level == 3:
        answer = number(Fraction(abs(twice), 2))
    elif level == 4:
        answer = surd(Fraction(abs(twice), first), first)
    else:
        answer = point(
            p[0] + Fraction(ey * first - dy * second, 2 * twice),
            p[1] + Fraction(dx * second - ex * first, 2 * twice),
        )
    return Problem(question, answer)


def solids(rng: random.Random, level: int) -> Problem:
    """Measure a solid.

    Level 1 is a box, level 2 a cylinder, level 3 a ball, level 4 the surface of a cone, level 5 a
    frustum.
    """
    r, h, s = randint(rng, 2, 20), randint(rng, 3, 30), randint(rng, 1, 15)
    if level == 1:
        what, value = choice(
            rng, (("volume", r * h * s), ("surface area", 2 * (r * h + r * s + h * s)))
        )
        question = f"A box has edges of ${r}$, ${h}$ and ${s}$. What is its {what}?"
        answer = str(value)
    elif level == 2:
        what, value = choice(rng, (("volume", r * r * h), ("whole surface area", 2 * r * (r + h))))
        question = f"A cylinder has radius ${r}$ and height ${h}$. What is its {what}?"
        answer = scaled(value, "\\pi")
    elif level == 3:
        radius = Fraction(r * s + 1, s + 1)
        what, times = choice(
            rng, (("volume", radius**3 * Fraction(4, 3)), ("surface", 4 * radius**2))
        )
        question = f"A ball has radius ${number(radius)}$. What is its {what}?"
        answer = scaled(times, "\\pi")
    elif level == 4:
        question = f"A cone has base radius ${r}$ and height ${h}$. What is the area of its curved "
        question += "surface?"
        answer = surd(r, r * r + h * h, "\\pi")
    else:
        question = (
            f"A cone is cut parallel to its base. The part left has radii ${r + s}$ and ${r}$ "
        )
        question += f"and height ${h}$. What is its volume?"
        answer = scaled(Fraction(h * ((r + s) ** 2 + (r + s) * r + r * r), 3), "\\pi")
    return Problem(choice(rng, _EXACT).format(question), answer)
