"""Measures: lengths, areas and angles of shapes, and conversion of units.

Invariants: all options of a question have the same unit; answers are exact; units of volume and
mass are metric.
"""

import random
from itertools import product
from operator import mul

from textgym.envs.generation import Unfit, choice, randbelow, randint, redrawn, sample
from textgym.envs.mcqa.families.question import Item, ValuesInUnit, corners, four, offer, pair

_TRIPLES = (
    (3, 4, 5), (5, 12, 13), (8, 15, 17), (7, 24, 25), (20, 21, 29), (9, 40, 41), (12, 35, 37),
)  # fmt: skip
# right-angled triangles of about the same size: legs and hypotenuse
_TRIANGLES = tuple(
    tuple(
        (times * a, times * b, times * c)
        for a, b, c in _TRIPLES
        for times in range(1, 20)
        if least <= times * c < 1.6 * least
    )
    for least in range(20, 150, 5)
)
# units of one kind, each with its power of ten in the smallest unit
_LENGTHS = {"mm": 0, "cm": 1, "dm": 2, "m": 3, "km": 6}
_MASSES = {"mg": 0, "cg": 1, "dg": 2, "g": 3, "kg": 6, "t": 9}
_VOLUMES = {"mL": 0, "cL": 1, "dL": 2, "L": 3, "hL": 5}
_AREAS = {
    "square mm": 0, "square cm": 2, "square dm": 4, "square m": 6, "ha": 10, "square km": 12,
}  # fmt: skip
_SPACES = {
    "cubic mm": 0, "cubic cm": 3, "cL": 4, "dL": 5, "L": 6, "cubic dm": 6, "hL": 8, "cubic m": 9,
}  # fmt: skip


def _by_zeros(*kinds: dict[str, int]) -> dict[int, list[tuple[str, str]]]:
    """Group pairs of a unit and a smaller one by the power of ten between them."""
    found: dict[int, list[tuple[str, str]]] = {}
    for kind in kinds:
        for (large, most), (small, least) in product(kind.items(), repeat=2):
            if 0 < most - least < 9:
                found.setdefault(most - least, []).append((large, small))
    return {zeros: pairs for zeros, pairs in sorted(found.items()) if len(pairs) > 1}


_PLAIN = _by_zeros(_LENGTHS, _MASSES, _VOLUMES)
_POWERS = _by_zeros(_AREAS), _by_zeros(_SPACES)
# a unit, a smaller unit, and the number of smaller units in one
_TIMES = (
    ("hours", "minutes", 60), ("minutes", "seconds", 60), ("days", "hours", 24),
    ("weeks", "days", 7), ("hours", "seconds", 3600), ("days", "minutes", 1440),
    ("dozens", "pieces", 12), ("feet", "inches", 12), ("yards", "feet", 3),
    ("weeks", "hours", 168),
)  # fmt: skip
_CONVERT = ("How many {1} are {0}?", "Convert {0} to {1}.", "What is {0} in {1}?")


def geometry(rng: random.Random, level: int) -> Item:
    """Measure shapes.

    Level 1 has rectangles, level 2 triangles, level 3 right-angled triangles and missing sides,
    level 4 boxes and circles, level 5 polygons and frames.
    """
    draw = (_rectangle, _triangle, _sides, _solid, _polygon)[level - 1]
    text, values, unit = draw(rng)
    return offer(text, values, f"{{}} {unit}".format)


def _rectangle(rng: random.Random) -> ValuesInUnit:
    """Ask for the perimeter or area of a rectangle."""
    a, b = pair(rng, 3, 20, (1, 2, 3)), pair(rng, 3, 15)
    sides = f"a rectangle with sides of {a[0]} cm and {b[0]} cm"
    if randbelow(rng, 2):
        ask = choice(rng, ("What is the perimeter of {}?", "How long is the way around {}?"))
        return ask.format(sides), corners(lambda a, b: 2 * a + 2 * b, a, b), "cm"
    ask = choice(rng, ("What is the area of {}?", "How large is the area of {}?"))
    return ask.format(sides), corners(mul, a, b), "square cm"


def _triangle(rng: random.Random) -> ValuesInUnit:
    """Ask for the third angle or the area of a triangle."""
    if randbelow(rng, 2):
        first, second = pair(rng, 21, 89, (1, 2, 10)), pair(rng, 21, 79, (1, 5, 10, 20))
        text = f"Two angles of a triangle are {first[0]} and {second[0]} degrees. "
        text += "How large is the third?"
        return text, corners(lambda first, second: 180 - first - second, first, second), "degrees"
    base, height = pair(rng, 3, 20), pair(rng, 2, 14)
    text = f"A triangle has a base of {2 * base[0]} cm and a height of {height[0]} cm. "
    return text + "What is its area?", corners(mul, base, height), "square cm"


def _sides(rng: random.Random) -> ValuesInUnit:
    """Ask for a side of a right-angled triangle or of a rectangle."""
    if randbelow(rng, 3) == 0:
        a, b = pair(rng, 3, 20), pair(rng, 3, 15)
        text = f"A rectangle has an area of {a[0] * b[0]} square cm and one side of {a[0]} cm. "
        text += "What is its perimeter?"
        return text, corners(lambda a, b: 2 * (a + b), a, b), "cm"
    legs, other_legs, hypotenuses = zip(*sample(rng, choice(rng, _TRIANGLES), 4), strict=True)
    if randbelow(rng, 2):
        text = f"The legs of a right-angled triangle are {legs[0]} cm and {other_legs[0]} cm. "
        text, values = text + "How long is the hypotenuse?", hypotenuses
    else:
        text = f"A right-angled triangle has a hypotenuse of {hypotenuses[0]} cm and a leg of "
        text, values = text + f"{legs[0]} cm. How long is the other leg?", other_legs
    if len({*values}) < 4:
        raise Unfit
    return text, values, "cm"


