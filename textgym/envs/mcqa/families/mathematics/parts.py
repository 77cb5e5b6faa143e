"""Parts of a whole: fractions, percentages, and putting quantities in order.

Invariants: fractions are in lowest terms and never whole; percentage answers are integers by
construction; compared quantities all have different values.
"""

import random
from collections.abc import Sequence
from operator import mul

from ..item import (
    Item,
    are_fractions,
    choice,
    corners,
    four,
    lowest,
    offer,
    pair,
    randbelow,
    randint,
    sample,
)

_LOWEST = (
    "What is {}? Give the answer in lowest terms.",
    "Work out {} and write the result as a fraction in lowest terms.",
    "Which fraction in lowest terms equals {}?",
)
_RANKS = ("smallest", "second smallest", "second largest", "largest")
_ORDER = (
    "Which of these is the {rank}: {list}?",
    "Of {list}, which is the {rank}?",
    "Compare {list}. Which is the {rank}?",
)
_CHANGES = ((1, "raised"), (-1, "lowered"))
_LENGTHS = (("mm", 1), ("cm", 10), ("m", 1000), ("km", 1_000_000))


def fractions(rng: random.Random, level: int) -> Item:
    """Calculate with fractions.

    Level 1 reduces a fraction, 2 adds or subtracts with equal denominators, 3 with different
    ones, 4 multiplies or divides, 5 combines three fractions by precedence.
    """
    a, c, e = pair(rng, 1, 8), pair(rng, 1, 8), pair(rng, 1, 5)
    b, d, f = sample(rng, range(3, 13), 3)
    if level == 1:
        a, below_it, k = pair(rng, 1, 9), pair(rng, 3, 14), randint(rng, 2, 9)
        text, values = f"{a[0] * k}/{below_it[0] * k}", corners(lowest, a, below_it)
    elif level <= 3:
        b, d = (b + 8, b + 8) if level == 2 else (b, d)
        sign = choice(rng, (1, -1))
        text = f"{a[0]}/{b} {'+' if sign > 0 else '-'} {c[0]}/{d}"
        values = corners(lambda a, c: lowest(a * d + sign * c * b, b * d), a, c)
    elif level == 4 and randbelow(rng, 2):
        text = f"({a[0]}/{b}) * ({c[0]}/{d})"
        values = corners(lambda a, c: lowest(a * c, b * d), a, c)
    elif level == 4:
        text = f"({a[0]}/{b}) divided by ({c[0]}/{d})"
        values = corners(lambda a, c: lowest(a * d, b * c), a, c)
    else:
        g = randint(rng, 1, 8)
        text = f"{a[0]}/{b} + ({g}/{d}) * ({e[0]}/{f})"
        values = corners(lambda a, e: lowest(a * d * f + b * g * e, b * d * f), a, e)
    if values is None or not are_fractions(values):
        return fractions(rng, level)
    return offer(choice(rng, _LOWEST).format(text), values)