def _solid(rng: random.Random) -> ValuesInUnit:
    """Ask for the volume or surface of a box, or about a circle."""
    shape, a, b, c = randbelow(rng, 4), pair(rng, 3, 20), pair(rng, 3, 15), randint(rng, 2, 12)
    box = f"a box with edges of {a[0]}, {b[0]} and {c} cm"
    if shape == 0:
        volumes = corners(lambda a, b: a * b * c, a, b)
        return f"What is the volume of {box}?", volumes, "cubic cm"
    if shape == 1:
        areas = corners(lambda a, b: 2 * (a * b + b * c + a * c), a, b)
        return f"What is the total area of the six faces of {box}?", areas, "square cm"
    radii = four(rng, 3, 120, (1, 2, 3, 10))
    if shape == 2:
        text = f"What is the area of a circle with a radius of {radii[0]} cm?"
        return text, [radius * radius for radius in radii], "pi square cm"
    text = f"What is the circumference of a circle with a radius of {radii[0]} cm?"
    return text, [2 * radius for radius in radii], "pi cm"


def _polygon(rng: random.Random) -> ValuesInUnit:
    """Ask about the angles or diagonals of a polygon, or a frame around a picture."""
    shape = randbelow(rng, 3)
    sides = four(rng, 5, 60, (1, 2, 3))
    if shape == 0:
        text = f"What is the sum of the inner angles of a convex polygon with {sides[0]} sides?"
        return text, [180 * (n - 2) for n in sides], "degrees"
    if shape == 1:
        text = f"How many diagonals has a convex polygon with {sides[0]} sides?"
        return text, [n * (n - 3) // 2 for n in sides], "diagonals"
    a, b, c = pair(rng, 3, 20), randint(rng, 3, 15), pair(rng, 2, 12)
    text = f"A picture of {a[0]} cm by {b} cm has a frame {c[0]} cm wide on all four sides. "
    text += "What is the area of the frame alone?"
    return text, corners(lambda a, c: 2 * c * (a + b) + 4 * c * c, a, c), "square cm"


def _decimal(n: int) -> str:
    """Write billionths as a decimal number without trailing zeros."""
    text = f"{n // 1_000_000_000}.{n % 1_000_000_000:09d}"
    return text.rstrip("0").rstrip(".")


def units(rng: random.Random, level: int) -> Item:
    """Convert units.

    Level 1 turns a metric unit into a smaller one, level 2 into a larger one, level 3 converts
    times and other counts that are not decimal, level 4 areas and volumes, level 5 speeds,
    temperatures and mixed measures.
    """
    if level == 5:
        return _mixed(rng)
    if level == 3:
        large, small, factor = choice(rng, _TIMES)
        counts, ask = four(rng, 2, 29, (1, 2, 3, 10)), choice(rng, _CONVERT)
        n = counts[0]
        if randbelow(rng, 2):
            return offer(ask.format(f"{n * factor} {small}", large), counts, f"{{}} {large}".format)
        values = [count * factor for count in counts]
        return offer(ask.format(f"{n} {large}", small), values, f"{{}} {small}".format)
    table = choice(rng, _POWERS) if level == 4 else _PLAIN
    zeros = sample(rng, table, 4)
    large, small = choice(rng, table[zeros[0]])
    n = randint(rng, 2, 99) * choice(rng, (1, 10, 100, 1000)) * 10**9
    if level == 2 or (level == 4 and randbelow(rng, 2)):
        unit, other, values = small, large, [n // 10**zero for zero in zeros]
    else:
        n //= choice(rng, (1, 100)) if level == 4 else 1
        unit, other, values = large, small, [n * 10**zero for zero in zeros]
    question = choice(rng, _CONVERT).format(f"{_decimal(n)} {unit}", other)
    return offer(question, values, lambda billionths: f"{_decimal(billionths)} {other}")


@redrawn
def _mixed(rng: random.Random) -> Item:
    """Convert speeds, temperatures, and hours and minutes."""
    shape, ask = randbelow(rng, 4), choice(rng, _CONVERT)
    if shape == 0:
        hours, minutes = pair(rng, 1, 20), pair(rng, 1, 59, (1, 10, 20, 40))
        question = ask.format(f"{hours[0]} h {minutes[0]} min", "minutes")
        values = corners(lambda hours, minutes: 60 * hours + minutes, hours, minutes)
        return offer(question, values, "{} minutes".format)
    if shape == 1:
        celsius = [5 * fives for fives in four(rng, -6, 24, (1, 2, 4))]
        question = ask.format(f"{celsius[0]} degrees Celsius", "degrees Fahrenheit")
        return offer(question, [n * 9 // 5 + 32 for n in celsius], "{} degrees Fahrenheit".format)
    speeds = four(rng, 2, 60, (1, 2, 5, 10))
    slow, fast = f"{speeds[0]} m per second", f"{36 * speeds[0] / 10:g} km per hour"
    if shape == 2:
        return offer(ask.format(fast, "m per second"), speeds, "{} m per second".format)
    question = ask.format(slow, "km per hour")
    return offer(question, speeds, lambda speed: f"{36 * speed / 10:g} km per hour")