def percentages(rng: random.Random, level: int) -> Item:
    """Calculate with percentages.

    Level 1 takes a simple percentage of a number, 2 any multiple of 5%, 3 raises or lowers a
    price, 4 asks what percentage a part is, 5 undoes a change or chains two changes.
    """
    values: Sequence[int] | None
    twenties = pair(rng, 2, 40, (1, 2, 10))  # whole numbers are 20 times these
    if level <= 2:
        fives = pair(rng, 1, 19, (1, 2, 4))  # percentages are 5 times these
        if level == 1:
            fives = _two_of(rng, (2, 4, 5, 10, 15))
        values = corners(mul, twenties, fives)
        ask = choice(rng, ("What is {}% of {}?", "How much is {}% of {}?", "Calculate {}% of {}."))
        question = ask.format(5 * fives[0], 20 * twenties[0])
        return offer(question, values) if values else percentages(rng, level)
    if level == 4:
        percents, k = [5 * n for n in four(rng, 1, 19, (1, 2, 4))], randint(rng, 2, 40)
        ask = choice(rng, ("{0} is what percentage of {1}?", "What percentage of {1} is {0}?"))
        return offer(ask.format(k * percents[0] // 5, 20 * k), percents, "{}%".format)
    good = choice(rng, ("coat", "bicycle", "lamp", "table", "phone", "ticket", "chair", "camera"))
    if level == 3:
        sign, word = choice(rng, _CHANGES)
        fives = pair(rng, 1, 10)
        values = corners(lambda whole, change: whole * (20 + sign * change), twenties, fives)
        text = f"The price of a {good} is ${20 * twenties[0]}. It is {word} by {5 * fives[0]}%. "
        text += "What is it now?"
    elif randbelow(rng, 2):
        sign, word = choice(rng, _CHANGES)
        change = randint(rng, 1, 10)
        values = [20 * n for n in four(rng, 2, 40, (1, 2, 3, 10))]
        after = values[0] * (20 + sign * change) // 20
        text = f"After being {word} by {5 * change}%, the price of a {good} is ${after}. "
        text += "What was it before?"
    else:
        rises, falls, k = pair(rng, 1, 10), pair(rng, 1, 10), randint(rng, 1, 6)
        values = corners(lambda rise, fall: k * (20 + rise) * (20 - fall), rises, falls)
        text = (
            f"The price of a {good} is ${400 * k}. It is raised by {5 * rises[0]}%, and then the "
            f"new price is lowered by {5 * falls[0]}%. What is it now?"
        )
    return offer(text, values, "${}".format) if values else percentages(rng, level)


def _two_of(rng: random.Random, numbers: tuple[int, ...]) -> tuple[int, int]:
    one, other = sample(rng, numbers, 2)
    return one, other


def comparing(rng: random.Random, level: int) -> Item:
    """Find the quantity with a given rank among four.

    Level 1 compares whole numbers, 2 decimals, 3 fractions, 4 fractions with decimals and
    percentages, 5 lengths in four units or powers.
    """
    if level == 1:
        sizes = sample(rng, range(10, 100), 4)
        texts = list(map(str, sizes))
    elif level == 2:
        start = randint(rng, 1, 8) * 1000
        sizes = [start + part for part in sample(rng, range(1, 1000), 4)]
        for i in range(4):
            sizes[i] -= sizes[i] % choice(rng, (1, 10, 100))
        texts = [f"{size / 10000:g}" for size in sizes]
    elif level == 3 or level == 4:
        pairs = [(top, top + randint(rng, 1, 5)) for top in sample(rng, range(1, 11), 4)]
        sizes = [top * 27720000 // bottom for top, bottom in pairs]
        texts = [f"{top}/{bottom}" for top, bottom in pairs]
        if level == 4:
            sizes[:2] = [size // 277200 * 277200 for size in sizes[:2]]
            texts[:2] = f"{sizes[0] // 277200}%", f"{sizes[1] / 27720000:g}"
    elif randbelow(rng, 2):
        start = randint(rng, 20, 800)
        counts = [start + spread for spread in sample(rng, range(1, 60), 4)]
        sizes = [count * 10000 for count in counts]
        texts = [
            f"{size / scale:.7g} {unit}"
            for size, (unit, scale) in zip(sizes, sample(rng, _LENGTHS, 4), strict=True)
        ]
    else:
        powers = [(base, randint(rng, 2, 9 - base // 2)) for base in sample(rng, range(2, 13), 4)]
        sizes = [base**power for base, power in powers]
        texts = [f"{base}^{power}" for base, power in powers]
    if len({*sizes}) < 4:
        return comparing(rng, level)
    place = randbelow(rng, 4)
    right = texts[sizes.index(sorted(sizes)[place])]
    question = choice(rng, _ORDER).format(rank=_RANKS[place], list=", ".join(texts))
    if level == 5 and "^" in right:
        question += " Here a^b means a to the power b."
    return Item(question, right, [text for text in texts if text != right])
